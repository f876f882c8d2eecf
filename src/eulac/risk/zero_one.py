"""The label-free test error: what share of the test distribution a predictor gets wrong.

``P(wrong) = 1 - E_known[w (p = y)] - (P_test(p = ac) - E_known[w (p = ac)])`` with row weights w.
It needs predictions on held-out rows, none of them labeled as augmented.
"""

import math
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eulac.exceptions import ScoreAboveOneWarning, warn_caller

__all__ = [
    "RiskEstimate",
    "cost_risk",
    "label_free_macro_f1",
    "macro_f1_of_shares",
    "masked_accuracy",
    "zero_one_risk",
]

Codes = NDArray[np.intp]

ABOVE_ONE = (
    "the label-free accuracy is {:.3f}, above 1 by more than chance. It is one minus an unbiased "
    "estimate, and assumes that unlabeled rows are deployment as it is, with labeled rows on top. "
    "Either labels were given to a part of the pool itself, which thins its known rows, or the "
    "known proportion of the fit is too large here. Pass all rows of the pool as unlabeled, or "
    "true labels for all rows."
)
"""What `score` says of itself above 1."""


@dataclass(frozen=True)
class RiskEstimate:
    """An estimated test error, with how sure it is.

    Attributes
    ----------
    value : float
        The estimate, clipped to [0, 1].
    raw : float
        The unbiased estimate; slightly negative values are possible in small samples.
    standard_error : float
        Of `raw`, sampling of both samples and, if given, of the known proportion.
    confidence : float
        Level of `interval`.
    diagnostics : dict
        Further numbers, for instance the bounds of Theorems 3 and 4.

    Examples
    --------
    >>> RiskEstimate(raw=0.08, standard_error=0.02)
    RiskEstimate(0.080, 95% interval 0.041 to 0.119)
    """

    raw: float
    standard_error: float
    confidence: float = 0.95
    diagnostics: dict[str, Any] = field(default_factory=dict)

    @property
    def value(self) -> float:
        """The estimate, clipped to [0, 1]."""
        return min(max(self.raw, 0.0), 1.0)

    @property
    def accuracy(self) -> float:
        """One minus `value`."""
        return 1.0 - self.value

    @property
    def interval(self) -> tuple[float, float]:
        """Normal interval of level `confidence`, within [0, 1]."""
        half = NormalDist().inv_cdf(0.5 + self.confidence / 2) * self.standard_error
        return min(max(self.raw - half, 0.0), 1.0), min(max(self.raw + half, 0.0), 1.0)

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        low, high = self.interval
        return (
            f"RiskEstimate({self.value:.3f}, {self.confidence:.0%} interval "
            f"{low:.3f} to {high:.3f})"
        )


def zero_one_risk(
    predicted_labeled: Codes,
    y_labeled: Codes,
    weights: NDArray[np.float64],
    predicted_unlabeled: Codes,
    *,
    augmented: int,
    proportion_error: float = 0.0,
) -> RiskEstimate:
    """Return the label-free 0-1 risk of predictions on held-out rows.

    Parameters
    ----------
    predicted_labeled, y_labeled : int arrays of shape (n_labeled,)
        Predicted and true class codes.
    weights : array of shape (n_labeled,)
        From `labeled_weights`.
    predicted_unlabeled : int array of shape (n_unlabeled,)
    augmented : int
        Code of the augmented class.
    proportion_error : float, default=0.0
        Standard error of the known proportion, carried into that of the risk.

    Examples
    --------
    Half of the test rows are known; one of four unlabeled rows is wrongly called known.

    >>> import numpy as np
    >>> y = np.array([0, 1, 0, 1])
    >>> risk = zero_one_risk(y, y, np.full(4, 0.5), np.array([0, 1, 1, 2]), augmented=2)
    >>> risk.raw
    0.25
    """
    gains = (predicted_labeled == y_labeled) - (predicted_labeled == augmented).astype(float)
    charged = (predicted_unlabeled != augmented).astype(float)
    return _exchanged_risk(gains, y_labeled, weights, charged, proportion_error)


def cost_risk(
    predicted_labeled: Codes,
    y_labeled: Codes,
    weights: NDArray[np.float64],
    predicted_unlabeled: Codes,
    cost: NDArray[np.float64],
    *,
    proportion_error: float = 0.0,
) -> RiskEstimate:
    """Return the label-free mean cost of answers: any number that depends on truth and answer.

    ``E_known[w (c(y, p) - c(ac, p))] + E_test[c(ac, p)]``: every row is charged as if it were
    augmented, and what known rows are charged wrongly is exchanged.

    Parameters
    ----------
    predicted_labeled, y_labeled, weights, predicted_unlabeled, proportion_error
        As in `contingency_table`.
    cost : array of shape (n_known_classes + 1, n_known_classes + 1)
        A row per true class, a column per answer, the augmented class last. Where costs are not
        within [0, 1], read `raw`: `value` and `interval` are clipped.

    Returns
    -------
    risk : RiskEstimate

    Examples
    --------
    A new row that is missed costs as much as five false alarms.

    >>> import numpy as np
    >>> y, answers = np.array([0, 1, 0, 1]), np.array([0, 1, 1, 2])
    >>> cost = np.array([[0.0, 0.1, 0.1], [0.1, 0.0, 0.1], [0.5, 0.5, 0.0]])
    >>> cost_risk(y, y, np.full(4, 0.5), answers, cost).raw
    0.125
    """
    gains = cost[-1, predicted_labeled] - cost[y_labeled, predicted_labeled]
    charged = cost[-1, predicted_unlabeled]
    return _exchanged_risk(gains, y_labeled, weights, charged, proportion_error)


def _exchanged_risk(
    gains: NDArray[np.float64],
    y: Codes,
    weights: NDArray[np.float64],
    charged: NDArray[np.float64],
    proportion_error: float,
) -> RiskEstimate:
    """Return what unlabeled rows are charged as augmented, less what known rows get back."""
    gain = float((weights * gains).mean())
    known_proportion = weights.mean()
    # First order in the known proportion: the risk is linear in it, with slope -gain / proportion.
    slope = gain / known_proportion if known_proportion > 0 else 0.0
    variance = (
        _variance_of_mean(gains, weights, y)
        + charged.var() / len(charged)
        + (slope * proportion_error) ** 2
    )
    return RiskEstimate(raw=float(charged.mean() - gain), standard_error=math.sqrt(variance))


def label_free_macro_f1(
    predicted_labeled: Codes,
    y_labeled: Codes,
    weights: NDArray[np.float64],
    predicted_unlabeled: Codes,
    *,
    augmented: int,
) -> float:
    """Return macro-F1 over the known classes and the augmented one, without its labels.

    Each F1 is twice the share of hits over the share of rows in the class plus the share of rows
    called so; hits of the augmented class are its calls less those that known rows account for.
    Parameters are those of `zero_one_risk`.

    Examples
    --------
    >>> import numpy as np
    >>> y = np.array([0, 1])
    >>> unlabeled = np.array([0, 1, 2, 2])
    >>> label_free_macro_f1(y, y, np.full(2, 0.5), unlabeled, augmented=2)
    1.0
    """
    n = augmented + 1
    in_class = np.bincount(y_labeled, weights, minlength=n) / len(y_labeled)
    right = predicted_labeled == y_labeled
    hits = np.bincount(y_labeled, weights * right, minlength=n) / len(y_labeled)
    called = np.bincount(predicted_unlabeled, minlength=n) / len(predicted_unlabeled)
    false_new = np.mean(weights * (predicted_labeled == augmented))
    return float(macro_f1_of_shares(in_class, hits, called, false_new))


def macro_f1_of_shares(
    in_class: NDArray[np.float64],
    hits: NDArray[np.float64],
    called: NDArray[np.float64],
    false_new: Any,
) -> NDArray[np.float64]:
    """Return macro-F1 from shares of rows, for any number of samples at once.

    Parameters
    ----------
    in_class, hits : arrays of shape (..., n_classes)
        Of each known class, and of those the rows called so; the last column is not read.
    called : array of shape (..., n_classes)
        Rows called so, the augmented class last.
    false_new : array of shape (...)
        Known rows called augmented.

    Examples
    --------
    >>> shares = np.array([0.25, 0.25, 0.0]), np.array([0.25, 0.2, 0.0])
    >>> float(macro_f1_of_shares(*shares, np.array([0.25, 0.2, 0.55]), 0.05).round(3))
    0.947
    """
    in_class, hits = in_class.copy(), hits.copy()
    in_class[..., -1] = 1.0 - in_class[..., :-1].sum(axis=-1)
    hits[..., -1] = called[..., -1] - false_new
    total = in_class + called
    scores = np.divide(2 * hits, total, out=np.zeros(total.shape), where=total > 0)
    return np.asarray(np.clip(scores, 0.0, 1.0).mean(axis=-1))


def masked_accuracy(
    predicted: Codes, y: Codes, class_weights: NDArray[np.float64], *, unlabeled: int = -1
) -> float:
    """Return accuracy under the test distribution, whatever part of `y` is labeled.

    Without unlabeled rows this is plain accuracy. With them, labeled rows stand for the known
    classes and unlabeled rows for the test distribution, and the estimate is label-free; it can
    leave [0, 1] in small samples, because it is unbiased. Above 1 by more than chance would have
    it, the rows or the known proportion are not what it assumes: `ScoreAboveOneWarning`.

    Parameters
    ----------
    predicted, y : int arrays of shape (n_rows,)
        Class codes; `unlabeled` where `y` is masked.
    class_weights : array of shape (n_known_classes,)
        Weight of a labeled row of each class.

    Examples
    --------
    >>> import numpy as np
    >>> masked_accuracy(np.array([0, 1, 2, 1]), np.array([0, 1, -1, -1]), np.array([0.5, 0.5]))
    1.0
    """
    hidden = y == unlabeled
    if not hidden.any():
        return float(np.mean(predicted == y))
    known = ~hidden & (y < len(class_weights))
    if not known.any():
        raise ValueError(
            "`y` has unlabeled rows but no labeled row of a known class, so the accuracy cannot "
            "be estimated. Pass labeled rows too, or true labels for all rows."
        )
    risk = zero_one_risk(
        predicted[known],
        y[known],
        class_weights[y[known]],
        predicted[hidden],
        augmented=len(class_weights),
    )
    if risk.raw < -3.0 * risk.standard_error - 0.01:
        warn_caller(ABOVE_ONE.format(1.0 - risk.raw), ScoreAboveOneWarning)
    return 1.0 - risk.raw


def _variance_of_mean(gains: NDArray[np.float64], weights: NDArray[np.float64], y: Codes) -> float:
    """Variance of the weighted mean gain of the labeled rows.

    Equal weights are those of the base condition: class frequencies are random, and all spread
    counts. Weights that differ fix each class's share, so only spread about the weighted mean of
    its class does.
    """
    if np.ptp(weights) <= 1e-12 * weights.max():
        return float((weights * gains).var()) / len(gains)
    totals = np.bincount(y, weights)
    means = np.divide(
        np.bincount(y, weights * gains), totals, out=np.zeros(len(totals)), where=totals > 0
    )
    return float(np.sum((weights * (gains - means[y])) ** 2)) / len(gains) ** 2
