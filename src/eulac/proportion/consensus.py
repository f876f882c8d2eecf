"""Best bin estimation on three scores of different making, and what they agree on.

The score matters more than the estimator, and no single one is best everywhere. Taking the median
over a kernel model and two forests keeps one unlucky score from deciding; how far they lie apart
says how far to trust the number.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from eulac.data.lac_sample import LacSample
from eulac.maths.threads import blas_threads
from eulac.proportion.best_bin import ScorePair, estimate_from_scores
from eulac.proportion.estimate import ProportionEstimate, ProportionEstimator, with_one_seed
from eulac.proportion.known_priors import used_priors
from eulac.proportion.nothing_new import nothing_new_p_value, strata_of
from eulac.proportion.reduction import (
    cross_fit_folds,
    cross_fitted_probabilities,
    cross_fitted_scores,
    extra_trees,
    known_log_odds,
)

__all__ = ["ConsensusProportion"]

Array = NDArray[np.float64]


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
    random_state : int or generator of NumPy, optional

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(np.repeat([[0.0], [6.0]], [700, 100], axis=0), 1.0, (800, 2))
    >>> y = np.repeat([0, -1], [400, 400])
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
        random_state: Any = None,
    ):
        self.shift = shift
        self.n_folds = n_folds
        self.n_resamples = n_resamples
        self.n_jobs = n_jobs
        self.random_state = random_state

    def estimate(self, sample: LacSample) -> ProportionEstimate:
        """Return the estimate with interval, agreement, priors and a test of nothing new."""
        return with_one_seed(self)._estimate(sample)

    def _estimate(self, sample: LacSample) -> ProportionEstimate:
        scores, by_class = self._scores(sample)
        priors = used_priors(sample, by_class, self.shift, random_state=self.random_state)
        folds = cross_fit_folds(sample, self.n_folds, self.random_state)
        p_value = nothing_new_p_value(list(scores.values()), *strata_of(folds, by_class))
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
