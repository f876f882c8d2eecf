"""The decision: which class wins, how many rows are called augmented, and probabilities.

Nothing here sees a label of a test row. A rule works on evidence (`risk/evidence.py`): a shift of
the augmented column makes it call as many rows augmented as the proportion says there are; a
sharpness turns shifted evidence into probabilities with the smallest label-free risk. Both come
from held-out rows.
"""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import softmax

from eulac.exceptions import TrivialPredictorWarning, warn_caller
from eulac.risk.evidence import ClassShares, EvidenceKind
from eulac.risk.held_out import HeldOut, answers_risk
from eulac.risk.zero_one import RiskEstimate

__all__ = [
    "DecisionRule",
    "ScoreRule",
    "best_sharpness",
    "fit_decision_rule",
    "fit_score_rule",
    "held_out_answers",
    "held_out_risk",
    "matched_count",
    "matching_shift",
    "warn_if_trivial",
]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

TRIVIAL_SHARE = 0.995

FEWEST_MARGINS = 20
"""Gaps between fewer rows say nothing."""

TIE = 1e-9
"""Margins that differ by less are rounding."""


@dataclass(frozen=True)
class DecisionRule:
    """How evidence becomes answers and probabilities.

    Attributes
    ----------
    shift : float
        Added to the augmented column before the largest one wins.
    sharpness : float
        Probabilities are the softmax of this times the shifted evidence.
    closed_set : bool
        Leave the augmented class out: there was nothing to learn it from.

    Examples
    --------
    >>> rule = DecisionRule(shift=1.0)
    >>> rule.answers(np.array([[0.6, 0.4]]))
    array([1])
    """

    shift: float = 0.0
    sharpness: float = 1.0
    closed_set: bool = False

    def decide(self, evidence: Array, shift_share: Array | float = 1.0) -> Array:
        """Return shifted evidence; the largest entry of a row is its answer.

        Parameters
        ----------
        evidence : array of shape (n, n_known_classes + 1)
        shift_share : float or array of shape (n,), default=1.0
            How much of the shift each row takes.
        """
        if self.closed_set:
            return evidence[:, :-1]
        decision = evidence.copy()
        decision[:, -1] += self.shift * shift_share
        return decision

    def decide_outputs(self, outputs: Array, kind: EvidenceKind) -> Array:
        """Return decision values of a model's outputs, given the kind of evidence they are."""
        return self.decide(kind.of(outputs), kind.shift_share(outputs))

    def answers(self, evidence: Array, shift_share: Array | float = 1.0) -> Codes:
        """Return the class code of each row."""
        return self.decide(evidence, shift_share).argmax(axis=1)

    def probabilities(self, decision: Array) -> Array:
        """Return P(class) under the distribution of the unlabeled rows, from `decide`."""
        return np.asarray(softmax(self.sharpness * decision, axis=1))


def fit_decision_rule(
    held_out: HeldOut,
    kind: EvidenceKind,
    *,
    matched: bool = True,
    closed_set: bool = False,
    known_proportion: float | None = None,
    calibrated: bool = True,
) -> DecisionRule:
    """Return the rule that fits the outputs for held-out rows and the proportion in their weights.

    Parameters
    ----------
    held_out : HeldOut
    kind : EvidenceKind
        How its outputs become evidence.
    matched : bool, default=True
        Whether to shift the augmented column so that the augmented share of the unlabeled rows is
        matched. Without it the largest evidence wins, as in the paper. A clear gap between rows is
        used if it lies within the interval of `held_out`.
    closed_set : bool, default=False
        Nothing can be called augmented.
    known_proportion : float, optional
        To be matched; by default the mean of the weights.
    calibrated : bool, default=True
        Whether its probabilities are asked for. Answers do not depend on how sharp they are, and
        are had sooner without.

    Examples
    --------
    >>> from eulac.risk.evidence import LogProbabilities
    >>> sure = np.array([[0.9, 0.1], [0.8, 0.2], [0.7, 0.3], [0.6, 0.4]])
    >>> held_out = HeldOut(sure, sure, np.zeros(4, int), np.full(4, 0.5))
    >>> rule = fit_decision_rule(held_out, LogProbabilities())
    >>> rule.answers(LogProbabilities().of(sure))
    array([0, 0, 1, 1])
    """
    shift = kind.closed_shift if closed_set else 0.0
    if matched and not closed_set:
        shift = matching_shift(
            kind.of(held_out.unlabeled),
            held_out.weights.mean() if known_proportion is None else known_proportion,
            interval=held_out.interval,
            furthest_shift=kind.furthest_shift,
            clear_gap=kind.clear_gap,
        )
    rule = DecisionRule(shift)
    if calibrated:
        decisions = held_out.mapped(lambda part: rule.decide_outputs(part, kind))
        sharpness = best_sharpness(decisions, kind)
        return DecisionRule(shift, sharpness, closed_set)
    return replace(rule, closed_set=closed_set)


def held_out_answers(
    held_out: HeldOut, rule: DecisionRule, kind: EvidenceKind
) -> tuple[Codes, Codes]:
    """Return the codes a rule answers for labeled and for unlabeled held-out rows."""
    decisions = (rule.decide_outputs(part, kind) for part in (held_out.labeled, held_out.unlabeled))
    labeled, unlabeled = (decision.argmax(axis=1) for decision in decisions)
    return labeled, unlabeled


def held_out_risk(
    held_out: HeldOut, rule: DecisionRule, kind: EvidenceKind, proportion_error: float = 0.0
) -> RiskEstimate:
    """Return the label-free test error of a rule's answers, macro-F1 among its diagnostics."""
    return answers_risk(held_out, held_out_answers(held_out, rule, kind), proportion_error)


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


def best_sharpness(decisions: HeldOut, kind: EvidenceKind) -> float:
    """Return the softmax factor with the smallest label-free risk of a kind of evidence.

    Parameters
    ----------
    decisions : HeldOut
        Shifted evidence of held-out rows.
    kind : EvidenceKind
    """
    result = minimize_scalar(
        lambda log_sharpness: kind.sharpness_risk(decisions, np.exp(log_sharpness)),
        bounds=np.log(kind.sharpness_limits),
        method="bounded",
    )
    return float(np.exp(result.x))


def matching_shift(
    evidence: Array,
    known_proportion: float,
    *,
    interval: tuple[float, float] | None = None,
    furthest_shift: float = ClassShares.furthest_shift,
    clear_gap: float = ClassShares.clear_gap,
) -> float:
    """Return the shift under which just the augmented proportion of rows is called augmented.

    A proportion is known only so well. Where its `interval` leaves room for a gap between rows as
    wide as `clear_gap`, in which there is none, the border runs through the middle of that gap
    rather than through a cloud of rows beside it. `furthest_shift` is the shift where nothing, or
    everything, is new. The defaults are those of class shares.

    Examples
    --------
    >>> import numpy as np
    >>> shares = np.array([[0.9, 0.1], [0.6, 0.4], [0.55, 0.45], [0.2, 0.8]])
    >>> shift = matching_shift(shares, known_proportion=0.5)
    >>> bool(0.1 < shift < 0.2)
    True
    """
    margin = np.sort(evidence[:, -1] - evidence[:, :-1].max(axis=1))
    n_known = matched_count(margin, known_proportion, interval, clear_gap=clear_gap)
    if n_known in (0, len(margin)):
        return float(furthest_shift if n_known == 0 else -furthest_shift)
    return float(-0.5 * (margin[n_known - 1] + margin[n_known]))


def matched_count(
    margin: Array,
    known_proportion: float,
    interval: tuple[float, float] | None = None,
    *,
    clear_gap: float = ClassShares.clear_gap,
) -> int:
    """Return how many rows, the first ones of sorted margins, to call known; see `matching_shift`.

    Examples
    --------
    >>> import numpy as np
    >>> margin = np.append(np.linspace(-0.9, -0.8, 30), np.linspace(0.8, 0.9, 20))
    >>> matched_count(margin, 0.5), matched_count(margin, 0.5, (0.4, 0.65))
    (25, 30)
    """
    n_known = _in_clear_gap(margin, interval, clear_gap)
    if n_known is None:
        return _outside_ties(margin, round(known_proportion * len(margin)))
    return n_known


def _in_clear_gap(
    margin: Array, interval: tuple[float, float] | None, clear_gap: float
) -> int | None:
    """Return the number of known rows at the widest clear gap the interval allows, if there is one.

    All rows known, or none, is no gap.
    """
    if interval is None or len(margin) < FEWEST_MARGINS:
        return None
    low, high = (round(share * len(margin)) for share in interval)
    n_below = np.arange(max(low, 1), min(high, len(margin) - 1) + 1)
    if not n_below.size:
        return None
    gaps = margin[n_below] - margin[n_below - 1]
    clear = gaps >= np.maximum(clear_gap, _gaps_by_chance(margin, n_below))
    return int(n_below[np.where(clear, gaps, 0.0).argmax()]) if clear.any() else None


def _gaps_by_chance(margin: Array, n_below: Codes) -> Array:
    """Return how wide the gaps above so many of the sorted margins may be without a reason.

    The widest of n spaces between random points is some log(n) times the usual one. Toward the end
    of a cloud they grow: the m-th row from there is about as far from the next one as the cloud is
    wide, divided by m. So a row or two far from all others are no class of their own.
    """
    n_rows, all_gaps = len(margin), np.diff(margin)
    usual = (all_gaps.sum() - all_gaps[n_below - 1].max()) / (len(all_gaps) - 1)
    most_below = 2 * n_below >= n_rows
    cloud = np.where(
        most_below,
        _spread_of_first(margin, n_below),
        _spread_of_first(-margin[::-1], n_rows - n_below),
    )
    toward_ends = cloud / np.minimum(n_below, n_rows - n_below)
    return np.asarray(3.0 * (np.log(n_rows) + 1.0) * np.maximum(usual, toward_ends))


def _spread_of_first(values: Array, counts: Codes) -> Array:
    """Return the standard deviation of the first so many values, for each count."""
    centered = values - np.median(values)
    mean, square = (np.cumsum(part)[counts - 1] / counts for part in (centered, centered**2))
    return np.asarray(np.sqrt(np.maximum(square - mean**2, 0.0)))


def _outside_ties(margin: Array, n_known: int) -> int:
    """Return the number of known rows next to the given one at which no rows are torn apart.

    Clipped shares tie. A shift that puts the border among rows of equal margin would make both
    classes equal for all of them, and the first class win.
    """
    if n_known in (0, len(margin)):
        return n_known
    first = int(np.searchsorted(margin, margin[n_known] - TIE))
    last = int(np.searchsorted(margin, margin[n_known - 1] + TIE, side="right"))
    if first >= n_known or last <= n_known:
        return n_known
    return first if n_known - first <= last - n_known else last


def warn_if_trivial(answer_shares: NDArray[np.float64], labels: NDArray[Any]) -> None:
    """Warn of a classifier that gives nearly every unlabeled row the same answer."""
    top = int(answer_shares.argmax())
    if answer_shares[top] >= TRIVIAL_SHARE and len(labels) > 1:
        answer = labels.tolist()[top]
        warn_caller(
            f"{answer_shares[top]:.1%} of the held-out unlabeled rows are called {answer!r}. "
            "Check the features' scale, the labels, and `known_proportion`.",
            TrivialPredictorWarning,
        )
