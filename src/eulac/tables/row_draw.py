"""Some rows of tables of any length: drawn at random, whether they come in pieces or at once.

Each row gets a random key, and the rows with the smallest keys stay. So the draw of a union follows
from the draws of its parts, and memory does not grow with the tables.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from eulac.data.row_sketch import rank_in_group

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["RowDraw", "draw_together"]

Keys = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RowDraw:
    """The rows with the smallest keys: of all rows, and a few of each group.

    Attributes
    ----------
    rows : pandas.DataFrame
        Their index says where they stand in their table.
    keys : array of shape (n_kept,)
        Uniform on [0, 1].
    groups : array of shape (n_kept,)
        Label of each, where there are any.
    limit : int or None
        Rows kept of all groups together; None for all of them.
    floor : int
        Rows kept of each group whatever the others'.
    n_seen : int
        Rows they were drawn from.

    Examples
    --------
    >>> import pandas as pd
    >>> frame, keys = pd.DataFrame({"size": range(4)}), np.array([0.3, 0.9, 0.1, 0.2])
    >>> draw = RowDraw.of(frame, keys, np.array(["cat", "ant", "cat", "cat"]), limit=2, floor=1)
    >>> draw.rows["size"].tolist(), draw.n_seen
    ([1, 2, 3], 4)
    """

    rows: pd.DataFrame
    keys: Keys
    groups: NDArray[Any]
    limit: int | None = None
    floor: int = 0
    n_seen: int = 0

    @classmethod
    def of(
        cls,
        rows: pd.DataFrame,
        keys: Keys,
        groups: NDArray[Any],
        *,
        limit: int | None = None,
        floor: int = 0,
    ) -> RowDraw:
        """Return the draw from some rows."""
        return cls(rows, keys, groups, limit, floor, len(rows))._thinned()

    def merge(self, other: RowDraw) -> RowDraw:
        """Return the draw from all rows of both."""
        import pandas as pd

        n_seen = self.n_seen + other.n_seen
        if not len(other.rows) or not len(self.rows):  # an empty frame would change kinds of cells
            return replace(self if len(self.rows) else other, n_seen=n_seen)
        return replace(
            self,
            rows=pd.concat([self.rows, other.rows]),
            keys=np.append(self.keys, other.keys),
            groups=np.append(self.groups, other.groups),
            n_seen=n_seen,
        )._thinned()

    def below(self, key: float) -> RowDraw:
        """Return the rows whose keys are not larger than this."""
        return self._taken(np.flatnonzero(self.keys <= key))

    def _thinned(self) -> RowDraw:
        """Keep the smallest keys, rows in the order they came in."""
        import pandas as pd

        if self.limit is None or len(self.rows) <= self.limit:
            return self
        order = np.argsort(self.keys, kind="stable")
        kept = np.arange(len(order)) < self.limit
        if self.floor:
            kept |= rank_in_group(pd.factorize(self.groups[order])[0]) < self.floor
        return self._taken(np.sort(order[kept]))

    def _taken(self, places: NDArray[np.intp]) -> RowDraw:
        rows = self.rows.iloc[places]
        return replace(self, rows=rows, keys=self.keys[places], groups=self.groups[places])


def draw_together(draws: dict[str, RowDraw], limit: int | None) -> dict[str, RowDraw]:
    """Return what stays of several tables if so many rows may stay of all of them.

    As if they were one table; the tables stay apart, for their columns may be of different kinds.

    Parameters
    ----------
    draws : dict of RowDraw
        Each by the same limit.
    limit : int or None
    """
    keys = np.concatenate([np.empty(0), *(draw.keys for draw in draws.values())])
    if limit is None or len(keys) <= limit:
        return draws
    last = float(np.partition(keys, limit - 1)[limit - 1])
    return {source: draw.below(last) for source, draw in draws.items()}
