"""Distance from a moving point to the convex hull of many points, with a certificate.

`nearest_point` projects one target on the hull with active-set methods, `HullDistance` follows the
targets ``s * a + (1 - s) * b`` along a line. Every distance comes with its duality gap. Nothing
here draws random numbers. Points of a kernel come from `eulac.maths.low_rank`.
"""

from collections import deque
from dataclasses import dataclass, field
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr, qr_delete, qr_insert
from scipy.linalg.lapack import dposv, dtrtrs

__all__ = ["HullDistance", "NearestPoint", "nearest_point"]

Array = NDArray[np.float64]
IntArray = NDArray[np.intp]

_POOL_SIZE = 128  # points that may enter one by one between two looks at all points
_LARGE_POOL_SIZE = 2048  # the same for points that enter in groups
_POOL_RATIO = 0.25  # the gap on the pool is worth closing down to this share of the whole gap
_FEW_DIMENSIONS = 32  # up to here Wolfe's method takes few steps and Gram matrices are singular
_RIDGE = 1e-10  # added to a Gram matrix, whose entries are about one
_MAX_EXCHANGES, _MAX_FUTILE = 50, 6  # futile: two in five weights turn negative
_DEPENDENT = 1e-12  # a column of R this much shorter than the first adds no direction


@dataclass(frozen=True)
class _Corral:
    """Affinely independent points, with the QR factors of their columns ``(v_i, 1)``.

    Working on the columns rather than on their Gram matrix keeps close neighbors apart: their
    distance d shows as d in R, and only as d^2 in a Gram matrix.
    """

    members: IntArray
    Q: Array
    R: Array

    @classmethod
    def of(cls, points: Array, members: IntArray) -> Self:
        """Return the corral of those members that add a direction."""
        columns = np.ones((points.shape[1] + 1, len(members)), order="F")
        columns[:-1] = points[members].T
        Q, R, order = qr(columns, mode="economic", pivoting=True, check_finite=False)
        size = np.abs(R.diagonal())
        n_kept = np.count_nonzero(size > _DEPENDENT * size[0])
        return cls(members[order[:n_kept]], Q[:, :n_kept], R[:n_kept, :n_kept])

    def affine_weights(self, target: Array) -> tuple[Array, Array]:
        """Weights of sum 1, of any sign, that come nearest to the target; and the offset to it.

        With ``A = Q R`` the columns and ``e = (0, 1)``, the least squares solution subject to
        ``e . A w = 1`` is ``R w = y + o (1 - o . y) / (o . o)``, y = Q^T (target, 1), o = Q^T e.
        """
        ones = self.Q[-1]
        image = target @ self.Q[:-1] + ones
        image += ones * ((1.0 - ones @ image) / (ones @ ones))
        return dtrtrs(self.R, image)[0], self.Q[:-1] @ image - target

    def joined(self, indices: IntArray, rows: Array) -> Self | None:
        """Return the corral with more points; None if they do not all add a direction."""
        n_members = len(self.members)
        if n_members + len(indices) > len(self.Q):
            return None
        columns = np.ones((len(self.Q), len(indices)), order="F")
        columns[:-1] = rows.T
        try:
            Q, R = qr_insert(self.Q, self.R, columns, n_members, which="col", check_finite=False)
        except np.linalg.LinAlgError:
            return None
        return type(self)(np.concatenate([self.members, indices]), Q, R)

    def kept(self, keep: NDArray[np.bool_]) -> Self:
        Q, R = self.Q, self.R
        for position in np.flatnonzero(~keep)[::-1]:
            Q, R = qr_delete(Q, R, position, which="col", check_finite=False)
            # A square Q is taken for a full factorization and keeps its last column.
            Q, R = Q[:, : R.shape[1]], R[: R.shape[1]]
        return type(self)(self.members[keep], Q, R)


_State = tuple[_Corral, Array, Array]  # a corral, its weights, and the offset to the target
_Solution = tuple[IntArray, Array, Array]  # the same of points that need not be a corral


@dataclass(frozen=True)
class _Face:
    """Points with their inner products, all that an exchange of groups needs."""

    members: IntArray
    rows: Array
    gram: Array

    def affine_weights(self, products: Array) -> tuple[Array, float] | None:
        """Weights w of sum 1 with ``gram w = products + level``, and the level."""
        system = self.gram.copy()
        system.flat[:: len(system) + 1] += _RIDGE
        sides = np.ones((len(system), 2), order="F")
        sides[:, 0] = products
        _, sides, failed = dposv(system.T, sides, overwrite_a=1, overwrite_b=1)
        if failed:
            return None
        free, ones = sides.sum(axis=0)
        level = float((1.0 - free) / ones)
        weights = sides[:, 0] + level * sides[:, 1]
        return weights / weights.sum(), level

    def exchanged(self, keep: NDArray[np.bool_], candidates: Array, entering: IntArray) -> Self:
        """Return the face without some of its points and with others."""
        kept = np.flatnonzero(keep)
        members = np.concatenate([self.members[kept], entering])
        rows = candidates[members]
        gram = np.empty((len(members), len(members)))
        gram[: len(kept), : len(kept)] = self.gram[kept[:, None], kept]
        gram[len(kept) :] = rows[len(kept) :] @ rows.T
        gram[: len(kept), len(kept) :] = gram[len(kept) :, : len(kept)].T
        return type(self)(members, rows, gram)


@dataclass(frozen=True)
class NearestPoint:
    """Point of a convex hull nearest to a target, and how far from optimal it can be.

    Attributes
    ----------
    distance : float
        Distance reached; the true one lies in ``[distance - gap, distance]``.
    gap : float
        Duality gap. With ``g = w - target`` the hyperplane across g bounds the true distance from
        below by ``min_i (v_i - target) . g / |g|``.
    support : array of shape (n_support,)
        Indices of the points with positive weight.
    weights : array of shape (n_support,)
        Their weights, of sum 1.
    offset : array of shape (n_dimensions,)
        ``w - target``.
    """

    distance: float
    gap: float
    support: IntArray = field(repr=False)
    weights: Array = field(repr=False)
    offset: Array = field(repr=False)


def nearest_point(
    points: Array, target: Array, *, start: NearestPoint | None = None, tolerance: float = 1e-6
) -> NearestPoint:
    """Return the point of the convex hull of `points` nearest to `target`.

    Solves ``min_w |sum_i w_i v_i - target|`` over the simplex by Wolfe's method (1976): solve on
    the affine hull of a few points, drop those whose weight would turn negative, let the furthest
    towards the target enter. In many dimensions whole groups are exchanged first.

    Parameters
    ----------
    points : array of shape (n, n_dimensions)
        Of norm about one, as the rows of a kernel factor are.
    target : array of shape (n_dimensions,)
    start : NearestPoint, optional
        Solution for the same points and a target nearby: its support is where the search begins.
    tolerance : float, default=1e-6
        Duality gap to stop at. Where rounding stops the search earlier, the gap returned says so.

    Returns
    -------
    NearestPoint

    Examples
    --------
    >>> import numpy as np
    >>> corners = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    >>> found = nearest_point(corners, np.array([1.0, 0.6]))
    >>> found.support, found.weights.round(3), round(found.distance, 3)
    (array([1, 2]), array([0.7, 0.3]), 0.424)
    """
    if start is None:
        first = np.argmin(np.einsum("ij,ij->i", points, points) - 2.0 * (points @ target))
        support, weights = np.array([first]), np.ones(1)
    else:
        support, weights = start.support, start.weights
    found, _ = _examine(points, target, support, weights, weights @ points[support] - target)
    if points.shape[1] > _FEW_DIMENSIONS:
        found = _search_in_groups(points, target, found, tolerance)
    return found if found.gap <= tolerance else _search_one_by_one(points, target, found, tolerance)


def _examine(
    points: Array, target: Array, support: IntArray, weights: Array, offset: Array
) -> tuple[NearestPoint, Array]:
    """Certify a point of the hull by a look at all points; their scores come with it."""
    scores = points @ offset
    return NearestPoint(*_certify(scores, target, offset), support, weights, offset), scores


def _smallest(scores: Array, count: int) -> IntArray:
    """Pick the indices of the smallest scores, in no order."""
    if count >= len(scores):
        return np.arange(len(scores))
    return np.argpartition(scores, count - 1)[:count]


def _certify(scores: Array, target: Array, offset: Array) -> tuple[float, float]:
    """Distance of a feasible point and its duality gap on the points that were scored."""
    distance = float(np.sqrt(offset @ offset))
    if distance == 0.0:
        return 0.0, 0.0
    lower = float(scores.min() - target @ offset) / distance
    return distance, min(distance, max(distance - lower, 0.0))


def _search_in_groups(
    points: Array, target: Array, found: NearestPoint, tolerance: float
) -> NearestPoint:
    """Exchange groups of points as long as that halves the gap."""
    last_gap = np.inf
    while tolerance < found.gap < 0.5 * last_gap:
        last_gap = found.gap
        if len(points) <= _LARGE_POOL_SIZE:
            better = _exchange(points, found.support, target, tolerance)
        else:
            pool = np.union1d(found.support, _smallest(points @ found.offset, _LARGE_POOL_SIZE))
            enough = max(tolerance, _POOL_RATIO * found.gap)
            better = _exchange(points[pool], np.searchsorted(pool, found.support), target, enough)
            better = better and (pool[better[0]], *better[1:])
        if better is not None:
            trial, _ = _examine(points, target, *better)
            found = min(found, trial, key=lambda point: point.distance)
    return found


def _exchange(
    candidates: Array, start: IntArray, target: Array, tolerance: float
) -> _Solution | None:
    """Exchange many points on the wrong side at once; the best point met, None if there is none.

    The primal-dual active set method: solve on the affine hull of a set of points, let all those
    of negative weight leave, and the furthest beyond the hyperplane across the offset enter. Few
    steps are needed, as each settles many points, but nothing keeps them from going in circles.
    """
    products = candidates @ target
    best: _Solution | None = None
    rows, shortest, n_futile = candidates[start], np.inf, 0
    face = _Face(start, rows, rows @ rows.T)
    for _ in range(_MAX_EXCHANGES):
        solved = face.affine_weights(products[face.members])
        if solved is None:
            break
        weights, level = solved
        offset = weights @ face.rows - target
        scores = candidates @ offset
        distance, gap = _certify(scores, target, offset)
        keep = weights > 0.0
        n_kept = np.count_nonzero(keep)
        if n_kept == len(keep) and distance < shortest:
            best, shortest = (face.members, weights, offset), distance
            if gap <= tolerance:
                break
        scores[face.members] = np.inf
        entering = np.flatnonzero(scores < level - 0.1 * tolerance * distance)
        entering = entering[_smallest(scores[entering], 8 + len(keep) // 8)]
        n_futile += int(n_kept < 0.6 * len(keep))
        if n_futile == _MAX_FUTILE or (len(entering) == 0 and n_kept == len(keep)):
            break
        face = face.exchanged(keep, candidates, entering)
    return best


def _search_one_by_one(
    points: Array, target: Array, found: NearestPoint, tolerance: float
) -> NearestPoint:
    """Run Wolfe's method, with all points looked at only when a pool of them is used up."""
    state = _settle(_Corral.of(points, found.support), target)
    while True:
        found, scores = _examine(points, target, state[0].members, *state[1:])
        if found.gap <= tolerance:
            return found
        enough = max(tolerance, _POOL_RATIO * found.gap)
        state = _descend_on_pool(points, _smallest(scores, _POOL_SIZE), state, target, enough)
        if state[2] is found.offset:
            return found


def _settle(corral: _Corral, target: Array) -> _State:
    """Drop all negative weights at once until none is left: quick, but may lead away."""
    while True:
        weights, offset = corral.affine_weights(target)
        keep = weights > 0.0
        if keep.all():
            return corral, weights, offset
        corral = corral.kept(keep)


def _descend(corral: _Corral, weights: Array, target: Array) -> _State:
    """Run Wolfe's minor cycle: walk to the affine minimizer, dropping weights that reach zero."""
    while True:
        wanted, offset = corral.affine_weights(target)
        negative = wanted < 0.0
        if not negative.any():
            return corral, wanted, offset
        reach = np.full(len(weights), np.inf)
        reach[negative] = weights[negative] / (weights[negative] - wanted[negative])
        first = int(reach.argmin())
        weights = weights + reach[first] * (wanted - weights)
        weights[first] = 0.0
        # The point that has just entered also weighs zero; it stays if it is to gain weight.
        keep = ~negative | (weights > 0.0)
        corral, weights = corral.kept(keep), weights[keep]


def _descend_on_pool(
    points: Array, pool: IntArray, state: _State, target: Array, tolerance: float
) -> _State:
    """Run Wolfe's major cycles on the pool; give the start back if no point of it helps."""
    candidates = points[pool]
    # Groups save solves where many directions are open, and fall over each other where few are.
    n_together = max(1, points.shape[1] // 32)
    while True:
        scores = candidates @ state[2]
        distance, gap = _certify(scores, target, state[2])
        if gap <= tolerance:
            return state
        group = _smallest(scores, n_together)
        group = group[scores[group] <= scores.min() + 0.5 * gap * distance]
        shorter = _enter(state, pool[group], candidates[group], target)
        if shorter is None and len(group) > 1:
            group = group[[scores[group].argmin()]]
            shorter = _enter(state, pool[group], candidates[group], target)
        if shorter is None:
            return state
        state = shorter


def _enter(state: _State, indices: IntArray, rows: Array, target: Array) -> _State | None:
    """Let points enter; None if that brings the target no nearer, as a group may, one may not."""
    corral, weights, offset = state
    larger = corral.joined(indices, rows)
    if larger is None:
        return None
    alone = len(indices) == 1
    trial = _descend(larger, np.append(weights, 0.0), target) if alone else _settle(larger, target)
    return trial if trial[2] @ trial[2] < offset @ offset else None


class HullDistance:
    r"""Distance to a convex hull along a line: d(s) = min_w \|s a + (1 - s) b - w\|.

    For ``a`` and ``b`` in the hull, d is convex, zero on [0, 1] and non-decreasing from there.
    Its slope needs no finite difference: by the envelope theorem
    ``d'(s) = (p(s) - w(s)) . (a - b) / d(s)``.

    Parameters
    ----------
    points : array of shape (n, n_dimensions)
        The points that span the hull.
    a, b : array of shape (n_dimensions,)
        The line is ``p(s) = s * a + (1 - s) * b``.
    tolerance : float, default=1e-6
        Duality gap at which a search stops.

    Examples
    --------
    >>> import numpy as np
    >>> corners = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    >>> hull = HullDistance(corners, a=np.array([0.5, 0.0]), b=np.array([0.0, 0.0]))
    >>> [round(hull.at(scale).distance, 3) for scale in (1.0, 2.0, 4.0)]
    [0.0, 0.0, 1.0]
    >>> round(hull.slope(4.0), 3)
    0.5
    """

    def __init__(self, points: Array, a: Array, b: Array, *, tolerance: float = 1e-6) -> None:
        self.points = points
        self.base = b
        self.direction = a - b
        self.tolerance = tolerance
        # Solutions to start from. They change the work, not the answer beyond its gap.
        self._solved: deque[tuple[float, NearestPoint]] = deque(maxlen=32)

    def at(self, scale: float) -> NearestPoint:
        """Return the nearest point to ``p(scale)``, starting from the closest scale solved."""
        near = min(self._solved, key=lambda item: abs(item[0] - scale), default=None)
        if near is not None and near[0] == scale:
            return near[1]
        start, target = near and near[1], self.base + scale * self.direction
        found = nearest_point(self.points, target, start=start, tolerance=self.tolerance)
        self._solved.append((scale, found))
        return found

    def slope(self, scale: float) -> float:
        """Return d'(scale); zero where the distance is below the tolerance."""
        found = self.at(scale)
        if found.distance <= self.tolerance:
            return 0.0
        return -float(found.offset @ self.direction) / found.distance
