"""Rows that may be called new with a bound on how many of them wrongly, and what to open first."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eulac.exceptions import SelectionWarning
from eulac.risk.new_selection import selected_rows

__all__ = ["LEVEL", "SureRows", "group_order", "sure_rows"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

LEVEL = 0.1
LEVELS = (0.01, 0.05, LEVEL, 0.2)
"""Shares of wrong ones among the selected rows that are shown."""


@dataclass(frozen=True, eq=False)
class SureRows:
    """P-values of a pool, and how many rows each level selects.

    Attributes
    ----------
    p_values : array of shape (n_rows,)
        How likely a row of a known class looks at least as new.
    is_selected : bool array of shape (n_rows,)
        At the level of 10 %.
    counts : dict of float to int
        Rows selected, by level.
    is_controlled : bool
        False where known classes seem to have moved: then no level holds.
    """

    p_values: Array
    is_selected: NDArray[np.bool_]
    counts: dict[float, int]
    is_controlled: bool


def sure_rows(classifier: Any, X: Any) -> SureRows | None:
    """Return p-values of a pool; None for a classifier that holds out no rows."""
    if not hasattr(classifier, "new_p_values") or classifier.closed_set_:
        return None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", SelectionWarning)
        p_values = classifier.new_p_values(X)
    known = classifier.proportion_.interval[1]
    return SureRows(
        p_values,
        selected_rows(p_values, LEVEL, known),
        {level: int(selected_rows(p_values, level, known).sum()) for level in LEVELS},
        not any(issubclass(one.category, SelectionWarning) for one in caught),
    )


def group_order(groups: Sequence[Codes], sure: SureRows | None) -> list[int]:
    """Return groups in the order to look at them: the largest share of sure rows first.

    Examples
    --------
    >>> sure = SureRows(np.zeros(4), np.array([False, True, True, True]), {}, True)
    >>> group_order([np.array([0, 1]), np.array([2, 3])], sure)
    [1, 0]
    """
    if sure is None:
        return list(range(len(groups)))
    shares = [sure.is_selected[rows].mean() if len(rows) else 0.0 for rows in groups]
    return np.argsort(-np.array(shares), kind="stable").tolist()
