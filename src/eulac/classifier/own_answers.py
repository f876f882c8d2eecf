"""What a classifier says of rows, all at once; of its own pool, by models that have not seen it."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eulac.classifier.answering import Answers
from eulac.classifier.own_rows import augmented_margin, held_out_rows, keeps_pool

__all__ = ["OwnAnswers", "answers_of", "own_answers_of"]


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


class OwnAnswers(NamedTuple):
    """Answers, and which rows were in the fit's pool: models that have not seen them answered."""

    answers: Answers
    is_held_out: NDArray[np.bool_]


def own_answers_of(classifier: Any, X: NDArray[np.float64]) -> OwnAnswers:
    """Return answers to rows, those of the fit's own pool by models that have not seen them.

    Where the classifier keeps such answers, `augmented_score` is by how much *augmented* is
    likelier than any known class, in logs: on one scale for all rows.
    """
    answers = answers_of(classifier, X)
    if not keeps_pool(classifier) or answers.probabilities is None:
        return OwnAnswers(answers, np.zeros(len(answers.labels), dtype=bool))
    found, held_out = held_out_rows(classifier, X)
    labels, probabilities = answers.labels.copy(), answers.probabilities.copy()
    labels[found] = classifier.classes_[held_out.argmax(axis=1)]
    probabilities[found] = held_out
    return OwnAnswers(Answers(labels, probabilities, augmented_margin(probabilities)), found)
