"""The LAC risk: an unbiased estimate of the one-versus-rest risk under the test distribution.

Score matrices have the known classes in columns 0..K-1 and the augmented class last. Row weights
come from `risk.weights`, so base and shifted priors are one formula. Only operators and methods
that NumPy arrays and torch tensors share are used.
"""

from typing import Any

import numpy as np

from eulac.maths.losses import LOSSES, Loss, library_of

__all__ = ["convex_lac_risk", "lac_risk", "log_lac_risk", "ovr_risk"]

Scores = Any  # an array or a tensor of shape (n_rows, n_known_classes + 1)


def lac_risk(
    scores_labeled: Scores, y_labeled: Any, weights: Any, scores_unlabeled: Scores, loss: Loss
) -> Any:
    """Return the LAC risk of Eq. (5), for any loss.

    Parameters
    ----------
    scores_labeled : shape (n_labeled, n_known_classes + 1)
    y_labeled : int, shape (n_labeled,)
        Class codes 0..K-1.
    weights : shape (n_labeled,)
        From `labeled_weights`.
    scores_unlabeled : shape (n_unlabeled, n_known_classes + 1)
    loss : Loss

    Returns
    -------
    scalar
        May be negative in small samples: unbiasedness and a sign cannot both be had.

    Examples
    --------
    >>> import numpy as np
    >>> from eulac.maths.losses import LOSSES
    >>> zeros = np.zeros((4, 3))
    >>> float(lac_risk(zeros, np.array([0, 1, 1, 0]), np.full(4, 0.5), zeros, LOSSES["square"]))
    0.75
    """
    own, augmented = own_scores(scores_labeled, y_labeled), scores_labeled[:, -1]
    exchange = loss.value(own) - loss.value(-own) + loss.value(-augmented) - loss.value(augmented)
    return (weights * exchange).mean() + _as_augmented(scores_unlabeled, loss).mean()


def convex_lac_risk(
    scores_labeled: Scores, y_labeled: Any, weights: Any, scores_unlabeled: Scores, loss: Loss
) -> Any:
    """Return the LAC risk of Eq. (6), convex in the scores.

    Equal to `lac_risk` for losses with ``value(z) - value(-z) = -z``; refused for others.

    Examples
    --------
    >>> import numpy as np
    >>> from eulac.maths.losses import LOSSES
    >>> zeros = np.zeros((4, 3))
    >>> y = np.array([0, 1, 1, 0])
    >>> float(convex_lac_risk(zeros, y, np.full(4, 0.5), zeros, LOSSES["square"]))
    0.75
    """
    # Paper: Proposition 2 prints the condition as psi(z) - psi(z) = -z.
    require_linear_odd_part(loss)
    exchange = scores_labeled[:, -1] - own_scores(scores_labeled, y_labeled)
    return (weights * exchange).mean() + _as_augmented(scores_unlabeled, loss).mean()


def ovr_risk(scores: Scores, y: Any, loss: Loss) -> Any:
    """Return the one-versus-rest risk of Eq. (3) on rows whose labels are all known.

    The augmented class has the code of the last column. This is what `lac_risk` estimates
    without the labels of the test rows.

    Examples
    --------
    >>> import numpy as np
    >>> from eulac.maths.losses import LOSSES
    >>> float(ovr_risk(np.zeros((2, 3)), np.array([0, 2]), LOSSES["square"]))
    0.75
    """
    own = own_scores(scores, y)
    return (loss.value(-scores).sum(1) - loss.value(-own) + loss.value(own)).mean()


def log_lac_risk(logits_labeled: Any, y_labeled: Any, weights: Any, logits_unlabeled: Any) -> Any:
    """Return the unbiased estimate of the multiclass log loss under the test distribution.

    The generalized estimator ``E_L[w (l(f, y) - l(f, ac))] + E_U[l(f, ac)]`` with the log loss of
    softmax outputs: the labeled part is linear in the logits, so the whole is convex in them.

    Examples
    --------
    >>> import numpy as np
    >>> zeros = np.zeros((4, 3))
    >>> y = np.array([0, 1, 1, 0])
    >>> round(float(log_lac_risk(zeros, y, np.full(4, 0.5), zeros)), 4)  # log(3)
    1.0986
    """
    exchange = logits_labeled[:, -1] - own_scores(logits_labeled, y_labeled)
    library = library_of(logits_unlabeled)
    top = logits_unlabeled.max(1)
    top = getattr(top, "values", top)  # a tensor's maximum comes with its position
    spread = logits_unlabeled - top[:, None]
    normalizer = library.log(library.exp(spread).sum(1)) - spread[:, -1]
    return (weights * exchange).mean() + normalizer.mean()


def require_linear_odd_part(loss: Loss) -> None:
    """Refuse a loss for which the convex risk is not the risk."""
    if not loss.linear_odd_part:
        raise ValueError(
            f"loss {loss.name!r} does not satisfy loss(z) - loss(-z) = -z, so the convex risk "
            f"does not apply. Use {_listed_with_linear_odd_part()}."
        )


def _listed_with_linear_odd_part() -> str:
    *first, last = (repr(name) for name, loss in LOSSES.items() if loss.linear_odd_part)
    return f"{', '.join(first)} or {last}"


def own_scores(scores: Scores, y: Any) -> Any:
    """Return each row's score for the class it is labeled with."""
    return scores[np.arange(len(y)), y]


def _as_augmented(scores: Scores, loss: Loss) -> Any:
    """Loss of each row if it were of the augmented class."""
    return loss.value(scores[:, -1]) + loss.value(-scores[:, :-1]).sum(1)
