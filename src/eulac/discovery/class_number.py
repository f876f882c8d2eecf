"""How many groups: as many as hold together, by links within groups against the number of groups.

A grouping is worth ``kept - resolution * price``: `kept` is the share of the weight of links that
stays within groups, and falls with every cut. The price falls with every group, too. It grows with
a power of the concentration, the sum of squared shares of the groups in all links, which is
``1 / n`` for n equal groups. The first power is that of modularity, which finds too few of many
groups; under the logarithm, the power 0, one group more is always worth the same share more. No
power is right for every table (`discovery/number_votes.py`), so all prices agree in value and slope
at five equal groups: a resolution means the same under each.

Merged classes and parts of classes are uneven in size where classes are even. So a grouping also
loses by being more uneven than the known classes, up to an amount that clear groups can afford.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from eulac.discovery.link_groups import lost_by_size

__all__ = ["POWERS", "RESOLUTIONS", "USUAL_RESOLUTION", "Worth", "price", "worth_of"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

USUAL_RESOLUTION = 0.55
"""What finds hidden known classes best over many tables; ``eulac benchmark run discovery``."""

RESOLUTIONS = USUAL_RESOLUTION * np.exp(0.1 * np.arange(-33, 18))
"""Resolutions that are tried."""

POWERS = (0.0, 0.25, 0.5, 1.0)
"""Powers of the concentration that are tried."""

SLACK = 0.1
"""How much more uneven than known classes groups may be before it counts against their number: they
are never found exactly, and known classes are a sample."""

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
    lost : array of shape (n_numbers,)
        What groups lose for being uneven in size; `evened` counts it.

    Examples
    --------
    >>> worth = Worth(np.array([1.0, 0.99, 0.8]), np.array([1.0, 0.5, 0.34]))
    >>> worth.best(0.2), worth.best(0.01)
    (2, 1)
    """

    kept: Array
    concentration: Array
    lost: Array | float = 0.0

    @property
    def evened(self) -> "Worth":
        """The same, less what is lost for being uneven in size."""
        return replace(self, kept=self.kept - self.lost, lost=0.0)

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


def worth_of(links: Array, groupings: Sequence[Codes], unevenness: float = np.inf) -> Worth:
    """Return what groupings of linked rows are made of, those with fewest groups first.

    Parameters
    ----------
    links : array of shape (n_rows, n_rows)
    groupings : sequence of int arrays
    unevenness : float
        How uneven in size known classes are; nothing is lost by size by default.

    Examples
    --------
    >>> links = np.kron(np.eye(2), np.ones((3, 3)))
    >>> worth = worth_of(links, [np.zeros(6, int), np.repeat([0, 1], 3)])
    >>> worth.kept, worth.concentration
    (array([1., 1.]), array([1. , 0.5]))
    """
    degree = links.sum(axis=1)
    total = max(float(degree.sum()), 1e-300)
    kept, concentration, lost = [], [], []
    for assignment in groupings:
        inside = np.eye(assignment.max() + 1)[assignment]
        within = np.einsum("ng,ng->g", inside, links @ inside)
        kept.append(within.sum() / total)
        concentration.append(float(np.sum((degree @ inside / total) ** 2)))
        lost.append(lost_by_size(inside.sum(axis=0), unevenness + SLACK))
    if len(lost) > 1 and not groupings[0].any():
        lost[0] = lost[1]  # One group is neither even nor uneven, and must not gain by it.
    return Worth(np.array(kept), np.array(concentration), np.array(lost))
