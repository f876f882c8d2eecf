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
        Scales at which the slope was evaluated, in order, with the distance to the hull and the
        slope there.
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
    test = _SlopeTest(hull, threshold, step, exact_slope)
    scale, at_bound = _bisect(test, step, 1.0 / (1.0 - highest))
    return KernelMeanResult(
        # Paper: Algorithm 1 returns lambda; wanted is theta = 1 - 1 / lambda.
        known_proportion=1.0 - 1.0 / scale,
        mixture_scale=scale,
        at_bound=at_bound,
        threshold=threshold,
        mean_distance=_mean_distance(hull),
        scales=tuple(test.scales),
        distances=tuple(test.distances),
        slopes=tuple(test.slopes),
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


class _SlopeTest:
    """Whether the slope of a convex distance exceeds a threshold at a scale.

    The slope never falls, so one answer settles all scales on one side of it, and a question is
    best put where the answer is about to turn: few scales are left to ask about, and those far
    below, where the point is nearly inside the hull and a distance is dear, are never asked.
    """

    def __init__(self, hull: HullDistance, threshold: float, step: float, exact: bool) -> None:
        self.hull = hull
        self.threshold = threshold
        self.step = step
        self.exact = exact
        self.scales: list[float] = []
        self.distances: list[float] = []
        self.slopes: list[float] = []
        self.max_gap = 0.0
        self._gentle: int | None = None  # the last evaluation on either side of the threshold
        self._steep: int | None = None

    def __call__(self, scale: float) -> bool:
        if self._answer(scale) is None:
            self._evaluate(self._probe(scale))
        if self._answer(scale) is None:
            self._evaluate(scale)
        return bool(self._answer(scale))

    def _answer(self, scale: float) -> bool | None:
        if self._steep is not None and scale >= self.scales[self._steep]:
            return True
        if self._gentle is not None and scale <= self.scales[self._gentle]:
            return False
        return None

    def _probe(self, scale: float) -> float:
        """Scale near the turn, on the side of it from which the answer would settle `scale`."""
        if self._steep is None:
            return scale
        steep, slope = self.scales[self._steep], self.slopes[self._steep]
        if self._gentle is None:
            return max(scale, steep - self.distances[self._steep] / slope)
        gentle, first = self.scales[self._gentle], self.slopes[self._gentle]
        turn = gentle + (steep - gentle) * (self.threshold - first) / (slope - first)
        return max(scale, turn - self.step) if scale < turn else min(scale, turn + self.step)

    def _evaluate(self, scale: float) -> None:
        half = 0.0 if self.exact else self.step / 2
        above, below = self.hull.at(scale + half), self.hull.at(scale - half)
        if self.exact:
            slope = self.hull.slope(scale)
        else:
            slope = (above.distance - below.distance) / self.step
        if slope > self.threshold:
            self._steep = len(self.scales)
        else:
            self._gentle = len(self.scales)
        self.scales.append(scale)
        self.distances.append((above.distance + below.distance) / 2)
        self.slopes.append(slope)
        self.max_gap = max(self.max_gap, above.gap, below.gap)


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
