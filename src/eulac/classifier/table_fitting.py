"""The `fit` of classifiers of tables: one way in, so that the same arguments mean the same."""

from typing import Any, NamedTuple, Self

from eulac.classifier.answering import LacClassifier
from eulac.classifier.options import Progress

__all__ = ["GivenRows", "TableClassifier"]


class GivenRows(NamedTuple):
    """What a user gives to `fit`, as it came."""

    X: Any
    y: Any
    X_unlabeled: Any
    sample_weight: Any


class TableClassifier(LacClassifier):
    """Base of the classifiers that learn from weighted rows; a subclass writes `_fit`."""

    def fit(
        self,
        X: Any,
        y: Any,
        X_unlabeled: Any = None,
        *,
        sample_weight: Any = None,
        progress: Progress = None,
    ) -> Self:
        """Learn from labeled and unlabeled rows.

        Parameters
        ----------
        X : array or data frame of n_rows rows
            `EulacClassifier` takes images, too: (n_rows, height, width[, channels]).
        y : array of shape (n_rows,)
            Labels; unlabeled rows carry `unlabeled_label` (-1).
        X_unlabeled : rows of the same kind, optional
            Further unlabeled rows.
        sample_weight : array of shape (n_rows,), optional
            How much each labeled row counts: in every family, in the known share as if known
            classes look as in the labels, and in the risk. Unlabeled rows must weigh the same.
        progress : callable, optional
            Called as ``progress(done, total)``, in steps of about the same time. For a bar see
            `set_callbacks`, which scikit-learn 1.9 and later has.

        Returns
        -------
        self
        """
        self._fit(GivenRows(X, y, X_unlabeled, sample_weight), progress)
        return self

    def _fit(self, rows: GivenRows, progress: Progress) -> None:
        raise NotImplementedError
