"""Groups of linked rows: several coordinates are tried, and groups made even; the best is taken.

Spectral clustering cuts where links are weakest, and so likes to cut off what is small. The known
classes tell how uneven in size classes are here. Of several groupings the best one keeps links
within groups, and is not much more uneven than the known classes.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from eulac.discovery.neighbor_graph import Spectrum
from eulac.discovery.spaces import uneven

__all__ = ["evened", "k_means", "link_groups", "lost_by_size"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

COORDINATES = ((0.0, 1.0, 0), (1.0, 1.0, 2), (2.0, 2.0, 0))
"""Power of the eigenvalues, and numbers of coordinates: so many times that of groups, and so many
more."""

MOST_LOSS = 0.06
"""What uneven groups can lose at most, as a share of links: clear groups stay, however uneven."""

N_STEPS, STEP = 20, 0.15
"""Steps by which groups are made even, and their length in squared radii of a group."""

N_STARTS, MOST_STEPS = 4, 60
"""Starts of k-means, and the steps each may take."""


def link_groups(
    links: Array, spectrum: Spectrum, n_groups: int, unevenness: float, random_state: int
) -> Codes:
    """Return the group of each row.

    Parameters
    ----------
    links : array of shape (n_rows, n_rows)
    spectrum : Spectrum
        Of the links; twice as many vectors as groups, or all there are.
    n_groups : int
    unevenness : float
        How uneven classes are in size, as `uneven` says.
    random_state : int

    Examples
    --------
    >>> from eulac.discovery.neighbor_graph import spectrum_of
    >>> links = np.kron(np.eye(2), np.ones((3, 3)))
    >>> link_groups(links, spectrum_of(links, 4), 2, 0.0, 0)[[0, 2, 3, 5]].tolist() in (
    ...     [0, 0, 1, 1],
    ...     [1, 1, 0, 0],
    ... )
    True
    """
    found = list(_candidates(spectrum, n_groups, unevenness, random_state))
    total = max(float(links.sum()), 1e-300)
    return max(found, key=lambda groups: _value(links, total, groups, unevenness))


def evened(X: Array, groups: Codes, unevenness: float) -> Codes:
    """Return groups made more even: rows at the edge of large groups go to small ones beside them.

    Examples
    --------
    >>> X = np.array([[0.0], [1], [2], [3], [4], [6]])
    >>> evened(X, np.array([0, 0, 0, 0, 0, 1]), 0.2)
    array([0, 0, 0, 0, 1, 1])
    """
    n_groups = int(groups.max()) + 1
    middles = _middles(X, groups, n_groups, X[:n_groups])
    radius = float(((X - middles[groups]) ** 2).sum(axis=1).mean())
    prices = np.zeros(n_groups)
    for _ in range(N_STEPS):
        sizes = np.bincount(groups, minlength=n_groups)
        if n_groups * np.sum((sizes / len(X)) ** 2) - 1.0 <= unevenness:
            break
        prices += STEP * radius * np.clip(n_groups * sizes / len(X) - 1.0, -1.0, 1.0)
        groups = ((middles**2).sum(axis=1) - 2.0 * X @ middles.T + prices).argmin(axis=1)
        middles = _middles(X, groups, n_groups, middles)
    return np.asarray(groups, dtype=np.intp)


def k_means(X: Array, n_groups: int, random_state: int) -> Codes:
    """Return the groups of k-means; fewer where there are fewer distinct rows.

    Several starts go side by side through the same products of matrices: groups are few and rows
    some hundreds here, where calls cost more than sums. A start that has settled is left alone.

    Examples
    --------
    >>> k_means(np.array([[0.0], [0.1], [5.0]]), 2, 0).tolist() in ([0, 0, 1], [1, 1, 0])
    True
    """
    middles = _starts(X, n_groups, np.random.default_rng(random_state))
    groups = np.full((len(X), N_STARTS), -1)
    moving = np.arange(N_STARTS)
    for _ in range(MOST_STEPS):
        nearest = _distances(X, middles[moving]).argmin(axis=2)
        has_moved = np.any(nearest != groups[:, moving], axis=0)
        groups[:, moving] = nearest
        moving = moving[has_moved]
        if not len(moving):
            break
        middles[moving] = _side_by_side_middles(X, groups[:, moving], middles[moving])
    spread = _distances(X, middles).min(axis=2).sum(axis=0)
    _, found = np.unique(groups[:, spread.argmin()], return_inverse=True)
    return np.asarray(found, dtype=np.intp)


def lost_by_size(sizes: Array, unevenness: float) -> float:
    """Return what groups lose for being more uneven in size than known classes.

    Examples
    --------
    >>> lost_by_size(np.array([50, 50, 20]), 0.5), round(lost_by_size(np.array([6, 4]), 0.01), 3)
    (0.0, 0.03)
    """
    return min(max(uneven(sizes) - unevenness, 0.0), MOST_LOSS)


def _candidates(
    spectrum: Spectrum, n_groups: int, unevenness: float, random_state: int
) -> Iterator[Codes]:
    for power, times, more in COORDINATES:
        X = spectrum.coordinates(round(times * n_groups) + more, power)
        groups = k_means(X, n_groups, random_state)
        yield groups
        if uneven(np.bincount(groups)) > unevenness:
            yield evened(X, groups, unevenness)


def _value(links: Array, total: float, groups: Codes, unevenness: float) -> float:
    """Return the share of links kept within groups, less what is lost by being uneven."""
    inside = np.eye(groups.max() + 1)[groups]
    kept = float(np.sum(inside * (links @ inside))) / total
    return kept - lost_by_size(inside.sum(axis=0), unevenness)


def _starts(X: Array, n_groups: int, rng: np.random.Generator) -> Array:
    """Return rows to start from, for each start: far from those taken before, by k-means++."""
    chosen = rng.integers(len(X), size=N_STARTS)
    middles = [X[chosen]]
    nearest = _squares(X, X[chosen])
    for _ in range(1, n_groups):
        reached = nearest.cumsum(axis=0)
        chosen = (reached < rng.random(N_STARTS) * reached[-1]).sum(axis=0)
        middles.append(X[np.minimum(chosen, len(X) - 1)])
        nearest = np.minimum(nearest, _squares(X, middles[-1]))
    return np.stack(middles, axis=1)


def _squares(X: Array, rows: Array) -> Array:
    lengths = (X**2).sum(axis=1)[:, None] + (rows**2).sum(axis=1)
    return np.maximum(lengths - 2.0 * X @ rows.T, 0.0)


def _distances(X: Array, middles: Array) -> Array:
    """Return squared distances less the length of the row, by row, start and group."""
    n_starts, n_groups, n_columns = middles.shape
    products = X @ middles.reshape(-1, n_columns).T
    return np.asarray((middles**2).sum(axis=2) - 2.0 * products.reshape(-1, n_starts, n_groups))


def _side_by_side_middles(X: Array, groups: Codes, otherwise: Array) -> Array:
    """Return the middles of groups of several starts; those of empty groups stay."""
    n_starts, n_groups, n_columns = otherwise.shape
    inside = np.zeros((len(X), n_starts * n_groups))
    inside[np.arange(len(X))[:, None], groups + n_groups * np.arange(n_starts)] = 1.0
    sizes = inside.sum(axis=0)[:, None]
    means = inside.T @ X / np.maximum(sizes, 1.0)
    return np.where(sizes > 0, means, otherwise.reshape(-1, n_columns)).reshape(otherwise.shape)


def _middles(X: Array, groups: Codes, n_groups: int, otherwise: Array) -> Array:
    inside = np.eye(n_groups)[groups]
    sizes = inside.sum(axis=0)[:, None]
    return np.where(sizes > 0, inside.T @ X / np.maximum(sizes, 1.0), otherwise)
