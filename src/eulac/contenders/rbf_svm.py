"""One-versus-rest support vector machines with a Gaussian kernel: search, fit, decision values.

Shared by the contenders that are made of them. Labeled rows only.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import _libsvm

from eulac.data.folds import draw_folds
from eulac.data.requirements import SMALLEST, as_candidates
from eulac.maths.kernels import GaussianKernel, median_distance

__all__ = ["OvrMachines", "SvmSettings", "fit_ovr_machines", "search_ovr_svm"]

Array = NDArray[np.float64]

BANDWIDTH_FACTORS = tuple(10 ** (power / 2) for power in range(-4, 3))
COSTS = tuple(10.0**power for power in range(-1, 4))
CACHE_MEGABYTES = 50


@dataclass(frozen=True)
class SvmSettings:
    """Bandwidth of the kernel and cost of the hinge loss."""

    bandwidth: float
    cost: float


@dataclass(frozen=True, eq=False)
class OvrMachines:
    """One machine per class over shared training rows.

    Attributes
    ----------
    kernel : GaussianKernel
    rows : array of shape (n_support, n_features)
        Rows that support at least one machine.
    coefficients : array of shape (n_support, n_classes)
    intercepts : array of shape (n_classes,)
    n_support : int array of shape (n_classes, 2)
        Support vectors of each machine among its negatives and positives.
    """

    kernel: GaussianKernel
    rows: Array
    coefficients: Array
    intercepts: Array
    n_support: NDArray[np.intp]

    def decision(self, X: Array) -> Array:
        """Return the decision values, a column per class."""
        return self.kernel.block(X, self.rows) @ self.coefficients + self.intercepts

    def predict(self, X: Array) -> NDArray[np.intp]:
        """Return the code of the class with the largest decision value; nothing is rejected."""
        return self.decision(X).argmax(axis=1)


def fit_ovr_machines(X: Array, y: NDArray[np.intp], settings: SvmSettings) -> OvrMachines:
    """Return one machine per class code 0..K-1, each against all others.

    Examples
    --------
    >>> X, y = np.array([[0.0], [0.1], [2.0], [2.1]]), np.array([0, 0, 1, 1])
    >>> machines = fit_ovr_machines(X, y, SvmSettings(bandwidth=0.5, cost=10.0))
    >>> machines.predict(X)
    array([0, 0, 1, 1])
    """
    kernel = GaussianKernel(settings.bandwidth)
    coefficients, intercepts, n_support = _dual(kernel.block(X, X), y, settings.cost)
    used = np.flatnonzero(np.any(coefficients != 0.0, axis=1))
    return OvrMachines(kernel, X[used], coefficients[used], intercepts, n_support)


def _dual(K: Array, y: NDArray[np.intp], cost: float) -> tuple[Array, Array, NDArray[np.intp]]:
    """Coefficients, intercepts and support counts of all machines for a kernel matrix."""
    n_classes = int(y.max()) + 1
    coefficients, intercepts = np.zeros((len(y), n_classes)), np.empty(n_classes)
    n_support = np.empty((n_classes, 2), dtype=np.intp)
    matrix = np.ascontiguousarray(K, dtype=np.float64)
    _libsvm.set_verbosity_wrap(0)  # or it prints a line for each machine
    for k in range(n_classes):
        support, dual, intercept, counts = _machine(matrix, y == k, cost)
        coefficients[support, k], intercepts[k], n_support[k] = dual, intercept, counts
    return coefficients, intercepts, n_support


def _machine(K: Array, positive: NDArray[np.bool_], cost: float) -> tuple[Any, Any, Any, Any]:
    """Return support, its coefficients, the intercept and counts of support of both sides.

    The solver below `SVC(kernel="precomputed")`, without the checks that are the same for each of
    thousands of machines and take longer than most of them: the machine is the same.
    """
    support, _, counts, dual, intercept, *_ = _libsvm.fit(
        K, positive.astype(np.float64), C=cost, kernel="precomputed", cache_size=CACHE_MEGABYTES
    )
    # libsvm counts a class as positive where it comes first; scikit-learn turns signs around.
    return support, -dual[0], -intercept[0], counts


def search_ovr_svm(
    X: Array,
    y: NDArray[np.intp],
    *,
    bandwidth: float | Sequence[float] | None = None,
    cost: float | Sequence[float] | None = None,
    n_folds: int = 5,
    random_state: int = 0,
) -> SvmSettings:
    """Return the settings with the best cross-validated accuracy on labeled rows.

    Rejecting a row (no machine above zero) is a mistake here: all rows are of known classes. What
    is not given is searched: bandwidths as half-decades around the median distance between
    labeled rows, costs 0.1 to 1000. Of equally good settings the smoothest, by bandwidth and
    then by cost.
    """
    median = max(median_distance(X, random_state=random_state), SMALLEST)
    grid = [factor * median for factor in BANDWIDTH_FACTORS]
    bandwidths = sorted(as_candidates("bandwidth", bandwidth, grid), reverse=True)
    costs = sorted(as_candidates("cost", cost, COSTS))
    candidates = [SvmSettings(width, cost) for width in bandwidths for cost in costs]
    if len(candidates) == 1:
        return candidates[0]
    hits = np.zeros((len(bandwidths), len(costs)), dtype=int)
    held_out = _folds(y, n_folds, random_state)
    for i, width in enumerate(bandwidths):
        K = GaussianKernel(width).block(X, X)
        for fold in held_out:
            hits[i] += _hits_by_cost(K, y, fold, costs)
    return candidates[int(np.argmax(hits))]


def _folds(y: NDArray[np.intp], n_folds: int, random_state: int) -> list[NDArray[np.intp]]:
    """Folds of labeled rows, without those that would leave fewer than two classes to learn."""
    folds = draw_folds(y, len(y), n_folds, random_state)
    pieces = [np.flatnonzero(folds.labeled == fold) for fold in range(folds.n_folds)]
    return [piece for piece in pieces if len(piece) and np.ptp(np.delete(y, piece)) > 0]


def _hits_by_cost(
    K: Array, y: NDArray[np.intp], held_out: NDArray[np.intp], costs: Sequence[float]
) -> list[int]:
    """Held-out rows whose own machine is the largest and not negative, for ascending costs."""
    kept = np.setdiff1d(np.arange(len(y)), held_out)
    present, codes = np.unique(y[kept], return_inverse=True)
    K_kept, K_held_out = K[np.ix_(kept, kept)], K[np.ix_(held_out, kept)]
    hits: list[int] = []
    for cost in costs:
        coefficients, intercepts, _ = _dual(K_kept, codes, cost)
        decision = K_held_out @ coefficients + intercepts
        is_right = present[decision.argmax(axis=1)] == y[held_out]
        hits.append(int(np.sum(is_right & (decision.max(axis=1) >= 0.0))))
        if np.abs(coefficients).max() < cost:
            break  # No row is as heavy as it may be, so that larger costs change nothing.
    return hits + [hits[-1]] * (len(costs) - len(hits))
