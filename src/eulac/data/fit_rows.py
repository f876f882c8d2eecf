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


@dataclass(frozen=True, eq=False)
class FitRows:
    """The rows of a fit, `X` first and `X_unlabeled` after it.

    Attributes
    ----------
    keys : uint64 array of shape (n_rows,)
        Equal for rows of equal values, whatever holds them; in single precision.
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

    def places(self, X: Any, *, unlabeled: bool) -> NDArray[np.intp] | None:
        """Return where rows stood in the fit; None if one of them was not there.

        Of copies of a row any place is as good: they were held out together.
        """
        own = np.flatnonzero(self.is_unlabeled == unlabeled)
        by_key = own[np.argsort(self.keys[own], kind="stable")]
        given = _keys(X)
        at = np.searchsorted(self.keys[by_key], given)
        if len(by_key) == 0 or np.any(at == len(by_key)):
            return None
        found = by_key[at]
        return found if np.array_equal(self.keys[found], given) else None


def _keys(X: Any) -> NDArray[np.uint64]:
    if np.ndim(X) > 2:
        X = np.reshape(X, (len(X), -1))
    numbers = as_numbers(X)
    if numbers is None:
        return row_keys(X)
    with np.errstate(over="ignore"):
        return hash_rows(numbers.astype(np.float32).astype(np.float64))
