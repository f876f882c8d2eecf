"""The known proportion once more, from scores that tell new rows better.

Any score of held-out rows bounds the known proportion from above, and the bound is the tighter the
better the score tells known rows from new ones. A classifier of K + 1 classes, trained with a first
estimate, does that better than the scores the first estimate came from.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eulac.drift.chosen_reading import with_votes
from eulac.drift.readings import LOOKS_ALL_KNOWN
from eulac.drift.tilt import exponential_tilt
from eulac.proportion.best_bin import DISAGREEMENT, SPREAD_SHARE, corrected_best_bin
from eulac.proportion.estimate import IDENTIFIABILITY, ProportionEstimate, interval_around
from eulac.proportion.nothing_new import SIGNIFICANT
from eulac.proportion.reduction import known_log_odds
from eulac.risk.held_out import HeldOut

__all__ = ["proportion_with_answers", "refined_proportion", "voted_proportion"]

Array = NDArray[np.float64]

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


def proportion_with_answers(
    estimate: ProportionEstimate, held_out: HeldOut, *, seed: int
) -> ProportionEstimate:
    """Return the estimate in which the first reading is the median of rows and answers.

    Trained with the first estimate, a classifier of K + 1 classes tells new rows from known ones by
    other means than the scores it came from, so their errors go their own ways. Its held-out
    answers are read in two ways, which have a vote each beside what the rows tell. All three take
    known classes to look as in the labels: of two readings, the first one is changed, within its
    interval.

    Parameters
    ----------
    estimate : ProportionEstimate
        By `TwoReadingsProportion`. It stays where known classes are taken to have moved: answers
        that learned from labeled rows do not know how far these stand for known rows of the pool.
        And where nothing speaks for new rows, neither the test nor the readings: answers were
        taught by rows taken for new, and would find them.
    held_out : HeldOut
        Of a classifier trained with it. Its weights say how priors moved. Answers that are the same
        for all rows have no vote.
    seed : int
    """
    known, moved = _scores_and_weights(held_out)
    if not _may_be_asked(estimate) or np.ptp(np.hstack(known)) < 1e-9:
        return estimate
    bin_share, _ = _bound(held_out, seed)
    by_answers = {
        "tilt": exponential_tilt(-known[0], -known[1], moved).known_proportion,
        "best_bin": min(bin_share, 1.0),
    }
    return with_votes(estimate, by_answers)


def _may_be_asked(estimate: ProportionEstimate) -> bool:
    told = estimate.diagnostics
    silent = told["nothing_new_p_value"] >= SIGNIFICANT
    looks_all_known = told["readings"]["as_labeled"]["interval"][1] > LOOKS_ALL_KNOWN[0]
    return estimate.total > 0.0 and not estimate.assumes_drift and not (silent and looks_all_known)


def _scores_and_weights(held_out: HeldOut) -> tuple[tuple[Array, Array], Array | None]:
    """Return log odds of being known, and how much labeled rows count, None if all the same."""
    weights = held_out.weights / held_out.weights.mean()
    scores = known_log_odds((held_out.labeled, held_out.unlabeled))
    return scores, None if np.ptp(weights) < 1e-9 else weights


def _bound(held_out: HeldOut, seed: int) -> tuple[float, float]:
    """Return the largest proportion that held-out rows leave room for, and its standard error."""
    scores, moved = _scores_and_weights(held_out)
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
