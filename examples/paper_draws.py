"""Default KernelEulacClassifier on the paper's draws, beside the paper's own figures.

500 labeled, 1000 unlabeled and 1000 test rows; half of the classes are never labeled; features
scaled to [0, 1]; the proportion is estimated. Needs the datasets (`eulac data list`).

    python examples/paper_draws.py --draws 10 usps mnist pendigits satimage optdigits
"""

import argparse
import time

import numpy as np

from eulac import KernelEulacClassifier
from eulac.data.datasets import load_dataset
from eulac.data.splits import draw_known_classes, draw_split, min_max_scale
from eulac.evaluation.metrics import evaluate, expected_calibration_error

# Macro-F1, accuracy and AUC of EULAC in Tables 1, 6 and 7 of the paper, in percent.
PAPER = {
    "usps": (86.52, 90.00, 97.05),
    "segment": (86.17, 89.33, 95.60),
    "satimage": (81.25, 87.44, 94.92),
    "optdigits": (91.54, 93.73, 99.08),
    "pendigits": (88.41, 90.82, 97.27),
    "mnist": (80.66, 84.04, 93.45),
    "shuttle": (66.49, 96.52, 79.77),
}


def one_draw(X, y, seed):
    known = draw_known_classes(y, random_state=seed)
    split = draw_split(X, y, known_classes=known, random_state=seed)
    X_masked, y_masked = split.sample.as_masked()
    start = time.perf_counter()
    classifier = KernelEulacClassifier(random_state=seed).fit(X_masked, y_masked)
    seconds = time.perf_counter() - start
    metrics = evaluate(classifier, split.X_test, split.y_test)
    codes = classifier.codec_.encode(split.y_test)
    calibration = expected_calibration_error(classifier.predict_proba(split.X_test), codes)
    return [
        100 * metrics.macro_f1,
        100 * metrics.accuracy,
        100 * metrics.auc,
        abs(classifier.proportion_.total - split.known_proportion),
        100 * classifier.risk_.raw,
        100 * calibration,
        seconds,
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("datasets", nargs="*", default=list(PAPER))
    parser.add_argument("--draws", type=int, default=10)
    options = parser.parse_args()
    print(
        f"{'dataset':<10} {'macro-F1':>13} {'paper':>6} {'accuracy':>13} {'paper':>6} "
        f"{'AUC':>13} {'paper':>6} {'|prop err|':>10} {'est err %':>9} {'ECE %':>6} {'sec':>5}"
    )
    for name in options.datasets:
        dataset = load_dataset(name)
        X = min_max_scale(dataset.X)
        rows = np.array([one_draw(X, dataset.y, seed) for seed in range(options.draws)])
        mean, std = rows.mean(axis=0), rows.std(axis=0)
        paper = PAPER.get(name, (float("nan"),) * 3)
        cells = " ".join(f"{mean[i]:6.2f} ±{std[i]:5.2f} {paper[i]:6.2f}" for i in range(3))
        print(f"{name:<10} {cells} {mean[3]:10.3f} {mean[4]:9.2f} {mean[5]:6.2f} {mean[6]:5.1f}")


if __name__ == "__main__":
    main()
