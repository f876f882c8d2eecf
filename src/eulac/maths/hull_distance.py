"""Distance from a moving point to the convex hull of many points, with a certificate.

`nearest_point` projects one target on the hull with Wolfe's active-set method, `HullDistance`
follows the targets ``s * a + (1 - s) * b`` along a line. Every distance comes with its duality
gap. Nothing here draws random numbers. Points of a kernel come from `eulac.maths.low_rank`.
"""

from collections import deque
from dataclasses import dataclass, field
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr, qr_delete, qr_insert
from scipy.linalg.lapack import dtrtrs

__all__ = ["HullDistance", "NearestPoint", "nearest_point"]

Array = NDArray[np.float64]
IntArray = NDArray[np.intp]

_POOL_SIZE = 128  # points that may enter between two looks at all points
_POOL_RATIO = 0.25  # the gap on the pool is worth closing down to this share of the whole gap


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
    def of(cls, points: Array, members: IntArray) -> Self:
        columns = np.ones((points.shape[1] + 1, len(members)), order="F")
        columns[:-1] = points[members].T
        return cls(members, *qr(columns, mode="economic", overwrite_a=True, check_finite=False))

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
    weights: Array = field(repr=False)
    offset: Array = field(repr=False)
    _corral: _Corral = field(repr=False)

    @property
    def support(self) -> IntArray:
        """Indices of the points with positive weight."""
        return self._corral.members


def nearest_point(
    points: Array,
    target: Array,
    *,
    start: NearestPoint | None = None,
    tolerance: float = 1e-6,
) -> NearestPoint:
    """Return the point of the convex hull of `points` nearest to `target`.

    Solves ``min_w |sum_i w_i v_i - target|`` over the simplex by Wolfe's method (1976): solve on
    the affine hull of a few points, drop those whose weight would turn negative, let the point
    enter that lies furthest towards the target, repeat. Points enter from a pool of the furthest
    ones; all points are looked at only when the pool is used up.

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
        corral = _Corral.of(points, np.array([first]))
    else:
        corral = start._corral
    corral, weights, offset = _settle(corral, target)
    while True:
        scores = points @ offset
        distance, gap = _certify(scores, target, offset)
        found = NearestPoint(distance, gap, weights, offset, corral)
        if gap <= tolerance:
            return found
        pool = _smallest(scores, _POOL_SIZE)
        enough = max(tolerance, _POOL_RATIO * gap)
        corral, weights, offset = _descend_on_pool(points, pool, found, target, enough)
        if offset is found.offset:
            return found


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
    points: Array, pool: IntArray, found: NearestPoint, target: Array, tolerance: float
) -> _State:
    """Run Wolfe's major cycles on the pool; give the start back if no point of it helps."""
    candidates = points[pool]
    # Groups save solves where many directions are open, and fall over each other where few are.
    n_together = max(1, points.shape[1] // 32)
    state = found._corral, found.weights, found.offset
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
