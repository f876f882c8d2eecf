"""Rows linked by the neighbors they share, and coordinates in which linked rows lie together."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Spectrum",
    "mixing",
    "neighbor_sets",
    "shared_neighbors",
    "spectrum_of",
    "usual_neighbors",
    "votes",
]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]


def usual_neighbors(n_rows: int, class_size: float = np.inf) -> int:
    """Return how many neighbors a row has: the root of the number of rows.

    More rows must give more neighbors, and a smaller share of the rows: only then do neighbors tell
    ever better how dense rows lie. Half of a class at most, where its size is known: a row must
    find its neighbors in its class.

    Examples
    --------
    >>> usual_neighbors(600), usual_neighbors(600, 20), usual_neighbors(4)
    (24, 10, 3)
    """
    return max(3, min(round(n_rows**0.5), int(min(class_size, n_rows) / 2)))


def neighbor_sets(likeness: Array, n_neighbors: int) -> NDArray[np.float32]:
    """Return which rows are neighbors of each row, itself one of them, as zeros and ones.

    Examples
    --------
    >>> neighbor_sets(np.array([[9.0, 2, 1], [2, 9, 3], [1, 3, 9]]), 1).astype(int)
    array([[1, 1, 0],
           [0, 1, 1],
           [0, 1, 1]])
    """
    n_neighbors = min(n_neighbors, len(likeness) - 1)
    others = np.array(likeness, dtype=np.float64)
    np.fill_diagonal(others, -np.inf)
    near = np.argsort(-others, axis=1, kind="stable")[:, :n_neighbors]
    member = np.eye(len(others), dtype=np.float32)
    np.put_along_axis(member, near, 1.0, axis=1)
    return member


def shared_neighbors(likeness: Array, n_neighbors: int) -> Array:
    """Return, for each pair of rows, the share of nearest neighbors they have in common.

    A row is its own neighbor. Pairs that share a single one are not linked, nor is a row with
    itself.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [2.1], [50.0], [51.0], [52.1]])
    >>> shared_neighbors(-np.abs(X - X.T), 2).astype(int)
    array([[0, 1, 1, 0, 0, 0],
           [1, 0, 1, 0, 0, 0],
           [1, 1, 0, 0, 0, 0],
           [0, 0, 0, 0, 1, 1],
           [0, 0, 0, 1, 0, 1],
           [0, 0, 0, 1, 1, 0]])
    """
    member = neighbor_sets(likeness, n_neighbors)
    counts = member @ member.T
    counts[counts < 1.5] = 0.0
    np.fill_diagonal(counts, 0.0)
    return np.asarray(counts / member.sum(axis=1).max(initial=1.0), dtype=np.float64)


class Spectrum(NamedTuple):
    """Leading eigenvectors of normalized links, the largest eigenvalue first."""

    vectors: Array
    values: Array

    def coordinates(self, n_coordinates: int, power: float = 0.0) -> Array:
        """Return rows by their directions in the first coordinates.

        With a power, later coordinates count less: as after so many steps along the links.
        """
        rows = self.vectors[:, :n_coordinates] * self.values[:n_coordinates] ** power
        return np.asarray(rows / (np.linalg.norm(rows, axis=1, keepdims=True) + 1e-12))


def spectrum_of(links: Array, n_coordinates: int) -> Spectrum:
    """Return the leading eigenvectors of normalized links, and their eigenvalues.

    Examples
    --------
    >>> spectrum_of(np.kron(np.eye(2), np.ones((3, 3))), 3).values.round(6).tolist()
    [1.0, 1.0, 0.0]
    """
    degree = links.sum(axis=1) + 1e-9
    normalized = links / np.sqrt(degree[:, None] * degree)
    # All of them: where groups are not linked, many are 1, and solvers for a few can fail.
    values, vectors = np.linalg.eigh(normalized)
    last = slice(None, -min(n_coordinates, len(links)) - 1, -1)
    return Spectrum(np.ascontiguousarray(vectors[:, last]), np.maximum(values[last], 0.0))


def mixing(links: Array, assignment: Codes) -> Array:
    """Return how far each pair of groups runs into one another.

    The weight of links between two groups, as a share of all links of the group that has fewer; 0
    on the diagonal.
    """
    inside = np.eye(assignment.max() + 1)[assignment]
    between = inside.T @ links @ inside
    volume = between.sum(axis=1) + 1e-12
    share = between / np.minimum(volume[:, None], volume)
    np.fill_diagonal(share, 0.0)
    return np.asarray(share)


def votes(links: Array, assignment: Codes, n_groups: int) -> Array:
    """Return the share of each row's links that lead to each group; 0 for rows without links."""
    inside = np.zeros((len(assignment), n_groups))
    grouped = assignment >= 0
    inside[np.flatnonzero(grouped), assignment[grouped]] = 1.0
    reached = links @ inside
    total = reached.sum(axis=1, keepdims=True)
    return np.divide(reached, total, out=np.zeros_like(reached), where=total > 0)
