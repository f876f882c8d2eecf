"""Every proportion estimator on the paper's draws: bias and mean absolute error.

500 labeled and 1000 unlabeled rows (or --sizes), half of the classes known; the true known
proportion is the natural one of each draw, or any given with --known-proportion. "gaussians" is
a mixture of ten round classes in ten dimensions.

    python examples/proportion_table.py usps mnist --draws 10
    python examples/proportion_table.py usps --known-proportion 0.95 1.0 --methods consensus
    python examples/proportion_table.py mnist gaussians --sizes 100x2000 2000x100
"""

import argparse
import time
from functools import cache
from itertools import product

import numpy as np

from eulac.data.datasets import load_dataset
from eulac.data.folds import in_canonical_order
from eulac.data.splits import draw_known_classes, draw_split, min_max_scale
from eulac.data.synthetic import make_gaussian_task
from eulac.proportion.methods import PROPORTIONS

DATASETS = ["usps", "mnist", "segment", "satimage", "optdigits", "pendigits", "shuttle"]


def draw(name, seed, known_proportion, sizes):
    n_labeled, n_unlabeled = sizes
    if name == "gaussians":
        share = 0.5 if known_proportion is None else known_proportion
        task = make_gaussian_task(5, 5, n_features=10, known_proportion=share, random_state=seed)
        split = task.draw(n_labeled, n_unlabeled, random_state=seed)
    else:
        X, y = table(name)
        split = draw_split(
            X,
            y,
            known_classes=draw_known_classes(y, random_state=seed),
            known_proportion=known_proportion,
            n_labeled=n_labeled,
            n_unlabeled=n_unlabeled,
            random_state=seed,
        )
    return in_canonical_order(split.sample, seed), split.known_proportion


@cache
def table(name):
    dataset = load_dataset(name)
    return min_max_scale(dataset.X), dataset.y


def pair(text):
    n_labeled, n_unlabeled = map(int, text.split("x"))
    return n_labeled, n_unlabeled


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("datasets", nargs="*", default=DATASETS)
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument(
        "--methods", nargs="+", default=list(PROPORTIONS), choices=list(PROPORTIONS)
    )
    parser.add_argument("--known-proportion", nargs="+", type=float, default=[None])
    parser.add_argument("--sizes", nargs="+", type=pair, default=[(500, 1000)])
    options = parser.parse_args()
    print(
        f"{'dataset':<10} {'sizes':>10} {'true':>5} {'method':<22} "
        f"{'bias':>7} {'MAE':>6} {'covered':>8} {'sec':>6}"
    )
    errors: dict[str, list[float]] = {}
    for name, sizes, wanted, method in product(
        options.datasets, options.sizes, options.known_proportion, options.methods
    ):
        rows = []
        for seed in range(options.draws):
            sample, truth = draw(name, seed, wanted, sizes)
            start = time.perf_counter()
            estimator = PROPORTIONS[method](seed, None)
            if method.startswith("kernel_mean"):
                estimator.set_params(n_resamples=2)  # its interval takes a minute
            estimate = estimator.estimate(sample)
            low, high = estimate.interval
            seconds = time.perf_counter() - start
            rows.append((estimate.total - truth, low <= truth <= high, truth, seconds))
        error, covered, truth, seconds = np.array(rows, dtype=float).T
        errors.setdefault(method, []).append(float(np.abs(error).mean()))
        print(
            f"{name:<10} {'x'.join(map(str, sizes)):>10} {truth.mean():5.2f} {method:<22} "
            f"{error.mean():+7.3f} {np.abs(error).mean():6.3f} {covered.mean():8.0%} "
            f"{seconds.mean():6.2f}",
            flush=True,
        )
    for method, values in errors.items():
        print(f"{'mean':<10} {'':>10} {'':>5} {method:<22} {'':>7} {np.mean(values):6.3f}")


if __name__ == "__main__":
    main()
