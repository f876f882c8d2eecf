"""Best bin estimation: the proportion from the top of a score that ranks known rows first.

Above a threshold where hardly any augmented row scores, the share of unlabeled rows is the known
proportion times the share of known rows. The threshold minimizes an upper confidence bound of
that ratio (Garg et al., NeurIPS 2021).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from eulac.data.lac_sample import LacSample
from eulac.maths.kernels import median_distance
from eulac.proportion.base import ProportionEstimator
from eulac.proportion.estimate import ProportionEstimate, base_estimate
from eulac.proportion.reduction import cross_fitted_scores

__all__ = ["BestBinProportion", "best_bin", "bootstrap_best_bin"]

Array = NDArray[np.float64]


def best_bin(
    known_scores: Array, unlabeled_scores: Array, *, delta: float = 0.1, gamma: float = 0.01
) -> tuple[float, float]:
    """Return the known proportion and the threshold it is read off at.

    Parameters
    ----------
    known_scores, unlabeled_scores : arrays of shape (n,) and (m,)
        Held-out scores, bigger meaning more like a known class.
    delta : float, default=0.1
        Failure probability in the confidence bound.
    gamma : float, default=0.01
        Weight of the known sample's part of the bound.

    Examples
    --------
    >>> import numpy as np
    >>> known = np.linspace(0.5, 1.0, 400)
    >>> unlabeled = np.concatenate([np.linspace(0.5, 1.0, 300), np.linspace(0.0, 0.5, 700)])
    >>> round(best_bin(known, unlabeled)[0], 2)
    0.3
    """
    thresholds = np.unique(known_scores)
    known = 1.0 - np.searchsorted(np.sort(known_scores), thresholds) / len(known_scores)
    unlabeled = 1.0 - np.searchsorted(np.sort(unlabeled_scores), thresholds) / len(unlabeled_scores)
    slack = np.sqrt(0.5 * np.log(4 / delta) / np.array([len(unlabeled_scores), len(known_scores)]))
    bound = (unlabeled + slack[0] + (1 + gamma) * slack[1]) / known
    best = int(bound.argmin())
    return min(float(unlabeled[best] / known[best]), 1.0), float(thresholds[best])


def bootstrap_best_bin(
    known_scores: Array,
    unlabeled_scores: Array,
    *,
    n_resamples: int = 200,
    random_state: Any = None,
) -> Array:
    """Return best-bin estimates of resampled scores, for a standard error and an interval."""
    rng = np.random.default_rng(random_state)
    return np.array(
        [
            best_bin(
                rng.choice(known_scores, len(known_scores)),
                rng.choice(unlabeled_scores, len(unlabeled_scores)),
            )[0]
            for _ in range(n_resamples)
        ]
    )


class BestBinProportion(ProportionEstimator):
    """Best bin estimation on cross-fitted scores of a classifier of labeled against unlabeled.

    Parameters
    ----------
    classifier : scikit-learn classifier, optional
        Default: logistic regression on a Nystroem map of a Gaussian kernel.
    n_folds : int, default=5
    n_resamples : int, default=200
        Bootstrap resamples of the scores behind the interval.
    random_state : int, optional

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> known, new = rng.normal(0, 1, (700, 2)), rng.normal(6, 1, (100, 2))
    >>> X, y = np.vstack([known, new]), np.repeat([0, -1], [400, 400])
    >>> bool(abs(BestBinProportion(random_state=0).fit(X, y).estimate_.total - 0.75) < 0.1)
    True
    """

    def __init__(
        self,
        classifier: Any = None,
        *,
        n_folds: int = 5,
        n_resamples: int = 200,
        random_state: int | None = None,
    ):
        self.classifier = classifier
        self.n_folds = n_folds
        self.n_resamples = n_resamples
        self.random_state = random_state

    def estimate(self, sample: LacSample) -> ProportionEstimate:
        """Return the estimate with its bootstrap interval."""
        classifier = self.classifier
        if classifier is None:
            classifier = nystroem_logistic(sample, self.random_state)
        known, unlabeled = cross_fitted_scores(
            sample, classifier, n_folds=self.n_folds, random_state=self.random_state
        )
        total, threshold = best_bin(known, unlabeled)
        resampled = bootstrap_best_bin(
            known, unlabeled, n_resamples=self.n_resamples, random_state=self.random_state
        )
        spread = float(resampled.std())
        return base_estimate(
            total,
            sample.labeled_frequency,
            interval=(max(total - 1.96 * spread, 0.0), min(total + 1.96 * spread, 1.0)),
            method="best_bin",
            n_labeled=sample.n_labeled,
            n_unlabeled=sample.n_unlabeled,
            standard_error=spread,
            diagnostics={"threshold": threshold},
        )


def nystroem_logistic(sample: LacSample, random_state: int | None) -> Any:
    """Return a kernel logistic regression scaled to the sample."""
    rows = np.vstack([sample.X_labeled, sample.X_unlabeled])
    bandwidth = 0.6 * median_distance(rows, random_state=random_state)
    smallest_fold = int(0.5 * len(rows))
    return make_pipeline(
        Nystroem(
            gamma=0.5 / bandwidth**2,
            n_components=min(300, smallest_fold),
            random_state=random_state,
        ),
        LogisticRegression(C=10.0, max_iter=1000),
    )
