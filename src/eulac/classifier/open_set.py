"""For classifiers that may learn from labeled rows alone, or have no probabilities to offer."""

from typing import Any

import numpy as np
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from eulac.classifier.answering import AnswersMixin
from eulac.classifier.input_rows import drawn_seed, markers, take_labels
from eulac.data import requirements
from eulac.data.folds import in_canonical_order
from eulac.data.lac_sample import LacSample
from eulac.data.validation import validated_sample, with_deployment_rows

__all__ = ["LabelsMixin", "open_rows"]


def open_rows(
    classifier: Any,
    X: Any,
    y: Any,
    X_unlabeled: Any,
    *,
    uses_unlabeled: bool,
    images: bool = False,
    by_name: bool = False,
) -> tuple[LacSample, int]:
    """Return the sample of a call to `fit` in canonical order, and the seed drawn for this fit.

    Opens what `open_sample` does not: images, and rows of a method that learns from labeled ones
    only. To such a method the last class is the augmented one whether or not there are unlabeled
    rows, and it gets no rows in their place. Sets the same attributes on the classifier.

    Parameters
    ----------
    uses_unlabeled : bool
        Whether the method learns from unlabeled rows.
    images : bool, default=False
        Whether rows may have more than one axis. They are kept in single precision then.
    by_name : bool, default=False
        As in `open_sample`.
    """
    requirements.require_finite_labels(y)
    layout: dict[str, Any] = {"dtype": np.float32, "allow_nd": True} if images else {}
    layout |= {"by_name": by_name, **markers(classifier)}
    sample = validated_sample(classifier, X, y, X_unlabeled, **layout)
    take_labels(classifier, sample.codec, closed_set=uses_unlabeled and sample.n_unlabeled == 0)
    if uses_unlabeled:
        sample = with_deployment_rows(sample)
    seed = drawn_seed(classifier)
    # Rows are ordered by their bytes, and minus zero is zero all the same.
    labeled, unlabeled = sample.X_labeled + 0.0, sample.X_unlabeled + 0.0
    sample = in_canonical_order(sample.with_rows(X_labeled=labeled, X_unlabeled=unlabeled), seed)
    if not images:
        requirements.require_bounded(np.vstack([sample.X_labeled, sample.X_unlabeled]))
    return sample, seed


def _never(classifier: Any) -> bool:
    return False


class LabelsMixin(AnswersMixin):
    """Outputs of a classifier that writes `_decision(X)`, but has no probabilities of it.

    Needs what `AnswersMixin` needs, but for `_calibrated`; `proportion_` may be None. The columns
    of such a decision can be compared, but are no measure of anything: they are not offered.
    """

    answers = available_if(_never)(AnswersMixin.answers)
    decision_function = available_if(_never)(AnswersMixin.decision_function)
    predict_proba = available_if(_never)(AnswersMixin.predict_proba)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return accuracy, label-free where `y` has unlabeled rows.

        As in `KernelEulacClassifier`. The label-free accuracy needs the known proportion: one
        that was given, or that `fit` estimated because the method or its threshold needs it.
        """
        check_is_fitted(self)
        if self.proportion_ is None:
            codes = self.codec_.encode(y)
            if np.any(codes == -1):
                raise ValueError(
                    "the accuracy on unlabeled rows needs the known proportion, which "
                    f"{type(self).__name__} was fitted without. Pass `known_proportion` where it "
                    "is a parameter, or true labels for all rows, or use LabelFreeScorer."
                )
            sample_weight = np.ones(len(codes)) if sample_weight is None else sample_weight
        return super().score(X, y, sample_weight)
