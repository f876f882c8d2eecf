"""What all contenders share: one of K by evidence, *new* above a threshold of newness.

A contender writes `_search` (settings, from labeled rows) and `_fit_model` (a model with its own
threshold). The threshold may instead be chosen by the label-free risk, for any of them.
"""

from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from eulac.data import requirements
from eulac.data.folds import draw_folds, in_canonical_order
from eulac.data.lac_sample import LacSample
from eulac.data.validation import validated_sample, with_deployment_rows
from eulac.proportion.choose_proportion import choose_proportion
from eulac.proportion.estimate import ProportionEstimate
from eulac.proportion.proportion_warnings import warn_of_doubtful_proportion
from eulac.risk.threshold import ThresholdChoice, best_threshold
from eulac.risk.weights import class_weights, labeled_weights
from eulac.risk.zero_one import masked_accuracy

__all__ = ["Evidence", "OpenSetClassifier", "OpenSetModel", "cross_fitted_evidence"]

Array = NDArray[np.float64]

SCALERS = {"minmax": MinMaxScaler, "standard": StandardScaler}
THRESHOLDS = ("paper", "label_free")
N_FOLDS = 5


class Evidence(NamedTuple):
    """What a model says of rows.

    `known` has a column per known class, the largest being the answer of a row that is not new;
    `novelty` is bigger for rows that look newer.
    """

    known: Array
    novelty: Array


class OpenSetModel(Protocol):
    """A fitted contender without labels and scaling."""

    threshold: float
    """A row is new where its novelty is larger: the method's own rule."""

    def evidence(self, X: Array) -> Evidence:
        """Return the evidence of scaled rows."""


class OpenSetClassifier(ClassifierMixin, BaseEstimator):
    """Base of the contenders: input checks, scaling, threshold, answers and label-free score.

    Subclasses list `scale`, `threshold`, `known_proportion` and `random_state` among their
    parameters and write `_fit_model`; `_search` where there is something to search.
    """

    needs_unlabeled: ClassVar[bool] = False
    """Whether the method learns from unlabeled rows."""

    fewest_known_classes: ClassVar[int] = 1

    prior_shift: ClassVar[str | bool] = "auto"
    """What the proportion estimator is told about priors of the known classes."""

    def _search(self, sample: LacSample, seed: int) -> Any:
        """Return settings found on the labeled rows of a sample."""
        return None

    def _fit_model(self, sample: LacSample, settings: Any, seed: int) -> OpenSetModel:
        """Return the model of a scaled sample."""
        raise NotImplementedError

    def fit(self, X, y, X_unlabeled=None):
        """Learn from labeled rows; from unlabeled ones where the method or its threshold does.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_features)
        y : array of shape (n_rows,)
            Labels; unlabeled rows carry -1.
        X_unlabeled : array or data frame, optional
            Further unlabeled rows.

        Returns
        -------
        self
        """
        requirements.require_choice("scale", self.scale, (*SCALERS, None))
        requirements.require_choice("threshold", self.threshold, THRESHOLDS)
        sample, seed = self._open_sample(X, y, X_unlabeled)
        self.proportion_ = self._estimate_proportion(sample, seed)
        settings = self._search(sample, seed)
        self.model_ = self._fit_model(sample, settings, seed)
        self.threshold_ = self._choose_threshold(sample, settings, seed)
        return self

    def predict(self, X):
        """Return a known label for each row, or the augmented label."""
        answers = self._answers(self._evidence(X))
        return self.classes_[answers]

    def augmented_score(self, X):
        """Return a score per row: bigger means more likely of a class never labeled.

        Positive exactly where `predict` says augmented. Where nothing can be called augmented,
        or everything, only the order of the scores means something.
        """
        novelty = self._evidence(X).novelty
        return novelty - self.threshold_ if np.isfinite(self.threshold_) else novelty

    def score(self, X, y) -> float:
        """Return accuracy, label-free where `y` has unlabeled rows.

        Unlabeled rows stand for deployment as it is, known and new; labeled rows come on top of
        them (rows to check with, not a part of the pool taken out). The label-free estimate needs
        the known proportion: one that was given, or that `fit` estimated because the method or
        its threshold needs it.
        """
        predicted = self._answers(self._evidence(X))
        codes = self.codec_.encode(y)
        check_consistent_length(predicted, codes)
        per_class = np.zeros(len(self.known_classes_))
        if np.any(codes == -1):
            if self.proportion_ is None:
                raise ValueError(
                    "the accuracy on unlabeled rows needs the known proportion; this classifier "
                    "was fitted without. Pass `known_proportion` or `threshold='label_free'`, or "
                    "true labels for all rows."
                )
            per_class = self.proportion_.per_class
        return masked_accuracy(predicted, codes, class_weights(codes, per_class))

    def _open_sample(self, X, y, X_unlabeled) -> tuple[LacSample, int]:
        """Return the scaled sample in canonical order, and the seed drawn for this fit."""
        requirements.require_finite_labels(y)
        sample = validated_sample(self, X, y, X_unlabeled)
        self.codec_ = sample.codec
        self.known_classes_ = sample.codec.known
        self._require_enough(sample)
        self.closed_set_ = self._uses_unlabeled() and sample.n_unlabeled == 0
        self.classes_ = sample.codec.known if self.closed_set_ else sample.codec.all_labels
        if self._uses_unlabeled():
            sample = with_deployment_rows(sample)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        # Rows are ordered by their bytes, and minus zero is zero all the same.
        pieces = {"X_labeled": sample.X_labeled + 0.0, "X_unlabeled": sample.X_unlabeled + 0.0}
        sample = in_canonical_order(replace(sample, **pieces), seed)
        requirements.require_bounded(np.vstack([sample.X_labeled, sample.X_unlabeled]))
        # Unlabeled rows must change nothing for methods that do not see them.
        self.scaler_ = None if self.scale is None else SCALERS[self.scale]().fit(sample.X_labeled)
        pieces = {name: self._scaled(getattr(sample, name)) for name in pieces}
        requirements.require_spread(pieces["X_labeled"])
        return replace(sample, **pieces), seed

    def _require_enough(self, sample: LacSample) -> None:
        if sample.n_known_classes < self.fewest_known_classes:
            raise ValueError(
                f"{type(self).__name__} needs labeled rows of {self.fewest_known_classes} or more "
                f"known classes, to set them against each other; got {sample.n_known_classes} "
                "class. Use KernelEulacClassifier, or NoveltyClassifier with a detector."
            )
        if sample.n_labeled == 1:
            raise ValueError("at least two labeled rows are needed; got 1. Label more.")

    def _uses_unlabeled(self) -> bool:
        return self.needs_unlabeled or self.threshold == "label_free"

    def _estimate_proportion(self, sample: LacSample, seed: int) -> ProportionEstimate | None:
        """Return the estimate if it is needed, or costs nothing because it was given."""
        is_auto = isinstance(self.known_proportion, str) and self.known_proportion == "auto"
        if is_auto and not self._uses_unlabeled():
            return None
        given = 1.0 if self.closed_set_ else self.known_proportion
        jobs = getattr(self, "n_jobs", None)
        chosen = choose_proportion(
            given, False if self.closed_set_ else self.prior_shift, random_state=seed, n_jobs=jobs
        )
        estimate = chosen.estimate(sample)
        if not self.closed_set_:
            warn_of_doubtful_proportion(estimate)
        return estimate

    def _choose_threshold(self, sample: LacSample, settings: Any, seed: int) -> float:
        self.threshold_risk_ = None
        if self.closed_set_:
            return np.inf
        if self.threshold == "paper":
            return self.model_.threshold
        held_out = cross_fitted_evidence(self, sample, settings, seed)
        choice = held_out.best_threshold(self.proportion_.per_class)
        self.threshold_risk_ = choice.risk
        return choice.threshold

    def _scaled(self, X):
        """Scale; far is far, so what would overflow when squared is moved in."""
        X = requirements.moderate(X)
        if self.scaler_ is None or not len(X):
            return X
        return requirements.moderate(self.scaler_.transform(X))

    def _evidence(self, X) -> Evidence:
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return self.model_.evidence(self._scaled(X))

    def _answers(self, evidence: Evidence) -> NDArray[np.intp]:
        """Return class codes, the augmented one above the threshold."""
        known = evidence.known.argmax(axis=1)
        return np.where(evidence.novelty > self.threshold_, evidence.known.shape[1], known)


@dataclass(frozen=True, eq=False)
class HeldOutEvidence:
    """Novelty of rows by models that did not see them, and whether their class was right."""

    y_labeled: NDArray[np.intp]
    is_right: NDArray[np.bool_]
    novelty_labeled: Array
    novelty_unlabeled: Array

    def best_threshold(self, per_class: Array) -> ThresholdChoice:
        """Return the threshold with the smallest label-free test error."""
        weights = labeled_weights(self.y_labeled, per_class)
        return best_threshold(self.novelty_labeled, self.is_right, weights, self.novelty_unlabeled)


def cross_fitted_evidence(
    classifier: OpenSetClassifier, sample: LacSample, settings: Any, seed: int
) -> HeldOutEvidence:
    """Return what models fitted on all but one fold say of that fold, with given settings."""
    folds = draw_folds(sample.y_labeled, sample.n_unlabeled, N_FOLDS, seed)
    is_right = np.zeros(sample.n_labeled, dtype=bool)
    novelty = np.empty(sample.n_labeled)
    unlabeled = []
    for held_out, piece in folds:
        kept = np.setdiff1d(np.arange(sample.n_labeled), held_out)
        part, present = _only_present(sample, kept, piece)
        classifier._require_enough(part)
        model = classifier._fit_model(part, settings, seed)
        seen = model.evidence(sample.X_labeled[held_out])
        is_right[held_out] = present[seen.known.argmax(axis=1)] == sample.y_labeled[held_out]
        novelty[held_out] = seen.novelty
        unlabeled.append(model.evidence(sample.X_unlabeled[piece]).novelty)
    return HeldOutEvidence(sample.y_labeled, is_right, novelty, np.concatenate(unlabeled))


def _only_present(
    sample: LacSample, kept: NDArray[np.intp], held_out: slice
) -> tuple[LacSample, NDArray[np.intp]]:
    """Return the sample without a fold, and the codes of the classes that are left in it."""
    present, codes = np.unique(sample.y_labeled[kept], return_inverse=True)
    codec = replace(sample.codec, known=sample.codec.known[present])
    rest = np.delete(sample.X_unlabeled, held_out, axis=0)
    return LacSample(sample.X_labeled[kept], codes, rest, codec), present
