"""From held-out scores of a kernel or landmark model to its decision and what it is worth."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eulac.risk.decision_rule import DecisionRule, fit_decision_rule, held_out_answers
from eulac.risk.evidence import ClassShares
from eulac.risk.held_out import HeldOut, answers_risk
from eulac.risk.zero_one import RiskEstimate

__all__ = ["ScoreRule", "fit_score_rule"]


class ScoreRule(NamedTuple):
    """How scores become answers, and what held-out rows say of these.

    Attributes
    ----------
    evidence : ClassShares
    rule : DecisionRule
    risk : RiskEstimate
        Label-free test error, macro-F1 among its diagnostics.
    answer_shares : array of shape (n_known_classes + 1,)
        Share of held-out unlabeled rows given each answer.
    """

    evidence: ClassShares
    rule: DecisionRule
    risk: RiskEstimate
    answer_shares: NDArray[np.float64]


def fit_score_rule(
    scores: HeldOut,
    loss: str,
    *,
    matched: bool = True,
    closed_set: bool = False,
    proportion_error: float = 0.0,
) -> ScoreRule:
    """Return the rule of held-out scores.

    Parameters
    ----------
    scores : HeldOut
    loss : str
        Loss they were trained with.
    matched : bool, default=True
        Whether to pull outliers to the augmented class, and to match its share of unlabeled rows.
        Without it the largest score wins, as in the paper.
    closed_set : bool, default=False
        Nothing can be called augmented.
    proportion_error : float, default=0.0
        Standard error of the known proportion.

    Examples
    --------
    >>> scores = np.array([[0.3, -0.2, -0.1], [-0.2, 0.3, -0.1], [-0.2, -0.1, 0.3]])
    >>> held_out = HeldOut(scores[:2], scores, np.array([0, 1]), np.full(2, 2 / 3))
    >>> fit_score_rule(held_out, "square").answer_shares.round(2)
    array([0.33, 0.33, 0.33])
    """
    pulls = matched and not closed_set
    evidence = ClassShares.fitted(loss, scores.unlabeled, pulls=pulls)
    rule = fit_decision_rule(scores, evidence, matched=matched, closed_set=closed_set)
    answers = held_out_answers(scores, rule, evidence)
    counts = np.bincount(answers[1], minlength=scores.augmented + 1)
    risk = answers_risk(scores, answers, proportion_error)
    return ScoreRule(evidence, rule, risk, counts / counts.sum())
