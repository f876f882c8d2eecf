"""How well groups and classes agree, whatever the groups are called."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

__all__ = ["matched_accuracy", "overlaps"]

Array = NDArray[np.float64]


def matched_accuracy(assignment: Any, truth: Any) -> float:
    """Return the share of rows that are right if each group gets the best class for it.

    Each class goes to one group at most; rows in no group, marked -1, are wrong.

    Examples
    --------
    >>> matched_accuracy([1, 1, 0, 0], ["a", "a", "b", "b"])
    1.0
    >>> matched_accuracy([0, 1, 2, -1], ["a", "a", "b", "b"])
    0.5
    """
    counts = overlaps(assignment, truth)
    rows, columns = linear_sum_assignment(-counts)
    return float(counts[rows, columns].sum()) / max(len(np.asarray(truth)), 1)


def overlaps(assignment: Any, truth: Any) -> Array:
    """Return how many rows each group has of each class; rows in no group are left out."""
    assignment, truth = np.asarray(assignment), np.asarray(truth)
    classes, column = np.unique(truth, return_inverse=True)
    groups, row = np.unique(assignment, return_inverse=True)
    counts = np.zeros((len(groups), len(classes)))
    np.add.at(counts, (row, column), 1.0)
    return counts[groups >= 0]
