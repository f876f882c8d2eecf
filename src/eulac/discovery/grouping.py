"""Rows in groups: how many, how steady they are, and the next grouping up and down."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors

from eulac.data import requirements
from eulac.discovery.class_number import Worth, worth_of
from eulac.discovery.dendrogram import Dendrogram, dendrogram_of
from eulac.discovery.neighbor_graph import N_NEIGHBORS, votes
from eulac.discovery.number_votes import NumberVotes, votes_of
from eulac.discovery.spaces import SPACES, KnownRows
from eulac.discovery.tuning import Tuning, tune
from eulac.discovery.ways import WAYS, Grouper, SpacedRows, Way

__all__ = ["Grouping", "group_rows", "recovery"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

FEWEST_ROWS = 10
"""Fewer rows are one group."""

MOST_ROWS = 1500
"""Rows that are grouped; others join the groups of their neighbors."""

FIRST_NUMBERS = 12
"""Numbers of groups tried at first; twice as many where the best is in the upper half."""

N_RESAMPLES = 5

MOST_FINER = 4
"""Steps finer that are prepared."""

ROWS_FOR_A_DIRECTION, MOST_DIRECTIONS = 15, 40
"""Coordinates along which names are spread: one for so many rows, as neighborhoods need some."""


@dataclass(frozen=True, eq=False)
class Grouping:
    """Groups of rows, the largest first.

    Attributes
    ----------
    assignment : int array of shape (n_rows,)
        Group of each row; -1 for rows that share neighbors with no other.
    votes : array of shape (n_rows, n_groups)
        Share of each group among the rows a row shares neighbors with.
    typicality : array of shape (n_rows,)
        How closely a row is linked with its group: large for typical rows.
    interval : (int, int)
        Numbers of groups that hidden known classes leave plausible.
    directions : array of shape (n_rows, n_coordinates)
        Rows of length one, alike where links lead from one to the other; see `Spectrum`.
    steadiness : array of shape (n_groups,)
        How much of each group comes back in resamples (mean Jaccard index), 1 for all.
    tree : Dendrogram
        What merges first, and what parts first.
    worth : dict
        Worth of each number of groups that was tried.
    way : Way
    tuning : Tuning or None
    """

    assignment: Codes
    votes: Array
    typicality: Array
    directions: Array
    interval: tuple[int, int]
    steadiness: Array
    tree: Dendrogram
    worth: dict[int, float]
    way: Way
    tuning: Tuning | None

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return len(self.steadiness)

    def joined_by(self, like: Codes) -> "Grouping":
        """Return the same with more rows at the end, each like one there is, but least typical."""
        rows = np.append(np.arange(len(self.assignment)), like)
        return replace(
            self,
            assignment=self.assignment[rows],
            votes=self.votes[rows],
            typicality=np.append(self.typicality, np.zeros(len(like))),
            directions=self.directions[rows],
            tree=replace(self.tree, pieces=self.tree.pieces[rows]),
        )


def group_rows(
    known: KnownRows,
    X: Array,
    *,
    n_groups: Any = "auto",
    ways: Sequence[Way] = WAYS,
    tolerance: float = 0.0,
    unevenness: float | None = None,
    random_state: int = 0,
) -> Grouping:
    """Group rows in the way that finds hidden known classes best.

    Parameters
    ----------
    known : KnownRows
        Rows of known classes. Without any, the first way is taken.
    X : array of shape (n_rows, n_features)
    n_groups : int or "auto", default="auto"
    ways : sequence of Way
        What is tried; one is taken as it is.
    tolerance : float, default=0.0
        Of numbers of groups whose worth is within this of the best the largest is taken.
    unevenness : float, optional
        How uneven in size groups may be before it counts; as the known classes by default.
    random_state : int, default=0

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> codes = np.repeat([0, 1, 2], 40)
    >>> known = KnownRows(rng.normal(codes[:, None] * [9.0, 0.0], 0.3), codes)
    >>> X = rng.normal(np.repeat([[0.0, 9], [9, 9], [18, 9]], 40, axis=0), 0.3)
    >>> group_rows(known, X).n_groups
    3
    """
    if n_groups != "auto":
        requirements.require_at_least("n_groups", n_groups, 1)
    if len(X) < FEWEST_ROWS or len(np.unique(X, axis=0)) < 3:
        return _one_group(len(X), ways[0])
    level = known.unevenness() if unevenness is None else unevenness
    tuning = tune(known, ways, random_state, level) if len(known.codes) else None
    asked = (n_groups, tolerance)
    if len(X) <= MOST_ROWS:
        return _grouped(SpacedRows(known, X, level), asked, tuning, ways[0], random_state)
    rng = np.random.default_rng(random_state)
    some = np.sort(rng.choice(len(X), MOST_ROWS, replace=False))
    found = _grouped(SpacedRows(known, X[some], level), asked, tuning, ways[0], random_state)
    return _spread(found, known, X, some)


def recovery(assignment: Codes, group: int, resampled: Sequence[tuple[Codes, Codes]]) -> float:
    """Return the mean over resamples of the best Jaccard index of a group with one found there.

    Examples
    --------
    >>> recovery(np.array([0, 0, 1, 1]), 0, [(np.array([0, 1, 2]), np.array([1, 1, 0]))])
    1.0
    """
    best = []
    for rows, part in resampled:
        inside = assignment[rows] == group
        both = np.bincount(part[inside], minlength=part.max() + 1)
        either = inside.sum() + np.bincount(part) - both
        best.append(float(np.max(both / np.maximum(either, 1))))
    return float(np.mean(best)) if best else 1.0


def _grouped(
    rows: SpacedRows,
    asked: tuple[Any, float],
    tuning: Tuning | None,
    way: Way,
    random_state: int,
) -> Grouping:
    n_groups, tolerance = asked
    way = way if tuning is None else tuning.way
    prices = votes_of([], []) if tuning is None else tuning.votes
    grouper = Grouper(way, rows, random_state)
    worth, found = _numbers(grouper, prices, n_groups)
    best = prices.number(worth, tolerance) if n_groups == "auto" else min(n_groups, len(grouper))
    assignment = _largest_first(found[best] if best in found else grouper.groups(best))
    alone = grouper.links.sum(axis=1) == 0
    interval = prices.interval(worth, tolerance) if n_groups == "auto" else (best, best)
    most = max(best + 1, min(interval[1], best + MOST_FINER))
    tree = dendrogram_of(grouper.links, grouper.values, assignment, most)
    share = votes(grouper.links, assignment, int(assignment.max()) + 1)
    return Grouping(
        np.where(alone, -1, assignment),
        share,
        share[np.arange(len(grouper)), assignment] * grouper.links.sum(axis=1),
        _directions(grouper, best),
        interval,
        _steadiness(grouper, assignment),
        replace(tree, pieces=np.where(alone, -1, tree.pieces)),
        dict(enumerate(prices.values(worth).tolist(), start=1)),
        way,
        tuning,
    )


def _directions(grouper: Grouper, n_groups: int) -> Array:
    number = max(n_groups + 2, min(len(grouper) // ROWS_FOR_A_DIRECTION, MOST_DIRECTIONS))
    return grouper.spectrum(number).directions(number)


def _spread(found: Grouping, known: KnownRows, X: Array, some: Codes) -> Grouping:
    """Return the groups of all rows: of those that were not grouped, by their neighbors."""
    values = np.hstack([SPACES[name](known, X) for name in found.way.spaces])
    near = NearestNeighbors(n_neighbors=N_NEIGHBORS).fit(values[some])
    distance, neighbors = near.kneighbors(values)
    share = found.votes[neighbors].mean(axis=1)
    share[some] = found.votes
    parts = [found.assignment, found.tree.pieces]
    assignment, pieces = (_majority(part, neighbors, some) for part in parts)
    # Nearer than usual is more typical; rows that were grouped keep their order.
    typicality = np.median(found.typicality) / (1.0 + distance.mean(axis=1))
    typicality[some] = found.typicality
    directions = found.directions[neighbors].mean(axis=1)
    directions /= np.maximum(np.linalg.norm(directions, axis=1, keepdims=True), 1e-9)
    directions[some] = found.directions
    return replace(
        found,
        assignment=assignment,
        votes=share,
        typicality=typicality,
        directions=directions,
        tree=replace(found.tree, pieces=pieces),
    )


def _majority(assignment: Codes, neighbors: Codes, some: Codes) -> Codes:
    counts = np.stack(
        [(assignment[neighbors] == g).sum(axis=1) for g in range(-1, assignment.max() + 1)]
    )
    told = counts.argmax(axis=0) - 1
    told[some] = assignment
    return np.asarray(told, dtype=np.intp)


def _numbers(
    grouper: Grouper, prices: NumberVotes, n_groups: Any
) -> tuple[Worth, dict[int, Codes]]:
    """Return the worth of 1, 2, ... groups, up to where more are worth less, and the groups."""
    most = FIRST_NUMBERS if n_groups == "auto" else max(FIRST_NUMBERS, n_groups)
    found: dict[int, Codes] = {}
    while True:
        most = min(most, grouper.n_most)
        for number in range(most, 0, -1):
            if number not in found:
                found[number] = grouper.groups(number)
        groupings = [found[number] for number in range(1, most + 1)]
        worth = worth_of(grouper.links, groupings, grouper.rows.unevenness)
        if most == grouper.n_most or prices.number(worth) <= 0.5 * most:
            return worth, found
        most *= 2


def _largest_first(assignment: Codes) -> Codes:
    _, place = np.unique(assignment, return_inverse=True)
    order = np.argsort(-np.bincount(place), kind="stable")
    return np.asarray(np.argsort(order)[place], dtype=np.intp)


def _steadiness(grouper: Grouper, assignment: Codes) -> Array:
    rng = np.random.default_rng(grouper.random_state)
    n_rows, n_groups = len(assignment), int(assignment.max()) + 1
    resampled = []
    for _ in range(N_RESAMPLES if n_groups > 1 else 0):
        rows = np.sort(rng.choice(n_rows, round(0.8 * n_rows), replace=False))
        part = Grouper(grouper.way, grouper.rows.taken(rows), grouper.random_state)
        resampled.append((rows, part.groups(n_groups)))
    return np.array([recovery(assignment, group, resampled) for group in range(n_groups)])


def _one_group(n_rows: int, way: Way) -> Grouping:
    one = np.zeros(n_rows, dtype=np.intp)
    n_groups = min(n_rows, 1)
    share = np.ones((n_rows, n_groups))
    return Grouping(
        one,
        share,
        np.ones(n_rows),
        np.ones((n_rows, 1)),
        (n_groups, n_groups),
        np.ones(n_groups),
        Dendrogram(one, ()),
        {1: 1.0},
        way,
        None,
    )
