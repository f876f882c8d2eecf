"""How much of a mixture a known component can explain, from their kernel mean embeddings.

Given samples of H and of ``F = (1 - theta) G + theta H``, `kernel_mean_proportion` returns the
largest theta for which ``(F - theta H) / (1 - theta)`` still looks like a distribution: its
embedding ``p(s) = s mean_F + (1 - s) mean_H`` with ``s = 1 / (1 - theta)`` leaves the convex hull
of the embedded sample there (Ramaswamy, Scott, Tewari, 2016; Algorithm 1 of Zhang et al., 2020).
Random numbers only thin large samples when a bandwidth has to be chosen.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eulac.maths.hull_distance import HullDistance
from eulac.maths.kernels import GaussianKernel, median_distance, squared_distances
from eulac.maths.low_rank import pivoted_cholesky

__all__ = ["KernelMeanResult", "kernel_mean_proportion", "widest_embedding_bandwidth"]

Array = NDArray[np.float64]

_BANDWIDTH_FACTORS = 10.0 ** np.array([-1.0, -0.5, 0.0, 0.5, 1.0])
_BANDWIDTH_ROWS = 1000  # of each sample, at most, to choose a bandwidth with
_SLOPE_PRECISION = 5e-4  # what the duality gaps may add to a finite difference
_ENVELOPE_TOLERANCE = 1e-8  # the envelope slope sees an error of the nearest point at first order


@dataclass(frozen=True)
class KernelMeanResult:
    """Known proportion found by `kernel_mean_proportion`, and how it was found.

    Attributes
    ----------
    known_proportion : float
        theta = 1 - 1 / `mixture_scale`.
    mixture_scale : float
        lambda of Algorithm 1.
    at_bound : bool
        Whether the search ran into either end of its range: the slope exceeded the threshold
        everywhere (nothing known) or nowhere (known up to `max_known_proportion`, or beyond).
    threshold : float
        Slope above which a scale was rejected.
    mean_distance : float
        Distance between the two mean embeddings. No slope exceeds it, so a threshold above it
        can only end at the bound.
    scales, distances, slopes : tuple of float
        Scales that were solved, in order, with the distance to the hull and its slope there. All
        other slopes that the bisection asks for are bounded by these.
    max_duality_gap : float
        Largest certificate of the distances used.
    rank : int
        Number of dimensions the kernel was factored into.
    residual : float
        Largest error of the factored kernel, of entries that are at most one.
    bandwidth : float
        Bandwidth of the Gaussian kernel.
    n_h, n_f : int
        Sizes of the two samples.
    """

    known_proportion: float
    mixture_scale: float
    at_bound: bool
    threshold: float
    mean_distance: float
    scales: tuple[float, ...] = field(repr=False)
    distances: tuple[float, ...] = field(repr=False)
    slopes: tuple[float, ...] = field(repr=False)
    max_duality_gap: float
    rank: int
    residual: float
    bandwidth: float
    n_h: int
    n_f: int


def kernel_mean_proportion(
    sample_h: Array,
    sample_f: Array,
    *,
    rule: str = "gradient",
    bandwidth: float | None = None,
    slope_threshold: float | None = None,
    search_step: float | None = None,
    max_known_proportion: float | None = None,
    exact_slope: bool = False,
    max_rank: int = 256,
    random_state: Any = None,
) -> KernelMeanResult:
    """Estimate the share of a known distribution in a mixture from a sample of each.

    Bisects for the scale at which the slope of the hull distance
    ``d(s) = min_w |s mean_F + (1 - s) mean_H - w|`` exceeds a threshold. The share is an upper
    bound unless the rest of the mixture is irreducible with respect to the known distribution.

    Parameters
    ----------
    sample_h : array of shape (n_h, n_features)
        Sample of the known distribution: the labeled rows.
    sample_f : array of shape (n_f, n_features)
        Sample of the mixture: the unlabeled rows.
    rule : {"gradient", "km1", "km2"}, default="gradient"
        Where the threshold comes from, and the defaults of the other parameters:

        - "gradient": `slope_threshold` itself (0.25), step 0.02, bound 0.9, median bandwidth:
          Algorithm 1 of Zhang et al. (2020).
        - "km1": ``(1 - t) * d'(1) + t * |mean_F - mean_H|`` with t = `slope_threshold` (0.2),
          step 0.04, bound 0.875, bandwidth of `widest_embedding_bandwidth`.
        - "km2": ``1 / sqrt(min(n_h, n_f))``, or the threshold of "km1" where this is above 0.9
          of the largest slope there can be; otherwise as "km1".
    bandwidth : float, optional
        Bandwidth of the Gaussian kernel.
    slope_threshold : float, optional
        Threshold or weight, see `rule`.
    search_step : float, optional
        Width at which the bisection of the scale ends, and of the finite difference.
    max_known_proportion : float, optional
        Largest share that is searched for, below 1.
    exact_slope : bool, default=False
        Use the slope from the envelope theorem instead of a central difference over
        `search_step`: half the distances, and no smoothing of the kink.
    max_rank : int, default=256
        Largest number of dimensions kept of the kernel; memory is 8 `max_rank` bytes a row.
    random_state : int, Generator or None
        Thins samples of more than a thousand rows for the choice of the bandwidth.

    Returns
    -------
    KernelMeanResult

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> known, new = rng.normal(0, 1, (700, 1)), rng.normal(6, 1, (300, 1))
    >>> result = kernel_mean_proportion(known[:300], np.concatenate([known[300:], new]))
    >>> round(result.known_proportion, 2), result.at_bound
    (0.58, False)
    """
    chosen = _rule(rule)
    step = chosen.search_step if search_step is None else search_step
    highest = chosen.max_known_proportion if max_known_proportion is None else max_known_proportion
    if bandwidth is None:
        bandwidth = chosen.bandwidth(sample_h, sample_f, random_state)

    X, n_h = np.concatenate([sample_h, sample_f]), len(sample_h)
    kernel = GaussianKernel(bandwidth)
    factor = pivoted_cholesky(
        lambda rows, columns: kernel.block(X[rows], X[columns]), np.ones(len(X)), max_rank=max_rank
    )
    hull = HullDistance(
        factor.rows,
        a=factor.rows[n_h:].mean(axis=0),
        b=factor.rows[:n_h].mean(axis=0),
        tolerance=_ENVELOPE_TOLERANCE if exact_slope else _SLOPE_PRECISION * step,
    )
    weight = chosen.slope_threshold if slope_threshold is None else slope_threshold
    threshold = chosen.threshold(hull, weight, min(n_h, len(sample_f)))
    upper = 1.0 / (1.0 - highest)
    test = _SlopeTest(hull, threshold, step, upper, exact_slope)
    scale, at_bound = _bisect(test, step, upper)
    return KernelMeanResult(
        # Paper: Algorithm 1 returns lambda; wanted is theta = 1 - 1 / lambda.
        known_proportion=1.0 - 1.0 / scale,
        mixture_scale=scale,
        at_bound=at_bound,
        threshold=threshold,
        mean_distance=_mean_distance(hull),
        scales=tuple(cut.scale for cut in test.cuts[1:]),
        distances=tuple(cut.distance for cut in test.cuts[1:]),
        slopes=tuple(cut.slope for cut in test.cuts[1:]),
        max_duality_gap=test.max_gap,
        rank=factor.rank,
        residual=factor.residual,
        bandwidth=bandwidth,
        n_h=n_h,
        n_f=len(sample_f),
    )


def _bisect(exceeds: Callable[[float], bool], step: float, upper: float) -> tuple[float, bool]:
    """Lines 4 to 15 of Algorithm 1: the scale where the slope test turns, and if it ever did."""
    left, right = 1.0, upper
    while True:
        current = (left + right) / 2
        if exceeds(current):
            right = current
        else:
            left = current
        if right - left <= step:
            return current, left == 1.0 or right == upper


@dataclass(frozen=True)
class _Cut:
    """What one solved scale says: the distance there, and a line that is below it everywhere."""

    scale: float
    distance: float
    lower: float
    slope: float

    def below(self, scale: float) -> float:
        return self.lower + self.slope * (scale - self.scale)


class _SlopeTest:
    """Whether the slope of a convex distance exceeds a threshold at a scale.

    A distance, its duality gap and its envelope slope bound the slopes at all other scales. So a
    scale is best solved where the answer is about to turn: few questions are left open, and those
    far below, where the point is nearly inside the hull and a distance is dear, never are.
    """

    def __init__(
        self, hull: HullDistance, threshold: float, step: float, upper: float, exact: bool
    ) -> None:
        self.hull = hull
        self.threshold = threshold
        self.step = step
        self.upper = upper
        self.half = 0.0 if exact else step / 2
        self.cuts = [_Cut(1.0, 0.0, 0.0, 0.0)]  # at 1 the point is in the hull
        self.max_gap = 0.0

    def __call__(self, scale: float) -> bool:
        ends, turn = (scale - self.half, scale + self.half), self._turn()
        if scale < turn:
            probes = max(ends[1], turn - self.step / 4), ends[1], ends[0]
        else:
            probes = min(ends[0], turn + self.step / 4), ends[0], ends[1]
        for probe in probes:
            if (answer := self._answer(scale)) is not None:
                return answer
            self._solve(probe)
        answer = self._answer(scale)
        return self._central_slope(scale) > self.threshold if answer is None else answer

    def _answer(self, scale: float) -> bool | None:
        """Answer if the bounds on the slope lie on one side of the threshold."""
        if self.half == 0.0:
            if any(cut.slope > self.threshold and cut.scale <= scale for cut in self.cuts):
                return True
            gentle = any(cut.slope <= self.threshold and cut.scale >= scale for cut in self.cuts)
            return False if gentle else None
        # The slope of a convex function is above that of any chord to the left of it, and below
        # that of any chord to the right of it, whether they share an end or not.
        left, right = scale - self.half, scale + self.half
        highest = max(cut.below(right) for cut in self.cuts)
        ends = [(min(1.0, left), 0.0)]
        ends += [(cut.scale, cut.distance) for cut in self.cuts if cut.scale <= left]
        if any(highest - distance > self.threshold * (right - at) for at, distance in ends):
            return True
        lowest = max(cut.below(left) for cut in self.cuts)
        ends = [(cut.scale, cut.distance) for cut in self.cuts if cut.scale >= right]
        if any(distance - lowest <= self.threshold * (at - left) for at, distance in ends):
            return False
        return None

    def _turn(self) -> float:
        """Guess the scale at which the slope reaches the threshold."""
        steep = [cut for cut in self.cuts if cut.slope > self.threshold]
        gentle = [cut for cut in self.cuts if cut.slope <= self.threshold]
        if not steep or not gentle:
            return self.upper + self.step / 4 if gentle else 1.0
        first = min(steep, key=lambda cut: cut.scale)
        last = max(gentle, key=lambda cut: cut.scale)
        if last.scale == 1.0:
            return self._turn_below(first, len(steep))
        near = sorted(self.cuts[1:], key=lambda cut: abs(cut.slope - self.threshold))[:2]
        guess = self._secant(*near)
        return guess if last.scale < guess < first.scale else self._secant(last, first)

    def _turn_below(self, first: _Cut, n_steep: int) -> float:
        """Guess the turn where every solved scale lies above it.

        A distance that is zero up to a kink gives a guess that tends to be too low, a slope that
        grows like a power of ``scale - 1`` one that tends to be too high.
        """
        kink = first.scale - first.distance / first.slope
        if n_steep == 1:
            return kink
        excess = first.slope * (first.scale - 1.0) - first.distance
        power = first.distance / excess if excess > 0.0 else np.inf
        return (kink + 1.0 + (first.scale - 1.0) * (self.threshold / first.slope) ** power) / 2

    def _secant(self, one: _Cut, other: _Cut) -> float:
        """Scale at which a slope linear in 1 / scale (it is less curved) reaches the threshold."""
        if one.slope == other.slope:
            return other.scale
        share = (self.threshold - one.slope) / (other.slope - one.slope)
        inverse = (1.0 - share) / one.scale + share / other.scale
        return 1.0 / inverse if inverse > 0.0 else other.scale

    def _solve(self, scale: float) -> None:
        if scale <= 1.0 or any(cut.scale == scale for cut in self.cuts):
            return
        found = self.hull.at(scale)
        # Where the gap is as large as the distance, nothing but zero is known to lie below.
        slope = max(self.hull.slope(scale), 0.0) if found.gap < found.distance else 0.0
        lower = found.distance - found.gap if slope > 0.0 else 0.0
        self.cuts.append(_Cut(scale, found.distance, lower, slope))
        self.max_gap = max(self.max_gap, found.gap)

    def _central_slope(self, scale: float) -> float:
        if self.half == 0.0:
            return self.hull.slope(scale)
        left, right = (self.hull.at(end).distance for end in (scale - self.half, scale + self.half))
        return (right - left) / self.step


def _mean_distance(hull: HullDistance) -> float:
    return float(np.linalg.norm(hull.direction))


def _given_threshold(hull: HullDistance, slope_threshold: float, n_smallest: int) -> float:
    return slope_threshold


def _interpolated_threshold(hull: HullDistance, weight: float, n_smallest: int) -> float:
    """Between the slope at 1 and the largest slope there can be."""
    # As in the reference code: a forward difference over 0.05; the distance at 1 is zero.
    first_slope = hull.at(1.05).distance / 0.05
    return (1.0 - weight) * first_slope + weight * _mean_distance(hull)


def _sample_size_threshold(hull: HullDistance, weight: float, n_smallest: int) -> float:
    """Noise level of a mean embedding, unless no slope could exceed it."""
    threshold = 1.0 / np.sqrt(n_smallest)
    if threshold > 0.9 * _mean_distance(hull):
        return _interpolated_threshold(hull, weight, n_smallest)
    return float(threshold)


def _median_bandwidth(sample_h: Array, sample_f: Array, random_state: Any) -> float:
    X = np.concatenate([sample_h, sample_f])
    return median_distance(X, max_rows=_BANDWIDTH_ROWS, random_state=random_state)


def widest_embedding_bandwidth(sample_h: Array, sample_f: Array, random_state: Any = None) -> float:
    """Return the bandwidth that moves the two mean embeddings furthest apart.

    Tries the median distance times 0.1, 0.316, 1, 3.16 and 10 (Ramaswamy et al., 2016), on at
    most a thousand rows of each sample.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.arange(10.0)[:, None]
    >>> round(widest_embedding_bandwidth(X, X + 20.0), 2)
    4.11
    """
    rng = np.random.default_rng(random_state)
    H, F = (_thinned(sample, rng) for sample in (sample_h, sample_f))
    X = np.concatenate([H, F])
    contrast = np.concatenate([np.full(len(H), -1.0 / len(H)), np.full(len(F), 1.0 / len(F))])
    distances = squared_distances(X, X)
    candidates = _BANDWIDTH_FACTORS * median_distance(X, max_rows=len(X))
    spread = [
        contrast @ GaussianKernel(bandwidth).from_squared_distances(distances) @ contrast
        for bandwidth in candidates
    ]
    return float(candidates[int(np.argmax(spread))])


def _thinned(sample: Array, rng: np.random.Generator) -> Array:
    if len(sample) <= _BANDWIDTH_ROWS:
        return sample
    return sample[rng.choice(len(sample), _BANDWIDTH_ROWS, replace=False)]


@dataclass(frozen=True)
class _Rule:
    """Threshold of a slope test, with the constants it was published with."""

    threshold: Callable[[HullDistance, float, int], float]
    slope_threshold: float
    search_step: float
    max_known_proportion: float
    bandwidth: Callable[[Array, Array, Any], float]


# Names as in the code for augmented classes. The wrapper published by Ramaswamy et al. returns
# (sample size, interpolated) in this order as (KM1, KM2).
_RULES = {
    "gradient": _Rule(_given_threshold, 0.25, 0.02, 0.9, _median_bandwidth),
    "km1": _Rule(_interpolated_threshold, 0.2, 0.04, 0.875, widest_embedding_bandwidth),
    "km2": _Rule(_sample_size_threshold, 0.2, 0.04, 0.875, widest_embedding_bandwidth),
}


def _rule(name: str) -> _Rule:
    if name not in _RULES:
        raise ValueError(f"`rule` must be one of {', '.join(_RULES)}; got {name!r}.")
    return _RULES[name]
