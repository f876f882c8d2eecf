"""A test of "nothing new at all" on cross-fitted scores, whatever the priors of known classes.

Within a fold and a likely class, labeled and unlabeled rows are alike if nothing is new, also when
the classes' shares have moved. Four tests compare them there: how low unlabeled rows rank, for
new rows among the others; and how many of the lowest tenth to fifth are unlabeled, for new rows
that stand apart. Of a far class nearly all of the lowest rows are unlabeled, and how seldom that
happens by chance is known exactly. The most significant of them counts.

The folds hang together, because the rows one fold is scored by were themselves scored by it: each
pair of folds counts twice, which doubles the variance of the sum. (For scores along the difference
of two means, the sum over folds is that of the inner products of all pairs of differences.) Ranks
have the same variance in each fold, however far the scores spread, so that the tail of their sum
is no heavier than that of a normal variable. One standard deviation is allowed for what remains:
likely classes are not the classes, so that moved priors move ranks a little, and the largest of
several numbers was taken.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import hypergeom, norm, rankdata

__all__ = ["SIGNIFICANT", "nothing_new_p_value", "strata_of"]

Array = NDArray[np.float64]

PAIRS_COUNT = 2.0
"""How often each pair of folds counts in the sum over folds."""

TAIL_POWER = 4
"""Rows count by this power of their rank from the top: what is new is at the low end."""

LOWEST_SHARES = (0.1, 0.15, 0.2)
"""Among so many of the lowest rows unlabeled ones are counted."""

SIGNIFICANT = 0.05
"""P-value of "nothing is new" below which something is."""

ALLOWANCE = 1.0
"""Standard deviations that moved priors and the choice among the tests may account for."""


class _Stratum(NamedTuple):
    """Ranks of the rows of a fold and likely class, low for rows that look new."""

    labeled: Array
    unlabeled: Array

    @property
    def ranks(self) -> Array:
        return np.append(self.labeled, self.unlabeled)


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
        Fold and likely known class of each row, from `strata_of`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> same = rng.normal(size=100), rng.normal(size=100)
    >>> other = rng.normal(size=100), np.append(rng.normal(size=50), rng.normal(-5, 1, 50))
    >>> strata = np.arange(100) % 5
    >>> nothing_new_p_value([same], strata, strata) > 0.05
    True
    >>> nothing_new_p_value([other], strata, strata) < 1e-4
    True
    """
    strata = _strata(pairs, labeled_strata, unlabeled_strata)
    z = [_rank_z(strata), *(_count_z(strata, share) for share in LOWEST_SHARES)]
    return float(norm.sf(max(z) / math.sqrt(PAIRS_COUNT) - ALLOWANCE))


def strata_of(
    folds: tuple[NDArray[np.intp], NDArray[np.intp]], evidence: tuple[Array, Array]
) -> list[NDArray[np.intp]]:
    """Return fold and likeliest known class of labeled and of unlabeled rows, as one number each.

    Parameters
    ----------
    folds : (labeled, unlabeled) int arrays
        By which each row was held out.
    evidence : (labeled, unlabeled) arrays of shape (n, n_known_classes + 1)
        Probabilities or logits; the last column, which is not of a known class, is not looked at.

    Examples
    --------
    >>> rows = np.array([[0.7, 0.2, 0.1], [0.1, 0.2, 0.7]])
    >>> strata_of((np.array([0, 1]), np.array([0, 0])), (rows, rows))
    [array([0, 3]), array([0, 1])]
    """
    n_known_classes = evidence[0].shape[1] - 1
    return [
        fold * n_known_classes + rows[:, :-1].argmax(axis=1)
        for fold, rows in zip(folds, evidence, strict=True)
    ]


def _strata(
    pairs: Sequence[tuple[Array, Array]],
    labeled_strata: NDArray[np.intp],
    unlabeled_strata: NDArray[np.intp],
) -> list[_Stratum]:
    """Return the rows of each stratum that has some of both kinds, ranked on all scores."""
    found = []
    for stratum in np.intersect1d(labeled_strata, unlabeled_strata):
        labeled, unlabeled = labeled_strata == stratum, unlabeled_strata == stratum
        both = [np.append(known[labeled], other[unlabeled]) for known, other in pairs]
        ranks = rankdata(np.sum([rankdata(scores) for scores in both], axis=0))
        found.append(_Stratum(*np.split(ranks, [int(labeled.sum())])))
    return found


def _rank_z(strata: Sequence[_Stratum]) -> float:
    """Return by how many standard deviations unlabeled rows rank lower."""
    difference, variance = 0.0, 0.0
    for stratum in strata:
        n, m = len(stratum.labeled), len(stratum.unlabeled)
        low = (1.0 - stratum.ranks / (n + m + 1)) ** TAIL_POWER
        weight = n * m / (n + m)
        difference += weight * float(low[n:].mean() - low[:n].mean())
        variance += weight**2 * float(low.var(ddof=1)) * (1.0 / n + 1.0 / m)
    return difference / math.sqrt(variance) if variance > 0.0 else -math.inf


def _count_z(strata: Sequence[_Stratum], share: float) -> float:
    """Return the normal quantile of the count of unlabeled rows among the lowest of each stratum.

    Given how many rows are lowest, a count is hypergeometric; counts of strata add up.
    """
    law, count = np.ones(1), 0
    for stratum in strata:
        cut = np.sort(stratum.ranks)[max(round(share * len(stratum.ranks)), 1) - 1]
        n_lowest = int(np.sum(stratum.ranks <= cut))
        count += int(np.sum(stratum.unlabeled <= cut))
        sizes = len(stratum.ranks), len(stratum.unlabeled), n_lowest
        law = np.convolve(law, hypergeom.pmf(np.arange(n_lowest + 1), *sizes))
    return float(norm.isf(min(law[count:].sum(), 1.0)))
