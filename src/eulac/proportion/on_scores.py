"""What estimators on one-dimensional held-out scores share: reduction, bootstrap, result.

A method is a function of the held-out scores of known and of unlabeled rows; a class adds where
the scores come from and how sure the number is.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eulac.data.lac_sample import LacSample
from eulac.proportion.estimate import ProportionEstimate, ProportionEstimator, estimate_with_error
from eulac.proportion.reduction import cross_fitted_scores

__all__ = ["ScoreEstimate", "ScoreProportion"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ScoreEstimate:
    """A known proportion read off scores.

    Attributes
    ----------
    value : float
    at_bound : bool
        Whether the method stopped at a limit of its own, so that the value is one too.
    standard_error : float or None
        Where the method knows it; otherwise the scores are resampled.
    diagnostics : mapping
    """

    value: float
    at_bound: bool = False
    standard_error: float | None = None
    diagnostics: Mapping[str, Any] = field(default_factory=dict)


class ScoreProportion(ProportionEstimator):
    """Base of estimators on cross-fitted scores: subclasses write `from_scores`.

    Parameters
    ----------
    classifier : scikit-learn classifier, optional
        Tells labeled from unlabeled rows; default: logistic regression on a Nystroem map of a
        Gaussian kernel.
    n_folds : int, default=5
    n_resamples : int, default=100
        Bootstrap resamples of the scores behind the interval.
    random_state : int, optional
    """

    method = "scores"

    def __init__(
        self,
        classifier: Any = None,
        *,
        n_folds: int = 5,
        n_resamples: int = 100,
        random_state: int | None = None,
    ):
        self.classifier = classifier
        self.n_folds = n_folds
        self.n_resamples = n_resamples
        self.random_state = random_state

    def from_scores(self, known_scores: Array, unlabeled_scores: Array) -> ScoreEstimate:
        """Return the estimate of held-out scores, bigger meaning more like a known class."""
        raise TypeError(f"{type(self).__name__} does not say how to read scores.")

    def estimate(self, sample: LacSample) -> ProportionEstimate:
        """Return the estimate with its interval."""
        known, unlabeled = cross_fitted_scores(
            sample, self.classifier, n_folds=self.n_folds, random_state=self.random_state
        )
        result = self.from_scores(known, unlabeled)
        error = result.standard_error
        if error is None:
            error = self._bootstrap_error(known, unlabeled)
        value = min(max(result.value, 0.0), 1.0)
        return estimate_with_error(
            value,
            sample.labeled_frequency,
            error,
            method=self.method,
            n_labeled=sample.n_labeled,
            n_unlabeled=sample.n_unlabeled,
            diagnostics={"at_bound": result.at_bound, **result.diagnostics},
        )

    def _bootstrap_error(self, known: Array, unlabeled: Array) -> float:
        rng = np.random.default_rng(self.random_state)
        values = [
            self.from_scores(rng.choice(known, len(known)), rng.choice(unlabeled, len(unlabeled)))
            for _ in range(self.n_resamples)
        ]
        return float(np.std([estimate.value for estimate in values]))
