"""Checks of the known share: an estimate or a limit, moved classes, parts that agree or not."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from eulac.classifier.known_proportion import said_of_moved_classes
from eulac.drift.chosen_reading import CLEAR_GAP
from eulac.proportion.best_bin import DISAGREEMENT
from eulac.proportion.estimate import ProportionEstimate

__all__ = ["LEVELS", "Check", "proportion_checks"]

LEVELS = ("trouble", "note", "fine")
"""From what makes the page doubtful, over what to keep in mind, to what was found in order."""

TELLS_LITTLE = 0.5
"""Width of an interval of the known share under which tests that rest on it have no power."""

SIGNIFICANT = 0.01

LEAST_POWER = 0.8
"""Part of the trials in which a test must notice hidden classes, for its silence to count."""


@dataclass(frozen=True)
class Check:
    """One sentence about what was looked at, and how bad it is.

    Attributes
    ----------
    level : {"trouble", "note", "fine"}
    title : str
    text : str
    """

    level: str
    title: str
    text: str


def proportion_checks(estimate: ProportionEstimate | None) -> Iterator[Check]:
    """Yield what there is to say of an estimate, columns that moved in it called by their names."""
    if estimate is None:
        yield Check(
            "note",
            "The new share was not estimated",
            "This classifier was fitted without an estimate of the known proportion, so neither "
            "the new share nor the error can be told. Fit with threshold='label_free', or pass "
            "`known_proportion`.",
        )
        return
    yield _bound_check(estimate)
    yield from _drift_check(estimate)
    yield from _agreement_check(estimate)
    yield from _nothing_new_check(estimate)
    yield from _priors_check(estimate)


def _bound_check(estimate: ProportionEstimate) -> Check:
    nearly = 1.0 / max(estimate.n_unlabeled, 1)
    if estimate.method == "given":
        return Check(
            "note",
            "The proportion was given, not estimated",
            f"A known share of {estimate.total:.1%} was passed to the fit and is taken as it is: "
            "the page cannot say how sure it is.",
        )
    if estimate.total < nearly:
        return Check(
            "trouble",
            "No known row was found in the pool",
            "The known proportion was estimated as 0. Check that both tables are scaled and "
            "encoded alike; a shifted column does this.",
        )
    if estimate.total > 1 - nearly:
        return Check(
            "trouble",
            "The known proportion is at its cap",
            f"It was estimated as {estimate.total:.3f}: nothing new, as far as this sample tells. "
            "Either there is nothing new, or new rows look like mixtures of known ones. Label "
            "more rows, look at the rows below, or pass `known_proportion` if you know better.",
        )
    if estimate.diagnostics.get("at_bound"):
        return Check(
            "trouble",
            "The search for the known proportion stopped at its limit",
            f"It was estimated as {estimate.total:.3f}, as far as method {estimate.method!r} goes: "
            "a limit rather than an estimate. Use another method, or pass `known_proportion`.",
        )
    return Check(
        "fine",
        "The known proportion is away from its bounds",
        f"It was estimated as {estimate.total:.3f}, within 0 and 1.",
    )


def _drift_check(estimate: ProportionEstimate) -> Iterator[Check]:
    """Both readings of the known share, where it was read twice."""
    readings = estimate.diagnostics.get("readings")
    if readings is None:
        return
    drift = estimate.diagnostics["drift"]
    listed = "; ".join(
        f"if {one['assumption']}: {1 - one['known_proportion']:.1%} new "
        f"({1 - one['interval'][1]:.1%} to {1 - one['interval'][0]:.1%})"
        for one in readings.values()
    )
    if not drift["suspected"]:
        yield _no_drift_check(drift, listed)
        return
    moved = [
        f"{one['column']} of {one['known_class']!r} is {one['change']}"
        for one in drift["moved"][:5]
    ]
    what = f" In the pool {', '.join(moved)}." if moved else ""
    classes = said_of_moved_classes(drift)
    used = "the second is used" if drift["used"] else "the first is used"
    yield Check(
        "trouble",
        "Known classes may have moved",
        f"Of two readings of the new share {used}: {listed}.{what} {classes}Intervals span both. "
        "Label some rows of the pool to tell which one holds.",
    )


def _no_drift_check(drift: Mapping[str, Any], listed: str) -> Check:
    """Two readings that agree, or that differ without a further sign of drift."""
    if abs(drift["gap"]) < CLEAR_GAP:
        return Check(
            "fine",
            "Nothing but classes seems to have moved",
            f"Two readings of the new share lie close: {listed}. Mild drift would not show.",
        )
    return Check(
        "note",
        "Two readings of the new share differ",
        f"{listed[0].upper()}{listed[1:]}. Rows that look labeled show no sign of drift, so the "
        "first is used. Label some rows of the pool to be sure.",
    )


def _agreement_check(estimate: ProportionEstimate) -> Iterator[Check]:
    by_score = estimate.diagnostics.get("by_score")
    if not by_score or estimate.diagnostics.get("drift", {}).get("suspected"):
        return  # under drift they cannot agree, and that was said
    spread = max(by_score.values()) - min(by_score.values())
    answers = estimate.diagnostics.get("by_answers", {})
    told = by_score | {f"{name} of answers": value for name, value in answers.items()}
    listed = ", ".join(f"{name.replace('_', ' ')} {told[name]:.2f}" for name in told)
    if spread > DISAGREEMENT:
        yield Check(
            "trouble",
            "Estimates of the known proportion disagree",
            f"They lie {spread:.2f} apart; {estimate.total:.2f} is used. {_origin(estimate)} "
            f"{listed}. Trust the interval rather than the number, and label more rows.",
        )
    else:
        yield Check(
            "fine",
            "Estimates of the known proportion agree",
            f"{_origin(estimate)} {listed}.",
        )


def _origin(estimate: ProportionEstimate) -> str:
    if "readings" in estimate.diagnostics:
        return (
            "Read off the scores of this estimate (methods of the same names in `eulac proportion` "
            "make scores of their own):"
        )
    return "Scores of different making say"


def _nothing_new_check(estimate: ProportionEstimate) -> Iterator[Check]:
    p_value = estimate.diagnostics.get("nothing_new_p_value")
    if p_value is None:
        return
    chance = f"Data without anything new would look like this with probability {_p(p_value)}"
    if p_value < SIGNIFICANT:
        yield Check("fine", "Something is new", f"{chance}.")
    elif estimate.augmented_interval[0] > 0.0:
        yield Check(
            "note",
            "The test of nothing new is not decided",
            f"{chance}, while at least {estimate.augmented_interval[0]:.1%} are estimated to be "
            f"new: the test asks for rows that stand apart. {_power(estimate)}Look at the "
            "newest-looking rows before you act on the number.",
        )
    else:
        yield Check(
            "note",
            "There may be nothing new",
            f"{chance}. {_power(estimate)}Look at the newest-looking rows before you act on the "
            "number.",
        )


def _power(estimate: ProportionEstimate) -> str:
    """Return a sentence where the silence of the test says nothing."""
    power = estimate.diagnostics.get("nothing_new_power")
    if power is None or power >= LEAST_POWER:
        return ""
    return (
        "Its silence says little: at the level of 5% it notices known classes that are hidden on "
        f"trial in {power:.0%} of trials. "
    )


def _priors_check(estimate: ProportionEstimate) -> Iterator[Check]:
    p_value = estimate.diagnostics.get("priors_moved_p_value")
    if p_value is None:
        return
    if p_value < SIGNIFICANT:
        corrected = "is corrected for" if estimate.diagnostics.get("priors_moved") else "is kept"
        yield Check(
            "note",
            "The mix of known classes has moved",
            f"Their shares among each other differ from the labels (p {_p(p_value)}). That alone "
            f"is no trouble: it {corrected}.",
        )
    elif np.ptp(estimate.interval) > TELLS_LITTLE:
        yield Check(
            "note",
            "Whether the mix of known classes has moved cannot be told",
            f"No sign of it (p {_p(p_value)}), but so wide an interval of the share hides most.",
        )
    else:
        yield Check(
            "fine",
            "The mix of known classes has not moved",
            f"Their shares among each other are as in the labels, as far as can be told "
            f"(p {_p(p_value)}).",
        )


def _p(p_value: float) -> str:
    return "below 0.001" if p_value < 0.001 else f"{p_value:.3f}"
