"""Metrics of the paper: what a classifier's answers are worth when all labels are known."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import f1_score, roc_auc_score

from eulac.data.labels import LabelCodec

__all__ = [
    "LacMetrics",
    "calibration_gap",
    "evaluate",
    "evaluate_answers",
    "expected_calibration_error",
]


@dataclass(frozen=True)
class LacMetrics:
    """Macro-F1 over known classes and the augmented one, accuracy, and AUC of the new rows.

    `auc` is not a number where the test rows are all known or all augmented. `called_new` is the
    share of rows that are answered *new*.
    """

    macro_f1: float
    accuracy: float
    auc: float
    called_new: float


def evaluate(classifier: Any, X: Any, y: Any) -> LacMetrics:
    """Return the metrics of a fitted classifier on rows with true labels.

    Parameters
    ----------
    classifier : fitted classifier with `predict`, `augmented_score` and `codec_`
    X : array of shape (n_rows, n_features)
    y : array of shape (n_rows,)
        True labels; any label unknown to the classifier counts as augmented.
    """
    return evaluate_answers(
        classifier.codec_, y, classifier.predict(X), classifier.augmented_score(X)
    )


def evaluate_answers(codec: LabelCodec, y: Any, labels: Any, augmented_score: Any) -> LacMetrics:
    """Return the metrics of answers to rows with true labels.

    Parameters
    ----------
    codec : LabelCodec
        Of the classifier that answered.
    y : array of shape (n_rows,)
        True labels, as in `evaluate`.
    labels, augmented_score : arrays of shape (n_rows,)
        Its answers, and how new the rows look to it.
    """
    true, predicted = codec.encode(y), codec.encode(labels)
    augmented = true == codec.n_known_classes
    macro_f1 = f1_score(true, predicted, labels=np.unique(true), average="macro", zero_division=0.0)
    both = 0 < augmented.sum() < len(augmented)
    auc = roc_auc_score(augmented, augmented_score) if both else float("nan")
    called_new = float(np.mean(predicted == codec.n_known_classes))
    return LacMetrics(float(macro_f1), float(np.mean(true == predicted)), float(auc), called_new)


def expected_calibration_error(
    probabilities: NDArray[np.float64], y: NDArray[np.intp], *, n_bins: int = 15
) -> float:
    """Return the mean gap between confidence and accuracy over bins of confidence.

    Examples
    --------
    >>> import numpy as np
    >>> sure = np.array([[0.9, 0.1], [0.9, 0.1]])
    >>> round(expected_calibration_error(sure, np.array([0, 1])), 2)
    0.4
    """
    return calibration_gap(probabilities.max(axis=1), probabilities.argmax(axis=1) == y, n_bins)


def calibration_gap(
    probability: NDArray[np.float64], came_true: NDArray[np.bool_], n_bins: int = 15
) -> float:
    """Return the mean gap between a probability and how often it came true, over bins of it.

    Examples
    --------
    >>> import numpy as np
    >>> calibration_gap(np.array([0.5, 0.5, 0.0]), np.array([True, False, False]))
    0.0
    """
    bins = np.minimum((probability * n_bins).astype(int), n_bins - 1)
    gaps = np.bincount(bins, probability - came_true, minlength=n_bins)
    return float(np.abs(gaps).sum() / len(probability))
