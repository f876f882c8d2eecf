"""Rows called new that lie among rows of known classes: known after all, as far as one can see."""

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors

from eulac.discovery.neighbor_graph import N_NEIGHBORS
from eulac.discovery.spaces import SPACES, KnownRows

__all__ = ["among_known"]

Array = NDArray[np.float64]

SPACE = "whitened_one_scale"
MOST_AMONG_KNOWN = 0.55
"""Share of neighbors of known classes beyond which a row is known after all."""

MOST_KNOWN = 3
"""Known rows that are looked at, for each new one: many more would swamp a small new class."""


def among_known(known: KnownRows, X: Array, random_state: int = 0) -> NDArray[np.bool_]:
    """Return which rows have mostly rows of known classes for neighbors.

    Parameters
    ----------
    known : KnownRows
    X : array of shape (n_rows, n_features)
        Rows that were called new.
    random_state : int, default=0
        Of the draw of known rows where there are too many.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> known = KnownRows(rng.normal(0, 1, (60, 2)), np.zeros(60, int))
    >>> among_known(known, np.vstack([[[0.0, 0.0]], rng.normal(9, 1, (19, 2))])).sum()
    np.int64(1)
    """
    if not len(X) or not len(known.codes):
        return np.zeros(len(X), dtype=bool)
    rng = np.random.default_rng(random_state)
    n_known = min(len(known.codes), max(MOST_KNOWN * len(X), 5 * N_NEIGHBORS))
    some = rng.choice(len(known.codes), n_known, replace=False)
    values = SPACES[SPACE](known, np.vstack([known.X[some], X]))
    near = NearestNeighbors(n_neighbors=min(N_NEIGHBORS, len(values) - 1)).fit(values)
    neighbors = near.kneighbors(return_distance=False)[n_known:]
    return np.asarray((neighbors < n_known).mean(axis=1) > MOST_AMONG_KNOWN)
