"""All a classifier says of rows at once: labels, probabilities and how new they look."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from eulac.classifier.answering import Answers

__all__ = ["Answers", "answers_of"]


def answers_of(classifier: Any, X: NDArray[np.float64]) -> Answers:
    """Return what `predict`, `predict_proba` and `augmented_score` say.

    Classifiers that can answer all three at once, in single precision, do: the labels are the
    same, the other two to about three decimals.

    Examples
    --------
    >>> from eulac.contenders.osnn import OsnnClassifier
    >>> clf = OsnnClassifier(ratio=0.5).fit([[0.0], [0.1], [5.0], [5.1]], [0, 0, 1, 1])
    >>> answers_of(clf, np.array([[0.05], [2.6]])).labels
    array([ 0, -2])
    """
    if hasattr(classifier, "answers"):
        return classifier.answers(X, quick=True)
    probabilities = classifier.predict_proba(X) if hasattr(classifier, "predict_proba") else None
    return Answers(classifier.predict(X), probabilities, classifier.augmented_score(X))
