"""What classifiers share that minimize the unbiased risk itself and choose a setting by it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted, validate_data

from eulac.classifier.answering import AnswersMixin
from eulac.classifier.input_rows import open_sample
from eulac.data import requirements
from eulac.data.folds import LacFolds, draw_folds
from eulac.data.lac_sample import LacSample
from eulac.maths.multiclass_losses import get_multiclass_loss, require_sound
from eulac.maths.threads import blas_threads
from eulac.proportion.choose_proportion import choose_proportion
from eulac.proportion.proportion_warnings import warn_of_doubtful_proportion
from eulac.risk.decision_rule import DecisionRule, fit_decision_rule, held_out_risk
from eulac.risk.evidence import LogProbabilities
from eulac.risk.held_out import HeldOut
from eulac.risk.weights import labeled_weights
from eulac.risk.zero_one import RiskEstimate

__all__ = ["DirectRiskClassifier", "Scores"]

Array = NDArray[np.float64]

SHIFTS = ("auto", True, False)


class Scores(Protocol):
    """A fitted model of K + 1 classes."""

    def probabilities(self, X: Array) -> Array:
        """Return P(class) of scaled rows, the augmented class last."""


@dataclass(frozen=True, eq=False)
class _Judged:
    """A setting and what held-out rows say of it."""

    setting: float
    rule: DecisionRule
    risk: RiskEstimate


class DirectRiskClassifier(AnswersMixin, ClassifierMixin, BaseEstimator):
    """Base of classifiers whose models come as a path: one model for each of several settings.

    A subclass says what the settings are, in the order of the path (`_settings`), and walks the
    path on a sample of standardized rows (`_path`).
    """

    known_proportion: Any
    shift: Any
    loss: Any
    n_folds: int
    n_jobs: int | None

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
        requirements.require_choice("shift", self.shift, SHIFTS)
        requirements.require_at_least("n_folds", self.n_folds, 2)
        settings = self._settings()
        sample, seed, _ = open_sample(self, X, y, X_unlabeled, n_folds=self.n_folds)
        require_sound(get_multiclass_loss(self.loss), sample.n_known_classes + 1)
        sample = self._with_scaled_rows(sample)
        self.proportion_ = self._estimate_proportion(sample, seed)
        weights = labeled_weights(sample.y_labeled, self.proportion_.per_class)
        folds = draw_folds(sample.y_labeled, sample.n_unlabeled, self.n_folds, seed)
        with blas_threads(1):
            judged = self._judged(sample, weights, folds, settings, seed)
            best = min(judged, key=lambda one: one.risk.raw)
            reached = settings[: settings.index(best.setting) + 1]
            *_, self.scores_ = self._path(sample, weights, reached, seed)
        self.rule_, self.risk_ = best.rule, best.risk
        self._keep(best.setting)
        return self

    def _settings(self) -> list[float]:
        """Return the settings to choose from, in the order of the path."""
        raise NotImplementedError

    def _path(
        self, sample: LacSample, weights: Array, settings: Sequence[float], seed: int
    ) -> Iterator[Scores]:
        """Give the model of each setting, fitted to standardized rows."""
        raise NotImplementedError

    def _keep(self, setting: float) -> None:
        """Set what users read off the fitted model."""

    def _with_scaled_rows(self, sample: LacSample) -> LacSample:
        """Learn mean and spread of the features; return the sample standardized."""
        rows = np.vstack([sample.X_labeled, sample.X_unlabeled])
        self.scaler_ = StandardScaler().fit(rows)
        labeled, unlabeled = np.split(self._scaled(rows), [sample.n_labeled])
        return sample.with_rows(X_labeled=labeled, X_unlabeled=unlabeled)

    def _estimate_proportion(self, sample: LacSample, seed: int):
        given = 1.0 if self.closed_set_ else self.known_proportion
        shift = False if self.closed_set_ else self.shift
        chosen = choose_proportion(given, shift, random_state=seed, n_jobs=self.n_jobs)
        estimate = chosen.estimate(sample)
        if not self.closed_set_:
            warn_of_doubtful_proportion(estimate)
        return estimate

    def _judged(
        self,
        sample: LacSample,
        weights: Array,
        folds: LacFolds,
        settings: Sequence[float],
        seed: int,
    ) -> list[_Judged]:
        """Return every setting judged on held-out rows."""
        labeled = np.zeros((len(settings), sample.n_labeled, sample.n_known_classes + 1))
        unlabeled: list[list[Array]] = [[] for _ in settings]
        for held_out, piece in folds:
            kept = np.delete(np.arange(sample.n_labeled), held_out)
            part = sample.taken(kept, np.delete(np.arange(sample.n_unlabeled), piece))
            for index, scores in enumerate(self._path(part, weights[kept], settings, seed)):
                labeled[index, held_out] = scores.probabilities(sample.X_labeled[held_out])
                unlabeled[index].append(scores.probabilities(sample.X_unlabeled[piece]))
        return [
            self._judge(setting, labeled[i], np.vstack(unlabeled[i]), sample, weights)
            for i, setting in enumerate(settings)
        ]

    def _judge(self, setting, labeled, unlabeled, sample: LacSample, weights: Array) -> _Judged:
        rows = HeldOut(labeled, unlabeled, sample.y_labeled, weights, self.proportion_.interval)
        rule = fit_decision_rule(rows, LogProbabilities(), closed_set=self.closed_set_)
        error = self.proportion_.standard_error
        return _Judged(setting, rule, held_out_risk(rows, rule, LogProbabilities(), error))

    def _scaled(self, X: Any) -> Array:
        return requirements.moderate(self.scaler_.transform(requirements.moderate(X)))

    def _decision(self, X):
        """Decision values with one column per entry of `classes_`."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        probabilities = self.scores_.probabilities(self._scaled(X))
        return self.rule_.decide(LogProbabilities().of(probabilities))

    def _calibrated(self, decision):
        return self.rule_.probabilities(decision)
