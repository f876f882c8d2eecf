"""What classifiers of known classes or *augmented* say of rows, once they can decide."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from eulac.classifier.fit_tasks import CallbackSupportMixin
from eulac.classifier.own_rows import warn_of_own_pool
from eulac.classifier.selecting import SelectionMixin
from eulac.data import requirements
from eulac.data.any_rows import FitRows
from eulac.data.labels import UNLABELED, LabelCodec
from eulac.proportion.estimate import ProportionEstimate
from eulac.risk.weights import class_weights
from eulac.risk.zero_one import RiskEstimate, masked_accuracy

__all__ = ["Answers", "AnswersMixin", "LacClassifier"]

Array = NDArray[np.float64]


class Answers(NamedTuple):
    """What a classifier says of rows.

    `probabilities` follow `classes_`; None where the method has none.
    """

    labels: NDArray[Any]
    probabilities: Array | None
    augmented_score: Array


class AnswersMixin(CallbackSupportMixin):
    """Outputs of a classifier that writes `_decision(X)`: a column per entry of `classes_`.

    Also needed: `_calibrated(decision)`, and `classes_`, `closed_set_`, `codec_`, `proportion_`.
    A classifier with a quicker way to nearly the same decision writes `_quick_decision(X)`.
    """

    classes_: NDArray[Any]
    known_classes_: NDArray[Any]
    closed_set_: bool
    codec_: LabelCodec
    proportion_: Any  # an estimate, or None where a method was fitted without

    def answers(self, X: Any, *, quick: bool = False) -> Answers:
        """Return labels, probabilities and augmented scores for the price of one of them.

        Parameters
        ----------
        X : array of shape (n, n_features)
        quick : bool, default=False
            Allow single precision where the classifier knows how: the same labels, probabilities
            and scores to about three decimals, in half the time.
        """
        decision = self._quick_decision(X) if quick else self._decision(X)
        return Answers(
            self.classes_[decision.argmax(axis=1)],
            self._calibrated(decision),
            self._augmented_score(decision),
        )

    def decision_function(self, X: Any) -> Array:
        """Return the evidence for each class, the augmented one last; the largest wins.

        With only two classes in `classes_` it is one column, positive for the second.
        """
        decision = self._decision(X)
        return decision[:, 1] - decision[:, 0] if len(self.classes_) == 2 else decision

    def predict(self, X: Any) -> NDArray[Any]:
        """Return a known label for each row, or the augmented label."""
        answers = self._decision(X).argmax(axis=1)
        return self.classes_[answers]

    def predict_proba(self, X: Any) -> Array:
        """Return P(class) under the distribution of the unlabeled rows, following `classes_`."""
        return self._calibrated(self._decision(X))

    def augmented_score(self, X: Any) -> Array:
        """Return a score per row: bigger means more likely of a class never labeled.

        Positive exactly where `predict` says augmented. Of a classifier fitted without unlabeled
        rows, minus the evidence for the likeliest known class.
        """
        return self._augmented_score(self._decision(X))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return accuracy, label-free where `y` has unlabeled rows.

        With true labels for all rows this is plain accuracy; labels not seen in `fit` count as
        augmented. With unlabeled rows it is one minus the unbiased estimate of the test error:
        they stand for deployment as it is, known and new, and labeled rows come on top of them.
        Being unbiased, it may exceed 1 by chance. By more than that, `ScoreAboveOneWarning` says
        why: labels of a part of the pool itself thin its known rows, or the known proportion of
        the fit is too large for these rows.
        """
        predicted = self._decision(X).argmax(axis=1)
        codes = self.codec_.encode(y)
        requirements.require_label_per_row(predicted, codes)
        if sample_weight is not None:
            if np.any(codes == -1):
                raise ValueError("`sample_weight` needs true labels; `y` has unlabeled rows.")
            return float(np.average(predicted == codes, weights=sample_weight))
        return masked_accuracy(predicted, codes, class_weights(codes, self.proportion_.per_class))

    def _decision(self, X: Any) -> Array:
        """Decision values with one column per entry of `classes_`."""
        raise NotImplementedError

    def _calibrated(self, decision: Array) -> Array:
        """Return probabilities for decision values."""
        raise NotImplementedError

    def _augmented_score(self, decision: Array) -> Array:
        if self.closed_set_:
            return np.asarray(-decision.max(axis=1))
        return np.asarray(decision[:, -1] - decision[:, :-1].max(axis=1))

    def _quick_decision(self, X: Any) -> Array:
        return self._decision(X)


class LacClassifier(AnswersMixin, SelectionMixin, ClassifierMixin, BaseEstimator):
    """Base of the classifiers that hold out rows while they learn: shared parameters, the pool.

    A subclass writes `fit(X, y, X_unlabeled)`, which sets `held_out_probabilities_`: of each row of
    `X`, then of `X_unlabeled`, by models that have not seen it.
    """

    held_out_probabilities_: Array
    fit_rows_: FitRows
    proportion_: ProportionEstimate
    risk_: RiskEstimate

    def __init__(
        self,
        known_proportion: Any,
        shift: Any,
        n_folds: int,
        unlabeled_label: Any,
        augmented_label: Any,
        n_jobs: int | None,
        random_state: Any,
    ) -> None:
        self.known_proportion = known_proportion
        self.shift = shift
        self.n_folds = n_folds
        self.unlabeled_label = unlabeled_label
        self.augmented_label = augmented_label
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any, X_unlabeled: Any = None) -> Any:
        """Learn from labeled and unlabeled rows."""
        raise NotImplementedError

    def fit_predict(
        self, X: Any, y: Any, X_unlabeled: Any = None, **fit_params: Any
    ) -> NDArray[Any]:
        """Fit, and return a label for each unlabeled row, by models that have not seen it.

        Parameters
        ----------
        X, y, X_unlabeled
            As in `fit`.
        **fit_params
            What else `fit` takes, as `sample_weight`.

        Returns
        -------
        labels : array of shape (n_unlabeled,)
            Of the unlabeled rows in `X`, then of those in `X_unlabeled`: a known label for each,
            or the augmented label.
        """
        self.fit(X, y, X_unlabeled, **fit_params)
        return np.asarray(self.held_out_labels_[self.held_out_codes_ == UNLABELED])

    def predict(self, X: Any) -> NDArray[Any]:
        """Return a known label for each row, or the augmented label.

        For rows of the pool it was fitted on see `held_out_labels_`: the model leans to
        *augmented* there, and warns if most rows are from it (`OwnPoolWarning`).
        """
        labels = super().predict(X)
        warn_of_own_pool(self, X)
        return labels

    @property
    def held_out_labels_(self) -> NDArray[Any]:
        """Label of each row of `X`, then of `X_unlabeled`, by models that have not seen it."""
        check_is_fitted(self)
        return np.asarray(self.classes_[self.held_out_probabilities_.argmax(axis=1)])

    @property
    def held_out_codes_(self) -> NDArray[np.intp]:
        """Class code of each row of `X`, then of `X_unlabeled`; -1 for unlabeled rows.

        Codes are places in `known_classes_`: beside `held_out_probabilities_` they say what a row
        that was held out is labeled.
        """
        check_is_fitted(self)
        return self.fit_rows_.codes
