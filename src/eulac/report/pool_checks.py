"""Checks of a fitted classifier on a pool that name trouble in words, and what to do about it."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eulac.classifier.known_proportion import said_of_moved_classes
from eulac.drift.chosen_reading import CLEAR_GAP
from eulac.proportion.best_bin import DISAGREEMENT
from eulac.proportion.estimate import ProportionEstimate, with_column_names
from eulac.report.moved_classes import MovedClass
from eulac.risk.decision_rule import TRIVIAL_SHARE
from eulac.risk.zero_one import RiskEstimate

__all__ = ["LEVELS", "Check", "PoolFacts", "run_checks"]

LEVELS = ("trouble", "note", "fine")
"""From what makes the page doubtful, over what to keep in mind, to what was found in order."""

TELLS_LITTLE = 0.5
"""Width of an interval of the known share under which tests that rest on it have no power."""

FEW_LABELED, FEW_UNLABELED = 20, 100
SIGNIFICANT = 0.01
WIDE = 0.1
"""Half width of an interval of the error that says little."""


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


@dataclass(frozen=True, eq=False)
class PoolFacts:
    """What the checks look at.

    Attributes
    ----------
    labels : sequence
        Of the known classes, then the augmented one.
    proportion : ProportionEstimate or None
    risk : RiskEstimate or None
    answer_shares : array of shape (n_known_classes + 1,)
        Share of the pool given each answer.
    n_rows : int
        Of the pool.
    class_counts : int array of shape (n_known_classes,) or None
        Labeled rows of each class.
    moved : sequence of MovedClass
    feature_names : sequence of str
    left_out : sequence of str
        Those the classifier does not look at.
    """

    labels: Sequence[Any]
    proportion: ProportionEstimate | None
    risk: RiskEstimate | None
    answer_shares: NDArray[np.float64]
    n_rows: int
    class_counts: NDArray[np.intp] | None
    moved: Sequence[MovedClass]
    feature_names: Sequence[str]
    left_out: Sequence[str] = ()


def run_checks(facts: PoolFacts) -> list[Check]:
    """Return all checks, the worst first."""
    estimate = facts.proportion
    found = [
        *_proportion_checks(estimate and with_column_names(estimate, facts.feature_names)),
        *_answer_checks(facts),
        *_size_checks(facts),
        *_moved_checks(facts),
        *_left_out_checks(facts),
        *_risk_checks(facts.risk),
    ]
    return sorted(found, key=lambda check: LEVELS.index(check.level))


def _proportion_checks(estimate: ProportionEstimate | None) -> Iterator[Check]:
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
    if estimate.total > 1 - nearly or estimate.diagnostics.get("at_bound"):
        return Check(
            "trouble",
            "The known proportion is at its cap",
            f"It was estimated as {estimate.total:.3f}: nothing new, as far as this sample tells. "
            "Either there is nothing new, or new rows look like mixtures of known ones. Label "
            "more rows, look at the rows below, or pass `known_proportion` if you know better.",
        )
    if estimate.total < nearly:
        return Check(
            "trouble",
            "No known row was found in the pool",
            "The known proportion was estimated as 0. Check that both tables are scaled and "
            "encoded alike; a shifted column does this.",
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
    listed = ", ".join(f"{name.replace('_', ' ')} {by_score[name]:.2f}" for name in by_score)
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
            "new: the test asks for rows that stand apart. Look at the newest-looking rows before "
            "you act on the number.",
        )
    else:
        yield Check(
            "note",
            "There may be nothing new",
            f"{chance}. Look at the newest-looking rows before you act on the number.",
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


def _answer_checks(facts: PoolFacts) -> Iterator[Check]:
    shares = facts.answer_shares
    top = int(shares.argmax())
    new = float(shares[-1])
    if shares[top] >= TRIVIAL_SHARE:
        what = "Everything is called new" if top == len(shares) - 1 else "One answer for all"
        yield Check(
            "trouble",
            what,
            f"{shares[top]:.1%} of the rows are answered {facts.labels[top]!r}. Check the scale "
            "of the columns, the labels, and the known proportion.",
        )
    elif new == 0.0:
        yield Check(
            "note",
            "Nothing is called new",
            "No row of this pool is answered as new. If you expected some, look at the rows with "
            "the largest scores below.",
        )
    else:
        yield Check(
            "fine",
            "Answers of several kinds",
            f"{new:.1%} of the rows are called new, the others one of the known classes.",
        )
    yield from _called_check(facts, new)


def _called_check(facts: PoolFacts, new: float) -> Iterator[Check]:
    """Compare what is called new here with the estimate from the rows of the fit."""
    estimate = facts.proportion
    if estimate is None or facts.n_rows == 0:
        return
    expected = estimate.augmented_proportion
    sampling = expected * (1 - expected) / facts.n_rows
    error = math.sqrt(estimate.standard_error**2 + sampling)
    if abs(new - expected) > 3 * error + 1.0 / facts.n_rows:
        yield Check(
            "trouble",
            "This pool is not like the one of the fit",
            f"{new:.1%} of its rows are called new, where {expected:.1%} were estimated in the "
            "fit: more than chance allows. Refit with this pool as unlabeled rows.",
        )


def _size_checks(facts: PoolFacts) -> Iterator[Check]:
    problems = []
    if facts.class_counts is not None:
        small = [
            f"{facts.labels[k]!r} ({count})"
            for k, count in enumerate(facts.class_counts)
            if count < FEW_LABELED
        ]
        if small:
            others = f" and {len(small) - 5} others" if len(small) > 5 else ""
            problems.append(
                f"known classes with fewer than {FEW_LABELED} labeled rows: "
                f"{', '.join(small[:5])}{others}"
            )
    if facts.n_rows < FEW_UNLABELED:
        problems.append(f"only {facts.n_rows} rows in the pool (fewer than {FEW_UNLABELED})")
    if problems:
        yield Check(
            "note",
            "Too few rows",
            f"There are {'; '.join(problems)}. Shares and errors are rough; add rows.",
        )
    else:
        yield Check("fine", "Enough rows", f"The pool has {facts.n_rows} rows.")


def _left_out_checks(facts: PoolFacts) -> Iterator[Check]:
    if facts.left_out:
        yield Check(
            "note",
            "Columns were left out",
            f"{', '.join(map(repr, facts.left_out))}: they make known rows look new by themselves, "
            "as an ID or another unit would. Neither answers nor the checks of this page look at "
            "them. See what stands there; `drift=False` (`--drift no`) uses all columns.",
        )


def _moved_checks(facts: PoolFacts) -> Iterator[Check]:
    tested = [one for one in facts.moved if not math.isnan(one.auc)]
    untested = [repr(one.label) for one in facts.moved if math.isnan(one.auc)]
    for one in tested:
        if one.moved:
            name = facts.feature_names[one.feature]
            yield Check(
                "trouble",
                f"Class {one.label!r} looks different here",
                f"Labeled and unlabeled rows answered {one.label!r} are told apart more often "
                f"(area {one.auc:.2f}) than wrong answers among them explain "
                f"({one.allowed:.2f}). {name!r} moved most, by {one.difference:+.1f} standard "
                "deviations. The class-shift condition seems broken: the new share may count "
                "moved rows of known classes. Label some of these rows here.",
            )
    if tested and not any(one.moved for one in tested):
        doubted = facts.proportion and facts.proportion.doubts_condition
        same = "No tested class" if doubted else "No known class"
        yield Check(
            "note" if doubted else "fine",
            f"{same} looks other than in the labels",
            f"No class of {len(tested)} tested is told from its labeled rows more than wrong "
            "answers explain. Rows that moved so far that they are called new are not seen by "
            "this test.",
        )
    if untested:
        others = f" and {len(untested) - 5} others" if len(untested) > 5 else ""
        yield Check(
            "note",
            "Known classes that could not be compared",
            f"Too few rows answered so to say whether they look different here: "
            f"{', '.join(untested[:5])}{others}.",
        )


def _risk_checks(risk: RiskEstimate | None) -> Iterator[Check]:
    if risk is None:
        return
    low, high = risk.interval
    if (high - low) / 2 > WIDE:
        yield Check(
            "note",
            "The error is known only roughly",
            f"Its interval goes from {low:.1%} to {high:.1%}, mostly because the known proportion "
            "is uncertain. Label more rows of the known classes, or add unlabeled rows.",
        )


def _p(p_value: float) -> str:
    return "below 0.001" if p_value < 0.001 else f"{p_value:.3f}"
