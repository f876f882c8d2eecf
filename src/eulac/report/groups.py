"""New-looking rows in groups somebody can name; how many, by how steady they are when resampled."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import HDBSCAN, KMeans
from sklearn.decomposition import PCA
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler

from eulac.data import requirements
from eulac.report.labeled_rows import as_matrix

__all__ = [
    "METHODS",
    "BalancedScaler",
    "Groups",
    "balanced_scaler",
    "find_groups",
    "grouping_space",
    "stability",
]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]
Clusterer = Callable[[Array], Codes]

METHODS = ("kmeans", "hdbscan")

FEWEST_ROWS = 10
"""Fewer rows are one group: there is nothing to resample."""

MOST_ROWS = 1500
"""Rows resampled at most."""

STEADY = 0.7
"""Agreement (adjusted Rand index) below which a number of groups is not believed."""

TOLERANCE = 0.1
"""Of numbers of groups within this of the steadiest the largest is taken: merging two groups is
one name typed twice, while nobody can part what is shown as one."""

MAX_COMPONENTS = 20


@dataclass(frozen=True, eq=False)
class Groups:
    """Groups of rows, the largest first.

    Attributes
    ----------
    assignment : int array of shape (n_rows,)
        Group of each row; -1 for rows in none.
    centrality : array of shape (n_rows,)
        Distance of each row from the middle of its group: small for typical rows.
    steadiness : array of shape (n_groups,)
        How much of each group comes back in resamples (mean Jaccard index), 1 for all.
    candidates : dict
        Agreement across resamples, by the number of groups that was tried.
    method : str
    """

    assignment: Codes
    centrality: Array
    steadiness: Array
    candidates: dict[int, float]
    method: str

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return len(self.steadiness)

    def members(self, group: int) -> Codes:
        """Return the rows of a group, the most typical first."""
        rows = np.flatnonzero(self.assignment == group)
        return rows[np.argsort(self.centrality[rows], kind="stable")]


@dataclass(frozen=True, eq=False)
class BalancedScaler:
    """A scaler followed by a weight for each column."""

    scaler: Any
    weights: Array

    def transform(self, X: Any) -> Array:
        """Return rows scaled and weighted."""
        return np.asarray(self.scaler.transform(X) * self.weights)


def balanced_scaler(scaler: Any, X: Array, codes: Codes) -> Any:
    """Return a scaler under which flags and categories count no more than numbers do.

    A column of zeros and ones spans the whole range within every class in which both occur, and
    would part rows by it before any number had a say. Such columns are shrunk until they vary
    within classes as numbers typically do; those that are the same throughout a class keep their
    weight.

    Parameters
    ----------
    scaler : fitted transformer or None
        None standardizes.
    X : array of shape (n_rows, n_features)
        Rows of known classes.
    codes : int array of shape (n_rows,)

    Examples
    --------
    >>> X = np.column_stack([np.linspace(0, 1, 8), np.arange(8) % 2])
    >>> scaler = StandardScaler().fit(X)
    >>> balanced_scaler(scaler, X, np.arange(8) // 2).weights.round(2)
    array([1.  , 0.22])
    """
    of_two = np.all((X == 0) | (X == 1), axis=0) if len(X) else np.zeros(X.shape[1], bool)
    if of_two.all() or not of_two.any():
        return scaler
    scaler = StandardScaler().fit(X) if scaler is None else scaler
    values = scaler.transform(X)
    middles = np.stack([values[codes == code].mean(axis=0) for code in np.unique(codes)])
    around = values - middles[np.searchsorted(np.unique(codes), codes)]
    spread = np.sqrt((around**2).mean(axis=0))
    numbers = spread[~of_two & (spread > 0)]
    if not len(numbers):
        return scaler
    weights = np.ones(X.shape[1])
    typical = np.median(numbers)
    weights[of_two] = typical / np.maximum(spread[of_two], typical)
    return BalancedScaler(scaler, weights)


def grouping_space(X: Any, scaler: Any = None) -> Array:
    """Return rows scaled and cut to their main directions, where distances mean most."""
    values = as_matrix(X)
    if len(values) < 2:
        return values
    values = StandardScaler().fit_transform(values) if scaler is None else scaler.transform(values)
    n_components = min(MAX_COMPONENTS, *values.shape)
    if n_components == values.shape[1]:
        return values
    return PCA(n_components, svd_solver="full").fit_transform(values)


def find_groups(
    X: Any,
    *,
    n_groups: Any = "auto",
    method: str = "kmeans",
    scaler: Any = None,
    max_groups: int = 10,
    n_resamples: int = 8,
    random_state: int = 0,
) -> Groups:
    """Group rows; how many groups, unless given, is what resamples agree on.

    Parameters
    ----------
    X : array of shape (n_rows, n_features)
    n_groups : int or "auto", default="auto"
        With k-means only; HDBSCAN finds its own number.
    method : {"kmeans", "hdbscan"}, default="kmeans"
        HDBSCAN leaves rows that lie alone in no group.
    scaler : fitted transformer, optional
        Of the features, such as the classifier's own; standardized without.
    max_groups : int, default=10
        Numbers tried.
    n_resamples : int, default=8
    random_state : int, default=0

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = np.vstack([rng.normal(center, 0.3, (40, 2)) for center in (0, 3, 9)])
    >>> groups = find_groups(X)
    >>> groups.n_groups, np.bincount(groups.assignment).tolist()
    (3, [40, 40, 40])
    """
    requirements.require_choice("method", method, METHODS)
    values = grouping_space(X, scaler)
    clusterers = _clusterers(values, method, n_groups, max_groups, random_state)
    if len(values) < FEWEST_ROWS or not clusterers:
        assignment = np.zeros(len(values), dtype=np.intp)
        return _described(values, assignment, [], {1: 1.0}, method)
    rng = np.random.default_rng(random_state)
    samples = _resamples(len(values), n_resamples, rng)
    tried = [stability(values, clusterer, samples) for clusterer in clusterers]
    chosen = _choose([one.assignment for one in tried], [one.agreement for one in tried], n_groups)
    candidates = {_n_groups(one.assignment): one.agreement for one in tried}
    if chosen is None:
        assignment = np.zeros(len(values), dtype=np.intp)
        return _described(values, assignment, [], candidates, method)
    best = tried[chosen]
    return _described(values, best.assignment, best.resampled, candidates, method)


@dataclass(frozen=True, eq=False)
class Stability:
    """Groups of all rows, groups of parts of them, and how far these agree."""

    assignment: Codes
    resampled: list[tuple[Codes, Codes]]
    agreement: float


def stability(X: Array, clusterer: Clusterer, samples: Sequence[Codes]) -> Stability:
    """Return the groups a clusterer finds in all rows, and their agreement with those in parts."""
    assignment = clusterer(X)
    resampled = [(rows, clusterer(X[rows])) for rows in samples]
    agreement = [adjusted_rand_score(assignment[rows], part) for rows, part in resampled]
    return Stability(assignment, resampled, float(np.mean(agreement)))


def _clusterers(
    X: Array, method: str, n_groups: Any, max_groups: int, random_state: int
) -> list[Clusterer]:
    if method == "hdbscan":
        sizes = sorted({max(5, len(X) // part) for part in (40, 20, 12, 8)})
        return [_hdbscan(size) for size in sizes if size < len(X)]
    if n_groups == "auto":
        distinct = len(np.unique(X, axis=0))
        counts = range(2, min(max_groups, distinct, len(X) // 5) + 1)
    else:
        requirements.require_at_least("n_groups", n_groups, 1)
        counts = range(min(n_groups, len(X)), min(n_groups, len(X)) + 1)
    return [_k_means(count, random_state) for count in counts]


def _k_means(n_groups: int, random_state: int) -> Clusterer:
    return lambda X: KMeans(n_groups, n_init=3, random_state=random_state).fit_predict(X)


def _hdbscan(smallest: int) -> Clusterer:
    return lambda X: HDBSCAN(min_cluster_size=smallest, copy=True).fit_predict(X)


def _resamples(n_rows: int, n_resamples: int, rng: np.random.Generator) -> list[Codes]:
    size = min(round(0.8 * n_rows), MOST_ROWS)
    return [np.sort(rng.choice(n_rows, size, replace=False)) for _ in range(n_resamples)]


def _n_groups(assignment: Codes) -> int:
    return int(assignment.max()) + 1


def _choose(assignments: Sequence[Codes], agreements: Sequence[float], n_groups: Any) -> int | None:
    """Return which candidate is taken; None for one group, where no other number is steady."""
    found = np.array([_n_groups(assignment) for assignment in assignments])
    agreement = np.where(found >= 2, agreements, -np.inf)
    if n_groups != "auto" and len(assignments) == 1:
        return 0
    if agreement.max() < STEADY:
        return None
    steady = np.flatnonzero(agreement >= max(agreement.max() - TOLERANCE, STEADY))
    return int(steady[np.lexsort((agreement[steady], found[steady]))[-1]])


def _described(
    X: Array,
    assignment: Codes,
    resampled: Sequence[tuple[Codes, Codes]],
    candidates: dict[int, float],
    method: str,
) -> Groups:
    """Put the largest group first, and say how typical rows and how steady groups are."""
    sizes = np.bincount(assignment[assignment >= 0], minlength=1)
    sizes = sizes[sizes > 0] if len(assignment) else sizes[:0]
    order = np.argsort(-sizes, kind="stable")
    rank = np.argsort(order)
    renamed = np.where(assignment >= 0, rank[assignment] if len(rank) else -1, -1)
    centrality = np.zeros(len(X))
    for group in range(len(sizes)):
        rows = renamed == group
        centrality[rows] = np.linalg.norm(X[rows] - X[rows].mean(axis=0), axis=1)
    steady = np.array([_recovery(renamed, group, resampled) for group in range(len(sizes))])
    return Groups(renamed, centrality, steady, candidates, method)


def _recovery(assignment: Codes, group: int, resampled: Sequence[tuple[Codes, Codes]]) -> float:
    """Mean over resamples of the best Jaccard index of a group with any group found there."""
    if not resampled:
        return 1.0
    best = []
    for rows, part in resampled:
        inside = assignment[rows] == group
        overlaps = [
            (inside & (part == other)).sum() / max((inside | (part == other)).sum(), 1)
            for other in range(_n_groups(part))
        ]
        best.append(max(overlaps, default=0.0))
    return float(np.mean(best))
