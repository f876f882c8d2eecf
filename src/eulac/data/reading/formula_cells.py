"""Text that a spreadsheet would take for a formula, marked as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eulac.data.requirements import is_number

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["quoted_formulas"]

STARTS = ("=", "+", "-", "@", "\t", "\r")
"""What spreadsheets read as the beginning of a formula."""

QUOTE = "'"
"""A spreadsheet shows what follows as text."""


def quoted_formulas(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the table with an apostrophe before text that begins like a formula.

    Names of columns count, too. Numbers stay as they are, also those written as text.

    Examples
    --------
    >>> import pandas as pd
    >>> quoted_formulas(pd.DataFrame({"name": ["=1+1", "-7.5", "owl"], "size": [-1, 2, 3]}))
         name  size
    0  '=1+1    -1
    1    -7.5     2
    2     owl     3
    """
    quoted = frame.copy(deep=False)
    for name, column in frame.items():
        if column.dtype.kind not in "biufcmM":
            quoted[name] = column.map(_quoted)
    return quoted.rename(columns=_quoted)


def _quoted(cell: Any) -> Any:
    if not isinstance(cell, str) or not cell.startswith(STARTS) or is_number(cell):
        return cell
    return QUOTE + cell
