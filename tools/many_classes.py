"""Processor seconds of a fit to many known classes of few labeled rows each.

    python tools/many_classes.py PacIForestClassifier
    python tools/many_classes.py LacuSvmClassifier --classes 60

The pool has 400 rows; a thirteenth of them, at 120 classes, is of ten classes without a label.
"""

import argparse
import time
import warnings

import numpy as np

import eulac


def main():
    """Print one line for each classifier named."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("classifiers", nargs="+")
    parser.add_argument("--classes", type=int, default=120)
    parser.add_argument("--rows", type=int, default=3, help="labeled rows of a class")
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    centers = rng.normal(scale=4.0, size=(options.classes + 10, 8))  # ten classes are new
    y = np.repeat(np.arange(options.classes), options.rows)
    X, pool = rng.normal(centers[y]), rng.normal(centers[rng.integers(0, len(centers), 400)])
    for name in options.classifiers:
        start = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            getattr(eulac, name)(random_state=0).fit(X, y, X_unlabeled=pool)
        print(f"{name}: {time.process_time() - start:.1f} s", flush=True)


if __name__ == "__main__":
    main()
