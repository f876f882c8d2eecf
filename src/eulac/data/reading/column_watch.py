"""What rows hold that the fit has not seen: categories, and numbers beyond its range."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

    from eulac.data.preprocessing import TableColumns

__all__ = ["ColumnWatch"]

MARGIN = 0.05
"""By so much of its range a number may lie outside."""

FEWEST_ROWS, SMALLEST_SHARE = 3, 0.01
"""Fewer rows outside a range are what another sample of the same kind has, too."""

FAR = 3.0
"""By so many of its ranges outside, a single number is worth a word: a slip, or another unit."""


class ColumnWatch:
    """Counts unfamiliar values, some rows at a time.

    Parameters
    ----------
    columns : TableColumns
        Fitted.

    Examples
    --------
    >>> import pandas as pd
    >>> from eulac.data.preprocessing import fit_columns
    >>> seen = pd.DataFrame({"size": range(40), "color": ["red", "blue"] * 20})
    >>> watch = ColumnWatch(fit_columns({"birds.csv": seen}))
    >>> watch.look(pd.DataFrame({"size": [1, 99, 98, 97], "color": ["red", "pink", "red", "red"]}))
    >>> for sentence in watch.sentences():
    ...     print(sentence)
    Column 'size': 3 of 4 rows lie outside what the fit saw (0 to 39), up to 99.
    Column 'color': 1 of 4 rows have a value the fit never saw: 'pink' (1).
    """

    def __init__(self, columns: TableColumns) -> None:
        self.columns = columns
        self.n_rows = 0
        self.unseen: dict[str, Counter[str]] = {}
        self.outside: Counter[str] = Counter()
        self.extremes: dict[str, tuple[float, float]] = {}

    def look(self, frame: pd.DataFrame) -> None:
        """Count the unfamiliar values of some rows."""
        self.n_rows += len(frame)
        for name, limits in self.columns.ranges.items():
            self._look_at_numbers(name, frame[name], *limits)
        for name, known in self.columns.categories().items():
            strange = frame[name].dropna().astype(str)
            strange = strange[~strange.isin(known)]
            if len(strange):
                found = self.columns.as_texts(frame.loc[strange.index, name])
                counts = Counter(text for text in found if text not in known)
                self.unseen[name] = self.unseen.get(name, Counter()) + counts

    def _look_at_numbers(self, name: str, column: pd.Series, low: float, high: float) -> None:
        import pandas as pd

        margin = MARGIN * (high - low)
        numbers = pd.to_numeric(column, errors="coerce").to_numpy(dtype=float, na_value=np.nan)
        is_outside = (numbers < low - margin) | (numbers > high + margin)
        if is_outside.any():
            self.outside[name] += int(is_outside.sum())
            before = self.extremes.get(name, (np.inf, -np.inf))
            far = numbers[is_outside]
            self.extremes[name] = (min(before[0], far.min()), max(before[1], far.max()))

    def sentences(self) -> list[str]:
        """Return what is unfamiliar, in sentences."""
        said = [self._of_numbers(name) for name in self.outside if self._is_told(name)]
        return said + [self._of_texts(name) for name, counts in self.unseen.items() if counts]

    def _is_told(self, name: str) -> bool:
        """Whether many rows lie outside the range of a column, or one lies far outside."""
        low, high = self.columns.ranges[name]
        least, most = self.extremes[name]
        is_far = max(low - least, most - high) > FAR * (high - low) > 0
        many = max(FEWEST_ROWS, SMALLEST_SHARE * self.n_rows)
        return is_far or self.outside[name] >= many

    def _of_numbers(self, name: str) -> str:
        low, high = self.columns.ranges[name]
        least, most = self.extremes[name]
        ends = [f"down to {least:.6g}"] if least < low else []
        ends += [f"up to {most:.6g}"] if most > high else []
        return (
            f"Column {name!r}: {self.outside[name]:,} of {self.n_rows:,} rows lie outside what the "
            f"fit saw ({low:.6g} to {high:.6g}), {' and '.join(ends)}."
        )

    def _of_texts(self, name: str) -> str:
        counts = self.unseen[name]
        common = ", ".join(f"{text!r} ({n:,})" for text, n in counts.most_common(3))
        more = f" and {len(counts) - 3} more" if len(counts) > 3 else ""
        return (
            f"Column {name!r}: {counts.total():,} of {self.n_rows:,} rows have a value the fit "
            f"never saw: {common}{more}."
        )
