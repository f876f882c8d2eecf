"""From held-out probabilities of any classifier to answers, calibrated to the unlabeled rows.

A classifier trained on weighted rows gives probabilities of roughly the right kind. Two numbers
make them fit the distribution of the unlabeled rows: a shift of the augmented log probability, so
that as many rows are called augmented as the proportion says, and a sharpness (a temperature) with
the smallest unbiased Brier risk. Both come from held-out rows; no label of a test row is seen.

The Brier risk is bounded, so its estimate needs no brake where held-out rows look separated, as
the log loss does; a brake makes probabilities of well separated rows too careful.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import softmax

from eulac.proportion.estimate import ProportionEstimate
from eulac.risk.decision import matching_shift
from eulac.risk.unbiased import own_scores
from eulac.risk.zero_one import RiskEstimate, label_free_macro_f1, zero_one_risk

__all__ = [
    "HeldOutProbabilities",
    "ProbabilityRule",
    "answers_risk",
    "brier_terms",
    "fit_probability_rule",
    "held_out_risk",
]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

SMALLEST_PROBABILITY = 1e-3
"""Forests say zero; its logarithm should not outvote everything else."""

FURTHEST_SHIFT = -2.0 * float(np.log(SMALLEST_PROBABILITY))
SHARPNESS_LIMITS = (0.1, 10.0)

CLEAR_GAP = 3.0
"""In log odds; more than what lies between none and one of a hundred trees."""


@dataclass(frozen=True, eq=False)
class HeldOutProbabilities:
    """Probabilities of rows by models that have not seen them.

    Attributes
    ----------
    labeled, unlabeled : arrays of shape (n, n_known_classes + 1)
    y_labeled : int array of shape (n_labeled,)
    weights : array of shape (n_labeled,)
        From `labeled_weights`.
    interval : (float, float), optional
        Where the known proportion, to which the weights average, may lie.
    """

    labeled: Array
    unlabeled: Array
    y_labeled: Codes
    weights: Array
    interval: tuple[float, float] | None = None

    def taken(self, labeled: NDArray, unlabeled: NDArray) -> "HeldOutProbabilities":
        """Return some of the rows; weights still average to the known proportion."""
        weights = self.weights[labeled]
        if weights.sum() > 0:
            weights = weights * (self.weights.mean() / weights.mean())
        return HeldOutProbabilities(
            self.labeled[labeled],
            self.unlabeled[unlabeled],
            self.y_labeled[labeled],
            weights,
            self.interval,
        )


@dataclass(frozen=True)
class ProbabilityRule:
    """How a base classifier's probabilities become answers and calibrated probabilities.

    Attributes
    ----------
    shift : float
        Added to the augmented log probability before the largest one wins.
    sharpness : float
        Probabilities are the softmax of this times the shifted logarithms.
    closed_set : bool
        Leave the augmented class out: there was nothing to learn it from.

    Examples
    --------
    >>> rule = ProbabilityRule(shift=1.0)
    >>> rule.decide(np.array([[0.6, 0.4]])).argmax(axis=1)
    array([1])
    """

    shift: float = 0.0
    sharpness: float = 1.0
    closed_set: bool = False

    def decide(self, probabilities: Array) -> Array:
        """Return shifted log probabilities; the largest entry of a row is its answer."""
        logs = np.log(np.clip(probabilities, SMALLEST_PROBABILITY, 1.0))
        logs[:, -1] += self.shift
        return logs[:, :-1] if self.closed_set else logs

    def answers(self, probabilities: Array) -> Codes:
        """Return the class code of each row."""
        return self.decide(probabilities).argmax(axis=1)

    def probabilities(self, decision: Array) -> Array:
        """Return P(class) under the distribution of the unlabeled rows."""
        return np.asarray(softmax(self.sharpness * decision, axis=1))


def fit_probability_rule(
    held_out: HeldOutProbabilities, *, matched: bool = True, closed_set: bool = False
) -> ProbabilityRule:
    """Return the rule that fits held-out probabilities and the proportion in their weights.

    Examples
    --------
    >>> sure = np.array([[0.9, 0.1], [0.8, 0.2], [0.7, 0.3], [0.6, 0.4]])
    >>> held_out = HeldOutProbabilities(sure, sure, np.zeros(4, int), np.full(4, 0.5))
    >>> fit_probability_rule(held_out).answers(sure)
    array([0, 0, 1, 1])
    """
    rule = ProbabilityRule()
    if matched and not closed_set:
        shift = matching_shift(
            rule.decide(held_out.unlabeled),
            held_out.weights.mean(),
            interval=held_out.interval,
            reach=FURTHEST_SHIFT,
            clear_gap=CLEAR_GAP,
        )
        rule = replace(rule, shift=shift)
    if closed_set:
        # Nothing can be called augmented: out of the way, in the decision and in the risk.
        rule = replace(rule, shift=-FURTHEST_SHIFT)
    sharpness = _best_sharpness(rule, held_out)
    return replace(rule, sharpness=sharpness, closed_set=closed_set)


def brier_terms(held_out: HeldOutProbabilities) -> tuple[Array, Array]:
    """Return terms of labeled and of unlabeled rows whose means add up to the Brier risk.

    The generalized estimator ``E_L[w (l(p, y) - l(p, ac))] + E_U[l(p, ac)]`` with
    ``l(p, k) = |p|^2 - 2 p_k + 1``, unbiased for the test distribution.

    Examples
    --------
    >>> sure = np.array([[1.0, 0.0]])
    >>> held_out = HeldOutProbabilities(sure, sure, np.zeros(1, int), np.ones(1))
    >>> [float(terms.mean()) for terms in brier_terms(held_out)]  # certain, and right
    [-2.0, 2.0]
    """
    own = own_scores(held_out.labeled, held_out.y_labeled)
    exchange = 2.0 * held_out.weights * (held_out.labeled[:, -1] - own)
    unlabeled = held_out.unlabeled
    return exchange, (unlabeled**2).sum(axis=1) - 2.0 * unlabeled[:, -1] + 1.0


def _best_sharpness(rule: ProbabilityRule, held_out: HeldOutProbabilities) -> float:
    """Return the sharpness with the smallest label-free Brier risk."""
    decisions = rule.decide(held_out.labeled), rule.decide(held_out.unlabeled)

    def risk(log_sharpness: float) -> float:
        sharper = replace(rule, sharpness=float(np.exp(log_sharpness)))
        labeled, unlabeled = (sharper.probabilities(part) for part in decisions)
        return sum(
            float(terms.mean())
            for terms in brier_terms(replace(held_out, labeled=labeled, unlabeled=unlabeled))
        )

    return float(np.exp(minimize_scalar(risk, bounds=np.log(SHARPNESS_LIMITS), method="bounded").x))


def held_out_risk(
    held_out: HeldOutProbabilities, rule: ProbabilityRule, estimate: ProportionEstimate
) -> RiskEstimate:
    """Return the label-free test error of the rule's answers, macro-F1 among its diagnostics."""
    answers = rule.answers(held_out.labeled), rule.answers(held_out.unlabeled)
    return answers_risk(held_out, answers, estimate)


def answers_risk(
    held_out: HeldOutProbabilities, answers: tuple[Codes, Codes], estimate: ProportionEstimate
) -> RiskEstimate:
    """Return the label-free test error of answers for the held-out rows."""
    parts = answers[0], held_out.y_labeled, held_out.weights, answers[1]
    augmented = held_out.labeled.shape[1] - 1
    risk = zero_one_risk(*parts, augmented=augmented, proportion_error=estimate.standard_error)
    return replace(risk, diagnostics={"macro_f1": label_free_macro_f1(*parts, augmented=augmented)})
