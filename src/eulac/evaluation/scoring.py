"""A label-free scorer for scikit-learn's model selection."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from eulac.data.labels import LabelCodec
from eulac.risk.zero_one import masked_accuracy

__all__ = ["LabelFreeScorer"]


@dataclass(frozen=True)
class LabelFreeScorer:
    """Accuracy under the test distribution, estimated from masked labels.

    Works for any classifier that predicts known labels or the augmented one, for instance as
    ``GridSearchCV(..., scoring=LabelFreeScorer(known_proportion=0.6))``. One proportion for all
    candidates keeps their scores comparable.

    Parameters
    ----------
    known_proportion : float
        Share of known classes among the unlabeled rows.
    unlabeled_label : scalar, default=-1
    augmented_label : scalar, default="auto"

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.dummy import DummyClassifier
    >>> X, y = np.zeros((4, 1)), np.array([0, 0, -1, -1])
    >>> always_known = DummyClassifier(strategy="constant", constant=0).fit(X, y)
    >>> LabelFreeScorer(known_proportion=0.5)(always_known, X, y)
    0.5
    """

    known_proportion: float
    unlabeled_label: Any = -1
    augmented_label: Any = "auto"

    def __call__(self, classifier: Any, X: Any, y: Any) -> float:
        """Return the estimated accuracy of a fitted classifier."""
        codec = LabelCodec.from_labels(
            y, augmented_label=self.augmented_label, unlabeled_label=self.unlabeled_label
        )
        predicted = codec.encode(classifier.predict(X))
        weights = np.full(codec.n_known_classes, float(self.known_proportion))
        return masked_accuracy(predicted, codec.encode(y), weights)
