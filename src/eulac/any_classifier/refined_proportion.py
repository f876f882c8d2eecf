"""The known proportion once more, from scores that tell new rows better.

Any score of held-out rows bounds the known proportion from above, and the bound is the tighter the
better the score tells known rows from new ones. A classifier of K + 1 classes, trained with a first
estimate, does that better than the scores the first estimate came from.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from eulac.classifier.probability_rule import HeldOutProbabilities
from eulac.proportion.consensus import DISAGREEMENT, SPREAD_SHARE, consensus_best_bin
from eulac.proportion.estimate import IDENTIFIABILITY, ProportionEstimate
from eulac.proportion.reduction import log_odds

__all__ = ["refined_proportion", "voted_proportion"]

VOTES = 2
"""Of a classifier of K + 1 classes; each score before it has one."""

SECOND = "second_stage"

QUANTILE = 0.25
"""Of the votes. All are upper bounds, so the truth is rather among the smaller ones; the smallest
may be small by chance."""


def refined_proportion(
    estimate: ProportionEstimate, held_out: HeldOutProbabilities, *, seed: int
) -> ProportionEstimate:
    """Return the lower quartile of what earlier scores said and of what held-out rows now say.

    Parameters
    ----------
    estimate : ProportionEstimate
        The first one; shares of the classes keep their ratios. Its scores have a vote each, or it
        has one itself where it came from none. A proportion of zero stays: nothing is known.
    held_out : HeldOutProbabilities
        Of a classifier trained with it. Its weights say how priors moved.
    seed : int

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> new = np.repeat([0.1, 0.9], [700, 100]) + rng.uniform(-0.1, 0.1, 800)
    >>> rows = np.column_stack([1 - new, new])
    >>> weights = np.full(400, 0.9)
    >>> held_out = HeldOutProbabilities(rows[:400], rows[400:], np.zeros(400, int), weights)
    >>> first = ProportionEstimate(np.array([0.9]), (0.8, 1.0), "own_scores", 400, 400)
    >>> bool(abs(refined_proportion(first, held_out, seed=0).total - 0.75) < 0.05)
    True
    """
    if estimate.total <= 0.0:
        return estimate
    found, error = _bound(held_out, seed)
    earlier = dict(estimate.diagnostics.get("by_score", {estimate.method: estimate.total}))
    by_score = {**earlier, SECOND: found}
    spread = float(np.ptp(list(by_score.values())))
    said = {"by_score": by_score, "spread": spread, "scores_agree": spread <= DISAGREEMENT}
    moved = _at_lower_quartile(estimate, said, float(np.hypot(error, SPREAD_SHARE * spread)))
    return replace(moved, method="refined", remark=IDENTIFIABILITY)


def voted_proportion(
    estimate: ProportionEstimate, held_out: Mapping[str, HeldOutProbabilities], *, seed: int
) -> ProportionEstimate:
    """Return a refined proportion once more refined, by the votes of further classifiers.

    Parameters
    ----------
    estimate : ProportionEstimate
        From `refined_proportion`; whether scores agree stays its say. The way from it to where the
        votes lead adds to the standard error.
    held_out : mapping of names to HeldOutProbabilities
        Of classifiers trained with it, two votes each.
    seed : int

    Examples
    --------
    >>> first = ProportionEstimate(
    ...     np.array([0.9]), (0.8, 1.0), "refined", 400, 400, standard_error=0.05,
    ...     diagnostics={"by_score": {"second_stage": 0.9}},
    ... )
    >>> new = np.repeat([0.1, 0.9], [700, 100]) + np.random.default_rng(0).uniform(-0.1, 0.1, 800)
    >>> rows = np.column_stack([1 - new, new])
    >>> weights = np.full(400, 0.9)
    >>> sharper = HeldOutProbabilities(rows[:400], rows[400:], np.zeros(400, int), weights)
    >>> bool(voted_proportion(first, {"sharper": sharper}, seed=0).total < 0.85)
    True
    """
    if estimate.total <= 0.0 or not held_out:
        return estimate
    found = {name: _bound(rows, seed)[0] for name, rows in held_out.items()}
    said = {"by_candidate": found}
    way = abs(_lower_quartile({**estimate.diagnostics, **said}) - estimate.total)
    error = float(np.hypot(estimate.standard_error, SPREAD_SHARE * way))
    return _at_lower_quartile(estimate, said, error)


def _bound(held_out: HeldOutProbabilities, seed: int) -> tuple[float, float]:
    """Return the largest proportion that held-out rows leave room for, and its standard error."""
    weights = held_out.weights / held_out.weights.mean()
    scores = log_odds(1.0 - held_out.labeled[:, -1]), log_odds(1.0 - held_out.unlabeled[:, -1])
    moved = None if np.ptp(weights) < 1e-9 else weights
    [found], error = consensus_best_bin([scores], moved, random_state=seed)
    return float(found), error


def _lower_quartile(said: dict[str, Any]) -> float:
    """Return where the votes lead: scores, and classifiers, which count for more."""
    votes = [
        value
        for name, value in said["by_score"].items()
        for _ in range(VOTES if name == SECOND else 1)
    ]
    votes += list(said.get("by_candidate", {}).values()) * VOTES
    return float(np.quantile(votes, QUANTILE))


def _at_lower_quartile(
    estimate: ProportionEstimate, said: dict[str, Any], error: float
) -> ProportionEstimate:
    """Return the estimate moved to where the votes lead, its diagnostics amended."""
    diagnostics = {**estimate.diagnostics, **said}
    total = _lower_quartile(diagnostics)
    return replace(
        estimate,
        per_class=estimate.per_class * (total / estimate.total),
        interval=(max(total - 1.96 * error, 0.0), min(total + 1.96 * error, 1.0)),
        standard_error=error,
        diagnostics={**diagnostics, "at_bound": total >= 1.0},
    )
