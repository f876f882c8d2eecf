"""Known classes that moved as a whole: forests give them rows, but none of these look labeled.

If a known class looks in deployment as it does in the labels, unlabeled rows lie among its labeled
ones, about as many to each labeled row as in other classes. Where there are next to none, the class
is gone from deployment, or it has moved. Forests of the known classes tell more: if they give the
class no rows, it is gone. If they give it about as many as other classes keep, it has moved, or it
is gone and new rows look like it. The fewer rows are new otherwise, the less likely is the last:
where such classes account for most of what would be new, they have moved.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.stats import poisson

from eulac.drift.evenness import LOOKS_LABELED

__all__ = ["MissingClass", "missing_classes", "share_of_missing"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

FEWEST_ROWS = 15
"""Labeled rows of a class; of fewer nothing is said."""

GONE = 1 / 3
LEVEL = 0.01
"""A class is missing if it has fewer unlabeled rows than this part of what other classes keep, by
a test at this level for all classes together. What is rarer by less has other priors."""

STILL_GIVEN = 0.5
"""Forests must give a missing class this part of the rows expected of it."""

NEARLY_ALL = 0.7
STEADY = 0.5
FEWEST_STEADY = 2
"""With so many of them its rows count as known, but only beside so many classes that all keep at
least this part of what they keep in the middle. Where others are rarer, too, priors have moved, and
a missing class may be one of the rare."""


@dataclass(frozen=True)
class MissingClass:
    """A known class without unlabeled rows where its labeled rows lie.

    Attributes
    ----------
    known_class : int
    expected : float
        Unlabeled rows it would have if it were as frequent as other classes are.
    given : int
        Unlabeled rows that forests of the known classes give to it.
    others_keep : bool, default=True
        Whether at least two other classes are there, none much rarer than the others.
    """

    known_class: int
    expected: float
    given: int
    others_keep: bool = True


def missing_classes(scores: tuple[Array, Array], given: tuple[Codes, Codes]) -> list[MissingClass]:
    """Return the known classes that are missing among labeled rows, yet given rows by forests.

    Parameters
    ----------
    scores : (labeled, unlabeled) arrays
        Held out, bigger meaning newer.
    given : (labeled, unlabeled) arrays
        Class that forests give each row to, of labeled rows by forests not trained on them.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> given = np.arange(300) % 3, np.arange(600) % 3
    >>> labeled, unlabeled = rng.normal(size=300), rng.normal(size=600)
    >>> missing_classes((labeled, unlabeled), given)
    []
    >>> unlabeled[given[1] == 2] += 5.0
    >>> [(one.known_class, one.given) for one in missing_classes((labeled, unlabeled), given)]
    [(2, 200)]
    """
    codes, n_rows = np.unique(given[0], return_counts=True)
    codes = codes[n_rows >= FEWEST_ROWS]
    inside = np.array([_counts_inside(*_of_class(scores, given, code)) for code in codes])
    if len(codes) < 2:
        return []
    rates = inside[:, 1] / inside[:, 0]  # unlabeled rows to a labeled one
    found = {}
    for index, code in enumerate(codes.tolist()):
        rate = float(np.median(np.delete(rates, index)))
        chance = poisson.cdf(inside[index, 1], GONE * rate * inside[index, 0])
        n_labeled, n_given = (int(np.sum(part == code)) for part in given)
        if n_given >= STILL_GIVEN * rate * n_labeled and chance < LEVEL / len(codes):
            found[index] = MissingClass(code, rate * n_labeled, n_given)
    others = np.delete(rates, list(found))
    keep = len(others) >= FEWEST_STEADY and bool(others.min() >= STEADY * np.median(others))
    return [replace(one, others_keep=keep) for one in found.values()]


def share_of_missing(classes: Sequence[MissingClass], n_unlabeled: int) -> float:
    """Return the share of the unlabeled rows that belongs to classes which have moved.

    Examples
    --------
    >>> share_of_missing([MissingClass(2, 200.0, 190), MissingClass(3, 200.0, 120)], 1000)
    0.19
    """
    rows = [
        min(one.expected, one.given)
        for one in classes
        if one.others_keep and one.given >= NEARLY_ALL * one.expected
    ]
    return float(sum(rows)) / n_unlabeled


def _of_class(
    scores: tuple[Array, Array], given: tuple[Codes, Codes], code: int
) -> tuple[Array, Array]:
    return scores[0][given[0] == code], scores[1][given[1] == code]


def _counts_inside(labeled: Array, unlabeled: Array) -> tuple[int, int]:
    """Return how many rows of both kinds lie where most labeled rows of the class do."""
    cut = np.sort(labeled)[int(LOOKS_LABELED * len(labeled)) - 1]
    return int(np.sum(labeled <= cut)), int(np.sum(unlabeled <= cut))
