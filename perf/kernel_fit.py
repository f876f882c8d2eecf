"""A full default fit against its BLAS floor, against an SVC grid search, and its peak memory.

The floor is what no implementation of this search can avoid: the distances, seven sets of kernel
blocks, and a Cholesky factor and inverse for each of the 49 candidates. The proportion is given.
"""

import tracemalloc

import numpy as np
from scipy.linalg import lapack
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC

from eulac import KernelEulacClassifier
from eulac.classifier.options import GRIDS
from eulac.maths.kernels import GaussianKernel, median_distance, squared_distances
from timing import THREADS, best_seconds, report, ten_classes

N_LABELED, N_UNLABELED, N_FEATURES = 500, 1000, 256
GRID = GRIDS["half_decades"]


def floor(X, U) -> None:
    distances = [squared_distances(A, B) for A, B in ((U, U), (X, U), (X, X))]
    median = median_distance(np.vstack([X, U]))
    for factor in GRID.bandwidth_factors:
        kernel = GaussianKernel(factor * median)
        K, _, _ = (kernel.from_squared_distances(block) for block in distances)
        for penalty in GRID.penalties:
            work = np.array(K.T, order="F")
            work.flat[:: len(K) + 1] += 4 * len(U) * penalty
            factor_, _ = lapack.dpotrf(work, lower=1, overwrite_a=1)
            lapack.dpotri(factor_, lower=1, overwrite_c=1)


def svc_grid(X, y):
    median = median_distance(X)
    grid = {
        "estimator__gamma": [0.5 / (factor * median) ** 2 for factor in GRID.bandwidth_factors],
        "estimator__C": [1 / (2 * len(X) * penalty) for penalty in GRID.penalties],
    }
    return GridSearchCV(OneVsRestClassifier(SVC()), grid, cv=5, n_jobs=1).fit(X, y)


def main() -> None:
    sample = ten_classes(N_LABELED, N_UNLABELED, N_FEATURES)
    X, y = sample.as_masked()
    classifier = KernelEulacClassifier(known_proportion=0.5, random_state=0)
    sizes = f"{N_LABELED}+{N_UNLABELED} rows x {N_FEATURES} features, 7 x 7 grid, 5 folds"
    fit = best_seconds(lambda: classifier.fit(X, y), repeats=5)
    bare = best_seconds(lambda: floor(sample.X_labeled, sample.X_unlabeled), repeats=5)
    svc = best_seconds(lambda: svc_grid(sample.X_labeled, sample.y_labeled), repeats=1)
    common = {"sizes": sizes, "threads": THREADS, "fit_seconds": fit}
    report("ratio_to_blas_floor", ratio=fit / bare, limit=1.5, floor_seconds=bare, **common)
    report("speedup_vs_svc_grid", ratio=svc / fit, limit=8, svc_seconds=svc, **common)
    for n_unlabeled in (1000, 2000):
        report("peak_memory", **peak_memory(n_unlabeled))


def peak_memory(n_unlabeled: int) -> dict:
    """Peak beyond the input, less the kernel blocks that are not n_u x n_u, in n_u x n_u units."""
    rng = np.random.default_rng(0)
    X, U = rng.normal(size=(N_LABELED, 20)), rng.normal(size=(n_unlabeled, 20))
    y = rng.integers(0, 5, N_LABELED)
    classifier = KernelEulacClassifier(known_proportion=0.5, random_state=0)
    tracemalloc.start()
    classifier.fit(X, y, X_unlabeled=U)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # Distances and kernel values of the labeled blocks, both held during the search.
    blocks = 2 * 8 * (N_LABELED * n_unlabeled + N_LABELED**2)
    return {
        "n_unlabeled": n_unlabeled,
        "matrices": (peak - blocks) / (8 * n_unlabeled**2),
        "limit": 4,
        "peak_mb": peak / 1e6,
    }


if __name__ == "__main__":
    main()
