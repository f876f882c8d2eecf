"""The LAC risk, unbiased for the one-versus-rest risk under the test distribution; its bounds.

Score matrices have the known classes in columns 0..K-1 and the augmented class last. Row weights
come from `risk.weights`, so base and shifted priors are one formula. Only operators and methods
that NumPy arrays and torch tensors share are used.

Theorems 3 and 4 say how far empirical and expected risk can be apart. They hold for every predictor
of the given norm at once, so they are loose: at a few thousand rows usually above the trivial
value. They say how the gap shrinks, not how large it is.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from eulac.maths.losses import Loss, library_of, require_linear_odd_part

__all__ = [
    "BoundTerms",
    "convex_lac_risk",
    "estimation_error_bound",
    "generalization_bound",
    "lac_risk",
    "log_lac_risk",
    "ovr_risk",
    "own_scores",
]

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


def own_scores(scores: Scores, y: Any) -> Any:
    """Return each row's score for the class it is labeled with."""
    return scores[np.arange(len(y)), y]


def _as_augmented(scores: Scores, loss: Loss) -> Any:
    """Loss of each row if it were of the augmented class."""
    return loss.value(scores[:, -1]) + loss.value(-scores[:, :-1]).sum(1)


@dataclass(frozen=True)
class BoundTerms:
    """What both bounds depend on.

    Parameters
    ----------
    n_labeled, n_unlabeled, n_known_classes : int
    norm : float
        Bound on the RKHS norm of each score function.
    kernel_radius : float
        r with ``kernel(x, x) <= r**2``; 1 for the Gaussian kernel.
    loss : Loss
    """

    n_labeled: int
    n_unlabeled: int
    n_known_classes: int
    norm: float
    kernel_radius: float
    loss: Loss


def generalization_bound(terms: BoundTerms, *, delta: float = 0.05) -> float:
    """Return Theorem 3's bound on ``R_LAC - empirical R_LAC``, uniform over the norm ball.

    Examples
    --------
    >>> from eulac.maths.losses import LOSSES
    >>> few = BoundTerms(500, 1000, 5, 1.0, 1.0, LOSSES["square"])
    >>> many = BoundTerms(50_000, 100_000, 5, 1.0, 1.0, LOSSES["square"])
    >>> round(generalization_bound(few), 2), round(generalization_bound(many), 2)
    (2.9, 0.29)
    """
    return sum(_two_terms(terms, log_term=math.log(4 / delta)))


def estimation_error_bound(terms: BoundTerms, *, delta: float = 0.05) -> float:
    """Return Theorem 4's bound on the excess risk of the empirical minimizer.

    Examples
    --------
    >>> from eulac.maths.losses import LOSSES
    >>> terms = BoundTerms(500, 1000, 5, 1.0, 1.0, LOSSES["square"])
    >>> estimation_error_bound(terms) > 2 * generalization_bound(terms)
    True
    """
    # Paper: twice Theorem 3 at delta / 2; the appendix prints the deviation constants 6 and 12
    # where doubling gives 12 (labeled) and 6 (unlabeled).
    return 2.0 * sum(_two_terms(terms, log_term=math.log(8 / delta)))


def _two_terms(terms: BoundTerms, *, log_term: float) -> tuple[float, float]:
    """Labeled and unlabeled part of Theorem 3; scores lie within norm * kernel_radius."""
    radius = terms.norm * terms.kernel_radius
    n_outputs = terms.n_known_classes + 1
    lipschitz = terms.loss.lipschitz(radius)
    largest_loss = max(terms.loss.value(-radius), terms.loss.value(radius))
    labeled = 2 * n_outputs * radius + 6 * radius * math.sqrt(2 * log_term)
    unlabeled = 2 * n_outputs * lipschitz * radius
    unlabeled += 3 * n_outputs * float(largest_loss) * math.sqrt(log_term)
    return labeled / math.sqrt(terms.n_labeled), unlabeled / math.sqrt(terms.n_unlabeled)
