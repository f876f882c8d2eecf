"""Tables too large to try every family on: a part is learned from, and the rest is answered.

What a family learns from more rows than these changes its answers by less than its own chance, and
costs as many times more. Rows that were left out have not been seen by any model, so their answers
are held-out ones.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eulac.data.lac_table import LacTable
from eulac.data.row_sketch import first_rows

__all__ = ["MOST_ROWS", "all_rows", "fitted_part"]

Array = NDArray[np.float64]

MOST_ROWS = (5_000, 20_000)
"""Labeled and unlabeled rows that families are fitted to."""

BLOCK_ROWS = 20_000


def fitted_part(table: LacTable, most: tuple[int, int] | None = None) -> LacTable:
    """Return the part of a table in value order that families are fitted to; all of a small one.

    Parameters
    ----------
    table : LacTable
        In random order.
    most : (int, int), optional
        Labeled and unlabeled rows, at most; default: `MOST_ROWS`.

    Examples
    --------
    >>> table = LacTable.from_masked(np.zeros((30, 1)), np.repeat([0, -1], [10, 20]))
    >>> part = fitted_part(table, (4, 8))
    >>> part.n_labeled, part.n_unlabeled
    (10, 8)
    """
    n_labeled, n_unlabeled = MOST_ROWS if most is None else most
    if table.n_labeled <= n_labeled and table.n_unlabeled <= n_unlabeled:
        return table
    kept = first_rows(table.y_labeled, n_labeled)
    return table.taken(kept, np.arange(min(table.n_unlabeled, n_unlabeled)))


def all_rows(
    part: LacTable,
    whole: LacTable,
    held_out: Array,
    answered: Any,
    on_rows: Callable[[int, int], Any] = lambda done, total: None,
) -> Array:
    """Return probabilities of all rows, in the order the user passed them.

    Parameters
    ----------
    part, whole : LacTable
    held_out : array of shape (n_rows_of_part, n_classes)
        Of the rows of the part, by models that have not seen them.
    answered : callable
        Probabilities of rows of `whole`, by their places in it.
    on_rows : callable
        Called with the rows answered so far and their number: progress.
    """
    out = np.empty((len(whole.places), held_out.shape[1]))
    # Rows that stand in for missing unlabeled ones come last and have no place.
    out[part.places] = held_out[: len(part.places)]
    rest = np.flatnonzero(~np.isin(whole.places, part.places))
    for start in range(0, len(rest), BLOCK_ROWS):
        rows = rest[start : start + BLOCK_ROWS]
        out[whole.places[rows]] = answered(rows)
        on_rows(start + len(rows), len(rest))
    return out
