"""How often each class is answered rightly in deployment, the new one included, without labels."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from eulac.risk.contingency import ContingencyTable
from eulac.risk.operating_curve import new_point

__all__ = ["ClassQuality", "quality_by_class", "wilson_interval"]

Z = 1.96
NOTHING = 1e-12


@dataclass(frozen=True)
class ClassQuality:
    """What is estimated of one class from held-out rows.

    Attributes
    ----------
    label : object
        As the user calls it; the augmented label for the new one.
    n_labeled : int
        Labeled rows behind the numbers.
    share : float
        Estimated share of the deployment rows.
    called : float
        Share of the deployment rows that are answered so.
    hits : float
        Share of the deployment rows that are of the class and answered so; unbiased, so that it
        may be a little below 0 or above `share`.
    found : float
        Of the class's rows, the share that is answered so (recall); NaN without such rows.
    found_interval : (float, float)
    right : float
        Of the rows answered so, the share that is of the class (precision); NaN without answers.
    right_error : float
        Standard error of `right`.
    called_new : float
        Of the class's rows, the share that is called new.
    """

    label: Any
    n_labeled: int
    share: float
    called: float
    hits: float
    found: float
    found_interval: tuple[float, float]
    right: float
    right_error: float
    called_new: float

    @property
    def f1(self) -> float:
        """Twice the hits over the share of the class plus the share called so."""
        total = self.share + self.called
        return min(max(2 * self.hits / total, 0.0), 1.0) if total > 0 else 0.0


def wilson_interval(share: float, n: int) -> tuple[float, float]:
    """Return the 95 % interval of a share observed among n rows.

    Examples
    --------
    >>> low, high = wilson_interval(1.0, 20)
    >>> round(low, 2), high
    (0.84, 1.0)
    """
    if n == 0:
        return 0.0, 1.0
    center = (share + Z**2 / (2 * n)) / (1 + Z**2 / n)
    half = Z * math.sqrt(share * (1 - share) / n + Z**2 / (4 * n**2)) / (1 + Z**2 / n)
    return max(center - half, 0.0), min(center + half, 1.0)


def quality_by_class(table: ContingencyTable, labels: Sequence[Any]) -> list[ClassQuality]:
    """Return the quality of each known class, then that of the augmented one.

    Parameters
    ----------
    table : ContingencyTable
    labels : sequence
        Of the known classes and the augmented one.

    Returns
    -------
    qualities : list of ClassQuality

    Examples
    --------
    >>> import numpy as np
    >>> from eulac.risk.contingency import contingency_table
    >>> y, answers = np.arange(40) % 2, np.arange(40) % 3
    >>> table = contingency_table(y, y, np.full(40, 0.6), answers, augmented=2)
    >>> [(one.label, one.found) for one in quality_by_class(table, ["ant", "bee", "new"])]
    [('ant', 1.0), ('bee', 1.0), ('new', 0.8125)]
    """
    known = [_known_class(table, k, labels[k]) for k in range(len(table.n_labeled))]
    return [*known, _new_class(table, labels[len(known)])]


def _known_class(table: ContingencyTable, k: int, label: Any) -> ClassQuality:
    rows, n = int(table.n_labeled[k]), table.n_unlabeled
    share, called = float(table.true_shares[k]), float(table.called_shares[k])
    found, right = float(table.recall[k]), float(table.precision[k])
    # Of the rows called so, those of the class; its sampling error is that of both shares.
    hit = 0.0 if math.isnan(found) else found
    relative = (1 - hit) / max(hit * rows, 1) + (1 - called) / max(called * n, 1)
    return ClassQuality(
        label,
        rows,
        share,
        called,
        float(table.shares[k, k]),
        found,
        wilson_interval(found, 0 if math.isnan(found) else rows),
        right,
        right * math.sqrt(relative),
        float(table.shares[k, -1] / share) if share > NOTHING else math.nan,
    )


def _new_class(table: ContingencyTable, label: Any) -> ClassQuality:
    """Rows called new, less those that known rows account for, are new ones found."""
    share, called = float(table.true_shares[-1]), float(table.called_shares[-1])
    hits = float(table.shares[-1, -1])
    if share <= NOTHING:
        none = (0.0, 1.0)
        return ClassQuality(label, 0, 0.0, called, hits, math.nan, none, 0.0, 0.0, math.nan)
    point = new_point(
        called,
        called - hits,
        _wrong_variance(table),
        known=1.0 - share,
        n_unlabeled=table.n_unlabeled,
        proportion_error=table.proportion_error,
    )
    half, found_part = Z * point.recall_error, min(max(point.recall, 0.0), 1.0)
    interval = max(found_part - half, 0.0), min(found_part + half, 1.0)
    found = float(table.recall[-1])
    quality = float(table.precision[-1]), point.precision_error, found
    return ClassQuality(label, 0, share, called, hits, found, interval, *quality)


def _wrong_variance(table: ContingencyTable) -> float:
    """Return the sampling variance of known rows called new: the hits' less what others add."""
    called = float(table.called_shares[-1])
    wrong, known = called - float(table.shares[-1, -1]), 1.0 - float(table.true_shares[-1])
    of_called = called * (1 - called) / table.n_unlabeled
    of_share = (wrong / known * table.proportion_error) ** 2 if known > 0 else 0.0
    return max(float(table.errors[-1, -1]) ** 2 - of_called - of_share, 0.0)
