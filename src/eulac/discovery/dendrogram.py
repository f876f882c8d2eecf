"""Coarser and finer groupings, one inside the other: what merges first, and what parts first."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from eulac.discovery.class_number import USUAL_RESOLUTION, worth_of
from eulac.discovery.link_groups import k_means
from eulac.discovery.neighbor_graph import mixing, spectrum_of

__all__ = ["Dendrogram", "Merge", "dendrogram_of"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]
Merge = tuple[int, int]

FEWEST_ROWS = 10
"""Smaller groups are not parted."""

SMALLEST_PART = 3


@dataclass(frozen=True, eq=False)
class Dendrogram:
    """Groupings with 1, 2, ... groups, each made by merging two groups of the next.

    Attributes
    ----------
    pieces : int array of shape (n_rows,)
        The finest groups; -1 for rows in none.
    merges : tuple of (int, int)
        Which piece takes in which other, in this order. The first number is the smaller one.

    Examples
    --------
    >>> tree = Dendrogram(np.array([0, 1, 2, 1]), ((0, 2), (0, 1)))
    >>> tree.cut(3), tree.cut(2), tree.cut(1)
    (array([0, 1, 2, 1]), array([0, 1, 0, 1]), array([0, 0, 0, 0]))
    """

    pieces: Codes
    merges: tuple[Merge, ...]

    @property
    def n_most(self) -> int:
        """Groups of the finest grouping."""
        return len(self.merges) + 1

    def pieces_in(self, n_groups: int) -> list[list[int]]:
        """Return the pieces each group is made of; groups come in the order of their first one."""
        inside = {piece: [piece] for piece in range(self.n_most)}
        for into, gone in self.merges[: self.n_most - min(max(n_groups, 1), self.n_most)]:
            inside[into] += inside.pop(gone)
        return [sorted(inside[first]) for first in sorted(inside)]

    def cut(self, n_groups: int) -> Codes:
        """Return the group of each row where there are so many, or the nearest number there is."""
        group = np.full(self.n_most + 1, -1, dtype=np.intp)
        for number, pieces in enumerate(self.pieces_in(n_groups)):
            group[pieces] = number
        return group[self.pieces]

    def placed(self, n_rows: int, rows: Codes) -> "Dendrogram":
        """Return the same of a pool with so many rows, of which these were grouped."""
        pieces = np.full(n_rows, -1, dtype=np.intp)
        pieces[rows] = self.pieces
        return replace(self, pieces=pieces)


def dendrogram_of(links: Array, values: Array, assignment: Codes, most: int) -> Dendrogram:
    """Return what groups merge into, and what they part into, up to so many.

    The grouping itself is the cut with its number of groups.

    Parameters
    ----------
    links : array of shape (n_rows, n_rows)
    values : array of shape (n_rows, n_coordinates)
        Rows in a space whose distances are meant: the closest groups merge where links do not tell.
    assignment : int array of shape (n_rows,)
        Groups 0, 1, ..., none of them empty.
    most : int
        Groups of the finest grouping.

    Examples
    --------
    >>> X = np.array([[0.0], [1], [5], [6], [50], [51]])
    >>> links = np.exp(-np.abs(X - X.T)) - np.eye(6)
    >>> dendrogram_of(links, X, np.array([0, 0, 1, 1, 2, 2]), 3).merges
    ((0, 1), (0, 2))
    """
    pieces, parted = assignment.copy(), []
    for number in range(int(assignment.max()) + 1, most):
        found = _part(links, pieces)
        if found is None:
            break
        parted.append((int(pieces[found[0]]), number))
        pieces[found] = number
    merges = [*reversed(parted), *_merges(links, values, assignment)]
    return Dendrogram(pieces, tuple(merges))


def _merges(links: Array, values: Array, assignment: Codes) -> list[Merge]:
    """Merge the two groups that run into one another most; the closest, where none do."""
    merges, current = [], assignment.copy()
    while len(names := np.unique(current)) > 1:
        place = np.searchsorted(names, current)
        middles = np.stack([values[current == name].mean(axis=0) for name in names])
        distance = np.linalg.norm(middles[:, None] - middles, axis=2)
        share = mixing(links, place) - 1e-6 * distance / max(distance.max(), 1e-300)
        np.fill_diagonal(share, -1.0)
        pair = np.unravel_index(share.argmax(), share.shape)
        into, gone = sorted(int(names[one]) for one in pair)
        current[current == gone] = into
        merges.append((into, gone))
    return merges


def _part(links: Array, pieces: Codes) -> Codes | None:
    """Return rows to split off: of the group whose two parts are linked least, for their size."""
    n_pieces = int(pieces.max()) + 1
    best: Codes | None = None
    value = -np.inf
    for piece in range(n_pieces):
        rows = np.flatnonzero(pieces == piece)
        if len(rows) < FEWEST_ROWS:
            continue
        halves = k_means(spectrum_of(links[np.ix_(rows, rows)], 2).coordinates(2), 2, 0)
        smaller = np.bincount(halves, minlength=2).argmin()  # the larger one keeps its name
        part = rows[halves == smaller]
        split = pieces.copy()
        split[part] = n_pieces
        worth = worth_of(links, [split]).values(USUAL_RESOLUTION)[0]
        if worth > value and len(part) >= SMALLEST_PART:
            best, value = part, worth
    return best
