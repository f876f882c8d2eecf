"""Every proportion estimator on the paper's draws: bias and mean absolute error.

500 labeled and 1000 unlabeled rows, half of the classes known; the true known proportion is the
natural one of each draw, or any given with --known-proportion.

    python examples/proportion_table.py usps mnist --draws 10
    python examples/proportion_table.py usps --known-proportion 0.95 1.0 --methods consensus
"""

import argparse
import time

import numpy as np

from eulac.data.datasets import load_dataset
from eulac.data.folds import in_canonical_order
from eulac.data.splits import draw_known_classes, draw_split, min_max_scale
from eulac.proportion.methods import METHODS

DATASETS = ["usps", "mnist", "segment", "satimage", "optdigits", "pendigits", "shuttle"]


def draw(dataset, X, seed, known_proportion):
    known = draw_known_classes(dataset.y, random_state=seed)
    split = draw_split(
        X, dataset.y, known_classes=known, known_proportion=known_proportion, random_state=seed
    )
    return in_canonical_order(split.sample, seed), split.known_proportion


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("datasets", nargs="*", default=DATASETS)
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=list(METHODS))
    parser.add_argument("--known-proportion", nargs="+", type=float, default=[None])
    options = parser.parse_args()
    print(
        f"{'dataset':<10} {'true':>5} {'method':<24} "
        f"{'bias':>8} {'MAE':>7} {'covered':>8} {'sec':>6}"
    )
    errors: dict[str, list[float]] = {}
    for name in options.datasets:
        dataset = load_dataset(name)
        X = min_max_scale(dataset.X)
        for wanted in options.known_proportion:
            for method in options.methods:
                rows = []
                for seed in range(options.draws):
                    sample, truth = draw(dataset, X, seed, wanted)
                    start = time.perf_counter()
                    estimator = METHODS[method](seed, None)
                    if method.startswith("kernel_mean"):
                        estimator.set_params(n_resamples=2)  # its interval takes a minute
                    estimate = estimator.estimate(sample)
                    seconds = time.perf_counter() - start
                    low, high = estimate.interval
                    rows.append((estimate.total - truth, low <= truth <= high, seconds))
                error, covered, seconds = np.array(rows, dtype=float).T
                errors.setdefault(method, []).append(float(np.abs(error).mean()))
                print(
                    f"{name:<10} {truth:5.2f} {method:<24} {error.mean():+8.3f} "
                    f"{np.abs(error).mean():7.3f} {covered.mean():8.0%} {seconds.mean():6.2f}",
                    flush=True,
                )
    for method, values in errors.items():
        print(f"{'mean':<10} {'':>5} {method:<24} {'':>8} {np.mean(values):7.3f}")


if __name__ == "__main__":
    main()
