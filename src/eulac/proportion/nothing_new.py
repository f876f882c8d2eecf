"""A test of "nothing new at all" on cross-fitted scores, whatever the priors of known classes.

Within a fold and a likely class, labeled and unlabeled rows are alike if nothing is new, also when
the classes' shares have moved: a rank test compares the low ends of their scores there. The folds
hang together, because the rows one fold is scored by were themselves scored by it: each pair of
folds counts twice, which doubles the variance of the sum. (For scores along the difference of two
means, the sum over folds is that of the inner products of all pairs of differences.)
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

__all__ = ["nothing_new_p_value"]

Array = NDArray[np.float64]

PAIRS_COUNT = 2.0
"""How often each pair of folds counts in the sum over folds."""

TAIL_POWER = 4
"""Rows count by this power of their rank from the top: what is new is at the low end."""


def nothing_new_p_value(
    pairs: Sequence[tuple[Array, Array]],
    labeled_strata: NDArray[np.intp],
    unlabeled_strata: NDArray[np.intp],
) -> float:
    """Return how often data without anything new would look as new as these do.

    Parameters
    ----------
    pairs : sequence of (labeled, unlabeled) arrays
        Cross-fitted scores, bigger for rows that look labeled.
    labeled_strata, unlabeled_strata : int arrays
        Fold and likely known class of each row, as one number.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> same = rng.normal(size=100), rng.normal(size=100)
    >>> other = rng.normal(size=100), np.append(rng.normal(size=50), rng.normal(-5, 1, 50))
    >>> strata = np.arange(100) % 5
    >>> nothing_new_p_value([same], strata, strata) > 0.05
    True
    >>> nothing_new_p_value([other], strata, strata) < 0.01
    True
    """
    difference, variance = 0.0, 0.0
    for stratum in np.intersect1d(labeled_strata, unlabeled_strata):
        labeled, unlabeled = labeled_strata == stratum, unlabeled_strata == stratum
        low_ranks = _low_ranks([(known[labeled], other[unlabeled]) for known, other in pairs])
        n, m = int(labeled.sum()), int(unlabeled.sum())
        weight = n * m / (n + m)
        difference += weight * float(low_ranks[n:].mean() - low_ranks[:n].mean())
        variance += weight**2 * float(low_ranks.var(ddof=1)) * (1.0 / n + 1.0 / m)
    if variance == 0.0:
        return 1.0
    return _skewed_tail(difference / math.sqrt(PAIRS_COUNT * variance))


def _low_ranks(pairs: Sequence[tuple[Array, Array]]) -> Array:
    """Rows of one stratum, labeled ones first, by how low they rank on all scores together."""
    total = np.sum([rankdata(np.concatenate(pair)) for pair in pairs], axis=0)
    return np.asarray((1.0 - rankdata(total) / (len(total) + 1)) ** TAIL_POWER)


def _skewed_tail(z: float) -> float:
    """P(Z > z) for a standardized exponential variable.

    Sums of inner products are skewed to the right, the more the fewer directions matter. Two
    directions give an exponential law; more give a lighter tail, so that this one is careful.
    """
    return min(1.0, math.exp(-(1.0 + z)))
