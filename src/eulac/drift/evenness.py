"""Does the paper's condition hold where rows look labeled? A test of one sign of drift.

If known classes look in deployment as they do in the labels, then among the rows that look most
labeled the unlabeled ones are nothing but known rows: a constant share, however labeled a row
looks. Where known classes have moved it is not constant: the more labeled a row looks, the fewer
unlabeled rows there are beside it. New classes do not matter here, few or many, as long as they
stay out of that part. So this tells a pool of many new rows from one whose known rows moved.

A class may also be gone, or rarer than in the labels. That is no drift, and weights account for it.
"""

import math

import numpy as np
from numpy.typing import NDArray

__all__ = ["ALL_GONE", "LOOKS_LABELED", "unevenness"]

Array = NDArray[np.float64]

LOOKS_LABELED = 0.7
"""Share of the labeled rows that is looked at, those that look most labeled: beyond, new classes
may overlap known ones."""

FEWEST_ROWS = 10
"""Unlabeled rows in that part, to say anything about how they lie."""

ALL_GONE = 99.0
"""Returned where many known rows should be in that part, and next to none are: they have moved away
altogether."""

SMALLEST_VARIANCE = 1e-6
"""Of ranks; with less, all scores are the same."""


def unevenness(
    labeled_scores: Array,
    unlabeled_scores: Array,
    weights: Array | None = None,
    *,
    known_proportion: float = 0.0,
) -> float:
    """Return in standard errors how uneven unlabeled rows lie among those that look labeled.

    About a standard normal number where known classes look as in the labels; large where they
    have moved. Zero where too few rows look labeled to tell.

    Parameters
    ----------
    labeled_scores, unlabeled_scores : arrays of shape (n,) and (m,)
        Held out, bigger meaning newer.
    weights : array of shape (n,), optional
        How much each labeled row counts where priors have moved.
    known_proportion : float, default=0.0
        If known rows may have moved. Where next to none of so many look labeled, all have moved.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> labeled, known, new = rng.normal(0, 1, 500), rng.normal(0, 1, 100), rng.normal(6, 1, 900)
    >>> bool(unevenness(labeled, np.append(known, new)) < 2)  # mostly new, and nothing moved
    True
    >>> bool(unevenness(labeled, np.append(known + 0.5, new)) > 2)
    True
    """
    weights = np.ones(len(labeled_scores)) if weights is None else weights
    order = np.argsort(labeled_scores, kind="stable")
    heights = np.cumsum(weights[order]) / weights.sum()
    cut = labeled_scores[order][min(int(np.searchsorted(heights, LOOKS_LABELED)), len(order) - 1)]
    inside, others = labeled_scores <= cut, unlabeled_scores[unlabeled_scores <= cut]
    if len(others) < FEWEST_ROWS:
        expected = LOOKS_LABELED * known_proportion * len(unlabeled_scores)
        return ALL_GONE if len(others) < expected - 3.0 * math.sqrt(expected) else 0.0
    scores, weights = labeled_scores[inside], weights[inside]
    ranks = [_middle_ranks(scores, weights, part) for part in (scores, others)]
    variance = float(np.average((ranks[0] - 0.5) ** 2, weights=weights))
    if variance < SMALLEST_VARIANCE:
        return 0.0
    n_rows = weights.sum() ** 2 / (weights**2).sum()
    return (float(ranks[1].mean()) - 0.5) / math.sqrt(variance * (1.0 / n_rows + 1.0 / len(others)))


def _middle_ranks(scores: Array, weights: Array, at: Array) -> Array:
    """Return the share of scores below each number, those equal to it counting half."""
    order = np.argsort(scores, kind="stable")
    heights = np.append(0.0, np.cumsum(weights[order])) / weights.sum()
    sides = (heights[np.searchsorted(scores[order], at, side)] for side in ("left", "right"))
    return np.asarray(sum(sides)) / 2.0
