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

_POOL_SIZE = 2048  # points that may enter between two looks at all points
_POOL_RATIO = 0.25  # the gap on the pool is worth closing down to this share of the whole gap
_FEW_DIMENSIONS = 32  # up to here Wolfe's method takes few steps and Gram matrices are singular
_RIDGE = 1e-10  # added to a Gram matrix, whose entries are about one
_MAX_EXCHANGES = 200  # usual are 5 to 20; more is a sign of going round in circles
_DEPENDENT = 1e-12  # a column of R this much shorter than the first adds no direction


@dataclass(frozen=True)
class _Corral:
    """Affinely independent points, with the QR factors of their columns ``(v_i, 1)``.

    The factors do not depend on the target, so a corral found for one target starts the search
    for the next. Working on the columns rather than on their Gram matrix keeps close neighbors
    apart: their distance d shows as d in R, and only as d^2 in a Gram matrix.
    """

    members: IntArray
    Q: Array
    R: Array

    @classmethod
    def of(cls, points: Array, members: IntArray, weights: Array) -> tuple[Self, Array]:
        """Corral of the points that add a direction, with what remains of their weights."""
        columns = np.ones((points.shape[1] + 1, len(members)), order="F")
        columns[:-1] = points[members].T
        Q, R, order = qr(columns, mode="economic", pivoting=True, check_finite=False)
        size = np.abs(R.diagonal())
        n_kept = np.count_nonzero(size > _DEPENDENT * size[0])
        weights = weights[order[:n_kept]]
        corral = cls(members[order[:n_kept]], Q[:, :n_kept], R[:n_kept, :n_kept])
        return corral, weights / weights.sum()

    def affine_weights(self, target: Array) -> tuple[Array, Array]:
        """Weights of sum 1, of any sign, that come nearest to the target; and the offset to it.

        With ``A = Q R`` the columns and ``e = (0, 1)``, the least squares solution subject to
        ``e . A w = 1`` is ``R w = y + o (1 - o . y) / (o . o)``, y = Q^T (target, 1), o = Q^T e.
        """
        ones = self.Q[-1]
        image = target @ self.Q[:-1] + ones
        image += ones * ((1.0 - ones @ image) / (ones @ ones))
        return dtrtrs(self.R, image)[0], self.Q[:-1] @ image - target

    def joined(self, index: int, row: Array) -> Self | None:
        """Return the corral with one more point; None if it adds no direction."""
        n_members = len(self.members)
        if n_members == len(self.Q):
            return None
        column = np.append(row, 1.0)
        try:
            Q, R = qr_insert(self.Q, self.R, column, n_members, which="col", check_finite=False)
        except np.linalg.LinAlgError:
            return None
        return type(self)(np.append(self.members, index), Q, R)

    def kept(self, keep: NDArray[np.bool_]) -> Self:
        Q, R = self.Q, self.R
        for position in np.flatnonzero(~keep)[::-1]:
            Q, R = qr_delete(Q, R, position, which="col", check_finite=False)
            # A square Q is taken for a full factorization and keeps its last column.
            Q, R = Q[:, : R.shape[1]], R[: R.shape[1]]
        return type(self)(self.members[keep], Q, R)


_State = tuple[IntArray, Array, Array]  # points, their weights, and the offset to the target


@dataclass(frozen=True)
class _Face:
    """Points with their inner products, which is all that a search by whole groups needs."""

    members: IntArray
    rows: Array
    gram: Array

    @classmethod
    def of(cls, candidates: Array, members: IntArray) -> Self:
        rows = candidates[members]
        return cls(members, rows, rows @ rows.T)

    def affine_weights(self, products: Array) -> tuple[Array, float] | None:
        """Weights w of sum 1 with ``gram w = products + level``, and the level."""
        system = self.gram.copy()
        system.flat[:: len(system) + 1] += _RIDGE
        sides = np.ones((len(system), 2), order="F")
        sides[:, 0] = products
        _, sides, failed = dposv(system.T, sides, overwrite_a=1, overwrite_b=1)
        if failed:
            return None
        level = (1.0 - sides[:, 0].sum()) / sides[:, 1].sum()
        return sides[:, 0] + level * sides[:, 1], float(level)

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
    points: Array,
    target: Array,
    *,
    start: NearestPoint | None = None,
    tolerance: float = 1e-6,
) -> NearestPoint:
    """Return the point of the convex hull of `points` nearest to `target`.

    Solves ``min_w |sum_i w_i v_i - target|`` over the simplex. In few dimensions by Wolfe's method
    (1976): solve on the affine hull of a few points, drop those whose weight would turn negative,
    let the point enter that lies furthest towards the target, repeat. In many dimensions whole
    groups of points enter and leave at once, and Wolfe's method takes over where that fails.
    Points enter from a pool of the furthest ones; all points are looked at only when the pool is
    used up.

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
        state = np.array([first]), np.ones(1), points[first] - target
    else:
        state = start.support, start.weights, start.weights @ points[start.support] - target
    while True:
        scores = points @ state[2]
        found = NearestPoint(*_certify(scores, target, state[2]), *state)
        if found.gap <= tolerance:
            return found
        shorter = _improve(points, scores, found, target, tolerance)
        if shorter is None:
            return found
        state = shorter


def _improve(
    points: Array, scores: Array, found: NearestPoint, target: Array, tolerance: float
) -> _State | None:
    """Come nearer to the target with a pool of points; None if no point of it helps."""
    if len(points) <= _POOL_SIZE:
        pool, candidates, start = np.arange(len(points)), points, found.support
    else:
        pool = np.union1d(found.support, _smallest(scores, _POOL_SIZE))
        candidates, start = points[pool], np.searchsorted(pool, found.support)
        tolerance = max(tolerance, _POOL_RATIO * found.gap)
    state = None
    if points.shape[1] > _FEW_DIMENSIONS:
        state = _exchange(candidates, start, target, tolerance)
    if state is None:
        state = _wolfe(candidates, start, found.weights, target, tolerance)
    members, weights, offset = state
    return (pool[members], weights, offset) if offset @ offset < found.distance**2 else None


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


def _exchange(
    candidates: Array, start: IntArray, target: Array, tolerance: float
) -> _State | None:
    """Exchange many points on the wrong side at once; None if that leads nowhere.

    The primal-dual active set method: solve on the affine hull of a set of points, let all those
    of negative weight leave, and those enter that lie beyond the hyperplane across the offset. It
    needs few steps, as each of them settles many points, but nothing keeps it from going round in
    circles. Letting only some enter, the furthest, makes that rare.
    """
    products = candidates @ target
    face = _Face.of(candidates, start)
    stalls, best = 0, np.inf
    for _ in range(_MAX_EXCHANGES):
        solved = face.affine_weights(products[face.members])
        if solved is None:
            return None
        weights, level = solved
        offset = weights @ face.rows - target
        scores = candidates @ offset
        distance, gap = _certify(scores, target, offset)
        keep = weights > 0.0
        if gap <= tolerance and keep.all():
            return face.members, weights, offset
        scores[face.members] = np.inf
        entering = _smallest(scores, max(1, (8 + len(keep) // 8) >> stalls))
        entering = entering[scores[entering] < level - 0.1 * tolerance * distance]
        if len(entering) == 0 and keep.all():
            return None
        n_negative=len(keep)-np.count_nonzero(keep)
        face = face.exchanged(keep, candidates, entering)
        if n_negative == 0:
            if distance < best: best = distance
            else: stalls += 1
        elif n_negative*3>len(keep): stalls+=1
    return None


def _wolfe(
    candidates: Array, start: IntArray, weights: Array, target: Array, tolerance: float
) -> _State:
    """Run Wolfe's major cycles until the gap on the candidates is closed or none of them helps."""
    corral, weights, offset = _descend(*_Corral.of(candidates, start, weights), target)
    while True:
        scores = candidates @ offset
        first = int(scores.argmin())
        larger = corral.joined(first, candidates[first])
        if larger is None or _certify(scores, target, offset)[1] <= tolerance:
            return corral.members, weights, offset
        trial = _descend(larger, np.append(weights, 0.0), target)
        if trial[2] @ trial[2] >= offset @ offset:
            return corral.members, weights, offset
        corral, weights, offset = trial


def _descend(corral: _Corral, weights: Array, target: Array) -> tuple[_Corral, Array, Array]:
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
        found = nearest_point(
            self.points,
            self.base + scale * self.direction,
            start=None if near is None else near[1],
            tolerance=self.tolerance,
        )
        self._solved.append((scale, found))
        return found

    def slope(self, scale: float) -> float:
        """Return d'(scale); zero where the distance is below the tolerance."""
        found = self.at(scale)
        if found.distance <= self.tolerance:
            return 0.0
        return -float(found.offset @ self.direction) / found.distance
