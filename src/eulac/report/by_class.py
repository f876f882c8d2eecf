"""How often each class is answered rightly in deployment, the new one included, without labels."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from eulac.report.held_out_answers import HeldOutAnswers

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


def quality_by_class(
    held_out: HeldOutAnswers, labels: Sequence[Any], proportion_error: float = 0.0
) -> list[ClassQuality]:
    """Return the quality of each known class, then that of the augmented one.

    Parameters
    ----------
    held_out : HeldOutAnswers
    labels : sequence
        Of the known classes and the augmented one.
    proportion_error : float, default=0.0
        Standard error of the known proportion.
    """
    answers, unlabeled = held_out.labeled_answer, held_out.unlabeled_answer
    augmented, n_unlabeled = held_out.augmented, len(unlabeled)
    called = np.bincount(unlabeled, minlength=augmented + 1) / max(n_unlabeled, 1)
    found = []
    for k in range(augmented):
        of_class = answers[held_out.y == k]
        found.append(
            _known_class(
                labels[k], of_class, k, augmented, held_out.per_class[k], called[k], n_unlabeled
            )
        )
    return [*found, _new_class(labels[augmented], held_out, called[augmented], proportion_error)]


def _known_class(
    label: Any, answers: Any, code: int, augmented: int, share: float, called: float, n: int
) -> ClassQuality:
    rows = len(answers)
    found = float(np.mean(answers == code)) if rows else math.nan
    # Of the rows called so, those of the class; its sampling error is that of both shares.
    right = min(share * found / called, 1.0) if called > 0 else math.nan
    relative = (1 - found) / max(found * rows, 1) + (1 - called) / max(called * n, 1)
    return ClassQuality(
        label,
        rows,
        float(share),
        float(called),
        float(share * found) if rows else 0.0,
        found,
        wilson_interval(found, rows) if rows else (0.0, 1.0),
        float(right),
        float(right * math.sqrt(relative)),
        float(np.mean(answers == augmented)) if rows else math.nan,
    )


def _new_class(
    label: Any, held_out: HeldOutAnswers, called: float, proportion_error: float
) -> ClassQuality:
    """Rows called new, less those that known rows account for, are new ones found."""
    answers, unlabeled = held_out.labeled_answer, held_out.unlabeled_answer
    known = float(held_out.weights.mean())
    wrongly = held_out.weights * (answers == held_out.augmented)
    hits, share = called - float(wrongly.mean()), 1.0 - known
    if share <= NOTHING:
        none = (0.0, 1.0)
        return ClassQuality(label, 0, 0.0, float(called), hits, math.nan, none, 0.0, 0.0, math.nan)
    found = min(max(hits / share, 0.0), 1.0)
    variance = called * (1 - called) / len(unlabeled) + wrongly.var() / len(wrongly)
    slope = (called - (float(wrongly.mean()) / known if known > 0 else 0.0)) / share**2
    error = math.sqrt(variance / share**2 + (slope * proportion_error) ** 2)
    interval = max(hits / share - Z * error, 0.0), min(hits / share + Z * error, 1.0)
    right = min(max(hits / called, 0.0), 1.0) if called > 0 else math.nan
    right_error = math.sqrt(wrongly.var() / len(wrongly)) / called if called > 0 else math.nan
    return ClassQuality(
        label, 0, share, float(called), hits, found, interval, right, right_error, found
    )
