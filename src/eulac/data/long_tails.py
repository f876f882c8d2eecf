"""Columns with long tails: a few rows take up the range, and the others lie close together.

Counts of bytes, amounts, times. Scaled to [0, 1] such a column is the same number for nearly all
rows, and no distance between rows sees it. By rank it tells rows apart, and a single wild value
does no harm.
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

__all__ = ["EvenScaler", "LongTails"]

Array = NDArray[np.float64]

LONG = 5.0
"""The range of a column with long tails, in widths of the middle nine tenths of its values: two for
normal numbers, three for exponential ones."""

FEWEST_VALUES = 10
"""Values other than the most usual one; fewer show no tail."""

GROUP_SHARE, FEWEST_OF_GROUP = 0.01, 5
"""Rows beyond a gap of half the range that are a group of their own, and no wild values."""

MOST_STEPS = 1000
"""Values kept of a column, by whose order others are ranked."""


@dataclass(frozen=True, eq=False)
class LongTails:
    """Columns with long tails, and the values that tell the rank of another one.

    Attributes
    ----------
    columns : int array of shape (n_columns,)
    values : array of shape (n_columns, n_steps)
        Of each such column, some in increasing order, evenly many between them.
    """

    columns: NDArray[np.intp]
    values: Array

    @classmethod
    def of(cls, X: Array) -> Self:
        """Return those of finite numbers.

        Examples
        --------
        >>> amounts = np.exp(5.0 * np.random.default_rng(0).normal(size=200))
        >>> LongTails.of(np.column_stack([amounts, np.arange(200.0)])).columns
        array([0])
        """
        found = [column for column in range(X.shape[1]) if _has_long_tails(X[:, column])]
        columns = np.array(found, dtype=np.intp)
        steps = np.linspace(0.0, 1.0, min(len(X), MOST_STEPS))
        values = np.quantile(X[:, columns], steps, axis=0, method="closest_observation")
        return cls(columns, np.ascontiguousarray(values.T))

    def by_rank(self, X: Array) -> Array:
        """Return rows with these columns replaced by ranks in [0, 1]; equal values rank alike."""
        if not len(self.columns):
            return X
        ranked = X.copy()
        for column, values in zip(self.columns, self.values, strict=True):
            sides = (np.searchsorted(values, X[:, column], side) for side in ("left", "right"))
            ranked[:, column] = sum(sides) / (2.0 * len(values))
        return ranked


def _has_long_tails(values: Array) -> bool:
    """Whether the range of a column is far wider than that of most of its values.

    Not where a group of rows lies apart from the others: that is no tail, and what tells it apart
    must be kept.
    """
    ordered = np.sort(values)
    width, median = ordered[-1] - ordered[0], _quantile(ordered, 0.5)
    others = ordered[ordered != median]  # where most are zero, the others tell
    if len(others) < FEWEST_VALUES:
        return False
    if not 0.0 < LONG * (_quantile(others, 0.95) - _quantile(others, 0.05)) < width:
        return False
    place = int(np.diff(ordered).argmax()) + 1  # of the first value beyond the widest gap
    beyond = min(place, len(ordered) - place)
    is_apart = ordered[place] - ordered[place - 1] > 0.5 * width
    return bool(not is_apart or beyond < max(GROUP_SHARE * len(values), FEWEST_OF_GROUP))


def _quantile(ordered: Array, share: float) -> float:
    """Return `np.quantile` of values in order: asked thrice a column, its checks take longest."""
    place = (len(ordered) - 1) * share
    below = int(place)
    low, high = float(ordered[below]), float(ordered[min(below + 1, len(ordered) - 1)])
    part = place - below
    return high - (high - low) * (1.0 - part) if part >= 0.5 else low + (high - low) * part


class EvenScaler(TransformerMixin, BaseEstimator):
    """Scale columns to [0, 1]; those with long tails by rank.

    Examples
    --------
    >>> amounts = np.exp(5.0 * np.random.default_rng(0).normal(size=200))
    >>> scaled = EvenScaler().fit_transform(np.column_stack([amounts, np.arange(200.0)]))
    >>> np.median(scaled, axis=0).round(2)
    array([0.5, 0.5])
    """

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the columns with long tails, and the ranges of the others."""
        X = validate_data(self, X, dtype=np.float64)
        self.tails_ = LongTails.of(X)
        ranked = self.tails_.by_rank(X)
        self.low_ = ranked.min(axis=0)
        width = np.ptp(ranked, axis=0)
        self.width_ = np.where(width > 0.0, width, 1.0)
        return self

    def transform(self, X: Any) -> Array:
        """Return scaled rows; values beyond those of the fit lie outside of [0, 1]."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return np.asarray((self.tails_.by_rank(X) - self.low_) / self.width_)
