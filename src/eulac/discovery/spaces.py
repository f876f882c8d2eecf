"""Spaces in which rows of one class lie together, learned from rows of known classes.

A space takes rows of known classes, their codes and the rows to be grouped, and returns the latter
in coordinates whose plain distances are meant. Known and new rows are scaled together.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import eigh

__all__ = [
    "BASES",
    "SPACES",
    "KnownRows",
    "Space",
    "balanced_columns",
    "flag_weights",
    "main_directions",
    "reduced",
    "uneven",
]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]
Base = Callable[["KnownRows", Array], tuple["KnownRows", Array]]
Kind = Callable[["KnownRows", Array], Array]

MAX_DIRECTIONS = 60
"""Principal directions that are kept."""

SHRINKAGE = 0.5
"""Weight of a multiple of the identity in the covariance within classes."""


FEWEST_PARTS = 10
"""Columns that can be parts of a whole."""


class KnownRows(NamedTuple):
    """Rows of known classes and their codes."""

    X: Array
    codes: Codes

    def within(self) -> Array:
        """Return the rows around the means of their classes."""
        return _around_means(self.X, self.codes)

    def unevenness(self) -> float:
        """Return how uneven the classes are in size: 0 for equal ones, infinite for fewer than two.

        Examples
        --------
        >>> KnownRows(np.zeros((4, 1)), np.array([0, 0, 0, 1])).unevenness()
        0.25
        """
        counts = np.bincount(self.codes)
        return uneven(counts) if np.count_nonzero(counts) > 1 else np.inf

    def of(self, classes: object) -> "KnownRows":
        """Return the rows of some classes."""
        kept = np.isin(self.codes, np.asarray(classes))
        return KnownRows(self.X[kept], self.codes[kept])


def uneven(counts: ArrayLike) -> float:
    """Return the squared relative spread of sizes, empty classes left out: 0 for equal ones.

    Examples
    --------
    >>> uneven([5, 5, 0]), uneven([1, 3])
    (0.0, 0.25)
    """
    sizes = np.asarray(counts, dtype=float)
    sizes = sizes[sizes > 0]
    return float(len(sizes) * np.sum((sizes / sizes.sum()) ** 2) - 1.0) if len(sizes) else 0.0


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


def _in_one_unit(known: KnownRows, X: Array) -> tuple[KnownRows, Array]:
    """Columns as they are: pixels and other columns of one unit."""
    spread = np.vstack([known.X, X]).std() or 1.0
    return KnownRows(known.X / spread, known.codes), X / spread


def _profiles(known: KnownRows, X: Array) -> tuple[KnownRows, Array]:
    """Columns as parts of a whole: rows of length one, counted from the least of each column.

    Few columns are taken as they are: without its length, little would be left of a row.
    """
    if X.shape[1] < FEWEST_PARTS:
        return _in_one_unit(known, X)
    rows = np.vstack([known.X, X])
    rows = rows - rows.min(axis=0, initial=np.inf)
    rows = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-300)
    return KnownRows(rows[: len(known.X)], known.codes), rows[len(known.X) :]


BASES: dict[str, Base] = {
    "columns": balanced_columns,
    "one_scale": _in_one_unit,
    "profile": _profiles,
}
"""How columns are scaled, by name."""


def reduced(base: str, known: KnownRows, X: Array) -> tuple[KnownRows, Array]:
    """Return both kinds of rows, scaled, in the principal directions of all."""
    known, X = BASES[base](known, X)
    values = main_directions(np.vstack([known.X, X]))
    return KnownRows(values[: len(known.X)], known.codes), values[len(known.X) :]


def _plain(known: KnownRows, X: Array) -> Array:
    return X


def _whitened(known: KnownRows, X: Array) -> Array:
    """Return rows scaled so that known classes are round, as far as shrinkage lets them."""
    scales = _rounding(known, SHRINKAGE)
    return X if scales is None else np.asarray(X @ scales)


def _telling(shrinkage: float) -> Kind:
    """Return the kind of space in which directions count by how much classes differ along them.

    Where rows are round within classes, the variance of all rows beyond that within classes is the
    variance of class means. Its share in the whole is the weight of a direction.
    """

    def told(known: KnownRows, X: Array) -> Array:
        scales = _rounding(known, shrinkage)
        if scales is None:
            return X
        within = known.within() @ scales
        rows = np.vstack([known.X, X]) @ scales
        _, directions = np.linalg.eigh(np.atleast_2d(np.cov(rows.T)))
        total = (rows @ directions).var(axis=0)
        share = 1.0 - ((within @ directions) ** 2).mean(axis=0) / np.maximum(total, 1e-300)
        return np.asarray(X @ scales @ directions * np.sqrt(np.maximum(share, 0.0)))

    return told


def _rounding(known: KnownRows, shrinkage: float) -> Array | None:
    """Return what makes known classes round; None where nothing is known of them."""
    if len(known.X) < 2:
        return None
    within = known.within()
    covariance = within.T @ within / len(within)
    size = np.trace(covariance) / len(covariance)
    if size <= 0:
        return None
    identity = np.eye(len(covariance))
    squares, directions = np.linalg.eigh((1 - shrinkage) * covariance + shrinkage * size * identity)
    return np.asarray(directions / np.sqrt(squares))


@dataclass(frozen=True)
class Space:
    """A space: how columns are scaled, and what known classes make of that.

    Examples
    --------
    >>> known = KnownRows(np.eye(3), np.arange(3))
    >>> SPACES["one_scale"](known, np.arange(12.0).reshape(4, 3)).shape
    (4, 3)
    """

    base: str
    kind: Kind

    def __call__(self, known: KnownRows, X: Array) -> Array:
        """Return rows in the space, learned from known rows."""
        return self.kind(*reduced(self.base, known, X))


SPACES: dict[str, Space] = {
    "columns": Space("columns", _plain),
    "one_scale": Space("one_scale", _plain),
    "profile": Space("profile", _plain),
    "whitened_columns": Space("columns", _whitened),
    "whitened_one_scale": Space("one_scale", _whitened),
    "telling_columns": Space("columns", _telling(0.1)),
    "telling_one_scale": Space("one_scale", _telling(0.1)),
    "telling_profile": Space("profile", _telling(SHRINKAGE)),
}
"""By name: columns scaled, in one unit, or as parts of a whole; whitened within the known classes,
or weighed by how much classes differ along them."""


def _around_means(X: Array, codes: Codes) -> Array:
    classes, place = np.unique(codes, return_inverse=True)
    sums = np.zeros((len(classes), X.shape[1]))
    np.add.at(sums, place, X)
    return np.asarray(X - (sums / np.bincount(place)[:, None])[place])
