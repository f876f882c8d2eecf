"""Deep methods on images, six classes known and four never labeled, at equal budgets.

The class splits are those of the literature. Prints AUC of the new rows, accuracy over K + 1
answers and processor minutes of every method and split, and keeps them in a file of JSON lines: a
run that was cut short goes on where it stopped, and more splits or methods can be added later.
Needs the datasets (`eulac data list`).

    python examples/deep_table.py mnist --splits 5 --epochs 12
    python examples/deep_table.py cifar10 --splits 1 --methods deep_eulac softmax --minutes 15
"""

import argparse
import json
import time
import warnings
from importlib import import_module
from pathlib import Path

import numpy as np
import torch

from eulac.data.datasets import load_dataset
from eulac.evaluation.metrics import evaluate
from eulac.exceptions import EulacWarning

NEW_CLASSES = [(3, 6, 7, 8), (1, 2, 4, 6), (2, 3, 4, 9), (0, 1, 2, 6), (4, 5, 6, 9)]
# Labeled rows per known class, unlabeled rows per class, test rows per class.
SIZES = {"mnist": (500, 900, 300), "svhn": (1200, 600, 200), "cifar10": (1500, 800, 200)}
SHAPES = {"mnist": (28, 28), "svhn": (32, 32, 3), "cifar10": (32, 32, 3)}
# AUC in percent, Tables 2 and 8 of the paper.
PAPER = {
    "mnist": {
        "deep_eulac": 98.6,
        "softmax": 97.8,
        "openmax": 98.1,
        "g_openmax": 98.4,
        "osrci": 98.8,
    },
    "svhn": {
        "deep_eulac": 91.2,
        "softmax": 88.6,
        "openmax": 89.4,
        "g_openmax": 89.6,
        "osrci": 91.0,
    },
    "cifar10": {
        "deep_eulac": 85.2,
        "softmax": 67.7,
        "openmax": 69.5,
        "g_openmax": 67.5,
        "osrci": 69.9,
    },
}


# Module, class and options of each method, and how many times the epochs it gets: those that see
# labeled rows only pass over about a sixth of the rows in an epoch.
METHODS = {
    "deep_eulac": ("classifier", "DeepEulacClassifier", {}, 1),
    "deep_generalized": ("classifier", "DeepEulacClassifier", {"objective": "generalized"}, 1),
    "deep_selected": ("classifier", "DeepEulacClassifier", {"objective": "selected"}, 1),
    "softmax": ("softmax", "SoftmaxThresholdClassifier", {}, 6),
    "max_logit": ("softmax", "SoftmaxThresholdClassifier", {"confidence": "logit"}, 6),
    "openmax": ("openmax", "OpenMaxClassifier", {}, 6),
    "g_openmax": ("generative_openmax", "GenerativeOpenMaxClassifier", {}, 2),
    "osrci": ("counterfactual", "CounterfactualClassifier", {}, 2),
}


def build(method, n_epochs, **options):
    module, name, own, times = METHODS[method]
    home = import_module(f"eulac.deep.{module}")
    return getattr(home, name)(max_epochs=times * n_epochs, **own, **options)


def draw(name, new, seed):
    """Return labeled, unlabeled and test rows; mnist keeps its standard test part apart."""
    dataset = load_dataset(name)
    X, y = dataset.X.reshape(-1, *SHAPES[name]), dataset.y
    n_labeled, n_unlabeled, n_test = SIZES[name]
    rng = np.random.default_rng(seed)
    labeled, unlabeled, test = [], [], []
    for k in range(10):
        rows = np.flatnonzero(y == k)
        held_out = rows[rows >= 60_000] if name == "mnist" else rng.permutation(rows)[:n_test]
        test.append(rng.permutation(held_out)[:n_test])
        rows = rng.permutation(np.setdiff1d(rows, held_out))
        if k not in new:
            labeled.append(rows[:n_labeled])
        unlabeled.append(rows[n_labeled : n_labeled + n_unlabeled])
    parts = [np.concatenate(part) for part in (labeled, unlabeled, test)]
    return [(X[part].astype(np.float32) / 255, y[part]) for part in parts]


def run(name, method, split, options):
    new = NEW_CLASSES[split]
    (X, y), (U, y_unlabeled), (X_test, y_test) = draw(name, new, split)
    augmentation = "flips" if name == "cifar10" else "auto"
    classifier = build(
        method, options.epochs, augmentation=augmentation, random_state=split, device="cpu"
    )
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EulacWarning)
        classifier.fit(X, y, X_unlabeled=U)
    minutes = (time.process_time() - start) / 60
    metrics = evaluate(classifier, X_test, np.where(np.isin(y_test, new), -2, y_test))
    estimate = getattr(classifier, "proportion_", None)
    return {
        "dataset": name,
        "method": method,
        "split": split,
        "epochs": options.epochs,
        "auc": round(100 * metrics.auc, 2),
        "accuracy": round(100 * metrics.accuracy, 2),
        "macro_f1": round(100 * metrics.macro_f1, 2),
        "known_proportion": None if estimate is None else round(estimate.total, 3),
        "true_proportion": round(float(np.mean(~np.isin(y_unlabeled, new))), 3),
        "minutes": round(minutes, 2),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dataset", choices=list(SIZES))
    parser.add_argument("--methods", nargs="+", choices=list(METHODS))
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--records", type=Path, default=Path("deep_records.jsonl"))
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    records = []
    if options.records.exists():
        records = [json.loads(line) for line in options.records.read_text().splitlines()]
    key = ("dataset", "method", "split", "epochs")
    wanted = options.methods or list(METHODS)
    for split in range(options.splits):
        for method in wanted:
            asked = (options.dataset, method, split, options.epochs)
            if any(tuple(record[k] for k in key) == asked for record in records):
                continue
            record = run(options.dataset, method, split, options)
            records.append(record)
            with options.records.open("a") as file:
                file.write(json.dumps(record) + "\n")
            print(json.dumps(record), flush=True)
    print(f"\n{'method':<18} {'splits':>6} {'AUC':>14} {'paper':>6} {'accuracy':>9} {'min':>5}")
    for method in wanted:
        rows = [r for r in records if (r["dataset"], r["method"]) == (options.dataset, method)]
        rows = [r for r in rows if r["epochs"] == options.epochs]
        auc = np.array([r["auc"] for r in rows])
        paper = PAPER[options.dataset].get(method)
        accuracy, minutes = (np.mean([r[k] for r in rows]) for k in ("accuracy", "minutes"))
        print(
            f"{method:<18} {len(rows):>6} {auc.mean():7.2f} ±{auc.std():5.2f} "
            f"{'' if paper is None else paper:>6} {accuracy:9.2f} {minutes:5.1f}"
        )


if __name__ == "__main__":
    main()
