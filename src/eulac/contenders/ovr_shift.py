"""OVR-shift: one-versus-rest on labeled rows brought to the priors of deployment (appendix C.3)."""

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.preprocessing import MinMaxScaler
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from eulac.data.folds import draw_folds, in_canonical_order
from eulac.data.lac_sample import LacSample
from eulac.data.validation import validated_sample
from eulac.maths.kernels import GaussianKernel, median_distance
from eulac.proportion.choose import choose_proportion
from eulac.risk.weights import labeled_weights
from eulac.risk.zero_one import masked_accuracy
from eulac.solvers.choose import choose_solver
from eulac.solvers.search import SearchSettings, kernel_problems, search

__all__ = ["OvrShiftClassifier"]

BANDWIDTH_FACTORS = tuple(10 ** (power / 2) for power in range(-4, 3))
PENALTIES = tuple(10.0**power for power in range(-5, 2))


class OvrShiftClassifier(ClassifierMixin, BaseEstimator):
    """One-versus-rest kernel classifiers with reweighted labeled rows; new where all are negative.

    A biased baseline of the paper: unlabeled rows only serve to estimate the priors of the known
    classes. Departs from the paper in the estimate of the priors (ours instead of KME-shift) and
    in the search grid (half-decades).

    Parameters
    ----------
    known_proportion : see `EulacClassifier`
    n_jobs : int, optional
    random_state : int, RandomState instance or None

    References
    ----------
    Zhang et al., "An Unbiased Risk Estimator for Learning with Augmented Classes", NeurIPS 2020,
    appendix C.3.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> centers = np.array([[0, 0], [6, 0], [3, 0]])
    >>> X = rng.normal(centers[[0] * 40 + [1] * 40 + [0] * 60 + [1] * 20 + [2] * 40], 0.5)
    >>> y = np.repeat([0, 1, -1], [40, 40, 120])
    >>> OvrShiftClassifier(random_state=0).fit(X, y).predict(centers[:2])
    array([0, 1])
    """

    def __init__(self, known_proportion="auto", *, n_jobs=None, random_state=None):
        self.known_proportion = known_proportion
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X, y, X_unlabeled=None):
        """Learn from labeled rows, and their priors from unlabeled ones."""
        sample = validated_sample(self, X, y, X_unlabeled)
        if not sample.n_unlabeled:
            raise ValueError(
                "OvrShiftClassifier needs unlabeled rows to estimate priors from; `y` has none. "
                "Mark them with -1, or pass `X_unlabeled`."
            )
        self.codec_, self.classes_ = sample.codec, sample.codec.all_labels
        self.known_classes_ = sample.codec.known
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        sample = in_canonical_order(sample, seed)
        self.scaler_ = MinMaxScaler().fit(np.vstack([sample.X_labeled, sample.X_unlabeled]))
        sample = replace(
            sample,
            X_labeled=self.scaler_.transform(sample.X_labeled),
            X_unlabeled=self.scaler_.transform(sample.X_unlabeled),
        )
        chosen = choose_proportion(
            self.known_proportion, True, random_state=seed, n_jobs=self.n_jobs
        )
        self.proportion_ = chosen.estimate(sample)
        self._solve(sample, seed)
        return self

    def _solve(self, sample: LacSample, seed: int) -> None:
        """Minimize the one-versus-rest risk: the closed-set case of the LAC problem."""
        per_class = self.proportion_.per_class
        priors = per_class / per_class.sum() if per_class.sum() > 0 else sample.labeled_frequency
        closed = replace(sample, X_unlabeled=_resampled(sample, priors, seed))
        weights = labeled_weights(sample.y_labeled, priors)
        median = median_distance(sample.X_labeled, random_state=seed)
        kernels = [GaussianKernel(factor * median) for factor in BANDWIDTH_FACTORS]
        settings = SearchSettings(
            kernels, PENALTIES, choose_solver("square"), "surrogate", n_jobs=self.n_jobs
        )
        folds = draw_folds(sample.y_labeled, closed.n_unlabeled, 5, seed)
        best, _ = search(closed, weights, folds, settings)
        chosen = replace(settings, kernels=[best.kernel], penalties=[best.penalty])
        _, problem = next(kernel_problems(closed, weights, chosen))
        solution = settings.solver.solve(problem, best.penalty)
        self.kernel_ = best.kernel
        self.rows_ = np.vstack([closed.X_labeled, closed.X_unlabeled])
        self.coefficients_ = np.vstack([solution.labeled, solution.unlabeled])[:, :-1]

    def decision_function(self, X):
        """Return the scores of the known classes, and zero for the augmented class, last."""
        check_is_fitted(self)
        X = self.scaler_.transform(validate_data(self, X, dtype=np.float64, reset=False))
        scores = self.kernel_.block(X, self.rows_) @ self.coefficients_
        return np.column_stack([scores, np.zeros(len(X))])

    def predict(self, X):
        """Return a known label for each row, or the augmented label where no score is positive."""
        return self.classes_[self.decision_function(X).argmax(axis=1)]

    def augmented_score(self, X):
        """Return a score per row: bigger means more likely of a class never labeled."""
        return -self.decision_function(X)[:, :-1].max(axis=1)

    def score(self, X, y) -> float:
        """Return accuracy, label-free where `y` has unlabeled rows."""
        predicted = self.decision_function(X).argmax(axis=1)
        codes = self.codec_.encode(y)
        labeled = codes[(codes >= 0) & (codes < len(self.known_classes_))]
        frequency = np.bincount(labeled, minlength=len(self.known_classes_)) / max(len(labeled), 1)
        weights = np.divide(
            self.proportion_.per_class, frequency, out=np.zeros(len(frequency)), where=frequency > 0
        )
        return masked_accuracy(predicted, codes, weights)


def _resampled(sample: LacSample, priors: Any, seed: int) -> Any:
    """Labeled rows drawn anew so that classes occur by the given priors."""
    rng = np.random.default_rng(seed)
    mass = (priors / sample.labeled_frequency)[sample.y_labeled]
    rows = rng.choice(sample.n_labeled, sample.n_labeled, p=mass / mass.sum())
    return sample.X_labeled[rows]
