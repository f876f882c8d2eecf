"""How many groups: as many as hold together, by links within groups against the number of groups.

A grouping is worth ``kept - resolution * sqrt(concentration)``: `kept` is the share of the weight
of links that stays within groups, and falls with every cut; `concentration`, the sum of squared
shares of the groups in all links, is ``1 / n`` for n equal groups. The square root lets the reward
for one group more fall more slowly than under modularity, which would find too few of many groups.
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

USUAL_RESOLUTION = 0.55
"""What finds hidden known classes best over many tables; ``eulac benchmark run discovery``."""


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

    def values(self, resolution: float) -> Array:
        """Return the worth of each number of groups."""
        return np.asarray(self.kept - resolution * np.sqrt(self.concentration))

    def best(self, resolution: float, tolerance: float = 0.0) -> int:
        """Return the largest number of groups whose worth is within a tolerance of the most."""
        values = self.values(resolution)
        return int(np.flatnonzero(values >= values.max() - tolerance)[-1]) + 1

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
