"""Settings of KernelEulacClassifier side by side: label-free risk first, the truth beside it.

The proportion is given (the true one), so that only the settings differ. Choices of defaults in
docs/decisions rest on the label-free column; the others show whether it chose well.

    python examples/compare_settings.py usps mnist --draws 5
"""

import argparse

import numpy as np

from eulac import KernelEulacClassifier
from eulac.data.datasets import load_dataset
from eulac.data.splits import draw_known_classes, draw_split, min_max_scale
from eulac.evaluation.metrics import evaluate, expected_calibration_error

SETTINGS = {
    "default": {},
    "offset 0.01": {"offset": 0.01},
    "offset 0.1": {"offset": 0.1},
    "offset 1": {"offset": 1.0},
    "largest score": {"decision": "largest"},
    "surrogate": {"selection": "surrogate"},
    "paper": {"grid": "paper", "selection": "surrogate", "decision": "largest"},
}


def measure(X, y, seed, settings):
    known = draw_known_classes(y, random_state=seed)
    split = draw_split(X, y, known_classes=known, random_state=seed)
    X_masked, y_masked = split.sample.as_masked()
    classifier = KernelEulacClassifier(split.known_proportion, random_state=seed, **settings)
    classifier.fit(X_masked, y_masked)
    metrics = evaluate(classifier, split.X_test, split.y_test)
    codes = classifier.codec_.encode(split.y_test)
    calibration = expected_calibration_error(classifier.predict_proba(split.X_test), codes)
    return [
        classifier.risk_.raw,
        1 - metrics.accuracy,
        classifier.risk_.diagnostics["macro_f1"],
        metrics.macro_f1,
        metrics.auc,
        calibration,
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("datasets", nargs="+")
    parser.add_argument("--draws", type=int, default=5)
    options = parser.parse_args()
    columns = ("label-free risk", "true error", "label-free F1", "macro-F1", "AUC", "ECE")
    print(f"{'dataset':<10} {'setting':<14}" + "".join(f"{name:>16}" for name in columns))
    for name in options.datasets:
        dataset = load_dataset(name)
        X = min_max_scale(dataset.X)
        for label, settings in SETTINGS.items():
            rows = [measure(X, dataset.y, seed, settings) for seed in range(options.draws)]
            cells = "".join(f"{100 * value:16.2f}" for value in np.mean(rows, axis=0))
            print(f"{name:<10} {label:<14}{cells}", flush=True)


if __name__ == "__main__":
    main()
