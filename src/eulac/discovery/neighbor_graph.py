"""Rows linked by the neighbors they share, and coordinates in which linked rows lie together."""

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from sklearn.neighbors import NearestNeighbors

__all__ = ["N_NEIGHBORS", "mixing", "shared_neighbors", "spectral_coordinates", "votes"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

N_NEIGHBORS = 10


def shared_neighbors(X: Array, n_neighbors: int = N_NEIGHBORS) -> Array:
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
    n_neighbors = min(n_neighbors, len(X) - 1)
    near = NearestNeighbors(n_neighbors=n_neighbors).fit(X).kneighbors(return_distance=False)
    member = np.eye(len(X), dtype=np.float32)
    np.put_along_axis(member, near, 1.0, axis=1)
    counts = member @ member.T
    counts[counts < 1.5] = 0.0
    np.fill_diagonal(counts, 0.0)
    return np.asarray(counts / (n_neighbors + 1), dtype=np.float64)


def spectral_coordinates(links: Array, n_coordinates: int) -> Array:
    """Return the leading eigenvectors of the normalized links, the largest eigenvalue first."""
    degree = links.sum(axis=1) + 1e-9
    normalized = links / np.sqrt(degree[:, None] * degree)
    n = len(links)
    _, vectors = eigh(normalized, subset_by_index=[n - n_coordinates, n - 1])
    return np.asarray(vectors[:, ::-1])


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
