"""Dates as numbers: elapsed days, month, weekday and hour."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["PARTS", "date_parts", "look_like_dates", "part_name", "tells_samples_apart"]

PARTS = ("days", "month", "weekday", "hour")
"""Days since 1970, with fractions; January and Monday are 1."""

YEAR_FIRST, DAY_FIRST = r"\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}|$)", r"\d{1,2}\.\d{1,2}\.\d{4}( |$)"
MOST_APART = 0.9
"""A part that puts so many pairs of a labeled and an unlabeled row into one order tells samples."""


def part_name(column: str, part: str) -> str:
    """Return what a part of a date is called.

    Examples
    --------
    >>> part_name("seen", "month")
    'seen (month)'
    """
    return f"{column} ({part})"


def look_like_dates(column: pd.Series) -> bool:
    """Whether cells are dates, or texts with the year first, or with the day first and points."""
    from pandas.api import types

    if types.is_datetime64_any_dtype(column):
        return True
    some = column.iloc[:: max(1, len(column) // 50)]
    if all(isinstance(value, datetime.date) for value in some):
        return True
    texts = some.astype(str).str
    return bool(texts.match(YEAR_FIRST).all() or texts.match(DAY_FIRST).all())


def date_parts(column: pd.Series, source: str = "the table") -> dict[str, NDArray[np.float64]]:
    """Return the parts of a column of dates by their names; gaps are NaN.

    Examples
    --------
    >>> import pandas as pd
    >>> parts = date_parts(pd.Series(["1970-01-02 12:00", None], name="seen"))
    >>> {name: values[0].item() for name, values in parts.items()}
    {'seen (days)': 1.5, 'seen (month)': 1.0, 'seen (weekday)': 5.0, 'seen (hour)': 12.0}
    """
    moments = _moments(column, source)
    days = (moments - np.datetime64("1970-01-01")) / np.timedelta64(1, "D")
    values = (days, moments.dt.month, (np.floor(days) + 3) % 7 + 1, moments.dt.hour)
    return {
        part_name(str(column.name), part): value.to_numpy(dtype=np.float64, na_value=np.nan)
        for part, value in zip(PARTS, values, strict=True)
    }


def _moments(column: pd.Series, source: str) -> pd.Series:
    """Return moments without time zones."""
    import pandas as pd
    from pandas.api import types

    if not types.is_datetime64_any_dtype(column):
        texts = column.astype(object).map(str, na_action="ignore")
        moments = pd.to_datetime(texts, format="ISO8601", errors="coerce", utc=True)
        missed = moments.isna() & texts.notna()
        if missed.any():
            options: Any = {"dayfirst": True, "format": "mixed", "errors": "coerce", "utc": True}
            later = pd.to_datetime(texts[missed], **options)
            moments = moments.where(~missed, later.reindex(moments.index))
    else:
        texts, moments = column, pd.to_datetime(column, utc=True)
    bad = (moments.isna() & column.notna()).to_numpy()
    if bad.any():
        cell = texts.iloc[int(bad.argmax())]
        raise ValueError(
            f"column {column.name!r} must hold dates, as 2026-05-31 or 31.05.2026; {source} has "
            f"{cell!r}. Mend it, or leave the cell empty."
        )
    return moments.dt.tz_localize(None)


def tells_samples_apart(one: NDArray[Any], other: NDArray[Any]) -> bool:
    """Whether nearly all values of one sample lie below, or above, those of the other.

    Examples
    --------
    >>> tells_samples_apart(np.arange(50), np.arange(60, 99))
    True
    >>> tells_samples_apart(np.arange(50), np.arange(99))
    False
    """
    from scipy.stats import rankdata

    one, other = one[~np.isnan(one)], other[~np.isnan(other)]
    if not len(one) or not len(other):
        return False
    ranks = rankdata(np.concatenate([one, other]))[: len(one)]
    in_order = (ranks.sum() - len(one) * (len(one) + 1) / 2) / (len(one) * len(other))
    return bool(max(in_order, 1 - in_order) > MOST_APART)
