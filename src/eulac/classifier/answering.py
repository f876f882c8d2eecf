"""What classifiers of known classes or *augmented* say of rows, once they can decide."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_consistent_length

from eulac.risk.weights import class_weights
from eulac.risk.zero_one import masked_accuracy

__all__ = ["Answers", "AnswersMixin"]


class Answers(NamedTuple):
    """What a classifier says of rows.

    `probabilities` follow `classes_`; None where the method has none.
    """

    labels: NDArray[Any]
    probabilities: NDArray[np.float64] | None
    augmented_score: NDArray[np.float64]


class AnswersMixin:
    """Outputs of a classifier that writes `_decision(X)`: a column per entry of `classes_`.

    Also needed: `_calibrated(decision)`, and `classes_`, `closed_set_`, `codec_`, `proportion_`.
    A classifier with a quicker way to nearly the same decision writes `_quick_decision(X)`.
    """

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
            self._newness(decision),
        )

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the evidence for each class, the augmented one last; the largest wins.

        With only two classes in `classes_` it is one column, positive for the second.
        """
        decision = self._decision(X)
        return decision[:, 1] - decision[:, 0] if len(self.classes_) == 2 else decision

    def predict(self, X: Any) -> NDArray[Any]:
        """Return a known label for each row, or the augmented label."""
        answers = self._decision(X).argmax(axis=1)
        return self.classes_[answers]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return P(class) under the distribution of the unlabeled rows, following `classes_`."""
        return self._calibrated(self._decision(X))

    def augmented_score(self, X: Any) -> NDArray[np.float64]:
        """Return a score per row: bigger means more likely of a class never labeled.

        Positive exactly where `predict` says augmented. Of a classifier fitted without unlabeled
        rows, minus the evidence for the likeliest known class.
        """
        return self._newness(self._decision(X))

    def _newness(self, decision):
        if self.closed_set_:
            return -decision.max(axis=1)
        return decision[:, -1] - decision[:, :-1].max(axis=1)

    def _quick_decision(self, X):
        return self._decision(X)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return accuracy, label-free where `y` has unlabeled rows.

        With true labels for all rows this is plain accuracy; labels not seen in `fit` count as
        augmented. With unlabeled rows it is one minus the unbiased estimate of the test error:
        they stand for deployment as it is, known and new, and labeled rows come on top of them.
        Labels of a part of the pool itself would thin its known rows, and the estimate exceed 1.
        """
        predicted = self._decision(X).argmax(axis=1)
        codes = self.codec_.encode(y)
        check_consistent_length(predicted, codes)
        if sample_weight is not None:
            if np.any(codes == -1):
                raise ValueError("`sample_weight` needs true labels; `y` has unlabeled rows.")
            return float(np.average(predicted == codes, weights=sample_weight))
        return masked_accuracy(predicted, codes, class_weights(codes, self.proportion_.per_class))
