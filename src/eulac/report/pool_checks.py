"""Checks of a fitted classifier on a pool that name trouble in words, and what to do about it."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eulac.proportion.estimate import ProportionEstimate, with_column_names
from eulac.report.moved_classes import MovedClass
from eulac.report.proportion_checks import LEVELS, Check, proportion_checks
from eulac.risk.decision_rule import TRIVIAL_SHARE
from eulac.risk.zero_one import RiskEstimate

__all__ = ["PoolFacts", "run_checks"]

FEW_LABELED, FEW_UNLABELED = 20, 100
WIDE = 0.1
"""Half width of an interval of the error that says little."""


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
        *proportion_checks(estimate and with_column_names(estimate, facts.feature_names)),
        *_answer_checks(facts),
        *_size_checks(facts),
        *_moved_checks(facts),
        *_left_out_checks(facts),
        *_risk_checks(facts.risk),
    ]
    return sorted(found, key=lambda check: LEVELS.index(check.level))


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
            few = f"known classes with fewer than {FEW_LABELED} labeled rows"
            problems.append(f"{few}: {_first_of(small)}")
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
            f"{', '.join(map(repr, facts.left_out))}: with them known rows look new and without "
            "them they do not, as with an ID, another unit or an offset. Neither answers nor the "
            "checks of this page look at them. See what stands there; `drift=False` (`--drift no`) "
            "uses all columns.",
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
        yield Check(
            "note",
            "Known classes that could not be compared",
            "Too few rows answered so to say whether they look different here: "
            f"{_first_of(untested)}.",
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


def _first_of(texts: Sequence[str]) -> str:
    """Return some of the texts, and how many others there are."""
    others = f" and {len(texts) - 5} others" if len(texts) > 5 else ""
    return ", ".join(texts[:5]) + others
