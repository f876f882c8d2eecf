"""Rows linked by the neighbors they share, and coordinates in which linked rows lie together."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, eigh
from sklearn.neighbors import NearestNeighbors

__all__ = ["N_NEIGHBORS", "Spectrum", "mixing", "shared_neighbors", "spectrum_of", "votes"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

N_NEIGHBORS = 15
"""Neighbors of a row; fewer among few rows, as groups are smaller there."""

ROWS_FOR_A_NEIGHBOR = 10
"""A neighbor for so many rows. Set by a few draws of small tables, not by a benchmark."""

WALKS_ON = 0.9
"""How probably a walk along the links goes on after each step."""


def shared_neighbors(X: Array, n_neighbors: int | None = None) -> Array:
    """Return, for each pair of rows, the share of nearest neighbors they have in common.

    A row is its own neighbor. Pairs that share a single one are not linked, nor is a row with
    itself.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [2.1], [50.0], [51.0], [52.1]])
    >>> shared_neighbors(X, 2).astype(int)
    array([[0, 1, 1, 0, 0, 0],
           [1, 0, 1, 0, 0, 0],
           [1, 1, 0, 0, 0, 0],
           [0, 0, 0, 0, 1, 1],
           [0, 0, 0, 1, 0, 1],
           [0, 0, 0, 1, 1, 0]])
    """
    if n_neighbors is None:
        n_neighbors = min(N_NEIGHBORS, max(5, len(X) // ROWS_FOR_A_NEIGHBOR))
    n_neighbors = min(n_neighbors, len(X) - 1)
    near = NearestNeighbors(n_neighbors=n_neighbors).fit(X).kneighbors(return_distance=False)
    member = np.eye(len(X), dtype=np.float32)
    np.put_along_axis(member, near, 1.0, axis=1)
    counts = member @ member.T
    counts[counts < 1.5] = 0.0
    np.fill_diagonal(counts, 0.0)
    return np.asarray(counts / (n_neighbors + 1), dtype=np.float64)


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

    def directions(self, n_coordinates: int) -> Array:
        """Return rows of length one: alike where a walk along links leads from one to the other.

        The walk ends after each step with a probability of one tenth. Zero for rows without links.
        """
        values = np.minimum(self.values[:n_coordinates], 1.0)
        rows = self.vectors[:, :n_coordinates] / np.sqrt(1.0 - WALKS_ON * values)
        length = np.linalg.norm(rows, axis=1, keepdims=True)
        return np.divide(rows, length, out=np.zeros_like(rows), where=length > 1e-9)


def spectrum_of(links: Array, n_coordinates: int) -> Spectrum:
    """Return the leading eigenvectors of normalized links, and their eigenvalues.

    Examples
    --------
    >>> spectrum_of(np.kron(np.eye(2), np.ones((3, 3))), 3).values.round(6).tolist()
    [1.0, 1.0, 0.0]
    """
    degree = links.sum(axis=1) + 1e-9
    normalized = links / np.sqrt(degree[:, None] * degree)
    values, vectors = _largest(normalized, min(n_coordinates, len(links)))
    return Spectrum(np.asarray(vectors[:, ::-1]), np.maximum(values[::-1], 0.0))


def _largest(symmetric: Array, number: int) -> tuple[Array, Array]:
    n = len(symmetric)
    try:
        values, vectors = eigh(symmetric, subset_by_index=[n - number, n - 1])
    except LinAlgError:  # LAPACK does not find some of many equal eigenvalues unless asked for all.
        values, vectors = eigh(symmetric, driver="evd")
    return values[-number:], vectors[:, -number:]


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
