"""The known proportion where new rows overlap known ones: an exponential tilt of held-out scores.

Let S be a held-out score of how new a row looks. Known rows of the unlabeled sample are
distributed as the labeled ones; new rows as labeled ones tilted by ``exp(a + b S)``. The odds of
a row being unlabeled are then ``(m / n) w(S)`` with ``w(S) = theta + (1 - theta) exp(a + b S)``,
and theta, a and b maximize the likelihood. Unlike a best bin, the estimate needs no region free of
new rows, so it stays below the upper bound the best bin gives on hard tables.

The slope b is known beforehand: scores are log odds themselves, half as far again from held-out
rows as they should be (`SCORE_SCALE`). A prior on it decides on small and hard tables.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, logit

__all__ = ["Tilt", "exponential_tilt", "tilt_error"]

Array = NDArray[np.float64]

SCORE_SCALE = 1.5
SLOPE_DEVIATION = 0.2
"""Of the logarithm of the slope, in its prior."""

EDGE = 0.05
"""How strongly proportions of 0 and 1 are shunned: as if by so many rows."""

STEEPEST = 50.0
"""Exponents beyond are cut."""

STARTS = tuple((share, quantile) for share in (0.3, 0.7) for quantile in (0.5, 0.8))
"""Proportions, and quantiles of unlabeled scores where new rows take over: others may end in a
local optimum."""


@dataclass(frozen=True)
class Tilt:
    """A fitted tilt.

    Attributes
    ----------
    known_proportion : float
    offset, log_slope : float
        ``a`` and ``log b``.
    """

    known_proportion: float
    offset: float
    log_slope: float

    def known_probability(self, scores: Array) -> Array:
        """Return how likely unlabeled rows with these scores are known."""
        exponent = self.offset + np.exp(self.log_slope) * SCORE_SCALE * scores
        return np.asarray(expit(logit(self.known_proportion) - exponent))


def exponential_tilt(
    labeled_scores: Array,
    unlabeled_scores: Array,
    weights: Array | None = None,
    *,
    scale: float = SCORE_SCALE,
    start: Tilt | None = None,
) -> Tilt:
    """Return the tilt that fits held-out scores, bigger meaning newer.

    Parameters
    ----------
    labeled_scores, unlabeled_scores : arrays of shape (n,) and (m,)
    weights : array of shape (n,), optional
        How much each labeled row counts, one on average.
    scale : float
        What the scores are multiplied with.
    start : Tilt, optional
        Where to start; default: from four places.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> known, new = rng.normal(-2, 2, 900), rng.normal(2, 2, 300)
    >>> tilt = exponential_tilt(known[:300] / 1.5, np.append(known[300:], new) / 1.5)
    >>> bool(abs(tilt.known_proportion - 2 / 3) < 0.05)
    True
    """
    labeled, unlabeled = scale * labeled_scores, scale * unlabeled_scores
    weights = np.ones(len(labeled)) if weights is None else weights
    n, ratio = len(labeled), len(unlabeled) / len(labeled)
    scores, rows = np.append(labeled, unlabeled), np.append(weights, np.ones(len(unlabeled)))

    def loss(parameters: Array) -> tuple[float, Array]:
        known, offset, log_slope = parameters
        theta, slope = expit(known), np.exp(log_slope)
        tilted = _bounded_exp(offset + slope * scores)
        heights = ratio * (theta + (1.0 - theta) * tilted)
        fit = np.append(np.log1p(heights[:n]), np.log1p(1.0 / heights[n:]))
        # How fast each row's term grows with its height.
        steepness = rows * np.append(
            1.0 / (1.0 + heights[:n]), -1.0 / (heights * (1.0 + heights))[n:]
        )
        in_offset = ratio * (1.0 - theta) * steepness * tilted
        odds = theta * (1.0 - theta)
        slopes = np.array(
            [
                ratio * odds * float(steepness @ (1.0 - tilted)) - EDGE * (1.0 - 2.0 * theta),
                float(in_offset.sum()),
                slope * float(in_offset @ scores) + log_slope / SLOPE_DEVIATION**2,
            ]
        )
        slope_prior = 0.5 * (log_slope / SLOPE_DEVIATION) ** 2
        return float(rows @ fit + slope_prior - EDGE * np.log(odds + 1e-300)), slopes

    if start is None:
        starts = [
            (logit(share), -float(np.quantile(unlabeled, quantile)), 0.0)
            for share, quantile in STARTS
        ]
    else:
        known = logit(np.clip(start.known_proportion, 1e-6, 1 - 1e-6))
        starts = [(known, start.offset, start.log_slope)]
    found = min(
        (minimize(loss, begin, jac=True, method="BFGS") for begin in starts), key=lambda o: o.fun
    )
    return Tilt(float(expit(found.x[0])), float(found.x[1]), float(found.x[2]))


def tilt_error(
    tilt: Tilt,
    labeled_scores: Array,
    unlabeled_scores: Array,
    weights: Array | None = None,
    *,
    n_resamples: int = 40,
    random_state: Any = None,
) -> float:
    """Return the standard error of the tilt's proportion, for the rows at hand.

    Rows are resampled and the scale of the scores is drawn from the prior of the slope. Only what
    moves the estimate away from the share in the resampled rows counts: the share is that of the
    unlabeled rows themselves, not of where they were drawn from.
    """
    rng = np.random.default_rng(random_state)
    known = tilt.known_probability(unlabeled_scores)
    deviations = np.empty(n_resamples)
    for index in range(n_resamples):
        rows = rng.integers(0, len(labeled_scores), len(labeled_scores))
        others = rng.integers(0, len(unlabeled_scores), len(unlabeled_scores))
        again = exponential_tilt(
            labeled_scores[rows],
            unlabeled_scores[others],
            None if weights is None else weights[rows],
            scale=SCORE_SCALE * float(np.exp(SLOPE_DEVIATION * rng.normal())),
            start=tilt,
        )
        deviations[index] = again.known_proportion - known[others].mean()
    return float(deviations.std())


def _bounded_exp(exponent: Array) -> Array:
    return np.asarray(np.exp(np.clip(exponent, -STEEPEST, STEEPEST)))
