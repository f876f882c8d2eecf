"""From scores to answers: class shares, the shift of the augmented share, and probabilities.

Nothing here sees a label of a test row. A tiny pull sends rows far from all data, where every
score fades to zero, to the augmented class; shares estimate P(class | x); the shift makes the
rule call as many rows augmented as the proportion says there are; the sharpness turns shifted
shares into probabilities by minimizing the unbiased log loss. All come from held-out scores.
"""

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from eulac.exceptions import TrivialPredictorWarning
from eulac.risk.unbiased import log_lac_risk

__all__ = [
    "DecisionRule",
    "best_sharpness",
    "class_shares",
    "fit_decision_rule",
    "matched_count",
    "matching_shift",
    "score_reach",
    "warn_if_trivial",
]

Array = NDArray[np.float64]

OUTLIER_PULL = 0.01
"""As a share of the typical score of a held-out row: felt only where scores have faded."""

FADED = 5.0
"""Scores below so many outlier pulls count as faded."""

SHARE_LIMITS = (-0.5, 1.5)
SMALLEST_REACH = 1e-9
SHARPNESS_LIMITS = (1.0, 200.0)
WIDEST_MARGIN = 1.0 + SHARE_LIMITS[1] - SHARE_LIMITS[0]
TRIVIAL_SHARE = 0.995

CLEAR_GAP = 0.25
"""Shares of neighboring held-out rows that differ by less may be of one kind."""

FEWEST_MARGINS = 20
"""Gaps between fewer rows say nothing."""

TIE = 1e-9
"""Margins that differ by less are rounding."""


def class_shares(scores: Array, loss: str = "square") -> Array:
    """Return rough estimates of P(class | x) that sum to one, not all of them within [0, 1].

    Under the square loss the sum of a row's scores does not depend on the labels: it is minus
    ``K - 1`` times the reach of the unlabeled rows at that point, shrunk by the penalty just as
    the scores are. Dividing by it undoes the shrinkage.

    Examples
    --------
    >>> import numpy as np
    >>> class_shares(np.array([[0.1, -0.3, 0.0]]))
    array([[ 0.75, -0.25,  0.5 ]])
    """
    n_known = scores.shape[1] - 1
    if loss == "square" and n_known > 1:
        reach = np.maximum(score_reach(scores), SMALLEST_REACH)
        shares = 0.5 * (1.0 + scores / reach[:, None])
    elif loss == "logistic":
        shares = _normalized(0.5 * (1.0 + np.tanh(0.5 * scores)))
    else:
        shares = _normalized(0.5 * (1.0 + np.clip(scores, -1.0, 1.0)))
    return np.clip(shares, *SHARE_LIMITS)


def score_reach(scores: Array) -> Array:
    """Return how far the unlabeled rows reach to each row, under the square loss.

    Examples
    --------
    >>> import numpy as np
    >>> score_reach(np.array([[0.1, -0.3, 0.0]]))
    array([0.2])
    """
    return np.asarray(-scores.sum(axis=1) / (scores.shape[1] - 2))


def _normalized(shares: Array) -> Array:
    """Rows divided by their sums; equal shares where a row is all zero."""
    total = shares.sum(axis=1, keepdims=True)
    equal = np.full_like(shares, 1.0 / shares.shape[1])
    return np.divide(shares, total, out=equal, where=total > 0)


@dataclass(frozen=True)
class DecisionRule:
    """How scores become labels and probabilities.

    Attributes
    ----------
    outlier_pull : float
        Taken from known scores and added to the augmented one.
    shift : float
        Added to the augmented share before the largest one wins.
    sharpness : float
        Probabilities are the softmax of this times the shifted shares.
    loss : str
        Loss the scores were trained with.
    closed_set : bool
        Leave the augmented class out: there was nothing to learn it from.
    """

    outlier_pull: float = 0.0
    shift: float = 0.0
    sharpness: float = 4.0
    loss: str = "square"
    closed_set: bool = False

    def decide(self, scores: Array) -> Array:
        """Return shifted shares; the largest entry of a row is its answer."""
        pull = np.append(np.full(scores.shape[1] - 1, -self.outlier_pull), self.outlier_pull)
        shares = class_shares(scores + pull, self.loss)
        shares[:, -1] += self.shift * self._evidence(scores)
        return shares[:, :-1] if self.closed_set else shares

    def _evidence(self, scores: Array) -> Array:
        """From 0 where all scores have faded to 1 where they have not: the shift fades too."""
        if self.outlier_pull == 0.0:
            return np.ones(len(scores))
        return np.minimum(np.abs(scores).max(axis=1) / (FADED * self.outlier_pull), 1.0)

    def answers(self, scores: Array) -> NDArray[np.intp]:
        """Return the class code of each row."""
        return self.decide(scores).argmax(axis=1)

    def probabilities(self, decision: Array) -> Array:
        """Return the softmax of sharpened shares; its largest entry is the answer too."""
        logits = self.sharpness * decision
        logits -= logits.max(axis=1, keepdims=True)
        expd = np.exp(logits)
        return np.asarray(expd / expd.sum(axis=1, keepdims=True))


def fit_decision_rule(
    scores_labeled: Array,
    y_labeled: NDArray[np.intp],
    weights: Array,
    scores_unlabeled: Array,
    *,
    matched: bool = True,
    interval: tuple[float, float] | None = None,
    loss: str = "square",
) -> DecisionRule:
    """Return the rule that fits held-out scores and the proportion in the weights.

    Parameters
    ----------
    scores_labeled, y_labeled, weights, scores_unlabeled
        Held-out scores, codes and row weights, as in `lac_risk`.
    matched : bool, default=True
        Whether to pull outliers, and shift the augmented share so that its share of unlabeled
        rows is matched. Without it the largest score wins, as in the paper.
    interval : (float, float), optional
        Where the known proportion may lie: a clear gap between rows is used if it lies within.
    loss : str
        Loss the scores were trained with.
    """
    rule = DecisionRule(loss=loss)
    if matched:
        typical = float(np.median(np.abs(scores_unlabeled).max(axis=1)))
        rule = replace(rule, outlier_pull=OUTLIER_PULL * typical)
        shift = matching_shift(rule.decide(scores_unlabeled), weights.mean(), interval=interval)
        rule = replace(rule, shift=shift)
    sharpness = best_sharpness(
        rule.decide(scores_labeled), y_labeled, weights, rule.decide(scores_unlabeled)
    )
    return replace(rule, sharpness=sharpness)


def matching_shift(
    shares: Array,
    known_proportion: float,
    *,
    interval: tuple[float, float] | None = None,
    reach: float = WIDEST_MARGIN,
    clear_gap: float = CLEAR_GAP,
) -> float:
    """Return the shift under which just the augmented proportion of rows is called augmented.

    A proportion is known only so well. Where its `interval` leaves room for a gap between rows as
    wide as `clear_gap`, in which there is none, the border runs through the middle of that gap
    rather than through a cloud of rows beside it. `reach` is more than the last column and any
    other can differ by: the shift where nothing, or everything, is new. The defaults are those of
    clipped shares; logits may differ by more.

    Examples
    --------
    >>> import numpy as np
    >>> shares = np.array([[0.9, 0.1], [0.6, 0.4], [0.55, 0.45], [0.2, 0.8]])
    >>> shift = matching_shift(shares, known_proportion=0.5)
    >>> bool(0.1 < shift < 0.2)
    True
    """
    margin = np.sort(shares[:, -1] - shares[:, :-1].max(axis=1))
    n_known = matched_count(margin, known_proportion, interval, clear_gap=clear_gap)
    if n_known in (0, len(margin)):
        return float(reach if n_known == 0 else -reach)
    return float(-0.5 * (margin[n_known - 1] + margin[n_known]))


def matched_count(
    margin: Array,
    known_proportion: float,
    interval: tuple[float, float] | None = None,
    *,
    clear_gap: float = CLEAR_GAP,
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
    """Return the number of known rows at the widest gap the interval allows, if it is a clear one.

    All rows known, or none, is no gap.
    """
    if interval is None or len(margin) < FEWEST_MARGINS:
        return None
    low, high = (round(share * len(margin)) for share in interval)
    all_gaps = np.diff(margin)
    gaps = all_gaps[max(low, 1) - 1 : min(high, len(margin) - 1)]
    if not gaps.size:
        return None
    widest = float(gaps.max())
    usual = (all_gaps.sum() - widest) / (len(all_gaps) - 1)
    # The widest of n spaces between random points is some log(n) times the usual one.
    by_chance = 3.0 * (np.log(len(margin)) + 1.0) * usual
    return None if widest < max(clear_gap, by_chance) else max(low, 1) + int(gaps.argmax())


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


def best_sharpness(
    shares_labeled: Array,
    y_labeled: NDArray[np.intp],
    weights: Array,
    shares_unlabeled: Array,
    *,
    limits: tuple[float, float] = SHARPNESS_LIMITS,
) -> float:
    """Return the softmax factor with the smallest unbiased log loss.

    The estimate is convex in the factor but can fall without end where held-out rows look
    perfectly separated; a little of the loss against uniform labels, one over the root of the
    sample size, keeps it in check.
    """
    doubt = 1.0 / np.sqrt(len(shares_unlabeled))
    mean_share = shares_unlabeled.mean(axis=1)

    def objective(log_factor: float) -> float:
        factor = np.exp(log_factor)
        risk: Any = log_lac_risk(
            factor * shares_labeled, y_labeled, weights, factor * shares_unlabeled
        )
        # Cross entropy against uniform labels differs from that against `augmented` linearly.
        uniform = (
            log_lac_risk(
                factor * shares_labeled, y_labeled, 0.0 * weights, factor * shares_unlabeled
            )
            + factor * (shares_unlabeled[:, -1] - mean_share).mean()
        )
        return float((1 - doubt) * risk + doubt * uniform)

    result = minimize_scalar(objective, bounds=np.log(limits), method="bounded")
    return float(np.exp(result.x))


def warn_if_trivial(answer_shares: NDArray[np.float64], labels: NDArray[Any]) -> None:
    """Warn of a classifier that gives nearly every unlabeled row the same answer."""
    top = int(answer_shares.argmax())
    if answer_shares[top] >= TRIVIAL_SHARE and len(labels) > 1:
        answer = labels.tolist()[top]
        warnings.warn(
            f"{answer_shares[top]:.1%} of the held-out unlabeled rows are called {answer!r}. "
            "Check the features' scale, the labels, and `known_proportion`.",
            TrivialPredictorWarning,
            stacklevel=3,
        )
