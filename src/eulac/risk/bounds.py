"""Theorems 3 and 4 as numbers: how far empirical and expected LAC risk can be apart.

They hold for every predictor of the given norm at once, so they are loose: at a few thousand rows
usually above the trivial value. They say how the gap shrinks, not how large it is.
"""

import math
from dataclasses import dataclass

from eulac.maths.losses import Loss

__all__ = ["BoundTerms", "estimation_error_bound", "generalization_bound"]


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
