"""Records with made-up numbers in the shape of real ones, for what is drawn and written."""

import numpy as np

from eulac.benchmark.experiments import Scope, plan_experiment
from eulac.benchmark.records import Record
from eulac.benchmark.theory import RISKS
from eulac.benchmark.trial import Draw, Trial


def comparison(means, n=6, dataset="usps", spread=0.01, seed=0):
    """Return records in which methods have the given means, up to noise."""
    rng = np.random.default_rng(seed)
    return [
        Record(
            Trial("table1", Draw(dataset, i), method),
            metrics=dict.fromkeys(("macro_f1", "accuracy", "auc"), mean + spread * rng.normal()),
            seconds={"fit": 1.0, "wall": 1.0},
            versions={"eulac": "0"},
        )
        for method, mean in means.items()
        for i in range(n)
    ]


def of_experiment(name, bundled=("digits",)):
    """Return records of a quick experiment, as if it had run."""
    rng = np.random.default_rng(0)
    datasets = None if name == "theory" else bundled
    return [
        _record(trial, rng) for trial in plan_experiment(name, Scope(datasets, quick=True)).trials
    ]


def deep_line(method="deep_eulac", split=0, auc=98.0):
    return {
        "dataset": "mnist",
        "method": method,
        "split": split,
        "epochs": 12,
        "auc": auc,
        "accuracy": 95.0,
        "macro_f1": 94.0,
        "known_proportion": 0.6,
        "true_proportion": 0.6,
        "minutes": 1.0,
        "curve": [90.0, 95.0, auc],
    }


def _record(trial, rng):
    names = ("macro_f1", "accuracy", "auc", "error", "bayes_error", "excess_error", "bound")
    metrics = {name: 0.5 + 0.1 * rng.random() for name in names}
    for name in RISKS:
        metrics |= {f"{name}_mean": 0.5, f"{name}_truth": 0.49, f"{name}_standard_error": 0.02}
    true = trial.draw.condition("known_proportion", 0.5)
    return Record(trial, metrics=metrics, proportion={"estimate": true + 0.02, "true": true})
