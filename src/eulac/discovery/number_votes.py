"""Prices vote on the number of groups, each by how well it finds the number of hidden classes.

A handful of hidden sets of classes does not tell which price is right: one that is best by chance
would be followed into a number far off. So none is chosen. Every power and resolution votes for the
number it finds, once with and once without regard to the sizes of groups, with a weight that falls
with its errors on hidden classes. The middle vote is taken. Where votes differ the number is open,
and the interval says so.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eulac.discovery.class_number import POWERS, RESOLUTIONS, USUAL_RESOLUTION, Worth

__all__ = ["NumberVotes", "votes_of"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

TRUST = 0.1
"""Loss of a resolution that is e times the usual one."""

PATIENCE = 0.1
"""Loss at which the weight of a price falls to 1 / e."""

TAILS = (0.1, 0.9)
"""Between these shares of the votes lie plausible numbers."""


class NumberVotes(NamedTuple):
    """Weights of prices, by power (rows) and resolution (columns); again where sizes count.

    Examples
    --------
    >>> worth = Worth(np.array([1.0, 0.99, 0.8]), np.array([1.0, 0.5, 0.34]))
    >>> votes = votes_of([], [])
    >>> votes.number(worth), votes.interval(worth)
    (2, (1, 3))
    """

    weights: Array

    @property
    def resolution(self) -> float:
        """The resolution with most weight."""
        return float(RESOLUTIONS[self.weights.sum(axis=0).argmax()])

    @property
    def plausible(self) -> Array:
        """Resolutions that have some weight under one of the powers."""
        best = self.weights.max(axis=0)
        return RESOLUTIONS[best >= np.exp(-1.5) * best.max()]

    def number(self, worth: Worth, tolerance: float = 0.0) -> int:
        """Return the middle vote; with a tolerance, numbers nearly as good as a best one count."""
        return self._at(worth, 0.5, tolerance)

    def interval(self, worth: Worth, tolerance: float = 0.0) -> tuple[int, int]:
        """Return what all but the lowest and highest tenth vote for.

        One less than the middle vote and one more than `number` are always among it.
        """
        low, middle, high = (self._at(worth, share, 0.0) for share in (TAILS[0], 0.5, TAILS[1]))
        return max(1, min(low, middle - 1)), max(high, self.number(worth, tolerance) + 1)

    def values(self, worth: Worth) -> Array:
        """Return worths under the price with most weight of those that find the middle vote."""
        finds = _found(worth, 0.0) == self.number(worth)
        row, resolution = np.unravel_index(
            np.where(finds, self.weights, -1.0).argmax(), self.weights.shape
        )
        judged = worth if row < len(POWERS) else worth.evened
        return judged.values(float(RESOLUTIONS[resolution]), POWERS[row % len(POWERS)])

    def _at(self, worth: Worth, share: float, tolerance: float) -> int:
        found = _found(worth, tolerance).ravel()
        order = np.argsort(found, kind="stable")
        reached = self.weights.ravel()[order].cumsum()
        return int(found[order][np.searchsorted(reached, share * reached[-1])])


def votes_of(worths: Sequence[Worth], numbers: Sequence[int]) -> NumberVotes:
    """Return the votes of all prices after they looked for classes whose number is known.

    Parameters
    ----------
    worths : sequence of Worth
        Of hidden classes, one set each; without any, resolutions near the usual one count most.
    numbers : sequence of int
        How many classes were hidden. A set of four tells of four times as many classes as a set of
        one, and counts so.
    """
    loss = np.tile(TRUST * np.log(RESOLUTIONS / USUAL_RESOLUTION) ** 2, (2 * len(POWERS), 1))
    for worth, number in zip(worths, numbers, strict=True):
        loss += np.abs(np.log(_found(worth, 0.0) / number)) * number / sum(numbers)
    weights = np.exp(-(loss - loss.min(axis=1, keepdims=True)) / PATIENCE)
    return NumberVotes(weights / weights.sum(axis=1, keepdims=True))  # each power counts the same


def _found(worth: Worth, tolerance: float) -> Codes:
    judged = (worth, worth.evened)
    return np.stack([one.bests(power, tolerance) for one in judged for power in POWERS])
