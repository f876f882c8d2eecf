"""What moved: columns in which rows of a known class differ between labels and deployment.

Forests of the known classes give each row to a class. Within a class, labeled rows and those
unlabeled rows that are taken for known are compared column by column: do they lie higher, lower, or
further from the middle? Each is a rank test, and all of them together are judged at one level.

This is asked only where known classes seem to have moved. Without that, new rows among those given
to a class would differ in the same way.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm, rankdata

from eulac.drift.class_view import SeenRows

__all__ = ["MovedColumn", "classes_by_column", "moved_columns"]

Array = NDArray[np.float64]

LEVEL = 0.05
FEWEST_ROWS = 8
"""Of a class, in both samples; of fewer nothing is said."""

CHANGES = ("larger", "smaller", "more spread out", "less spread out")


@dataclass(frozen=True)
class MovedColumn:
    """A column that looks different in unlabeled rows of a known class.

    Attributes
    ----------
    known_class, column : int
        Code of the class, place of the column.
    change : {"larger", "smaller", "more spread out", "less spread out"}
        In deployment.
    chance : float
        That an unlabeled row of the class exceeds a labeled one; of distances from each sample's
        median where the change is one of spread. One half where nothing moved.
    p_value : float
        Corrected for the number of comparisons (Holm).
    """

    known_class: int
    column: int
    change: str
    chance: float
    p_value: float


def moved_columns(
    X_labeled: Array,
    X_unlabeled: Array,
    seen: tuple[SeenRows, SeenRows],
    is_known: NDArray[np.bool_],
) -> list[MovedColumn]:
    """Return columns that differ within a known class, the clearest first.

    Parameters
    ----------
    X_labeled, X_unlabeled : arrays of shape (n, n_columns) and (m, n_columns)
    seen : (labeled, unlabeled) SeenRows
        Which class forests give each row to, none of them trained on it.
    is_known : bool array of shape (m,)
        Unlabeled rows that are taken for known.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X, pool = rng.normal(size=(200, 3)), rng.normal(size=(200, 3))
    >>> pool[:, 1] += 1.0
    >>> one_class = SeenRows(np.ones((200, 1)), np.ones(200), np.ones(200))
    >>> found = moved_columns(X, pool, (one_class, one_class), np.ones(200, bool))
    >>> [(one.column, one.change) for one in found]
    [(1, 'larger')]
    """
    given = [part.probabilities.argmax(axis=1) for part in seen]
    found: list[MovedColumn] = []
    p_values: list[float] = []
    for code in range(seen[0].probabilities.shape[1]):
        labeled, unlabeled = X_labeled[given[0] == code], X_unlabeled[(given[1] == code) & is_known]
        if min(len(labeled), len(unlabeled)) < FEWEST_ROWS:
            continue
        spread = [np.abs(part - np.median(part, axis=0)) for part in (labeled, unlabeled)]
        for kinds, pair in ((CHANGES[:2], (labeled, unlabeled)), (CHANGES[2:], spread)):
            chances, p = _rank_tests(*pair)
            for column, chance in enumerate(chances.tolist()):
                found.append(MovedColumn(code, column, kinds[int(chance < 0.5)], chance, 1.0))
            p_values.extend(p.tolist())
    corrected = _holm(np.array(p_values))
    order = np.argsort(corrected, kind="stable")
    clear = [index for index in order if corrected[index] < LEVEL]
    return [replace(found[index], p_value=float(corrected[index])) for index in clear]


def classes_by_column(moved: Sequence[MovedColumn]) -> dict[int, int]:
    """Return within how many known classes each column has moved.

    Examples
    --------
    >>> larger = MovedColumn(0, 5, "larger", 0.9, 0.01)
    >>> spread = MovedColumn(0, 5, "more spread out", 0.9, 0.01)
    >>> classes_by_column([larger, spread, replace(larger, known_class=1)])
    {5: 2}
    """
    pairs = dict.fromkeys((one.column, one.known_class) for one in moved)
    return dict(Counter(column for column, _ in pairs))


def _rank_tests(labeled: Array, unlabeled: Array) -> tuple[Array, Array]:
    """Return for each column the chance that an unlabeled value is larger, and its p-value."""
    n, m = len(labeled), len(unlabeled)
    ranks = rankdata(np.vstack([labeled, unlabeled]), axis=0)
    chance = (ranks[n:].sum(axis=0) - m * (m + 1) / 2) / (n * m)
    # Ties make ranks vary less: their own variance is the right one.
    variance = ranks.var(axis=0, ddof=1) / (n * m * (n + m))
    deviation = np.sqrt(np.maximum(variance, 1e-300))
    z = np.where(variance > 0, (chance - 0.5) / deviation, 0.0)
    return chance, 2.0 * norm.sf(np.abs(z))


def _holm(p_values: Array) -> Array:
    """Return p-values corrected for their number, step by step from the smallest."""
    order = np.argsort(p_values, kind="stable")
    factors = len(p_values) - np.arange(len(p_values))
    stepped = np.maximum.accumulate(np.minimum(p_values[order] * factors, 1.0))
    corrected = np.empty(len(p_values))
    corrected[order] = stepped
    return corrected
