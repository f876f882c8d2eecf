"""The contenders on the paper's draws, beside the paper's columns.

500 labeled, 1000 unlabeled and 1000 test rows, half of the classes never labeled, features scaled
to [0, 1] beforehand. Each cell: mean and standard deviation over draws, then the paper's. A star
marks means further than two of the paper's standard deviations from the paper's mean. With
--threshold label_free every method cuts where our label-free risk says; --set changes parameters of
the methods. Needs the datasets (`eulac data list`).

    python examples/contenders_table.py usps satimage --methods osnn evm --draws 10
    python examples/contenders_table.py mnist --methods w_svm --set nu=0.1 rejection=0.3
"""

import argparse
import time
import warnings
from importlib import import_module

import numpy as np
from joblib import Parallel, delayed

from eulac.benchmark.paper_results import PAPER_METHODS, paper_result
from eulac.data.datasets import load_dataset
from eulac.data.splits import draw_known_classes, draw_split, min_max_scale
from eulac.evaluation.metrics import evaluate
from eulac.exceptions import EulacWarning

METHODS = {
    "ovr_svm": "OvrSvmClassifier",
    "w_svm": "WSvmClassifier",
    "osnn": "OsnnClassifier",
    "evm": "EvmClassifier",
    "lacu_svm": "LacuSvmClassifier",
    "pac_iforest": "PacIForestClassifier",
    "eulac": "KernelEulacClassifier",
}
METRICS = ("macro_f1", "accuracy", "auc")


def load(method):
    home = "eulac.kernel.kernel_classifier" if method == "eulac" else f"eulac.contenders.{method}"
    return getattr(import_module(home), METHODS[method])


def one_draw(X, y, method, threshold, settings, seed):
    split = draw_split(
        X,
        y,
        known_classes=draw_known_classes(y, random_state=seed),
        random_state=seed,
    )
    options = dict(settings) if method == "eulac" else {"threshold": threshold, **settings}
    classifier = load(method)(scale=None, random_state=seed, **options)
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EulacWarning)
        classifier.fit(*split.sample.as_masked())
    seconds = time.process_time() - start
    metrics = evaluate(classifier, split.X_test, split.y_test)
    return [100 * getattr(metrics, name) for name in METRICS] + [seconds]


def setting(text):
    name, number = text.split("=")
    return name, float(number)


def cell(rows, metric, dataset, method):
    values = rows[:, METRICS.index(metric)]
    text = f"{values.mean():6.2f} ±{values.std():5.2f}"
    paper = paper_result(metric, dataset, method)
    if paper is None:
        return f"{text}  {'':14}"
    far = "*" if abs(values.mean() - paper[0]) > 2 * paper[1] else " "
    return f"{text}{far} ({paper[0]:5.2f} ±{paper[1]:5.2f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("datasets", nargs="*", default=["usps", "satimage", "pendigits", "mnist"])
    parser.add_argument("--methods", nargs="+", choices=list(METHODS), default=list(METHODS))
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--threshold", choices=("paper", "label_free"), default="paper")
    parser.add_argument("--set", nargs="+", type=setting, default=[], metavar="NAME=NUMBER")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    header = " ".join(f"{name + ' (paper)':<30}" for name in METRICS)
    print(f"{'dataset':<10} {'method':<12} {header} {'sec':>5}", flush=True)
    for name in options.datasets:
        dataset = load_dataset(name)
        X = min_max_scale(dataset.X)
        for method in options.methods:
            jobs = (
                delayed(one_draw)(X, dataset.y, method, options.threshold, dict(options.set), seed)
                for seed in range(options.draws)
            )
            rows = np.array(Parallel(options.jobs)(jobs))
            cells = " ".join(cell(rows, metric, name, method) for metric in METRICS)
            label = PAPER_METHODS[method]
            print(f"{name:<10} {label:<12} {cells} {rows[:, -1].mean():5.1f}", flush=True)


if __name__ == "__main__":
    main()
