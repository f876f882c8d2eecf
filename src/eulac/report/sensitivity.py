"""How the answers and their error hang on the known proportion."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eulac.proportion.estimate import ProportionEstimate
from eulac.report.held_out_answers import HeldOutAnswers
from eulac.risk.weights import labeled_weights
from eulac.risk.zero_one import zero_one_risk

__all__ = ["Sensitivity", "proportion_sensitivity"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Sensitivity:
    """Estimated error over what the known proportion might truly be.

    Attributes
    ----------
    known_proportion : array of shape (n_points,)
    kept : array of shape (n_points,)
        Error of the answers as they are.
    recut : array of shape (n_points,)
        Error of the answers if as many rows were called new as that proportion says.
    """

    known_proportion: Array
    kept: Array
    recut: Array


def proportion_sensitivity(
    held_out: HeldOutAnswers,
    estimate: ProportionEstimate,
    *,
    n_points: int = 25,
    margin: float = 0.1,
) -> Sensitivity:
    """Return estimated errors over the interval of the proportion and a margin on both sides."""
    low, high = estimate.interval
    grid = np.linspace(max(low - margin, 0.0), min(high + margin, 1.0), n_points)
    cuts = [_matching_cut(held_out.unlabeled_score, known) for known in grid]
    as_they_are = held_out.labeled_answer, held_out.unlabeled_answer
    kept = [_error_at(held_out, known, as_they_are) for known in grid]
    recut = [
        _error_at(held_out, known, held_out.answers_above(cut))
        for known, cut in zip(grid, cuts, strict=True)
    ]
    return Sensitivity(grid, np.array(kept), np.array(recut))


def _matching_cut(scores: Array, known_proportion: float) -> float:
    """Return the score above which just the new share of the rows lies."""
    ordered = np.sort(scores)
    n_known = round(known_proportion * len(ordered))
    if n_known in (0, len(ordered)):
        return -np.inf if n_known == 0 else np.inf
    return float(0.5 * (ordered[n_known - 1] + ordered[n_known]))


def _error_at(
    held_out: HeldOutAnswers, known_proportion: float, answers: tuple[Codes, Codes]
) -> float:
    """Error of answers to labeled and unlabeled rows, if so much of the pool were known."""
    total = held_out.per_class.sum()
    frequency = np.bincount(held_out.y, minlength=held_out.augmented) / len(held_out.y)
    priors = held_out.per_class / total if total > 0 else frequency
    weights = labeled_weights(held_out.y, known_proportion * priors)
    labeled, unlabeled = answers
    return zero_one_risk(
        labeled, held_out.y, weights, unlabeled, augmented=held_out.augmented
    ).value
