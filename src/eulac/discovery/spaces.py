"""Spaces in which rows of one class lie together, learned from rows of known classes.

A space takes rows of known classes, their codes and the rows to be grouped, and returns the latter
in coordinates whose plain distances are meant. Known and new rows are scaled together.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

__all__ = ["SPACES", "KnownRows", "balanced_columns", "flag_weights", "main_directions"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]
Space = Callable[["KnownRows", Array], Array]

MAX_DIRECTIONS = 40
"""Principal directions that are kept."""

SHRINKAGE = 0.5
"""Weight of a multiple of the identity in the covariance within classes."""


class KnownRows(NamedTuple):
    """Rows of known classes and their codes."""

    X: Array
    codes: Codes

    def within(self) -> Array:
        """Return the rows around the means of their classes."""
        return _around_means(self.X, self.codes)

    def of(self, classes: object) -> "KnownRows":
        """Return the rows of some classes."""
        kept = np.isin(self.codes, np.asarray(classes))
        return KnownRows(self.X[kept], self.codes[kept])


def flag_weights(X: Array, codes: Codes, scale: Array) -> Array:
    """Return weights of columns under which flags count no more than numbers do.

    A column of zeros and ones spans the whole range within every class in which both occur, and
    would part rows by it before any number had a say. Such columns are shrunk until they vary
    within classes as numbers typically do; those that are the same throughout a class keep their
    weight.

    Parameters
    ----------
    X : array of shape (n_rows, n_features)
        Rows of known classes.
    codes : int array of shape (n_rows,)
    scale : array of shape (n_features,)
        What columns are divided by.

    Examples
    --------
    >>> X = np.column_stack([np.linspace(0, 1, 8), np.arange(8) % 2])
    >>> flag_weights(X, np.arange(8) // 2, X.std(axis=0)).round(2)
    array([1.  , 0.22])
    """
    weights = np.ones(X.shape[1])
    of_two = np.all((X == 0) | (X == 1), axis=0) if len(X) else np.zeros(X.shape[1], bool)
    spread = np.sqrt((_around_means(X / scale, codes) ** 2).mean(axis=0)) if len(X) else weights
    numbers = spread[~of_two & (spread > 0)]
    if of_two.any() and len(numbers):
        typical = np.median(numbers)
        weights[of_two] = typical / np.maximum(spread[of_two], typical)
    return weights


def main_directions(X: Array, n_directions: int = MAX_DIRECTIONS) -> Array:
    """Return rows in their principal directions, the strongest first.

    Examples
    --------
    >>> main_directions(np.array([[0.0, 0, 1], [2, 0, 1], [7, 0, 1]])).round(6).tolist()
    [[-3.0], [-1.0], [4.0]]
    """
    if not X.size:
        return np.zeros((len(X), 1))
    centered = X - X.mean(axis=0)
    is_wide = len(X) < X.shape[1]
    gram = centered @ centered.T if is_wide else centered.T @ centered
    n_asked = min(n_directions, len(gram))
    squares, vectors = eigh(gram, subset_by_index=[len(gram) - n_asked, len(gram) - 1])
    sizes, vectors = np.sqrt(np.maximum(squares[::-1], 0.0)), vectors[:, ::-1]
    values = vectors * sizes if is_wide else centered @ vectors
    n_kept = max(1, min(n_asked, int(np.sum(sizes > 1e-6 * sizes[0]))))
    kept = values[:, :n_kept]
    # A direction has no sign; that of the largest coordinate is made positive.
    largest = kept[np.abs(kept).argmax(axis=0), np.arange(n_kept)]
    return np.asarray(kept * np.where(largest < 0, -1.0, 1.0))


def balanced_columns(known: KnownRows, X: Array) -> tuple[KnownRows, Array]:
    """Return both kinds of rows with columns of unit spread, flags toned down."""
    rows = np.vstack([known.X, X])
    spread = rows.std(axis=0)
    scale = np.where(spread > 1e-12 * max(np.abs(rows).max(initial=0.0), 1e-300), spread, np.inf)
    finite = np.where(np.isfinite(scale), scale, 1.0)
    weights = flag_weights(known.X, known.codes, finite) / scale
    return KnownRows(known.X * weights, known.codes), X * weights


def _columns(known: KnownRows, X: Array) -> Array:
    return _reduced(*balanced_columns(known, X))[1]


def _one_scale(known: KnownRows, X: Array) -> Array:
    """Columns as they are: pixels and other columns of one unit."""
    return _reduced(*_in_one_unit(known, X))[1]


def _whitened_columns(known: KnownRows, X: Array) -> Array:
    return _whitened(*_reduced(*balanced_columns(known, X)))


def _whitened_one_scale(known: KnownRows, X: Array) -> Array:
    return _whitened(*_reduced(*_in_one_unit(known, X)))


SPACES: dict[str, Space] = {
    "columns": _columns,
    "one_scale": _one_scale,
    "whitened_columns": _whitened_columns,
    "whitened_one_scale": _whitened_one_scale,
}
"""By name: scaled columns, columns in one unit, and both whitened within the known classes."""


def _in_one_unit(known: KnownRows, X: Array) -> tuple[KnownRows, Array]:
    spread = np.vstack([known.X, X]).std() or 1.0
    return KnownRows(known.X / spread, known.codes), X / spread


def _reduced(known: KnownRows, X: Array) -> tuple[KnownRows, Array]:
    values = main_directions(np.vstack([known.X, X]))
    return KnownRows(values[: len(known.X)], known.codes), values[len(known.X) :]


def _whitened(known: KnownRows, X: Array) -> Array:
    """Return rows scaled so that known classes are round, as far as shrinkage lets them."""
    if len(known.X) < 2:
        return X
    within = known.within()
    covariance = within.T @ within / len(within)
    size = np.trace(covariance) / len(covariance)
    if size <= 0:
        return X
    identity = np.eye(len(covariance))
    squares, directions = np.linalg.eigh((1 - SHRINKAGE) * covariance + SHRINKAGE * size * identity)
    return np.asarray(X @ (directions / np.sqrt(squares)))


def _around_means(X: Array, codes: Codes) -> Array:
    classes, place = np.unique(codes, return_inverse=True)
    sums = np.zeros((len(classes), X.shape[1]))
    np.add.at(sums, place, X)
    return np.asarray(X - (sums / np.bincount(place)[:, None])[place])
