"""What classifiers share that minimize the unbiased risk itself and choose a setting by it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from eulac.classifier.fit_tasks import fit_tasks
from eulac.classifier.input_rows import (
    in_given_order,
    open_sample,
    scaled_rows,
    scaled_sample,
    step_counter,
)
from eulac.classifier.known_proportion import estimate_proportion
from eulac.classifier.options import SHIFTS, Progress
from eulac.classifier.table_fitting import GivenRows, TableClassifier
from eulac.data import requirements
from eulac.data.folds import LacFolds, draw_folds
from eulac.data.lac_sample import LacSample
from eulac.data.validation import rows_by_name
from eulac.drift.moved_risk import risk_after_drift
from eulac.drift.two_readings import DRIFTS
from eulac.maths.multiclass_losses import get_multiclass_loss, require_sound
from eulac.maths.threads import blas_threads
from eulac.risk.decision_rule import DecisionRule, fit_decision_rule, held_out_risk
from eulac.risk.evidence import LogProbabilities
from eulac.risk.held_out import HeldOut
from eulac.risk.weights import sample_weights
from eulac.risk.zero_one import RiskEstimate

__all__ = ["DirectRiskClassifier", "Scores"]

Array = NDArray[np.float64]


class Scores(Protocol):
    """A fitted model of K + 1 classes."""

    def probabilities(self, X: Array) -> Array:
        """Return P(class) of scaled rows, the augmented class last."""


@dataclass(frozen=True, eq=False)
class _Judged:
    """A setting and what held-out rows say of it."""

    setting: float
    held_out: HeldOut
    rule: DecisionRule
    risk: RiskEstimate


class DirectRiskClassifier(TableClassifier):
    """Base of classifiers whose models come as a path: one model for each of several settings.

    A subclass says what the settings are, in the order of the path (`_settings`), and walks the
    path on a sample of standardized rows (`_path`).
    """

    drift: Any = "auto"
    loss: Any
    scores_: Any  # as `_path` gives them

    def _fit(self, rows: GivenRows, progress: Progress) -> None:
        requirements.require_choice("shift", self.shift, SHIFTS)
        requirements.require_choice("drift", self.drift, DRIFTS)
        requirements.require_at_least("n_folds", self.n_folds, 2)
        settings = self._settings()
        sample, seed, places = open_sample(self, *rows, n_folds=self.n_folds)
        require_sound(get_multiclass_loss(self.loss), sample.n_known_classes + 1)
        self.scaler_, sample = scaled_sample("standard", sample)
        folds = draw_folds(sample.y_labeled, sample.n_unlabeled, self.n_folds, seed)
        total = folds.n_folds + 1
        with fit_tasks(self, total, "fold", progress) as tasks:
            self.proportion_ = estimate_proportion(self, sample, seed)
            weights = sample_weights(sample, self.proportion_.per_class)
            on_fold = step_counter(tasks.report, total)
            with blas_threads(1):
                judged = self._judged(sample, weights, folds, settings, seed, on_fold)
                best = min(judged, key=lambda one: one.risk.raw)
                reached = settings[: settings.index(best.setting) + 1]
                *_, self.scores_ = self._path(sample, weights, reached, seed)
            tasks.report(total, total)
        self.rule_ = best.rule
        held_out = self._held_out(best, sample)
        samples = np.split(held_out, [sample.n_labeled])
        self.risk_ = risk_after_drift(best.risk, self.proportion_, samples)
        self.held_out_probabilities_ = in_given_order(held_out, places)
        self._keep(best.setting)

    def _held_out(self, best: _Judged, sample: LacSample) -> Array:
        """Return probabilities of all rows, labeled ones first.

        Folds are of one size: unlabeled rows left over, fewer than folds, are in every fit.
        """
        rows = best.held_out
        left_over = sample.X_unlabeled[len(rows.unlabeled) :]
        found = [rows.labeled, rows.unlabeled]
        if len(left_over):
            found.append(self.scores_.probabilities(left_over))
        return self._calibrated(self.rule_.decide(LogProbabilities().of(np.vstack(found))))

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

    def _judged(
        self,
        sample: LacSample,
        weights: Array,
        folds: LacFolds,
        settings: Sequence[float],
        seed: int,
        on_fold: Callable[[int], Any],
    ) -> list[_Judged]:
        """Return every setting judged on held-out rows."""
        labeled = np.zeros((len(settings), sample.n_labeled, sample.n_known_classes + 1))
        unlabeled: list[list[Array]] = [[] for _ in settings]
        for fold, (held_out, piece) in enumerate(folds):
            kept = np.delete(np.arange(sample.n_labeled), held_out)
            part = sample.taken(kept, np.delete(np.arange(sample.n_unlabeled), piece))
            for index, scores in enumerate(self._path(part, weights[kept], settings, seed)):
                labeled[index, held_out] = scores.probabilities(sample.X_labeled[held_out])
                unlabeled[index].append(scores.probabilities(sample.X_unlabeled[piece]))
            on_fold(fold)
        return [
            self._judge(setting, labeled[i], np.vstack(unlabeled[i]), sample, weights)
            for i, setting in enumerate(settings)
        ]

    def _judge(
        self, setting: float, labeled: Array, unlabeled: Array, sample: LacSample, weights: Array
    ) -> _Judged:
        rows = HeldOut(labeled, unlabeled, sample.y_labeled, weights, self.proportion_.interval)
        kind = LogProbabilities()
        rule = fit_decision_rule(rows, kind, closed_set=self.closed_set_)
        risk = held_out_risk(rows, rule, kind, self.proportion_.standard_error)
        return _Judged(setting, rows, rule, risk)

    def _decision(self, X: Any) -> Array:
        check_is_fitted(self)
        X = rows_by_name(self, X)
        probabilities = self.scores_.probabilities(scaled_rows(self.scaler_, X))
        return self.rule_.decide(LogProbabilities().of(probabilities))

    def _calibrated(self, decision: Array) -> Array:
        return self.rule_.probabilities(decision)
