"""Columns that alone tell unlabeled rows from labeled ones: an ID, a time stamp, another unit.

If known classes look in deployment as they do in the labels, then every column by itself must
leave room for them: wherever labeled rows lie, there must be unlabeled ones too, at least as many
as the known share says. Where all columns together say that nothing is known, and without those
that leave the least room a good part is, these columns have moved by themselves. They would hide
all that the others know.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from eulac.data.any_rows import as_pandas
from eulac.data.encoded_rows import encoded_column

__all__ = [
    "FEW",
    "HALF",
    "LITTLE_ROOM",
    "WELL_KNOWN",
    "column_rooms",
    "columns_beside",
    "columns_that_moved",
    "most_left_out",
    "room_for_known",
    "without_columns",
]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

WELL_KNOWN = 0.3
"""So much must be known by the other columns for a column to have moved by itself."""

FEW, HALF = 0.25, 0.5
"""Part of the columns that may be left out at the most: where the others must confirm it, and where
nothing looks labeled otherwise. The rest must tell the classes without them."""

LITTLE_ROOM = WELL_KNOWN / 2
"""A column with less room says by itself that next to nothing is known."""

MOST_WEIGHED, AS_MUCH = 32, 0.02
"""Columns that are asked one by one whether they may stay; and what the share may lose by it."""

N_BINS = 10
"""Parts of about as many labeled rows each."""

SMALLEST_SHARE = 0.05
"""Of the labeled rows, in a part that has a say."""

N_ERRORS = 2.0
"""Standard errors added to the ratio of unlabeled to labeled rows in a part."""


def room_for_known(labeled: Array, unlabeled: Array) -> float:
    """Return the largest known share that one column by itself leaves room for, with a margin.

    Parameters
    ----------
    labeled, unlabeled : arrays of shape (n,) and (m,)
        Finite values of the column.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> labeled, new = rng.normal(size=300), rng.normal(5, 1, 300)
    >>> room_for_known(labeled, np.append(rng.normal(size=300), new)) > 0.4
    True
    >>> room_for_known(labeled, new) < 0.4
    True
    """
    edges = np.unique(np.quantile(labeled, np.linspace(0, 1, N_BINS + 1)))
    # Each value that is an edge is a part of its own: columns with few values have ties there.
    counts = [_in_parts(part, edges) / len(part) for part in (labeled, unlabeled)]
    used = counts[0] >= SMALLEST_SHARE
    if not used.any():
        return 1.0
    known, found = counts[0][used], counts[1][used] + 1.0 / len(unlabeled)
    # Of the logarithm of the ratio of both shares.
    error = np.sqrt(1.0 / (len(labeled) * known) + 1.0 / (len(unlabeled) * found))
    room = found / known * np.exp(N_ERRORS * error)
    return float(min(room.min(), 1.0))


def column_rooms(X: Any, n_labeled: int) -> Array:
    """Return for each column the largest known share it leaves room for; empty without columns.

    Parameters
    ----------
    X : array or data frame
        All rows, labeled ones first. Sparse rows and texts have no columns of their own.
    n_labeled : int

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = np.column_stack([np.arange(1000), rng.normal(size=(1000, 2))])
    >>> (column_rooms(X, 500) > 0.5).tolist()
    [False, True, True]
    """
    frame = as_pandas(X)
    if sparse.issparse(frame) or np.ndim(frame) != 2:
        return np.empty(0)
    if not isinstance(frame, pd.DataFrame):
        frame = pd.DataFrame(np.asarray(frame))
    columns = (encoded_column(frame.iloc[:, place]) for place in range(frame.shape[1]))
    return np.array([_room_of_column(column, n_labeled) for column in columns])


def columns_that_moved(
    rooms: Array,
    share_without: Callable[[Codes], float],
    *,
    most: int,
    well_known: float = WELL_KNOWN,
    enough: float = 1.0,
) -> Codes:
    """Return the fewest columns without which a good part of the rows is known; none if no such.

    Parameters
    ----------
    rooms : array of shape (n_columns,)
        From `column_rooms`; those with the least room are tried first.
    share_without : callable
        Known share while columns are left out.
    most : int
        Columns at the most.
    well_known : float
        What counts as a good part.
    enough : float
        A known share that is as much as there can be, by another reading: more, without a column
        that tells new rows, is too much.

    Examples
    --------
    >>> rooms = np.array([1.0, 0.1, 1.0, 1.0])
    >>> columns_that_moved(rooms, lambda places: 0.6, most=2).tolist()
    [1]
    """
    none, order = np.empty(0, dtype=np.intp), np.argsort(rooms, kind="stable")
    options = {"well_known": well_known, "enough": enough}
    return columns_beside(none, order, share_without, most=most, **options)


def columns_beside(
    sure: Codes,
    others: Codes,
    share_without: Callable[[Codes], float],
    *,
    most: int,
    well_known: float = WELL_KNOWN,
    enough: float = 1.0,
) -> Codes:
    """Return columns that are sure to have moved and the fewest others, as `columns_that_moved`.

    Parameters
    ----------
    sure, others : int arrays
        Columns to leave out in any case, and others, those first that seem to have moved most: none
        of them are tried, one, two, four, up to as many as `most` leaves.
    share_without, most, well_known, enough : see `columns_that_moved`

    Examples
    --------
    >>> moved = np.array([5, 7, 9])
    >>> columns_beside(moved[:1], moved[1:], lambda places: 0.2 * len(places), most=4).tolist()
    [5, 7]
    """
    room = min(most - len(sure), len(others))
    sizes = [0, *(2**power for power in range(room.bit_length())), room] if room >= 0 else []
    for size in dict.fromkeys(sizes):
        chosen = np.append(sure, others[:size])
        if len(chosen) and (share := share_without(chosen)) > well_known:
            return np.sort(_needed(chosen, min(share - AS_MUCH, enough), share_without))
    return np.empty(0, dtype=np.intp)


def _needed(chosen: Codes, wanted: float, share_without: Callable[[Codes], float]) -> Codes:
    """Return the columns without those that may stay as well, the least suspected tried first."""
    if len(chosen) > MOST_WEIGHED:
        return chosen
    for place in chosen[::-1]:
        fewer = chosen[chosen != place]
        if len(fewer) and share_without(fewer) >= wanted:
            chosen = fewer
    return chosen


def most_left_out(n_columns: int, part: float) -> int:
    """Return how many of the columns may be left out at the most.

    Examples
    --------
    >>> most_left_out(19, FEW), most_left_out(19, HALF)
    (4, 9)
    """
    return int(part * n_columns)


def without_columns(X: Any, places: Any) -> Any:
    """Return a table without the columns at these places.

    Examples
    --------
    >>> without_columns(np.eye(3), [0, 2]).tolist()
    [[0.0], [1.0], [0.0]]
    """
    if len(places) == 0:
        return X
    kept = np.setdiff1d(np.arange(X.shape[1]), places)
    return X.iloc[:, kept] if isinstance(X, pd.DataFrame) else X[:, kept]


def _room_of_column(values: Array, n_labeled: int) -> float:
    """Return the room of a column; of one that became several, the smallest of theirs."""
    values = np.clip(values, -1e300, 1e300)
    return min(
        room_for_known(values[:n_labeled, index], values[n_labeled:, index])
        for index in range(values.shape[1])
    )


def _in_parts(values: Array, edges: Array) -> Array:
    """Return how many values lie between two edges, below or above all, or equal an edge."""
    place = np.searchsorted(edges, values, side="left")
    is_edge = (place < len(edges)) & (edges[np.minimum(place, len(edges) - 1)] == values)
    between = np.bincount(place[~is_edge], minlength=len(edges) + 1)
    equal = np.bincount(place[is_edge], minlength=len(edges))
    return np.append(between, equal).astype(float)
