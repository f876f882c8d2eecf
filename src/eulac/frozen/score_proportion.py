"""The known share of the pool from held-out scores, and how much such scores can tell.

An exponential tilt of the scores reads the share a little low on real scores, best bins read it
high: the middle is used, and the distance enters the error. A score that hardly tells new rows from
known ones fits any share: then the interval begins at zero, and a warning says so.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eulac.drift.tilt import SCORE_SCALE, exponential_tilt, tilt_error
from eulac.exceptions import WeakScoreWarning, warn_caller
from eulac.proportion.best_bin import DISAGREEMENT, SPREAD_SHARE, corrected_best_bins
from eulac.proportion.estimate import ProportionEstimate, estimate_with_error
from eulac.proportion.known_priors import UsedPriors
from eulac.proportion.nothing_new import SIGNIFICANT, nothing_new_p_value

__all__ = ["proportion_of_newness", "separation_of", "warn_of_weak_score"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]
Pair = tuple[Array, Array]

LEAST_SEPARATION = 0.75
"""Of new rows from known ones, as the area under the curve; below, the share is a guess."""

NORMAL_95 = 1.96


def proportion_of_newness(
    by_score: Mapping[str, Pair],
    priors: UsedPriors,
    y_labeled: Codes,
    strata: tuple[Codes, Codes],
    *,
    seed: int,
) -> ProportionEstimate:
    """Return the known share of held-out log ratios, the interval as wide as they are weak.

    Parameters
    ----------
    by_score : mapping of names to (labeled, unlabeled) arrays
        Held-out log ratios, bigger for newer rows. Of the last one the tilt is taken.
    priors : UsedPriors
        Of the known classes.
    y_labeled : int array of shape (n_labeled,)
    strata : (labeled, unlabeled) int arrays
        Fold and likely class of each row, as one number.
    seed : int
    """
    scores, weights = list(by_score.values())[-1], priors.weights(y_labeled)
    scaled = scores[0] / SCORE_SCALE, scores[1] / SCORE_SCALE
    tilt = exponential_tilt(*scaled, weights)
    error = tilt_error(tilt, *scaled, weights, random_state=seed)
    known_first = [(-labeled, -unlabeled) for labeled, unlabeled in by_score.values()]
    bins, _ = corrected_best_bins(known_first, weights, random_state=seed)
    bound = min(one.value for one in bins)
    total = 0.5 * (tilt.known_proportion + bound)
    spread = abs(bound - tilt.known_proportion)
    estimate = estimate_with_error(
        total,
        priors.used,
        float(np.hypot(error, SPREAD_SHARE * spread)),
        method="frozen_scores",
        n_labeled=len(scores[0]),
        n_unlabeled=len(scores[1]),
        diagnostics={
            "by_score": {
                "tilt": tilt.known_proportion,
                **{name: one.value for name, one in zip(by_score, bins, strict=True)},
            },
            "spread": spread,
            "scores_agree": spread <= DISAGREEMENT,
            "nothing_new_p_value": nothing_new_p_value(known_first, *strata),
            "separation": separation_of(*scores, total, weights),
            **priors.diagnostics(),
        },
    )
    return _as_wide_as_weak(estimate)


def separation_of(
    labeled: Array, unlabeled: Array, known_proportion: float, weights: Array | None = None
) -> float:
    """Return how well a score tells new rows from known ones: the area under its curve.

    The area of labeled against unlabeled rows is half the known share plus the area in question
    times the rest. It is an estimate, clipped to lie between a half and one.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> known, new = rng.normal(0, 1, 3000), rng.normal(9, 1, 1000)
    >>> round(separation_of(known[:1000], np.append(known[1000:], new), 2 / 3), 1)
    1.0
    """
    order = np.argsort(labeled, kind="stable")
    row = np.ones(len(labeled)) if weights is None else weights
    below = np.append(0.0, np.cumsum(row[order])) / row.sum()
    sides = [np.searchsorted(labeled[order], unlabeled, side) for side in ("left", "right")]
    area = 0.5 * sum(float(below[side].mean()) for side in sides)
    rest = max(1.0 - known_proportion, 1.0 / len(unlabeled))
    return float(np.clip(0.5 + (area - 0.5) / rest, 0.5, 1.0))


def _as_wide_as_weak(estimate: ProportionEstimate) -> ProportionEstimate:
    """Return the estimate; of a weak score with an interval from zero on."""
    told = estimate.diagnostics
    nothing_new = told["nothing_new_p_value"] > SIGNIFICANT
    weak = nothing_new or told["separation"] < LEAST_SEPARATION
    diagnostics: dict[str, Any] = {
        **told,
        "weak_score": weak,
        "interval_if_score_tells": estimate.interval,
    }
    if not weak:
        return replace(estimate, diagnostics=diagnostics)
    return replace(
        estimate,
        interval=(0.0, 1.0 if nothing_new else estimate.interval[1]),
        standard_error=max(estimate.standard_error, estimate.total / NORMAL_95),
        diagnostics=diagnostics,
    )


def warn_of_weak_score(estimate: ProportionEstimate) -> None:
    """Warn of a score that hardly tells new rows from known ones, or of estimates that disagree."""
    told = estimate.diagnostics
    if told.get("weak_score"):
        low, high = told["interval_if_score_tells"]
        found = (
            f"the scores hardly tell new rows from known ones (area under the curve "
            f"{told['separation']:.2f}, p-value of 'nothing is new' "
            f"{told['nothing_new_p_value']:.2g}). Only if new rows look unsure or odd to them, "
            f"{low:.0%} to {high:.0%} of the pool is known; otherwise it may be any share below"
        )
    elif not told.get("scores_agree", True):
        listed = ", ".join(f"{name} {value:.2f}" for name, value in told["by_score"].items())
        found = (
            f"estimates of the known share disagree ({listed}), because new rows score much as "
            f"known ones do; {estimate.total:.2f} is used"
        )
    else:
        return
    warn_caller(
        f"{found}. Add a column of oddness, label some rows of the pool, or pass "
        "`known_proportion`.",
        WeakScoreWarning,
    )
