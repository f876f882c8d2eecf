"""All a classifier says of rows at once: labels, probabilities and how new they look."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eulac.risk.decision import DecisionRule

__all__ = ["Answers", "answers_of"]


class Answers(NamedTuple):
    """What a classifier says of rows.

    `probabilities` follow `classes_`; None where the method has none.
    """

    labels: NDArray[Any]
    probabilities: NDArray[np.float64] | None
    augmented_score: NDArray[np.float64]


def answers_of(classifier: Any, X: NDArray[np.float64]) -> Answers:
    """Return what `predict`, `predict_proba` and `augmented_score` say, bit for bit.

    Kernel classifiers form their kernel matrix once instead of three times.

    Examples
    --------
    >>> from eulac.contenders.osnn import OsnnClassifier
    >>> clf = OsnnClassifier(ratio=0.5).fit([[0.0], [0.1], [5.0], [5.1]], [0, 0, 1, 1])
    >>> answers_of(clf, np.array([[0.05], [2.6]])).labels
    array([ 0, -2])
    """
    rule = getattr(getattr(classifier, "model_", None), "rule", None)
    if isinstance(rule, DecisionRule) and not rule.closed_set and len(classifier.classes_) > 2:
        decision = classifier.decision_function(X)
        return Answers(
            classifier.classes_[decision.argmax(axis=1)],
            rule.probabilities(decision),
            decision[:, -1] - decision[:, :-1].max(axis=1),
        )
    probabilities = classifier.predict_proba(X) if hasattr(classifier, "predict_proba") else None
    return Answers(classifier.predict(X), probabilities, classifier.augmented_score(X))
