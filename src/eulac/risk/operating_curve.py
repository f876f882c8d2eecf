"""The operating curve of *new*: rows called so against precision and recall, without labels."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["NewPoint", "OperatingCurve", "new_point", "operating_curve"]

Array = NDArray[np.float64]


class NewPoint(NamedTuple):
    """Precision and recall of *new* with standard errors; NaN where there is nothing to share.

    Not clipped: in small samples they may leave [0, 1].
    """

    precision: float
    precision_error: float
    recall: float
    recall_error: float


@dataclass(frozen=True, eq=False)
class OperatingCurve:
    """What calling more or fewer rows new would bring, the fewest first.

    Estimates are not clipped: in small samples they may leave [0, 1]. Intervals are.

    Attributes
    ----------
    cut : array of shape (n_points,)
        Rows with scores above it are called new.
    called : array
        Share of the test rows called new.
    precision, precision_error : arrays
        Estimated share of new rows among them, and its standard error.
    recall, recall_error : arrays
        Estimated share of the new rows that is called so, and its standard error.
    """

    cut: Array
    called: Array
    precision: Array
    precision_error: Array
    recall: Array
    recall_error: Array

    def interval(self, name: str, z: float = 1.96) -> tuple[Array, Array]:
        """Return lower and upper ends for "precision" or "recall", within [0, 1]."""
        value, half = getattr(self, name), z * getattr(self, f"{name}_error")
        return np.clip(value - half, 0.0, 1.0), np.clip(value + half, 0.0, 1.0)


def new_point(
    called: float,
    wrong: float,
    wrong_variance: float,
    *,
    known: float,
    n_unlabeled: int,
    proportion_error: float = 0.0,
) -> NewPoint:
    """Return precision and recall of *new* from shares of the test rows.

    Parameters
    ----------
    called, wrong : float
        Share that is called new, and share that is so and known.
    wrong_variance : float
        Sampling variance of `wrong`, with the known proportion fixed.
    known : float
        Known proportion.
    n_unlabeled : int
        Rows behind `called`.
    proportion_error : float, default=0.0
        Standard error of the known proportion.

    Examples
    --------
    >>> point = new_point(0.5, 0.125, 0.0, known=0.5, n_unlabeled=10_000)
    >>> point.precision, point.recall
    (0.75, 0.75)
    """
    new, hits = 1.0 - known, called - wrong
    called_variance = called * (1.0 - called) / n_unlabeled
    by_known = wrong / known if known > 0 else 0.0  # how `wrong` grows with the proportion
    precision = precision_error = recall = recall_error = math.nan
    if called > 0:
        precision = hits / called
        of_wrong = wrong_variance + (by_known * proportion_error) ** 2
        precision_error = math.sqrt(of_wrong + (wrong / called) ** 2 * called_variance) / called
    if new > 0:
        recall = hits / new
        slope = (called - by_known) / new**2
        sampling = (called_variance + wrong_variance) / new**2
        recall_error = math.sqrt(sampling + (slope * proportion_error) ** 2)
    return NewPoint(precision, precision_error, recall, recall_error)


def operating_curve(
    score_labeled: Array,
    weights: Array,
    score_unlabeled: Array,
    *,
    proportion_error: float = 0.0,
    n_points: int = 50,
) -> OperatingCurve:
    """Return precision and recall of *new* for cuts that call evenly spaced shares of rows new.

    Parameters
    ----------
    score_labeled, score_unlabeled : arrays
        Of held-out rows, bigger for rows that look newer.
    weights : array of shape (n_labeled,)
        As in `contingency_table`.
    proportion_error : float, default=0.0
        Standard error of the known proportion.
    n_points : int, default=50
        At most; cuts between rows of equal score are one.

    Returns
    -------
    curve : OperatingCurve

    Examples
    --------
    >>> known, new = np.linspace(0, 1, 50), np.linspace(2, 3, 50)
    >>> curve = operating_curve(known, np.full(50, 0.5), np.append(known, new), n_points=4)
    >>> curve.called, curve.precision
    (array([0.25, 0.5 , 0.75, 1. ]), array([1.        , 1.        , 0.66666667, 0.5       ]))
    """
    ordered = np.sort(score_unlabeled)[::-1]
    counts = np.unique(np.ceil(np.linspace(0, len(ordered), n_points + 1)[1:]).astype(np.intp))
    ends = np.append(ordered, -np.inf)
    cuts = np.unique(ends[counts])[::-1]
    cuts = cuts[cuts < ordered[0]]
    points, called = [], []
    for cut in cuts:
        wrong = weights * (score_labeled > cut)
        called.append(float(np.mean(score_unlabeled > cut)))
        points.append(
            new_point(
                called[-1],
                float(wrong.mean()),
                float(wrong.var()) / len(wrong),
                known=float(weights.mean()),
                n_unlabeled=len(score_unlabeled),
                proportion_error=proportion_error,
            )
        )
    return OperatingCurve(cuts, np.array(called), *np.array(points).T)
