"""The default: best bin estimation on three scores of different making, and what they agree on.

The score matters more than the estimator, and no single one is best everywhere. Taking the median
over a kernel model and two forests keeps one unlucky score from deciding; how far they lie apart
says how far to trust the number.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eulac.data.lac_sample import LacSample
from eulac.maths.threads import blas_threads
from eulac.proportion.base import ProportionEstimator
from eulac.proportion.best_bin import best_bin, shares_above
from eulac.proportion.estimate import ProportionEstimate, base_estimate
from eulac.proportion.reduction import cross_fitted_scores, extra_trees

__all__ = ["ConsensusProportion", "consensus_best_bin", "nothing_new_p_value"]

Array = NDArray[np.float64]
ScorePair = tuple[Array, Array]

DISAGREEMENT = 0.1
"""Scores whose estimates lie further apart than this disagree."""


class ConsensusProportion(ProportionEstimator):
    """Median of best bin estimates on three cross-fitted scores, with interval and checks.

    The scores: kernel logistic regression and extremely randomized trees of labeled against
    unlabeled rows, and such trees of each known class against the unlabeled rows.

    Parameters
    ----------
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
        n_folds: int = 5,
        n_resamples: int = 100,
        n_jobs: int | None = None,
        random_state: int | None = None,
    ):
        self.n_folds = n_folds
        self.n_resamples = n_resamples
        self.n_jobs = n_jobs
        self.random_state = random_state

    def estimate(self, sample: LacSample) -> ProportionEstimate:
        """Return the estimate with interval, agreement and a test of nothing new."""
        scores = self.scores(sample)
        values, error = consensus_best_bin(
            list(scores.values()), n_resamples=self.n_resamples, random_state=self.random_state
        )
        total = float(np.median(values))
        spread = float(np.ptp(values))
        half = 1.96 * np.hypot(error, 0.5 * spread)
        return base_estimate(
            total,
            sample.labeled_frequency,
            interval=(max(total - half, 0.0), min(total + half, 1.0)),
            method="consensus",
            n_labeled=sample.n_labeled,
            n_unlabeled=sample.n_unlabeled,
            standard_error=float(np.hypot(error, 0.5 * spread)),
            diagnostics={
                "by_score": dict(zip(scores, map(float, values), strict=True)),
                "spread": spread,
                "scores_agree": spread <= DISAGREEMENT,
                "at_bound": total >= 1.0,
                "nothing_new_p_value": nothing_new_p_value(
                    list(scores.values()), random_state=self.random_state
                ),
            },
        )

    def scores(self, sample: LacSample) -> Mapping[str, ScorePair]:
        """Return the three pairs of held-out scores, labeled and unlabeled rows."""
        options: dict[str, Any] = {"n_folds": self.n_folds, "random_state": self.random_state}
        forest = extra_trees(self.random_state, self.n_jobs)
        with blas_threads(1):
            return {
                "kernel_logistic": cross_fitted_scores(sample, **options),
                "forest": cross_fitted_scores(sample, forest, **options),
                "forest_by_class": cross_fitted_scores(sample, forest, by_class=True, **options),
            }


def consensus_best_bin(
    pairs: Sequence[ScorePair], *, n_resamples: int = 100, random_state: Any = None
) -> tuple[Array, float]:
    """Return the corrected best bin estimate of each score, and the error of their median.

    Rows are resampled jointly, so that the error of the median knows how the scores hang
    together. The correction is that of `corrected_best_bin`.
    """
    rng = np.random.default_rng(random_state)
    raw = np.array([best_bin(*pair)[0] for pair in pairs])
    n_known, n_unlabeled = map(len, pairs[0])
    chosen = np.empty((n_resamples, len(pairs), 2))
    for resample in chosen:
        rows = rng.integers(0, n_known, n_known), rng.integers(0, n_unlabeled, n_unlabeled)
        for cell, (known, unlabeled) in zip(resample, pairs, strict=True):
            cell[:] = best_bin(known[rows[0]], unlabeled[rows[1]])
    optimism = np.empty(len(pairs))
    for index, pair in enumerate(pairs):
        known, unlabeled = shares_above(chosen[:, index, 1], *pair)
        optimism[index] = np.mean(unlabeled / known - chosen[:, index, 0])
    error = float(np.median(chosen[:, :, 0], axis=1).std())
    return np.clip(raw + optimism, 0.0, 1.0), error


def nothing_new_p_value(
    pairs: Sequence[ScorePair], *, n_permutations: int = 200, random_state: Any = None
) -> float:
    """Return how often data without anything new would look as new as these do.

    If nothing is new, labeled and unlabeled rows are exchangeable: permuting which is which gives
    the law of the smallest ratio. Small values speak for new classes.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> same = rng.normal(size=100), rng.normal(size=100)
    >>> other = rng.normal(size=100), np.append(rng.normal(size=50), rng.normal(-5, 1, 50))
    >>> nothing_new_p_value([same]) > 0.05 > nothing_new_p_value([other])
    True
    """
    rng = np.random.default_rng(random_state)
    n_known = len(pairs[0][0])
    pooled = [np.concatenate(pair) for pair in pairs]
    observed = np.median([best_bin(*pair)[0] for pair in pairs])
    smaller = 0
    for _ in range(n_permutations):
        order = rng.permutation(len(pooled[0]))
        known, unlabeled = order[:n_known], order[n_known:]
        value = np.median([best_bin(scores[known], scores[unlabeled])[0] for scores in pooled])
        smaller += int(value <= observed)
    return (smaller + 1) / (n_permutations + 1)
