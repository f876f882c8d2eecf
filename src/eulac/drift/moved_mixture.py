"""The known share where known classes may have moved: a mixture whose known part may shift.

Under the class-shift condition known rows of the unlabeled sample score as labeled rows do, and
whatever scores differently is new. Where known classes have drifted that reading calls drifted
rows new. Here the known part of the scores is the labeled rows' density moved by a distance that
is estimated too, and rows are new only if they stand apart: their scores are a component of its
own, at least `SEPARATION` deviations of the labeled scores further out. Where no such component
is needed, nothing is new.

Drift and new classes cannot be told apart without an assumption. This is the one made here: new
classes stand apart from known ones by more than known ones have moved.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d
from scipy.optimize import minimize
from scipy.special import expit, logit
from scipy.stats import norm

__all__ = ["MovedMixture", "density_on_grid", "fit_moved_mixture"]

Array = NDArray[np.float64]

SEPARATION = 2.0
"""In deviations of the labeled scores."""

SHIFT_DEVIATION = 1.0
"""Of the distance known rows have moved, in its prior; in deviations of the labeled scores."""

SPREAD_DEVIATION = 0.5
"""Of the logarithm of the new rows' spread, in its prior."""

GRID_SIZE = 4096
MARGIN = 6.0
"""The density is kept so many deviations beyond the outermost scores."""

BOUNDS = ((0.0, 4.0), (-10.0, 10.0), (SEPARATION, 20.0), (-1.5, 1.5))
"""Of shift, logit of the share, gap and log spread. Known rows move towards new ones or not at
all: drift makes rows look less like labeled ones. Without that bound the known part could leave
and one new part explain everything."""

STARTS = tuple((share, shift) for share in (0.3, 0.6, 0.95) for shift in (0.0, 0.7))


@dataclass(frozen=True)
class MovedMixture:
    """Known and new part of unlabeled scores.

    Attributes
    ----------
    known_proportion : float
    shift : float
        How far known rows have moved towards new ones, in deviations of the labeled scores.
    gap : float
        How far new rows are from known ones, in the same unit.
    """

    known_proportion: float
    shift: float
    gap: float


def fit_moved_mixture(labeled_scores: Array, unlabeled_scores: Array) -> MovedMixture:
    """Return the mixture that fits held-out scores, bigger meaning newer.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> labeled = rng.normal(size=500)
    >>> moved, new = rng.normal(0.8, 1.0, 600), rng.normal(5.0, 1.0, 400)
    >>> found = fit_moved_mixture(labeled, np.append(moved, new))
    >>> bool(abs(found.known_proportion - 0.6) < 0.03), bool(abs(found.shift - 0.8) < 0.2)
    (True, True)
    >>> bool(fit_moved_mixture(labeled, moved).known_proportion > 0.97)  # nothing stands apart
    True
    """
    center, deviation = float(labeled_scores.mean()), float(labeled_scores.std())
    if deviation <= 0.0:
        return MovedMixture(float(np.mean(unlabeled_scores <= center)), 0.0, 0.0)
    density = density_on_grid((labeled_scores - center) / deviation)
    scores = (unlabeled_scores - center) / deviation

    def loss(parameters: Array) -> float:
        shift, share, gap, log_spread = parameters
        theta, spread = expit(share), np.exp(log_spread)
        likelihood = theta * density(scores - shift)
        likelihood += (1.0 - theta) * norm.pdf(scores, shift + gap, spread)
        prior = (shift / SHIFT_DEVIATION) ** 2 + (log_spread / SPREAD_DEVIATION) ** 2
        return float(0.5 * prior - np.log(likelihood + 1e-12).sum())

    starts = [(shift, logit(share), SEPARATION + 1.0, 0.0) for share, shift in STARTS]
    found = (minimize(loss, start, method="L-BFGS-B", bounds=BOUNDS) for start in starts)
    shift, share, gap, _ = min(found, key=lambda one: one.fun).x
    return MovedMixture(float(expit(share)), float(shift), float(gap))


def density_on_grid(scores: Array) -> Callable[[Array], Array]:
    """Return a kernel density estimate of scores, kept on a grid.

    Examples
    --------
    >>> density = density_on_grid(np.random.default_rng(0).normal(size=2000))
    >>> bool(abs(density(np.zeros(1))[0] - 0.39) < 0.04)
    True
    """
    low, high = scores.min() - MARGIN, scores.max() + MARGIN
    counts, edges = np.histogram(scores, bins=GRID_SIZE, range=(low, high))
    step = edges[1] - edges[0]
    bandwidth = 1.06 * max(float(scores.std()), 1e-3) * len(scores) ** -0.2
    heights = gaussian_filter1d(counts.astype(float), bandwidth / step) / (len(scores) * step)
    centers = edges[:-1] + 0.5 * step
    return lambda at: np.asarray(np.interp(at, centers, heights, left=0.0, right=0.0) + 1e-9)
