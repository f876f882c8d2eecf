"""Where to cut an augmented score: the threshold with the smallest label-free test error.

A rule that answers its known class up to a threshold and *new* above it has the 0-1 risk
``1 - E_known[w (right and at most t)] - P_test(above t) + E_known[w (above t)]``, a step function
of the threshold t. All its steps are had from one sort.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["ThresholdChoice", "best_threshold", "risk_by_threshold"]

Array = NDArray[np.float64]


class ThresholdChoice(NamedTuple):
    """A threshold and the label-free risk of cutting there."""

    threshold: float
    risk: float


def risk_by_threshold(
    score_labeled: Array,
    is_right: NDArray[np.bool_],
    weights: Array,
    score_unlabeled: Array,
) -> tuple[Array, Array]:
    """Return every threshold that makes a difference, ascending, and the risk of each.

    Parameters
    ----------
    score_labeled, score_unlabeled : arrays
        Augmented scores of held-out rows; a row is called new above the threshold.
    is_right : bool array of shape (n_labeled,)
        Whether the known class answered below the threshold is the true one.
    weights : array of shape (n_labeled,)
        From `labeled_weights`.

    Returns
    -------
    thresholds, risks : arrays
        The first threshold is minus infinity (all rows are new), the last plus infinity (none);
        those between lie halfway between neighboring scores.

    Examples
    --------
    >>> import numpy as np
    >>> right, weights = np.array([True, True]), np.array([0.5, 0.5])
    >>> risk_by_threshold(np.array([0.1, 0.2]), right, weights, np.array([0.1, 0.9]))
    (array([-inf, 0.15, 0.55,  inf]), array([0.5, 0.5, 0. , 0.5]))
    """
    n_labeled, n_unlabeled = len(score_labeled), len(score_unlabeled)
    score = np.concatenate([score_labeled, score_unlabeled])
    # What the risk gains when the threshold passes a row, so that it is no longer called new.
    steps = np.append(
        -weights * (1.0 + is_right) / n_labeled, np.full(n_unlabeled, 1.0 / n_unlabeled)
    )
    values, place = np.unique(score, return_inverse=True)
    risks = weights.mean() + np.append(0.0, np.cumsum(np.bincount(place, steps)))
    with np.errstate(invalid="ignore"):
        between = values[:-1] + 0.5 * np.diff(values)
    between = np.where(np.isfinite(between), between, values[:-1])
    return np.concatenate([[-np.inf], between, [np.inf]]), risks


def best_threshold(
    score_labeled: Array,
    is_right: NDArray[np.bool_],
    weights: Array,
    score_unlabeled: Array,
) -> ThresholdChoice:
    """Return the threshold with the smallest label-free risk, and that risk.

    Of several equally good neighbors the middle one; parameters as in `risk_by_threshold`.

    Examples
    --------
    >>> import numpy as np
    >>> right, weights = np.array([True, True]), np.array([0.5, 0.5])
    >>> best_threshold(np.array([0.1, 0.2]), right, weights, np.array([0.1, 0.9]))
    ThresholdChoice(threshold=0.55, risk=0.0)
    """
    thresholds, risks = risk_by_threshold(score_labeled, is_right, weights, score_unlabeled)
    best = np.flatnonzero(risks <= risks.min() + 1e-12)
    middle = best[len(best) // 2]
    return ThresholdChoice(float(thresholds[middle]), float(risks[middle]))
