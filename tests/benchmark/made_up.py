"""Records with made-up numbers in the shape of real ones, for what is drawn and written."""

import numpy as np

from eulac.benchmark.experiment import Scope
from eulac.benchmark.experiments import plan_experiment
from eulac.benchmark.experiments.named_groups import LEARNED, LOOP, ORDERS, SPENT
from eulac.benchmark.experiments.theorems import RISKS
from eulac.benchmark.experiments.trusted_numbers import BOTH, MEASURED
from eulac.benchmark.records import Record
from eulac.benchmark.trial import Draw, Trial

JUDGED = ("accuracy", "called_new", *MEASURED)
WHO = ("pool_", "fresh_", "", "storey_")
"""Rows that are selected as new: of the pool, fresh ones, by a contender."""


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


def network_records(means, n=3):
    """Return records of networks on mnist with the given AUC, and curves that end there."""
    return [
        Record(
            Trial("deep", Draw("mnist", split, conditions={"epochs": 12}), method),
            metrics={"auc": auc, "accuracy": 0.95, "macro_f1": 0.94},
            proportion={"estimate": 0.6, "true": 0.6},
            parameters={"curve": [0.9, 0.95, auc]},
            seconds={"fit": 60.0},
        )
        for method, auc in means.items()
        for split in range(n)
    ]


def _record(trial, rng):
    names = ("macro_f1", "accuracy", "auc", "error", "bayes_error", "excess_error", "bound")
    names += ("ari", "nmi", "n_classes", "n_found", "covered")
    names += tuple(f"{who}{what}" for who in WHO for what in ("false_share", "power"))
    names += tuple(f"{who}_{what}" for who in BOTH for what in JUDGED)
    names += ("called_new", "suspected", "named", *LOOP, "n_names")
    names += tuple(f"{kind}_{n}" for kind in ("asked", "labels") for n in LEARNED)
    names += tuple(f"{order}_{n}" for order in ORDERS for n in SPENT)
    metrics = {name: 0.5 + 0.1 * rng.random() for name in names}
    for name in RISKS:
        metrics |= {f"{name}_mean": 0.5, f"{name}_truth": 0.49, f"{name}_standard_error": 0.02}
    true = trial.draw.condition("known_proportion", 0.5)
    share = true + 0.02
    proportion = {"estimate": share, "true": true, "interval": [share - 0.1, share + 0.1]}
    proportion |= {"consensus": share, "refined": share, "by_score": {"forest": share}}
    return Record(
        trial,
        metrics=metrics,
        proportion=proportion,
        risk={"raw": 0.4, "standard_error": 0.02, "interval": [0.36, 0.44]},
        parameters={"weights": {"extra_trees": 0.6, "neighbors": 0.4}, "curve": [0.5, 0.6]},
        seconds={"fit": 1.0, "shared": 0.5},
    )
