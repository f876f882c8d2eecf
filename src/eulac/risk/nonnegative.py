"""The non-negative LAC risk: each binary classifier's augmented part is kept above zero.

Over-fitting models drive the unbiased risk below zero; every bracket clamped here estimates
``(1 - known_proportion) * E_augmented[...]``, which cannot be negative.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from eulac.maths.losses import Loss
from eulac.maths.multiclass_losses import MulticlassLoss
from eulac.risk.unbiased import own_scores

__all__ = [
    "corrected_risk",
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
    >>> scores, weights = np.zeros((4, 3)), np.full(4, 0.5)
    >>> float(nonnegative_lac_risk(scores, [0, 1, 1, 0], weights, scores, LOSSES["sigmoid"]))
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


def corrected_risk(
    logits_labeled: Array,
    y_labeled: NDArray[np.intp],
    weights: Array,
    logits_unlabeled: Array,
    loss: MulticlassLoss,
) -> tuple[float, Array, Array]:
    """Return the corrected risk of a multiclass loss, and its gradients in both logits.

    The sum of `generalized_lac_parts`, its bracket left out where it is negative: there the model
    has begun to fit noise, and unlabeled rows have no say.

    Examples
    --------
    >>> from eulac.maths.multiclass_losses import MULTICLASS_LOSSES
    >>> zeros, y, weights = np.zeros((4, 3)), np.array([0, 1, 1, 0]), np.full(4, 0.5)
    >>> value, _, _ = corrected_risk(zeros, y, weights, zeros, MULTICLASS_LOSSES["log"])
    >>> round(value, 4)  # log(3)
    1.0986
    """
    augmented = [
        np.full(len(part), part.shape[1] - 1) for part in (logits_labeled, logits_unlabeled)
    ]
    labeled_part, bracket = generalized_lac_parts(
        loss.value(logits_labeled, y_labeled),
        loss.value(logits_labeled, augmented[0]),
        weights,
        loss.value(logits_unlabeled, augmented[1]),
    )
    shares = weights[:, None] / len(weights)
    slope_labeled = shares * loss.slope(logits_labeled, y_labeled)
    if bracket < 0:
        return float(labeled_part), slope_labeled, np.zeros_like(logits_unlabeled)
    slope_labeled -= shares * loss.slope(logits_labeled, augmented[0])
    slope_unlabeled = loss.slope(logits_unlabeled, augmented[1]) / len(logits_unlabeled)
    return float(labeled_part + bracket), slope_labeled, slope_unlabeled
