"""Softmax regression of known classes or *augmented*, straight from the unbiased risk."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted, validate_data

from eulac.data import checks
from eulac.data.folds import LacFolds, draw_folds
from eulac.data.lac_sample import LacSample
from eulac.estimators.answers import AnswersMixin
from eulac.estimators.linear_model import LinearScores, fit_linear_scores
from eulac.estimators.opening import open_sample
from eulac.estimators.probability_rule import (
    HeldOutProbabilities,
    ProbabilityRule,
    fit_probability_rule,
    held_out_risk,
)
from eulac.maths.threads import blas_threads
from eulac.proportion.choose import choose_proportion
from eulac.proportion.doubts import warn_of_doubtful_proportion
from eulac.risk.weights import labeled_weights
from eulac.risk.zero_one import RiskEstimate

__all__ = ["LinearEulacClassifier"]

Array = NDArray[np.float64]

PENALTIES = (1.0, 1e-1, 1e-2, 1e-3, 1e-4)
SHIFTS = ("auto", True, False)


@dataclass(frozen=True, eq=False)
class _Trial:
    """A penalty and what held-out rows say of it."""

    penalty: float
    held_out: HeldOutProbabilities
    rule: ProbabilityRule
    risk: RiskEstimate


class LinearEulacClassifier(AnswersMixin, ClassifierMixin, BaseEstimator):
    """Linear softmax regression on the generalized risk with the non-negative correction.

    Minimizes the unbiased log loss of the test distribution, its augmented part kept above zero,
    by L-BFGS; the penalty is chosen by cross-validated label-free error. Cost and memory are
    linear in rows and features. Features are standardized.

    Parameters
    ----------
    known_proportion, shift
        As in `AugmentedClassifier`.
    penalty : float or sequence of floats, optional
        Weight of the squared norm, or several to choose from; default: five decades from 1.
    n_folds : int, default=5
    unlabeled_label, augmented_label
        As in `AugmentedClassifier`.
    n_jobs : int, optional
        Cores the proportion estimate may use.
    random_state : int, RandomState instance or None, default=None

    Attributes
    ----------
    classes_, known_classes_, proportion_, risk_, n_features_in_
        As in `AugmentedClassifier`.
    coef_ : array of shape (n_features, n_known_classes + 1)
        Of the standardized features, the augmented class last.
    penalty_ : float

    Examples
    --------
    >>> import numpy as np
    >>> from eulac import LinearEulacClassifier
    >>> rng = np.random.default_rng(0)
    >>> centers = np.array([[0, 0], [4, 0], [2, 4]])
    >>> X = rng.normal(centers[[0] * 40 + [1] * 40], 0.5)
    >>> y = np.repeat(["left", "right"], 40)
    >>> X_deploy = rng.normal(centers[[0] * 30 + [1] * 30 + [2] * 60], 0.5)
    >>> clf = LinearEulacClassifier(0.5, random_state=0).fit(X, y, X_unlabeled=X_deploy)
    >>> clf.predict(centers)
    array(['left', 'right', 'augmented'], dtype='<U9')
    """

    def __init__(
        self,
        known_proportion="auto",
        *,
        shift="auto",
        penalty=None,
        n_folds=5,
        unlabeled_label=-1,
        augmented_label="auto",
        n_jobs=None,
        random_state=None,
    ):
        self.known_proportion = known_proportion
        self.shift = shift
        self.penalty = penalty
        self.n_folds = n_folds
        self.unlabeled_label = unlabeled_label
        self.augmented_label = augmented_label
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X, y, X_unlabeled=None):
        """Learn from labeled and unlabeled rows.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_features)
        y : array of shape (n_rows,)
            Labels; unlabeled rows carry `unlabeled_label` (-1).
        X_unlabeled : array or data frame, optional
            Further unlabeled rows.

        Returns
        -------
        self
        """
        checks.require_choice("shift", self.shift, SHIFTS)
        checks.require_at_least("n_folds", self.n_folds, 2)
        penalties = checks.as_candidates("penalty", self.penalty, PENALTIES)
        sample, seed, _ = open_sample(self, X, y, X_unlabeled, n_folds=self.n_folds)
        sample = self._with_scaled_rows(sample)
        self.proportion_ = self._estimate_proportion(sample, seed)
        weights = labeled_weights(sample.y_labeled, self.proportion_.per_class)
        folds = draw_folds(sample.y_labeled, sample.n_unlabeled, self.n_folds, seed)
        with blas_threads(1):
            trials = self._trials(sample, weights, folds, sorted(penalties, reverse=True))
            best = min(trials, key=lambda trial: trial.risk.raw)
            self.scores_ = fit_linear_scores(sample, weights, best.penalty)
        self.rule_, self.risk_, self.penalty_ = best.rule, best.risk, best.penalty
        self.coef_ = self.scores_.coefficients
        return self

    def _with_scaled_rows(self, sample: LacSample) -> LacSample:
        """Learn mean and spread of the features; return the sample standardized."""
        rows = np.vstack([sample.X_labeled, sample.X_unlabeled])
        self.scaler_ = StandardScaler().fit(rows)
        labeled, unlabeled = np.split(self._scaled(rows), [sample.n_labeled])
        return replace(sample, X_labeled=labeled, X_unlabeled=unlabeled)

    def _estimate_proportion(self, sample: LacSample, seed: int):
        given = 1.0 if self.closed_set_ else self.known_proportion
        shift = False if self.closed_set_ else self.shift
        chosen = choose_proportion(given, shift, random_state=seed, n_jobs=self.n_jobs)
        estimate = chosen.estimate(sample)
        if not self.closed_set_:
            warn_of_doubtful_proportion(estimate)
        return estimate

    def _trials(
        self, sample: LacSample, weights: Array, folds: LacFolds, penalties: list[float]
    ) -> list[_Trial]:
        """Return every penalty judged on held-out rows, from the largest down."""
        labeled = np.zeros((len(penalties), sample.n_labeled, sample.n_known_classes + 1))
        unlabeled: list[list[Array]] = [[] for _ in penalties]
        for held_out, piece in folds:
            kept = np.delete(np.arange(sample.n_labeled), held_out)
            rest = np.delete(sample.X_unlabeled, piece, axis=0)
            part = LacSample(sample.X_labeled[kept], sample.y_labeled[kept], rest, sample.codec)
            scores: LinearScores | None = None
            for index, penalty in enumerate(penalties):
                scores = fit_linear_scores(part, weights[kept], penalty, start=scores)
                labeled[index, held_out] = scores.probabilities(sample.X_labeled[held_out])
                unlabeled[index].append(scores.probabilities(sample.X_unlabeled[piece]))
        return [
            self._trial(penalty, labeled[i], np.vstack(unlabeled[i]), sample, weights)
            for i, penalty in enumerate(penalties)
        ]

    def _trial(self, penalty, labeled, unlabeled, sample: LacSample, weights: Array) -> _Trial:
        rows = HeldOutProbabilities(
            labeled, unlabeled, sample.y_labeled, weights, self.proportion_.interval
        )
        rule = fit_probability_rule(rows, closed_set=self.closed_set_)
        return _Trial(penalty, rows, rule, held_out_risk(rows, rule, self.proportion_))

    def _scaled(self, X: Any) -> Array:
        return checks.moderate(self.scaler_.transform(checks.moderate(X)))

    def _decision(self, X):
        """Decision values with one column per entry of `classes_`."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return self.rule_.decide(self.scores_.probabilities(self._scaled(X)))

    def _calibrated(self, decision):
        return self.rule_.probabilities(decision)
