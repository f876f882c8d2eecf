"""Slow and obvious versions of the hull distance and of Algorithm 1."""

import numpy as np
from scipy.optimize import lsq_linear


def embed_exactly(kernel_matrix):
    """Rows whose inner products are the kernel matrix, through its symmetric root."""
    values, vectors = np.linalg.eigh(kernel_matrix)
    return vectors * np.sqrt(np.maximum(values, 0.0))


def slow_nearest_weights(points, target, *, heavy=1e4):
    """Simplex weights by non-negative least squares with a heavy row for the sum."""
    rows = np.vstack([points.T, np.full(len(points), heavy)])
    # Not by `nnls`, which SciPy 1.12 to 1.15 does not always bring to an end.
    weights = lsq_linear(
        rows,
        np.append(target, heavy),
        bounds=(0.0, np.inf),
        method="bvls",
        tol=1e-15,
        max_iter=100 * len(points),
    ).x
    return weights / weights.sum()


def slow_hull_distance(points, target):
    return np.linalg.norm(slow_nearest_weights(points, target) @ points - target)


def algorithm_1(distance, threshold, *, step=0.02, upper=10.0):
    """Algorithm 1 of the paper, line by line, for a function that returns distances."""
    left, right = 1.0, upper
    while right - left > step:
        current = (right + left) / 2
        d1 = distance(current + step / 2)
        d2 = distance(current - step / 2)
        s = (d1 - d2) / step
        if s > threshold:
            right = current
        else:
            left = current
    return current
