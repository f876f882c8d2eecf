"""From a model's outputs to evidence: a column per class, to which one decision rule applies.

Scores of a kernel or landmark model become class shares, probabilities become logarithms, logits
are evidence already. Each kind of evidence says on which scale its shift and its sharpness live,
and by which label-free risk the sharpness is chosen.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp, softmax

from eulac.maths.losses import LOSSES, get_loss
from eulac.risk.held_out import HeldOut, brier_terms
from eulac.risk.unbiased import log_lac_risk

__all__ = [
    "augmented_log_odds",
    "ClassShares",
    "EvidenceKind",
    "LogProbabilities",
    "Logits",
    "class_shares",
    "score_reach",
]

Array = NDArray[np.float64]
Limits = tuple[float, float]

OUTLIER_PULL = 0.01
"""As a share of the typical score of a held-out row: felt only where scores have faded."""

FADED = 5.0
"""Scores below so many outlier pulls count as faded."""

SHARE_LIMITS = (-0.5, 1.5)
SMALLEST_REACH = 1e-9

SMALLEST_PROBABILITY = 1e-3
"""Forests say zero; its logarithm should not outvote everything else."""


class EvidenceKind(Protocol):
    """What a decision rule must know of the evidence it is fitted to.

    Attributes
    ----------
    furthest_shift : float
        More than the augmented column and any other can differ by: the shift where nothing, or
        everything, is new.
    closed_shift : float
        Shift where nothing can be new, because there were no unlabeled rows.
    clear_gap : float
        Rows whose margins differ by more are of different kinds.
    sharpness_limits : (float, float)
    """

    furthest_shift: ClassVar[float]
    closed_shift: ClassVar[float]
    clear_gap: ClassVar[float]
    sharpness_limits: ClassVar[Limits]

    def of(self, outputs: Array) -> Array:
        """Return the evidence in a model's outputs, a matrix of its own."""

    def shift_share(self, outputs: Array) -> Array | float:
        """Return how much of the shift each row takes, from 0 to 1."""

    def sharpness_risk(self, decisions: HeldOut, sharpness: float) -> float:
        """Return the label-free risk of probabilities as sharp as that."""


@dataclass(frozen=True)
class ClassShares:
    """Scores as estimates of P(class | x), outliers pulled to the augmented class.

    Far from all data every score fades to zero. A tiny pull, taken from known scores and added to
    the augmented one, decides there, and the shift of a rule fades with the scores.

    Parameters
    ----------
    loss : str
        Loss the scores were trained with.
    outlier_pull : float, default=0.0

    Examples
    --------
    >>> kind = ClassShares("square", outlier_pull=0.001)
    >>> kind.of(np.zeros((1, 3))), kind.shift_share(np.zeros((1, 3)))
    (array([[0., 0., 1.]]), array([0.]))
    """

    loss: str = "square"
    outlier_pull: float = 0.0

    clear_gap: ClassVar[float] = 0.25
    furthest_shift: ClassVar[float] = 1.0 + SHARE_LIMITS[1] - SHARE_LIMITS[0]
    closed_shift: ClassVar[float] = 0.0
    sharpness_limits: ClassVar[Limits] = (1.0, 200.0)

    @classmethod
    def fitted(cls, loss: str, scores_unlabeled: Array, *, pulls: bool = True) -> "ClassShares":
        """Return the kind of held-out scores, whose typical size is the measure of the pull."""
        typical = float(np.median(np.abs(scores_unlabeled).max(axis=1)))
        return cls(loss, OUTLIER_PULL * typical if pulls else 0.0)

    def of(self, outputs: Array) -> Array:
        """Return class shares of scores."""
        pull = np.append(np.full(outputs.shape[1] - 1, -self.outlier_pull), self.outlier_pull)
        return class_shares(outputs + pull, self.loss)

    def shift_share(self, outputs: Array) -> Array:
        """Return 0 where all scores have faded, 1 where they have not."""
        if self.outlier_pull == 0.0:
            return np.ones(len(outputs))
        return np.minimum(np.abs(outputs).max(axis=1) / (FADED * self.outlier_pull), 1.0)

    def sharpness_risk(self, decisions: HeldOut, sharpness: float) -> float:
        """Return the label-free Brier risk.

        The log loss, which is not bounded, falls without end on small samples that look separated.
        """
        return _brier_risk(decisions, sharpness)


@dataclass(frozen=True)
class LogProbabilities:
    """Probabilities of any classifier, as logarithms.

    The Brier risk is bounded, so its estimate needs no check where held-out rows look separated, as
    the log loss does; a check makes probabilities of well separated rows too careful.

    Examples
    --------
    >>> LogProbabilities().of(np.array([[1.0, 0.0]])).round(2)
    array([[ 0.  , -6.91]])
    """

    furthest_shift: ClassVar[float] = -2.0 * float(np.log(SMALLEST_PROBABILITY))
    closed_shift: ClassVar[float] = -furthest_shift
    # In log odds; more than what lies between none and one of a hundred trees.
    clear_gap: ClassVar[float] = 3.0
    sharpness_limits: ClassVar[Limits] = (0.1, 10.0)

    def of(self, outputs: Array) -> Array:
        """Return logarithms of clipped probabilities."""
        return np.asarray(np.log(np.clip(outputs, SMALLEST_PROBABILITY, 1.0)))

    def shift_share(self, outputs: Array) -> float:
        """Return 1: every row takes the shift."""
        return 1.0

    def sharpness_risk(self, decisions: HeldOut, sharpness: float) -> float:
        """Return the label-free Brier risk."""
        return _brier_risk(decisions, sharpness)


@dataclass(frozen=True)
class Logits:
    """Outputs of a network as they are.

    Examples
    --------
    >>> Logits().of(np.array([[3.0, -1.0]]))
    array([[ 3., -1.]])
    """

    furthest_shift: ClassVar[float] = 1e6
    closed_shift: ClassVar[float] = -furthest_shift
    # So far apart that the border between the rows may run anywhere in between.
    clear_gap: ClassVar[float] = 2.0
    sharpness_limits: ClassVar[Limits] = (0.02, 20.0)

    def of(self, outputs: Array) -> Array:
        """Return the logits."""
        return outputs

    def shift_share(self, outputs: Array) -> float:
        """Return 1: every row takes the shift."""
        return 1.0

    def sharpness_risk(self, decisions: HeldOut, sharpness: float) -> float:
        """Return the label-free log loss, held in check."""
        return _checked_log_risk(decisions, sharpness)


def class_shares(scores: Array, loss: str = "square") -> Array:
    """Return rough estimates of P(class | x) that sum to one, not all of them within [0, 1].

    Under a quadratic loss the sum of a row's scores does not depend on the labels: it is minus
    ``K - 1`` times the reach of the unlabeled rows at that point, shrunk by the penalty just as
    the scores are. Dividing by it undoes the shrinkage.

    Examples
    --------
    >>> import numpy as np
    >>> class_shares(np.array([[0.1, -0.3, 0.0]]))
    array([[ 0.75, -0.25,  0.5 ]])
    """
    trained_with = get_loss(loss)
    if trained_with.quadratic and scores.shape[1] > 2:
        reach = np.maximum(score_reach(scores), SMALLEST_REACH)
        shares = 0.5 * (1.0 + scores / reach[:, None])
    elif trained_with.certainty is not None:
        shares = _normalized(0.5 * (1.0 + trained_with.certainty(scores)))
    else:
        known = ", ".join(repr(name) for name, one in LOSSES.items() if one.certainty is not None)
        raise ValueError(
            f"loss {loss!r} does not say what its scores mean as probabilities, so there are no "
            f"class shares. Set its `certainty`, or use one of {known}."
        )
    return np.clip(shares, *SHARE_LIMITS)


def score_reach(scores: Array) -> Array:
    """Return how far the unlabeled rows reach to each row, under a quadratic loss.

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


def _brier_risk(decisions: HeldOut, sharpness: float) -> float:
    probabilities = decisions.mapped(lambda part: softmax(sharpness * part, axis=1))
    return sum(float(terms.mean()) for terms in brier_terms(probabilities))


def _checked_log_risk(decisions: HeldOut, sharpness: float) -> float:
    """Unbiased log loss, with a little of the loss against uniform labels.

    The estimate is convex in the sharpness but can fall without end where held-out rows look
    perfectly separated; a share of one over the root of the sample size keeps it in check.
    """
    labeled, unlabeled = sharpness * decisions.labeled, sharpness * decisions.unlabeled
    doubt = 1.0 / np.sqrt(len(unlabeled))
    risk: Any = log_lac_risk(labeled, decisions.y_labeled, decisions.weights, unlabeled)
    as_augmented = log_lac_risk(labeled, decisions.y_labeled, 0.0 * decisions.weights, unlabeled)
    # Cross entropy against uniform labels differs from that against `augmented` linearly.
    gap = (decisions.unlabeled[:, -1] - decisions.unlabeled.mean(axis=1)).mean()
    return float((1 - doubt) * risk + doubt * (as_augmented + sharpness * gap))


def augmented_log_odds(logits: Array) -> Array:
    """Return log odds of the last class against all others.

    Raw outputs of the last class alone rank rows far worse.

    Examples
    --------
    >>> augmented_log_odds(np.log(np.array([[1.0, 1.0, 2.0], [1.0, 1.0, 4.0]]))).round(2)
    array([0.  , 0.69])
    """
    return np.asarray(logits[:, -1] - logsumexp(logits[:, :-1], axis=1))
