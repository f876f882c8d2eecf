"""The non-negative LAC risk: each binary classifier's augmented part is kept above zero.

Over-fitting models drive the unbiased risk below zero; every bracket clamped here estimates
``(1 - known_proportion) * E_augmented[...]``, which cannot be negative.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp, softmax

from eulac.maths.losses import Loss
from eulac.risk.unbiased import own_scores

__all__ = [
    "corrected_log_risk",
    "generalized_lac_parts",
    "labeled_part",
    "nonnegative_lac_risk",
    "risk_brackets",
]

Array = NDArray[np.float64]


def risk_brackets(
    scores_labeled: Any, weights: Any, scores_unlabeled: Any, loss: Loss
) -> tuple[Any, Any]:
    """Return the two parts a clamp acts on: known classes' brackets and the augmented one's.

    Returns
    -------
    known : shape (n_known_classes,)
        ``mean_U loss(-f_k) - mean_L w loss(-f_k)``.
    augmented : scalar
        ``mean_U loss(f_ac) - mean_L w loss(f_ac)``.
    """
    known_u = loss.value(-scores_unlabeled[:, :-1]).mean(0)
    known_l = (weights[:, None] * loss.value(-scores_labeled[:, :-1])).mean(0)
    augmented_u = loss.value(scores_unlabeled[:, -1]).mean()
    augmented_l = (weights * loss.value(scores_labeled[:, -1])).mean()
    return known_u - known_l, augmented_u - augmented_l


def nonnegative_lac_risk(
    scores_labeled: Any, y_labeled: Any, weights: Any, scores_unlabeled: Any, loss: Loss
) -> Any:
    """Return the corrected non-negative risk of appendix A.1.

    Without an active clamp it equals `lac_risk`. Arguments are those of `lac_risk`.

    Examples
    --------
    >>> import numpy as np
    >>> from eulac.maths.losses import LOSSES
    >>> zeros = np.zeros((4, 3))
    >>> y = np.array([0, 1, 1, 0])
    >>> float(nonnegative_lac_risk(zeros, y, np.full(4, 0.5), zeros, LOSSES["sigmoid"]))
    1.5
    """
    known, augmented = risk_brackets(scores_labeled, weights, scores_unlabeled, loss)
    labeled = labeled_part(scores_labeled, y_labeled, weights, loss)
    return labeled + augmented.clip(0) + known.clip(0).sum()


def labeled_part(scores_labeled: Any, y_labeled: Any, weights: Any, loss: Loss) -> Any:
    """Return the part no clamp acts on: the one-versus-rest risk of the labeled rows."""
    # Paper: A.1 prints this term with flipped signs and without the classes k != y.
    own = own_scores(scores_labeled, y_labeled)
    as_negative = loss.value(-scores_labeled).sum(1)
    return (weights * (loss.value(own) + as_negative - loss.value(-own))).mean()


def generalized_lac_parts(
    own_labeled: Any, augmented_labeled: Any, weights: Any, augmented_unlabeled: Any
) -> tuple[Any, Any]:
    """Return labeled part and bracket of the risk of any multiclass loss (end of section 2.2).

    Parameters
    ----------
    own_labeled, augmented_labeled : shape (n_labeled,)
        Loss of each labeled row as of its own class, and as of the augmented class.
    weights : shape (n_labeled,)
        From `labeled_weights`.
    augmented_unlabeled : shape (n_unlabeled,)
        Loss of each unlabeled row as of the augmented class.

    Returns
    -------
    labeled, bracket : scalars
        Their sum is the unbiased risk; the bracket estimates a loss of augmented rows, so it
        should not be negative.

    Examples
    --------
    >>> import numpy as np
    >>> parts = generalized_lac_parts(np.ones(2), np.ones(2), np.full(2, 0.6), np.ones(3))
    >>> [round(float(part), 2) for part in parts]
    [0.6, 0.4]
    """
    labeled = (weights * own_labeled).mean()
    return labeled, augmented_unlabeled.mean() - (weights * augmented_labeled).mean()


def corrected_log_risk(
    logits_labeled: Array, y_labeled: NDArray[np.intp], weights: Array, logits_unlabeled: Array
) -> tuple[float, Array, Array]:
    """Return the corrected risk of the log loss, and its gradients in both logits.

    Parameters are those of `log_lac_risk`, of which this is the version that cannot fall below
    zero.

    Examples
    --------
    >>> zeros = np.zeros((4, 3))
    >>> value, _, _ = corrected_log_risk(zeros, np.array([0, 1, 1, 0]), np.full(4, 0.5), zeros)
    >>> round(value, 4)  # log(3)
    1.0986
    """
    rows = np.arange(len(y_labeled))
    total_labeled = logsumexp(logits_labeled, axis=1)
    own = total_labeled - logits_labeled[rows, y_labeled]
    as_augmented = total_labeled - logits_labeled[:, -1]
    unlabeled = logsumexp(logits_unlabeled, axis=1) - logits_unlabeled[:, -1]
    labeled_part, bracket = generalized_lac_parts(own, as_augmented, weights, unlabeled)
    shares = weights[:, None] / len(weights)
    slope_labeled = softmax(logits_labeled, axis=1)
    slope_labeled[rows, y_labeled] -= 1.0
    slope_labeled *= shares
    if bracket < 0:
        return float(labeled_part), slope_labeled, np.zeros_like(logits_unlabeled)
    # As of the augmented class: softmax minus the last unit vector, for labeled rows with a minus.
    away = -softmax(logits_labeled, axis=1)
    away[:, -1] += 1.0
    slope_unlabeled = softmax(logits_unlabeled, axis=1)
    slope_unlabeled[:, -1] -= 1.0
    slope_unlabeled /= len(logits_unlabeled)
    return float(labeled_part + bracket), slope_labeled + shares * away, slope_unlabeled
