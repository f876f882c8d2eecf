"""How many groups: as many as hold together, by links within groups against the number of groups.

A grouping is worth ``kept - resolution * sqrt(concentration)``: `kept` is the share of the weight
of links that stays within groups, and falls with every cut; `concentration`, the sum of squared
shares of the groups in all links, is ``1 / n`` for n equal groups. The square root lets the reward
for one group more fall more slowly than under modularity, which would find too few of many groups.

How large known classes are in the same pool tells how many new ones to expect, as far as it is by
chance which classes were labeled. It moves the resolution, and so never merges what is not linked.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["RESOLUTIONS", "USUAL_RESOLUTION", "Worth", "worth_of"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

RESOLUTIONS = np.geomspace(0.02, 1.5, 40)
"""Resolutions that are tried."""

USUAL_RESOLUTION = 0.45
"""Where hidden known classes do not tell. Set on draws of seed 100 of ``eulac benchmark``."""

LARGE_FACTOR = 1.6
"""Numbers that are farther from what is expected are all alike. Set on draws of seed 100."""


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
    >>> worth.best(0.2), worth.best(0.01), worth.best(worth.resolution_near(0.02, 2))
    (2, 1, 2)
    """

    kept: Array
    concentration: Array

    def values(self, resolution: float) -> Array:
        """Return the worth of each number of groups."""
        return np.asarray(self.kept - resolution * np.sqrt(self.concentration))

    def best(self, resolution: float, tolerance: float = 0.0) -> int:
        """Return the largest number of groups whose worth is within a tolerance of the most."""
        values = self.values(resolution)
        return int(np.flatnonzero(values >= values.max() - tolerance)[-1]) + 1

    def resolution_near(self, resolution: float, expected: float) -> float:
        """Return a resolution near the given one under which the number is near what is expected.

        A number that is off by `LARGE_FACTOR` counts as much as a resolution off by e, and one that
        is farther off no more: then classes are of other sizes than was thought.
        """
        off = (np.log(self.bests() / expected) / np.log(LARGE_FACTOR)) ** 2
        moved = np.log(RESOLUTIONS / resolution) ** 2
        return float(RESOLUTIONS[(np.minimum(off, 1.0) + moved).argmin()])

    def bests(self) -> Codes:
        """Return the number that is worth most under each of `RESOLUTIONS`."""
        return np.array([self.best(resolution) for resolution in RESOLUTIONS])


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
