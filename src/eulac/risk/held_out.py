"""What models that have not seen a row say of it, for every row of both samples.

Whatever a family's models put out, scores, probabilities or logits, what is judged by it is judged
from one of these: the decision rule, the known proportion, the label-free error.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eulac.risk.unbiased import own_scores
from eulac.risk.zero_one import RiskEstimate, label_free_macro_f1, zero_one_risk

__all__ = ["HeldOut", "answers_risk", "brier_terms"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Outputs for rows by models that have not seen them.

    Attributes
    ----------
    labeled, unlabeled : arrays of shape (n, n_known_classes + 1)
        A column per class, the augmented one last.
    y_labeled : int array of shape (n_labeled,)
        Class codes 0..K-1.
    weights : array of shape (n_labeled,)
        Share of a row's class in deployment over that among the labeled rows.
    interval : (float, float), optional
        Where the known proportion, to which the weights average, may lie.

    Examples
    --------
    >>> rows = np.array([[0.9, 0.1], [0.8, 0.2], [0.3, 0.7]])
    >>> held_out = HeldOut(rows, rows, np.zeros(3, int), np.array([0.3, 0.6, 0.9]))
    >>> held_out.taken(np.array([0, 1]), np.array([2])).weights
    array([0.4, 0.8])
    """

    labeled: Array
    unlabeled: Array
    y_labeled: Codes
    weights: Array
    interval: tuple[float, float] | None = None

    @property
    def augmented(self) -> int:
        """Code of the augmented class."""
        return self.labeled.shape[1] - 1

    def answered(self) -> tuple[Codes, Codes, Array, Codes]:
        """Return what label-free metrics take, each row answered by its largest column.

        Answers to labeled rows, their codes, their weights, and answers to unlabeled rows.
        """
        answers = self.labeled.argmax(axis=1), self.unlabeled.argmax(axis=1)
        return answers[0], self.y_labeled, self.weights, answers[1]

    def taken(self, labeled: NDArray[Any], unlabeled: NDArray[Any]) -> "HeldOut":
        """Return some of the rows; weights still average to the known proportion."""
        weights = self.weights[labeled]
        if weights.sum() > 0:
            weights = weights * (self.weights.mean() / weights.mean())
        return HeldOut(
            self.labeled[labeled],
            self.unlabeled[unlabeled],
            self.y_labeled[labeled],
            weights,
            self.interval,
        )

    def mapped(self, function: Callable[[Array], Array]) -> "HeldOut":
        """Return the same rows with a function of their outputs in place of them."""
        return replace(self, labeled=function(self.labeled), unlabeled=function(self.unlabeled))


def answers_risk(
    held_out: HeldOut, answers: tuple[Codes, Codes], proportion_error: float = 0.0
) -> RiskEstimate:
    """Return the label-free test error of answers, macro-F1 among its diagnostics.

    Parameters
    ----------
    held_out : HeldOut
    answers : (labeled, unlabeled) int arrays
        Codes answered for its rows.
    proportion_error : float, default=0.0
        Standard error of the known proportion.

    Examples
    --------
    >>> y = np.array([0, 1, 0, 1])
    >>> held_out = HeldOut(np.zeros((4, 3)), np.zeros((4, 3)), y, np.full(4, 0.5))
    >>> answers_risk(held_out, (y, np.array([0, 1, 1, 2]))).raw
    0.25
    """
    parts = answers[0], held_out.y_labeled, held_out.weights, answers[1]
    augmented = held_out.augmented
    risk = zero_one_risk(*parts, augmented=augmented, proportion_error=proportion_error)
    return replace(risk, diagnostics={"macro_f1": label_free_macro_f1(*parts, augmented=augmented)})


def brier_terms(held_out: HeldOut) -> tuple[Array, Array]:
    """Return terms of labeled and of unlabeled rows whose means add up to the Brier risk.

    Outputs are probabilities. The generalized estimator ``E_L[w (l(p, y) - l(p, ac))] +
    E_U[l(p, ac)]`` with ``l(p, k) = |p|^2 - 2 p_k + 1``, unbiased for the test distribution.

    Examples
    --------
    >>> sure = np.array([[1.0, 0.0]])
    >>> held_out = HeldOut(sure, sure, np.zeros(1, int), np.ones(1))
    >>> [float(terms.mean()) for terms in brier_terms(held_out)]  # certain, and right
    [-2.0, 2.0]
    """
    own = own_scores(held_out.labeled, held_out.y_labeled)
    exchange = 2.0 * held_out.weights * (held_out.labeled[:, -1] - own)
    unlabeled = held_out.unlabeled
    return exchange, (unlabeled**2).sum(axis=1) - 2.0 * unlabeled[:, -1] + 1.0
