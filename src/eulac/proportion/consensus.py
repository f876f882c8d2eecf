"""The default: best bin estimation on three scores of different making, and what they agree on.

The score matters more than the estimator, and no single one is best everywhere. Taking the median
over a kernel model and two forests keeps one unlucky score from deciding; how far they lie apart
says how far to trust the number.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eulac.data.lac_sample import LacSample
from eulac.maths.threads import blas_threads
from eulac.proportion.best_bin import best_bin, shares_above
from eulac.proportion.estimate import ProportionEstimate
from eulac.proportion.known_priors import UsedPriors, choose_priors, known_priors
from eulac.proportion.nothing_new import nothing_new_p_value
from eulac.proportion.proportion_estimator import ProportionEstimator
from eulac.proportion.reduction import (
    cross_fit_folds,
    cross_fitted_probabilities,
    cross_fitted_scores,
    extra_trees,
    log_odds,
)

__all__ = ["ConsensusProportion", "consensus_best_bin"]

Array = NDArray[np.float64]
ScorePair = tuple[Array, Array]

SPREAD_SHARE = 0.5
"""How much of the distance between the three estimates enters the standard error."""

DISAGREEMENT = 0.1
"""Scores whose estimates lie further apart than this disagree."""


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
        weights = (priors.used / priors.labeled)[sample.y_labeled] if priors.moved else None
        pairs = list(scores.values())
        values, error = consensus_best_bin(
            pairs, weights, n_resamples=self.n_resamples, random_state=self.random_state
        )
        total, spread = float(np.median(values)), float(np.ptp(values))
        error = float(np.hypot(error, SPREAD_SHARE * spread))
        return ProportionEstimate(
            total * priors.used,
            (max(total - 1.96 * error, 0.0), min(total + 1.96 * error, 1.0)),
            "consensus",
            sample.n_labeled,
            sample.n_unlabeled,
            standard_error=error,
            diagnostics={
                "by_score": dict(zip(scores, map(float, values), strict=True)),
                "spread": spread,
                "scores_agree": spread <= DISAGREEMENT,
                "at_bound": total >= 1.0,
                "nothing_new_p_value": nothing_new_p_value(pairs, *self._strata(sample, by_class)),
                **priors.diagnostics(),
            },
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
                "forest_by_class": (
                    log_odds(1.0 - by_class[0][:, -1]),
                    log_odds(1.0 - by_class[1][:, -1]),
                ),
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


def consensus_best_bin(
    pairs: Sequence[ScorePair],
    known_weights: Array | None = None,
    *,
    n_resamples: int = 100,
    random_state: Any = None,
) -> tuple[Array, float]:
    """Return the corrected best bin estimate of each score, and the error of their median.

    Rows are resampled jointly, so that the error of the median knows how the scores hang
    together. The correction is that of `corrected_best_bin`.
    """
    if known_weights is not None:  # a resample of nothing but rows without weight says nothing
        counted = known_weights > 0
        pairs = [(known[counted], unlabeled) for known, unlabeled in pairs]
        known_weights = known_weights[counted]
    rng = np.random.default_rng(random_state)
    raw = np.array([best_bin(*pair, known_weights)[0] for pair in pairs])
    n_known, n_unlabeled = map(len, pairs[0])
    chosen = np.empty((n_resamples, len(pairs), 2))
    for resample in chosen:
        rows = rng.integers(0, n_known, n_known), rng.integers(0, n_unlabeled, n_unlabeled)
        weights = None if known_weights is None else known_weights[rows[0]]
        for cell, (known, unlabeled) in zip(resample, pairs, strict=True):
            cell[:] = best_bin(known[rows[0]], unlabeled[rows[1]], weights)
    optimism = np.empty(len(pairs))
    for index, pair in enumerate(pairs):
        known, unlabeled = shares_above(chosen[:, index, 1], *pair, known_weights)
        optimism[index] = np.mean(unlabeled / known - chosen[:, index, 0])
    error = float(np.median(chosen[:, :, 0], axis=1).std())
    return np.clip(raw + optimism, 0.0, 1.0), error
