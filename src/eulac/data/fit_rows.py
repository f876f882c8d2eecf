"""Which rows a classifier was fitted on: a key for each, by which they are known again."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eulac.data.any_rows import as_numbers
from eulac.data.labels import UNLABELED
from eulac.data.lac_table import row_keys
from eulac.data.row_sketch import hash_rows

__all__ = ["FitRows"]

SINGLE = 2.0**24


@dataclass(frozen=True, eq=False)
class FitRows:
    """The rows of a fit, `X` first and `X_unlabeled` after it.

    Attributes
    ----------
    keys : uint64 array of shape (n_rows,)
        Equal for rows of equal values, whatever holds them; to 24 bits.
    codes : int array of shape (n_rows,)
        Class of each row, `UNLABELED` (-1) for rows without a label.

    Examples
    --------
    >>> rows = FitRows.of(np.eye(3), np.array([0, -1, -1]))
    >>> rows.is_pool(np.eye(3)[[2, 1]]), rows.is_pool(np.eye(3)[:2])
    (True, False)
    """

    keys: NDArray[np.uint64]
    codes: NDArray[np.intp]

    @classmethod
    def of(cls, X: Any, codes: NDArray[np.intp], X_unlabeled: Any = None) -> "FitRows":
        """Return the rows of a fit; the codes are those of `X`."""
        keys, codes = _keys(X), np.asarray(codes)
        if X_unlabeled is None:
            return cls(keys, codes)
        more = _keys(X_unlabeled)
        return cls(np.append(keys, more), np.append(codes, np.full(len(more), UNLABELED)))

    @property
    def is_unlabeled(self) -> NDArray[np.bool_]:
        """Which rows have no label."""
        return self.codes == UNLABELED

    def is_pool(self, X: Any) -> bool:
        """Whether these are the unlabeled rows of the fit, in whatever order."""
        given, own = np.sort(_keys(X)), np.sort(self.keys[self.is_unlabeled])
        return len(own) > 0 and np.array_equal(given, own)

    def places(self, X: Any, *, unlabeled: bool) -> NDArray[np.intp]:
        """Return where rows stood in the fit, -1 for rows that were not there.

        Of copies of a row any place is as good: they were held out together.

        Parameters
        ----------
        X : rows
        unlabeled : bool
            Whether to look among the unlabeled rows, or among the labeled ones.
        """
        own = np.flatnonzero(self.is_unlabeled == unlabeled)
        given = _keys(X)
        if not len(own):
            return np.full(len(given), -1)
        by_key = own[np.argsort(self.keys[own], kind="stable")]
        at = np.searchsorted(self.keys[by_key], given)
        found = by_key[np.minimum(at, len(by_key) - 1)]
        return np.where(self.keys[found] == given, found, -1)

    def labeled(self) -> "FitRows":
        """Return the labeled rows only."""
        kept = ~self.is_unlabeled
        return FitRows(self.keys[kept], self.codes[kept])


def _keys(X: Any) -> NDArray[np.uint64]:
    if np.ndim(X) > 2:
        X = np.reshape(X, (len(X), -1))
    numbers = as_numbers(X)
    if numbers is None:
        return row_keys(X)
    # In 24 bits, as single precision has, but of numbers of any size.
    fraction, exponent = np.frexp(numbers)
    return hash_rows(np.ldexp(np.round(fraction * SINGLE) / SINGLE, exponent))
