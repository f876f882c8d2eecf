"""What a table of scores says of how new a row looks: a few numbers, the bigger the newer.

A K-way classifier is unsure of rows of no class it knows: its largest probability is small, its
entropy large, the total of its logits small. A score of oddness, where there is one, comes on top.
Each number is replaced by its place among the rows of the fit, so that no scale matters.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from scipy.special import log_softmax, logsumexp
from scipy.stats import norm

__all__ = [
    "ScorePlaces",
    "ScoreTable",
    "matched_columns",
    "require_probabilities",
    "split_columns",
]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

SMALLEST = 1e-12
"""Probabilities below are as good as zero."""

ROUNDING = 0.01
"""By which probabilities of a row may miss a sum of one: files hold few digits."""

N_PLACES = 257
"""Quantiles kept of each number."""

FURTHEST = 3.0
"""Places are kept so many deviations from the middle."""


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Scores of rows, taken apart.

    Attributes
    ----------
    log_probabilities : array of shape (n, n_known_classes)
    newness : array of shape (n, n_numbers)
        Numbers that are bigger for rows that look newer.
    """

    log_probabilities: Array
    newness: Array


def split_columns(X: Array, *, logits: bool, oddness_column: int | None) -> ScoreTable:
    """Return probabilities and numbers of newness in a table of scores.

    Parameters
    ----------
    X : array of shape (n, n_columns)
    logits : bool
        Whether columns are logits, whose total says something too, or probabilities.
    oddness_column : int or None
        Place of the column that is bigger for odder rows.

    Examples
    --------
    >>> table = split_columns(
    ...     np.array([[0.9, 0.1, 3.0], [0.6, 0.4, 7.0]]), logits=False, oddness_column=-1
    ... )
    >>> np.exp(table.log_probabilities), table.newness.round(2)
    (array([[0.9, 0.1],
           [0.6, 0.4]]), array([[-2.2 ,  0.33,  3.  ],
           [-0.41,  0.67,  7.  ]]))
    """
    scores = X if oddness_column is None else np.delete(X, oddness_column, axis=1)
    raw = scores if logits else np.log(np.maximum(scores, SMALLEST))
    logs = np.asarray(log_softmax(raw, axis=1))
    numbers = [-_log_odds_of_largest(logs), -(np.exp(logs) * logs).sum(axis=1)]
    if logits:
        numbers.append(-logsumexp(scores, axis=1))
    if oddness_column is not None:
        numbers.append(X[:, oddness_column])
    return ScoreTable(logs, np.column_stack(numbers))


def require_probabilities(X: Array, oddness_column: int | None) -> None:
    """Refuse rows that do not hold probabilities.

    Examples
    --------
    >>> require_probabilities(np.array([[0.9, 0.1]]), None)
    """
    scores = X if oddness_column is None else np.delete(X, oddness_column, axis=1)
    total = scores.sum(axis=1)
    wrong = np.flatnonzero((scores < 0.0).any(axis=1) | (np.abs(total - 1.0) > ROUNDING))
    if wrong.size:
        row = wrong[0]
        raise ValueError(
            f"rows of probabilities must be at least 0 and sum to 1; row {row} has a smallest one "
            f"of {scores[row].min():.3g} and sums to {total[row]:.3g}. For logits pass "
            '`scores="logits"`; set `oddness_column` if one column is no class.'
        )


def _log_odds_of_largest(logs: Array) -> Array:
    """Log odds of the likeliest class against all others; of a single class, nothing."""
    if logs.shape[1] == 1:
        return np.zeros(len(logs))
    ordered = np.sort(logs, axis=1)
    return np.asarray(ordered[:, -1] - logsumexp(ordered[:, :-1], axis=1))


@dataclass(frozen=True, eq=False)
class ScorePlaces:
    """Where numbers stand among those of the fit, as quantiles of a normal distribution.

    Attributes
    ----------
    quantiles : array of shape (n_places, n_numbers)

    Examples
    --------
    >>> places = ScorePlaces.of(np.arange(5.0)[:, None])
    >>> places.transform(np.array([[2.0], [99.0]])).ravel()
    array([0., 3.])
    """

    quantiles: Array

    @classmethod
    def of(cls, numbers: Array) -> "ScorePlaces":
        """Return the quantiles of the rows of a fit, whatever their order."""
        return cls(np.quantile(numbers, np.linspace(0.0, 1.0, N_PLACES), axis=0))

    def transform(self, numbers: Array) -> Array:
        """Return the places of numbers; equal quantiles share the middle of their places."""
        return np.column_stack(
            [_place(column, own) for column, own in zip(numbers.T, self.quantiles.T, strict=True)]
        )


def _place(column: Array, quantiles: Array) -> Array:
    shares = np.linspace(0.0, 1.0, len(quantiles))
    up = np.interp(column, quantiles, shares)
    down = 1.0 - np.interp(-column, -quantiles[::-1], shares)
    middle = 0.5 * (up + down)
    return np.asarray(np.clip(norm.ppf(middle), -FURTHEST, FURTHEST))


def matched_columns(log_probabilities: Array, y: Codes) -> Codes:
    """Return the column of each class: together they give labeled rows the largest probability.

    Examples
    --------
    >>> scores = np.log(np.array([[0.1, 0.9], [0.8, 0.2]]))
    >>> matched_columns(scores, np.array([0, 1]))
    array([1, 0])
    """
    n = log_probabilities.shape[1]
    clipped = np.maximum(log_probabilities, np.log(SMALLEST))
    fit = np.array([clipped[y == k].mean(axis=0) for k in range(n)])
    return np.asarray(linear_sum_assignment(fit, maximize=True)[1])
