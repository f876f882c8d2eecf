"""The default: best bin estimation on three scores of different making, and what they agree on.

The score matters more than the estimator, and no single one is best everywhere. Taking the median
over a kernel model and two forests keeps one unlucky score from deciding; how far they lie apart
says how far to trust the number.

Whether anything is new at all is tested on the same scores, whatever the priors of known classes.
Within a fold and a likely class, labeled and unlabeled rows are alike if nothing is new, also when
the classes' shares have moved: a rank test compares the low ends of their scores there. The folds
hang together, because the rows one fold is scored by were themselves scored by it: each pair of
folds counts twice, which doubles the variance of the sum. (For scores along the difference of two
means, the sum over folds is that of the inner products of all pairs of differences.)
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from eulac.data.lac_sample import LacSample
from eulac.maths.threads import blas_threads
from eulac.proportion.best_bin import ScorePair, estimate_from_scores, known_log_odds
from eulac.proportion.estimate import ProportionEstimate, ProportionEstimator
from eulac.proportion.known_priors import UsedPriors, choose_priors, known_priors
from eulac.proportion.reduction import (
    cross_fit_folds,
    cross_fitted_probabilities,
    cross_fitted_scores,
    extra_trees,
)

__all__ = ["ConsensusProportion", "nothing_new_p_value"]

Array = NDArray[np.float64]

PAIRS_COUNT = 2.0
"""How often each pair of folds counts in the sum over folds."""

TAIL_POWER = 4
"""Rows count by this power of their rank from the top: what is new is at the low end."""


class ConsensusProportion(ProportionEstimator):
    """Median of best bin estimates on three cross-fitted scores, with interval and checks.

    The scores: kernel logistic regression and extremely randomized trees of labeled against
    unlabeled rows, and such trees of each known class against the unlabeled rows. The latter also
    tell whether the priors of the known classes have moved.

    Parameters
    ----------
    shift : {"auto", True, False}, default="auto"
        Whether the known classes' priors among each other may differ from the labeled ones:
        estimated, kept, or estimated and used only if they moved significantly (p < 0.01).
    n_folds : int, default=5
    n_resamples : int, default=100
        Bootstrap resamples behind the correction and the interval.
    n_jobs : int, optional
        Cores the forests may use.
    random_state : int, optional

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> known, new = rng.normal(0, 1, (700, 2)), rng.normal(6, 1, (100, 2))
    >>> X, y = np.vstack([known, new]), np.repeat([0, -1], [400, 400])
    >>> estimate = ConsensusProportion(random_state=0).fit(X, y).estimate_
    >>> bool(abs(estimate.total - 0.75) < 0.05)
    True
    >>> sorted(estimate.diagnostics["by_score"])
    ['forest', 'forest_by_class', 'kernel_logistic']
    """

    def __init__(
        self,
        *,
        shift: Any = "auto",
        n_folds: int = 5,
        n_resamples: int = 100,
        n_jobs: int | None = None,
        random_state: int | None = None,
    ):
        self.shift = shift
        self.n_folds = n_folds
        self.n_resamples = n_resamples
        self.n_jobs = n_jobs
        self.random_state = random_state

    def estimate(self, sample: LacSample) -> ProportionEstimate:
        """Return the estimate with interval, agreement, priors and a test of nothing new."""
        scores, by_class = self._scores(sample)
        priors = self._priors(sample, by_class)
        p_value = nothing_new_p_value(list(scores.values()), *self._strata(sample, by_class))
        return estimate_from_scores(
            scores,
            priors.used,
            method="consensus",
            known_weights=priors.weights(sample.y_labeled),
            n_resamples=self.n_resamples,
            random_state=self.random_state,
            diagnostics={"nothing_new_p_value": p_value, **priors.diagnostics()},
        )

    def _scores(self, sample: LacSample) -> tuple[dict[str, ScorePair], ScorePair]:
        """Return three pairs of held-out scores, and the class probabilities behind the last."""
        options: dict[str, Any] = {"n_folds": self.n_folds, "random_state": self.random_state}
        forest = extra_trees(self.random_state, self.n_jobs)
        with blas_threads(1):
            by_class = cross_fitted_probabilities(sample, forest, **options)
            scores = {
                "kernel_logistic": cross_fitted_scores(sample, **options),
                "forest": cross_fitted_scores(sample, forest, **options),
                "forest_by_class": known_log_odds(by_class),
            }
        return scores, by_class

    def _strata(self, sample: LacSample, by_class: ScorePair) -> list[NDArray[np.intp]]:
        """Return fold and likeliest known class of labeled and of unlabeled rows, as numbers."""
        folds = cross_fit_folds(sample, self.n_folds, self.random_state)
        return [
            fold * sample.n_known_classes + probability[:, :-1].argmax(axis=1)
            for fold, probability in zip(folds, by_class, strict=True)
        ]

    def _priors(self, sample: LacSample, by_class: ScorePair) -> UsedPriors:
        if self.shift is False:
            return UsedPriors(sample.labeled_frequency, sample.labeled_frequency)
        return choose_priors(
            known_priors(sample, *by_class, random_state=self.random_state), self.shift
        )


def nothing_new_p_value(
    pairs: Sequence[tuple[Array, Array]],
    labeled_strata: NDArray[np.intp],
    unlabeled_strata: NDArray[np.intp],
) -> float:
    """Return how often data without anything new would look as new as these do.

    Parameters
    ----------
    pairs : sequence of (labeled, unlabeled) arrays
        Cross-fitted scores, bigger for rows that look labeled.
    labeled_strata, unlabeled_strata : int arrays
        Fold and likely known class of each row, as one number.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> same = rng.normal(size=100), rng.normal(size=100)
    >>> other = rng.normal(size=100), np.append(rng.normal(size=50), rng.normal(-5, 1, 50))
    >>> strata = np.arange(100) % 5
    >>> nothing_new_p_value([same], strata, strata) > 0.05
    True
    >>> nothing_new_p_value([other], strata, strata) < 0.01
    True
    """
    difference, variance = 0.0, 0.0
    for stratum in np.intersect1d(labeled_strata, unlabeled_strata):
        labeled, unlabeled = labeled_strata == stratum, unlabeled_strata == stratum
        low_ranks = _low_ranks([(known[labeled], other[unlabeled]) for known, other in pairs])
        n, m = int(labeled.sum()), int(unlabeled.sum())
        weight = n * m / (n + m)
        difference += weight * float(low_ranks[n:].mean() - low_ranks[:n].mean())
        variance += weight**2 * float(low_ranks.var(ddof=1)) * (1.0 / n + 1.0 / m)
    if variance == 0.0:
        return 1.0
    return _skewed_tail(difference / math.sqrt(PAIRS_COUNT * variance))


def _low_ranks(pairs: Sequence[tuple[Array, Array]]) -> Array:
    """Rows of one stratum, labeled ones first, by how low they rank on all scores together."""
    total = np.sum([rankdata(np.concatenate(pair)) for pair in pairs], axis=0)
    return np.asarray((1.0 - rankdata(total) / (len(total) + 1)) ** TAIL_POWER)


def _skewed_tail(z: float) -> float:
    """P(Z > z) for a standardized exponential variable.

    Sums of inner products are skewed to the right, the more the fewer directions matter. Two
    directions give an exponential law; more give a lighter tail, so that this one is careful.
    """
    return min(1.0, math.exp(-(1.0 + z)))
