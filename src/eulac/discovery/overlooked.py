"""Rows not called new that lie in the midst of one new class: new after all, as far as one can see.

A classifier errs at the borders of what is new, and on each row for itself. Groups know more: where
most neighbors of a row are in one group, that row is most probably of the same class.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors

from eulac.discovery.false_alarms import SPACE
from eulac.discovery.neighbor_graph import N_NEIGHBORS
from eulac.discovery.spaces import SPACES, KnownRows

__all__ = ["Overlooked", "overlooked"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

MAJORITY = 0.5
"""Share of neighbors in one group beyond which a row is of that group."""

MOST_ROWS = 4000
"""Rows among which neighbors are looked for, labeled ones included; a draw of them where there are
more, so that all kinds are thinned alike."""

MOST_LABELED = 1.0
"""Labeled rows that are looked at, for each row of the pool: many more would swamp what is new."""


class Overlooked(NamedTuple):
    """Rows of the pool, and for each the place of the nearest row of its group among those grouped.

    What was found of that row holds for the overlooked one, too.
    """

    rows: Codes
    like: Codes


def overlooked(
    known: KnownRows, X: Array, grouped: Codes, groups: Codes, others: Codes, random_state: int = 0
) -> Overlooked:
    """Return rows of which more than half of the neighbors are in one group.

    Parameters
    ----------
    known : KnownRows
    X : array of shape (n_rows, n_features)
        The pool.
    grouped : int array
        Rows of the pool that are in groups.
    groups : int array
        Their groups; -1 for none.
    others : int array
        Rows of the pool that were not called new.
    random_state : int, default=0
        Of the draw of rows where there are too many.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> known = KnownRows(rng.normal(0, 1, (40, 2)), np.zeros(40, int))
    >>> X = np.vstack([rng.normal(9, 1, (40, 2)), rng.normal(0, 1, (40, 2))])
    >>> found = overlooked(known, X, np.arange(30), np.zeros(30, int), np.arange(30, 80))
    >>> found.rows
    array([30, 31, 32, 33, 34, 35, 36, 37, 38, 39])
    """
    nobody = np.empty(0, dtype=np.intp)
    if not len(others) or not np.any(groups >= 0):
        return Overlooked(nobody, nobody)
    rng = np.random.default_rng(random_state)
    labeled = _some(len(known.codes), round(MOST_LABELED * len(X)), rng)
    values = SPACES[SPACE](known, np.vstack([X, known.X[labeled]]))
    place = np.full(len(values), -1, dtype=np.intp)
    place[grouped[groups >= 0]] = np.flatnonzero(groups >= 0)
    near = _neighbors(values, others, _some(len(values), MOST_ROWS, rng))
    group = np.where(place[near] >= 0, groups[place[near]], -1)
    count = np.stack([(group == one).mean(axis=1) for one in range(groups.max() + 1)], axis=1)
    joins = np.flatnonzero(count.max(axis=1) > MAJORITY)
    first = (group[joins] == count[joins].argmax(axis=1)[:, None]).argmax(axis=1)
    return Overlooked(others[joins], place[near[joins, first]])


def _some(n_rows: int, most: int, rng: np.random.Generator) -> Codes:
    if n_rows <= most:
        return np.arange(n_rows)
    return np.sort(rng.choice(n_rows, most, replace=False))


def _neighbors(values: Array, rows: Codes, among: Codes) -> Codes:
    """Return the nearest of some rows for each of others, the nearest first, itself left out."""
    n_neighbors = min(N_NEIGHBORS, len(among) - 1)
    index = NearestNeighbors(n_neighbors=n_neighbors + 1).fit(values[among])
    near = among[index.kneighbors(values[rows], return_distance=False)]
    left = near != rows[:, None]
    left[left.all(axis=1), -1] = False  # where a row is not among them, the farthest goes
    return np.asarray(near[left].reshape(len(rows), n_neighbors))
