"""Deep methods on images, six classes known and four never labeled, at equal budgets.

The class splits are those of the literature. Prints AUC of the new rows, accuracy over K + 1
answers and processor minutes of every method and split, and keeps them in a file of JSON lines: a
run that was cut short goes on where it stopped, and more splits or methods can be added later.
Methods pass over the same number of rows; those with a generator pass over a third as many and
spend the rest on it. Needs the datasets (`eulac data list`).

    python examples/deep_table.py mnist --splits 5 --epochs 12
    python examples/deep_table.py cifar10 --splits 1 --epochs 70 --methods deep_eulac softmax
    python examples/deep_table.py mnist --splits 5 --epochs 12 --figure curves.svg
"""

import argparse
import json
import time
import warnings
from importlib import import_module
from pathlib import Path

import numpy as np
import torch
from sklearn.metrics import roc_auc_score

from eulac.data.datasets import load_dataset
from eulac.deep.held_out_logits import augmented_log_odds
from eulac.deep.softmax import softmax_evidence
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


def largest_logit(logits):
    return -logits.max(axis=1)


# Module, class and options; whether unlabeled rows are seen; how much of the budget goes into the
# network (the rest into a generator); the score of rows while it trains.
METHODS = {
    "deep_eulac": ("deep_classifier", "DeepEulacClassifier", {}, True, 1.0, augmented_log_odds),
    "deep_generalized": (
        *("deep_classifier", "DeepEulacClassifier", {"objective": "generalized"}),
        *(True, 1.0, augmented_log_odds),
    ),
    "deep_selected": (
        *("deep_classifier", "DeepEulacClassifier", {"objective": "selected"}),
        *(True, 1.0, augmented_log_odds),
    ),
    "softmax": ("softmax", "SoftmaxThresholdClassifier", {}, False, 1.0, softmax_evidence),
    "max_logit": (
        *("softmax", "SoftmaxThresholdClassifier", {"confidence": "logit"}),
        *(False, 1.0, largest_logit),
    ),
    "openmax": ("openmax", "OpenMaxClassifier", {}, False, 1.0, softmax_evidence),
    "g_openmax": (
        *("generative_openmax", "GenerativeOpenMaxClassifier", {}),
        *(False, 1 / 3, softmax_evidence),
    ),
    "osrci": ("counterfactual", "CounterfactualClassifier", {}, False, 1 / 3, augmented_log_odds),
}
# These differ in what they make of the same network, which is trained once.
SAME_NETWORK = {"max_logit": "softmax", "openmax": "softmax"}


def n_epochs_of(method, name, n_epochs):
    """Return the epochs in which a method passes over as many rows as the paired batches do."""
    _, _, _, sees_unlabeled, share, _ = METHODS[method]
    if sees_unlabeled:
        return n_epochs
    n_labeled, n_unlabeled, _ = SIZES[name]
    paired = 2 * max(6 * n_labeled, 10 * n_unlabeled)
    return round(share * n_epochs * paired / (6 * n_labeled))


def build(method, n_epochs, **options):
    module, name, own, *_ = METHODS[method]
    home = import_module(f"eulac.deep.{module}")
    return getattr(home, name)(**{"max_epochs": n_epochs, "device": "cpu"} | own | options)


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


class Curve:
    """AUC on the test rows along training, and the time that looking took."""

    def __init__(self, classifier, score, X, is_new, every):
        self.classifier, self.score, self.every = classifier, score, every
        self.X, self.is_new = X, is_new
        self.points, self.seconds = [], 0.0

    def __call__(self, n_done, n_epochs):
        start = time.process_time()
        if n_done % self.every == 0:
            score = self.score(self.classifier._logits(self.X))
            self.points.append(round(100 * roc_auc_score(self.is_new, score), 2))
        self.seconds += time.process_time() - start


def run(name, method, split, n_epochs, trained):
    """Return the record of one fit; networks that others build upon are kept in `trained`."""
    new = NEW_CLASSES[split]
    (X, y), (U, y_unlabeled), (X_test, y_test) = draw(name, new, split)
    is_new = np.isin(y_test, new)
    augmentation = "flips" if name == "cifar10" else "auto"
    options = {"augmentation": augmentation, "random_state": split}
    earlier = trained.get((name, SAME_NETWORK.get(method, method), split))
    if earlier is not None:
        options |= {"network": earlier["network"], "max_epochs": 0}
    own_epochs = n_epochs_of(method, name, n_epochs)
    classifier = build(method, own_epochs, **options)
    every = max(own_epochs // n_epochs, 1)
    curve = Curve(classifier, METHODS[method][-1], X_test, is_new, every)
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EulacWarning)
        classifier.fit(X, y, X_unlabeled=U, progress=curve)
    minutes = (time.process_time() - start - curve.seconds) / 60
    if earlier is not None:
        minutes += earlier["minutes"]
    trained[name, method, split] = {"network": classifier.network_, "minutes": minutes}
    metrics = evaluate(classifier, X_test, np.where(is_new, -2, y_test))
    estimate = getattr(classifier, "proportion_", None)
    return {
        "dataset": name,
        "method": method,
        "split": split,
        "epochs": n_epochs,
        "own_epochs": own_epochs,
        "auc": round(100 * metrics.auc, 2),
        "accuracy": round(100 * metrics.accuracy, 2),
        "macro_f1": round(100 * metrics.macro_f1, 2),
        "known_proportion": None if estimate is None else round(estimate.total, 3),
        "true_proportion": round(float(np.mean(~np.isin(y_unlabeled, new))), 3),
        "minutes": round(minutes, 2),
        "curve": curve.points,
    }


def read_records(path):
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def print_table(name, records, wanted):
    print(f"\n{'method':<18} {'splits':>6} {'AUC':>14} {'paper':>6} {'accuracy':>9} {'min':>5}")
    for method in wanted:
        rows = [r for r in records if r["method"] == method]
        if not rows:
            continue
        auc = np.array([r["auc"] for r in rows])
        paper = PAPER[name].get(method)
        accuracy, minutes = (np.mean([r[k] for r in rows]) for k in ("accuracy", "minutes"))
        print(
            f"{method:<18} {len(rows):>6} {auc.mean():7.2f} ±{auc.std():5.2f} "
            f"{'' if paper is None else paper:>6} {accuracy:9.2f} {minutes:5.1f}"
        )


def draw_curves(name, records, path):
    """Draw the mean AUC of every method along its training."""
    import matplotlib.pyplot as plt

    colors = ("#0072b2", "#56b4e9", "#009e73", "#d55e00", "#e69f00", "#cc79a7", "#666666")
    figure, axes = plt.subplots(figsize=(6.4, 4), layout="constrained")
    curves = {}
    for method in METHODS:
        of_method = [r["curve"] for r in records if r["method"] == method and r["curve"]]
        if of_method:
            curves[method] = np.mean(of_method, axis=0)
    for (method, curve), color in zip(curves.items(), colors, strict=False):
        done = np.arange(1, len(curve) + 1) / len(curve)
        axes.plot(100 * done, curve, color=color, label=method, linewidth=1.8)
    axes.set(xlabel="share of the budget in percent", ylabel="AUC of new rows in percent")
    n_splits = len({r["split"] for r in records})
    axes.set_title(f"{name}, mean of {n_splits} class splits" if n_splits > 1 else name)
    axes.grid(alpha=0.3)
    axes.legend(frameon=False, fontsize=8)
    figure.savefig(path)
    plt.close(figure)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dataset", choices=list(SIZES))
    parser.add_argument("--methods", nargs="+", choices=list(METHODS), default=list(METHODS))
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--records", type=Path, default=Path("deep_records.jsonl"))
    parser.add_argument("--figure", type=Path, help="where to draw learning curves")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    records = read_records(options.records)
    trained = {}
    done = {(r["dataset"], r["method"], r["split"], r["epochs"]) for r in records}
    for split in range(options.splits):
        for method in options.methods:
            if (options.dataset, method, split, options.epochs) in done:
                continue
            record = run(options.dataset, method, split, options.epochs, trained)
            records.append(record)
            with options.records.open("a") as file:
                file.write(json.dumps(record) + "\n")
            print(json.dumps(record), flush=True)
    asked = (options.dataset, options.epochs)
    records = [r for r in records if (r["dataset"], r["epochs"]) == asked]
    records = [r for r in records if r["split"] < options.splits]
    print_table(options.dataset, records, options.methods)
    if options.figure:
        draw_curves(options.dataset, records, options.figure)


if __name__ == "__main__":
    main()
