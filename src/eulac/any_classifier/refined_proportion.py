"""The known proportion once more, from scores that tell new rows better.

Any score of held-out rows bounds the known proportion from above, and the bound is the tighter the
better the score tells known rows from new ones. A classifier of K + 1 classes, trained with a first
estimate, does that better than the scores the first estimate came from.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from eulac.drift.tilt import exponential_tilt
from eulac.proportion.best_bin import (
    DISAGREEMENT,
    SPREAD_SHARE,
    best_bin,
    corrected_best_bin,
)
from eulac.proportion.estimate import IDENTIFIABILITY, ProportionEstimate, interval_around
from eulac.proportion.reduction import known_log_odds
from eulac.risk.held_out import HeldOut

__all__ = ["proportion_with_answers", "refined_proportion", "voted_proportion"]

VOTES = 2
"""Of a classifier of K + 1 classes; each score before it has one."""

SECOND = "second_stage"

N_RESAMPLES = 100

QUANTILE = 0.25
"""Of the votes. All are upper bounds, so the truth is rather among the smaller ones; the smallest
may be small by chance."""


def refined_proportion(
    estimate: ProportionEstimate, held_out: HeldOut, *, seed: int
) -> ProportionEstimate:
    """Return the lower quartile of estimates by earlier scores and by these held-out rows.

    Parameters
    ----------
    estimate : ProportionEstimate
        The first one; shares of the classes keep their ratios. Its scores have a vote each, or it
        has one itself where it came from none. A proportion of zero stays: nothing is known.
    held_out : HeldOut
        Of a classifier trained with it. Its weights say how priors moved.
    seed : int

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> new = np.repeat([0.1, 0.9], [700, 100]) + rng.uniform(-0.1, 0.1, 800)
    >>> rows = np.column_stack([1 - new, new])
    >>> weights = np.full(400, 0.9)
    >>> held_out = HeldOut(rows[:400], rows[400:], np.zeros(400, int), weights)
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
    votes = {"by_score": by_score, "spread": spread, "scores_agree": spread <= DISAGREEMENT}
    moved = _at_lower_quartile(estimate, votes, float(np.hypot(error, SPREAD_SHARE * spread)))
    return replace(moved, method="refined", remark=IDENTIFIABILITY)


def voted_proportion(
    estimate: ProportionEstimate, held_out: Mapping[str, HeldOut], *, seed: int
) -> ProportionEstimate:
    """Return a refined proportion once more refined, by the votes of further classifiers.

    Parameters
    ----------
    estimate : ProportionEstimate
        From `refined_proportion`, which has told whether scores agree. The distance from it to the
        lower quartile of all votes adds to the standard error.
    held_out : mapping of names to HeldOut
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
    >>> sharper = HeldOut(rows[:400], rows[400:], np.zeros(400, int), weights)
    >>> bool(voted_proportion(first, {"sharper": sharper}, seed=0).total < 0.85)
    True
    """
    if estimate.total <= 0.0 or not held_out:
        return estimate
    found = {name: _bound(rows, seed)[0] for name, rows in held_out.items()}
    votes = {"by_candidate": found}
    distance = abs(_lower_quartile({**estimate.diagnostics, **votes}) - estimate.total)
    error = float(np.hypot(estimate.standard_error, SPREAD_SHARE * distance))
    return _at_lower_quartile(estimate, votes, error)


def proportion_with_answers(estimate: ProportionEstimate, held_out: HeldOut) -> ProportionEstimate:
    """Return the share that is the median of what rows tell and of two estimates from answers.

    Trained with the first estimate, a classifier of K + 1 classes tells new rows from known ones by
    other means than the scores it came from, so the errors of the three go their own ways. All of
    them take known classes to look as in the labels: of two readings, the first one is changed. The
    interval stays, and takes in the median.

    Parameters
    ----------
    estimate : ProportionEstimate
        Where known classes are taken to have moved it stays: answers that learned from labeled
        rows do not know how far these stand for known rows of the pool.
    held_out : HeldOut
        Of a classifier trained with it. Its weights say how priors moved.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> new = np.repeat([0.1, 0.9], [700, 100]) + rng.uniform(-0.1, 0.1, 800)
    >>> rows = np.column_stack([1 - new, new])
    >>> held_out = HeldOut(rows[:400], rows[400:], np.zeros(400, int), np.full(400, 0.8))
    >>> first = ProportionEstimate(np.array([0.8]), (0.7, 0.9), "two_readings", 400, 400)
    >>> bool(abs(proportion_with_answers(first, held_out).total - 0.75) < 0.03)
    True
    """
    if estimate.total <= 0.0 or estimate.assumes_drift:
        return estimate
    weights = held_out.weights / held_out.weights.mean()
    known = known_log_odds((held_out.labeled, held_out.unlabeled))
    by_answers = {
        "tilt": exponential_tilt(-known[0], -known[1], weights).known_proportion,
        "best_bin": min(best_bin(*known, weights)[0], 1.0),
    }
    by_rows, part = _first_reading(estimate)
    voted = float(np.median([by_rows, *by_answers.values()]))
    total = float(np.clip(estimate.total + (1.0 - part) * (voted - by_rows), 0.0, 1.0))
    votes = {"by_rows": by_rows, "by_answers": by_answers, "at_bound": total >= 1.0}
    return replace(
        estimate,
        per_class=estimate.per_class * (total / estimate.total),
        interval=_taking_in(estimate.interval, total),
        diagnostics={**_with_first_reading(estimate, voted), **votes},
    )


def _first_reading(estimate: ProportionEstimate) -> tuple[float, float]:
    """Return what rows tell if known classes look as in the labels, and the part of the other."""
    if "readings" not in estimate.diagnostics:
        return estimate.total, 0.0
    first = estimate.diagnostics["readings"]["as_labeled"]["known_proportion"]
    return float(first), float(estimate.diagnostics["drift"]["share_used"])


def _with_first_reading(estimate: ProportionEstimate, share: float) -> dict[str, Any]:
    """Return the diagnostics, the first reading's share being this one."""
    diagnostics = dict(estimate.diagnostics)
    if "readings" in diagnostics:
        first = diagnostics["readings"]["as_labeled"]
        interval = _taking_in(first["interval"], share)
        first = {**first, "known_proportion": share, "interval": interval}
        diagnostics["readings"] = {**diagnostics["readings"], "as_labeled": first}
    return diagnostics


def _taking_in(interval: tuple[float, float], value: float) -> tuple[float, float]:
    return min(interval[0], value), max(interval[1], value)


def _bound(held_out: HeldOut, seed: int) -> tuple[float, float]:
    """Return the largest proportion that held-out rows leave room for, and its standard error."""
    weights = held_out.weights / held_out.weights.mean()
    scores = known_log_odds((held_out.labeled, held_out.unlabeled))
    moved = None if np.ptp(weights) < 1e-9 else weights
    found = corrected_best_bin(*scores, moved, n_resamples=N_RESAMPLES, random_state=seed)
    return found.value, found.standard_error


def _lower_quartile(votes: Mapping[str, Any]) -> float:
    """Return the lower quartile of all votes; those of classifiers count for more."""
    values = [
        value
        for name, value in votes["by_score"].items()
        for _ in range(VOTES if name == SECOND else 1)
    ]
    values += list(votes.get("by_candidate", {}).values()) * VOTES
    return float(np.quantile(values, QUANTILE))


def _at_lower_quartile(
    estimate: ProportionEstimate, votes: Mapping[str, Any], error: float
) -> ProportionEstimate:
    """Return the estimate moved to the lower quartile of its old votes and new ones."""
    diagnostics = {**estimate.diagnostics, **votes}
    total = _lower_quartile(diagnostics)
    return replace(
        estimate,
        per_class=estimate.per_class * (total / estimate.total),
        interval=interval_around(total, error, estimate.confidence),
        standard_error=error,
        diagnostics={**diagnostics, "at_bound": total >= 1.0},
    )
