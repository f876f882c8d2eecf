"""True against answered shares of the test distribution, without a label of a test row.

Labeled rows say how known classes are answered; what is answered in deployment beyond that is the
answers to new rows. Precision, recall, F1 and the error are functions of this table.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eulac.risk.zero_one import cost_risk

__all__ = ["ContingencyTable", "contingency_table"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class ContingencyTable:
    """Estimated shares of the test rows by true class and answer, the augmented class last.

    Attributes
    ----------
    shares : array of shape (n_known_classes + 1, n_known_classes + 1)
        A row per true class, a column per answer; sums to one. Unbiased, so that entries of the
        last row may be a little below zero.
    errors : array of the same shape
        Standard errors.
    n_labeled : int array of shape (n_known_classes,)
        Labeled rows behind each known class.
    n_unlabeled : int
    proportion_error : float
        Standard error of the known proportion, part of `errors`.
    """

    shares: Array
    errors: Array
    n_labeled: Codes
    n_unlabeled: int
    proportion_error: float = 0.0

    @property
    def true_shares(self) -> Array:
        """Share of each class."""
        return self.shares.sum(axis=1)

    @property
    def called_shares(self) -> Array:
        """Share of rows given each answer."""
        return self.shares.sum(axis=0)

    @property
    def precision(self) -> Array:
        """Of the rows answered so, the share that is of the class; NaN without answers."""
        return _ratio(self.shares.diagonal(), self.called_shares)

    @property
    def recall(self) -> Array:
        """Of the rows of the class, the share that is answered so; NaN without such rows."""
        return _ratio(self.shares.diagonal(), self.true_shares)

    @property
    def f1(self) -> Array:
        """Twice the hits over the share of the class plus the share called so."""
        scores = _ratio(2 * self.shares.diagonal(), self.true_shares + self.called_shares)
        return np.nan_to_num(scores)

    @property
    def error(self) -> float:
        """Share of rows answered wrongly, as `zero_one_risk` has it."""
        return float(1.0 - self.shares.trace())


def contingency_table(
    predicted_labeled: Codes,
    y_labeled: Codes,
    weights: Array,
    predicted_unlabeled: Codes,
    *,
    augmented: int,
    proportion_error: float = 0.0,
) -> ContingencyTable:
    """Return the table of true against answered shares, estimated without test labels.

    Of a fitted classifier: ``contingency_table(*clf.held_out_.answered(), augmented=K)``.

    Parameters
    ----------
    predicted_labeled, y_labeled : int arrays of shape (n_labeled,)
        Answers to labeled rows by models that have not seen them, and their true class codes.
    weights : array of shape (n_labeled,)
        Share of a row's class in deployment over that among labels, as `HeldOut` has them.
    predicted_unlabeled : int array of shape (n_unlabeled,)
        Answers to unlabeled rows.
    augmented : int
        Code of the augmented class: the number of known classes, K.
    proportion_error : float, default=0.0
        Standard error of the known proportion.

    Returns
    -------
    table : ContingencyTable
        Shares, and from them precision, recall and F1 of each class.

    Examples
    --------
    >>> y = np.array([0, 1, 0, 1])
    >>> answers = np.array([0, 1, 1, 2])
    >>> table = contingency_table(y, y, np.full(4, 0.5), answers, augmented=2)
    >>> table.shares
    array([[0.25, 0.  , 0.  ], [0.  , 0.25, 0.  ], [0.  , 0.25, 0.25]])
    >>> table.precision, table.recall
    (array([1. , 0.5, 1. ]), array([1. , 1. , 0.5]))
    """
    parts = predicted_labeled, y_labeled, weights, predicted_unlabeled
    n = augmented + 1
    shares, errors = np.zeros((2, n, n))
    for place in np.ndindex(n, n):
        cell = np.zeros((n, n))
        cell[place] = 1.0
        found = cost_risk(*parts, cell, proportion_error=proportion_error)
        shares[place], errors[place] = found.raw, found.standard_error
    counts = np.bincount(y_labeled, minlength=augmented)
    return ContingencyTable(shares, errors, counts, len(predicted_unlabeled), proportion_error)


def _ratio(part: Array, whole: Array) -> Array:
    """Part of the whole within [0, 1]; NaN of nothing."""
    found = np.divide(part, whole, out=np.full(len(whole), np.nan), where=whole > 1e-12)
    return np.clip(found, 0.0, 1.0)
