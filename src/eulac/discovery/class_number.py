"""How many groups: as many as hold together, by links within groups against the number of groups.

A grouping is worth ``kept - resolution * price``: `kept` is the share of the weight of links that
stays within groups, and falls with every cut. The price falls with every group, too. It grows with
a power of the concentration, the sum of squared shares of the groups in all links, which is
``1 / n`` for n equal groups. The first power is that of modularity, which finds too few of many
groups; under the logarithm, the power 0, one group more is always worth the same share more. No
power is right for every table (`discovery/number_votes.py`), so all prices agree in value and slope
at five equal groups: a resolution means the same under each.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["POWERS", "RESOLUTIONS", "USUAL_RESOLUTION", "Worth", "price", "worth_of"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

USUAL_RESOLUTION = 0.55
"""What finds hidden known classes best over many tables; ``eulac benchmark run discovery``."""

RESOLUTIONS = USUAL_RESOLUTION * np.exp(0.1 * np.arange(-33, 18))
"""Resolutions that are tried."""

POWERS = (0.0, 0.25, 0.5, 1.0)
"""Powers of the concentration that are tried."""

FEW, USUAL_POWER = 5.0, 0.5
"""At so many groups all prices agree, namely with this power itself."""


@dataclass(frozen=True, eq=False)
class Worth:
    """What groupings with 1, 2, ... groups are made of.

    Attributes
    ----------
    kept : array of shape (n_numbers,)
        Share of the weight of links within groups.
    concentration : array of shape (n_numbers,)
        Sum of squared shares of the groups.

    Examples
    --------
    >>> worth = Worth(np.array([1.0, 0.99, 0.8]), np.array([1.0, 0.5, 0.34]))
    >>> worth.best(0.2), worth.best(0.01)
    (2, 1)
    """

    kept: Array
    concentration: Array

    def values(self, resolution: float, power: float = USUAL_POWER) -> Array:
        """Return the worth of each number of groups."""
        return np.asarray(self.kept - resolution * price(self.concentration, power))

    def best(self, resolution: float, tolerance: float = 0.0, power: float = USUAL_POWER) -> int:
        """Return the largest number of groups whose worth is within a tolerance of the most."""
        values = self.values(resolution, power)
        return int(np.flatnonzero(values >= values.max() - tolerance)[-1]) + 1

    def bests(self, power: float = USUAL_POWER, tolerance: float = 0.0) -> Codes:
        """Return the number that is best under each of `RESOLUTIONS`."""
        values = self.kept - RESOLUTIONS[:, None] * price(self.concentration, power)
        is_good = values >= values.max(axis=1, keepdims=True) - tolerance
        return np.asarray(len(self.kept) - is_good[:, ::-1].argmax(axis=1))


def price(concentration: Array, power: float) -> Array:
    """Return what groups cost for being few, the square root of the concentration for one half.

    Examples
    --------
    >>> equal = 1 / np.array([1, 5, 25])
    >>> price(equal, 0.5).round(3), price(equal, 1.0).round(3), price(equal, 0.0).round(3)
    (array([1.   , 0.447, 0.2  ]), array([1.342, 0.447, 0.268]), array([0.807, 0.447, 0.087]))
    """
    relative = FEW * concentration
    grown = np.log(relative) if power == 0 else (relative**power - 1.0) / power
    return np.asarray((USUAL_POWER * grown + 1.0) / FEW**USUAL_POWER)


def worth_of(links: Array, groupings: Sequence[Codes]) -> Worth:
    """Return what groupings of linked rows are made of, those with fewest groups first.

    Examples
    --------
    >>> links = np.kron(np.eye(2), np.ones((3, 3)))
    >>> worth = worth_of(links, [np.zeros(6, int), np.repeat([0, 1], 3)])
    >>> worth.kept, worth.concentration
    (array([1., 1.]), array([1. , 0.5]))
    """
    degree = links.sum(axis=1)
    total = max(float(degree.sum()), 1e-300)
    kept, concentration = [], []
    for assignment in groupings:
        inside = np.eye(assignment.max() + 1)[assignment]
        within = np.einsum("ng,ng->g", inside, links @ inside)
        kept.append(within.sum() / total)
        concentration.append(float(np.sum((degree @ inside / total) ** 2)))
    return Worth(np.array(kept), np.array(concentration))
