"""The parameters `known_proportion` and `shift`: the estimator they ask for, and its doubts."""

from collections.abc import Mapping
from numbers import Real
from typing import Any

from eulac.data.lac_sample import LacSample
from eulac.drift.two_readings import TwoReadingsProportion
from eulac.exceptions import (
    DriftWarning,
    ProportionAtBoundWarning,
    ProportionDisagreementWarning,
    warn_caller,
)
from eulac.proportion.estimate import (
    ProportionEstimate,
    ProportionEstimator,
    sorted_names,
    with_column_names,
)
from eulac.proportion.given import GivenProportion
from eulac.proportion.nothing_new import SIGNIFICANT
from eulac.proportion.shifted import ShiftedProportion

__all__ = [
    "choose_proportion",
    "estimate_proportion",
    "said_of_moved_classes",
    "warn_of_doubtful_proportion",
]

MOST_NAMED = 3
"""Classes and columns that moved, in a warning; `diagnostics["drift"]` has more."""


def estimate_proportion(
    classifier: Any, sample: LacSample, seed: int, *, warn: bool = True, **instead: Any
) -> ProportionEstimate:
    """Return how much of the unlabeled rows is known, and warn where that is doubtful.

    Parameters
    ----------
    classifier : classifier
        Its `known_proportion`, `shift`, `drift` and `n_jobs` say how; its `closed_set_`, whether
        there is anything to estimate.
    sample : LacSample
    seed : int
    warn : bool, default=True
    **instead
        `known_proportion` or `shift` that take the place of the classifier's.
    """
    if classifier.closed_set_:
        return choose_proportion(1.0, shift=False).estimate(sample)
    chosen = choose_proportion(
        instead.get("known_proportion", classifier.known_proportion),
        instead.get("shift", getattr(classifier, "shift", "auto")),
        getattr(classifier, "drift", "auto"),
        random_state=seed,
        n_jobs=getattr(classifier, "n_jobs", None),
    )
    estimate = with_column_names(chosen.estimate(sample), sorted_names(classifier))
    if warn:
        warn_of_doubtful_proportion(estimate)
    return estimate


def choose_proportion(
    known_proportion: Any,
    shift: Any = "auto",
    drift: Any = "auto",
    *,
    random_state: int | None = None,
    n_jobs: int | None = None,
) -> ProportionEstimator:
    """Return the estimator for "auto", a number, numbers per class, or an estimator itself.

    "auto" reads the rows twice: known classes look as in the labels, or may have moved (`drift`).
    With ``shift=True`` one number, or an estimator's total, is divided among the known classes by
    estimated priors; with "auto" only the default estimator asks whether priors moved.

    Examples
    --------
    >>> choose_proportion(0.7)
    GivenProportion(known_proportion=0.7)
    """
    options: dict[str, Any] = {"random_state": random_state, "n_jobs": n_jobs}
    if isinstance(known_proportion, str) and known_proportion == "auto":
        return TwoReadingsProportion(shift=shift, drift=drift, **options)
    if hasattr(known_proportion, "estimate") and not isinstance(known_proportion, type):
        chosen = known_proportion
    elif isinstance(known_proportion, Real) or hasattr(known_proportion, "__len__"):
        chosen = GivenProportion(known_proportion)
    else:
        raise TypeError(_wanted(known_proportion))
    if isinstance(known_proportion, str):
        raise ValueError(_wanted(known_proportion))
    one_total = not hasattr(known_proportion, "__len__")
    return (
        ShiftedProportion(chosen, shift=True, **options) if shift is True and one_total else chosen
    )


def _wanted(known_proportion: Any) -> str:
    return (
        "`known_proportion` must be 'auto', a number in [0, 1], one number per known class, or a "
        f"proportion estimator; got {known_proportion!r}."
    )


def warn_of_doubtful_proportion(estimate: ProportionEstimate) -> None:
    """Warn of an estimate at a bound, or one whose parts disagree."""
    if estimate.method == "given":
        return
    if estimate.diagnostics.get("drift", {}).get("suspected"):
        _warn_of_drift(estimate)
    nearly = 1.0 / estimate.n_unlabeled
    values = estimate.diagnostics.get("by_score", {})
    if estimate.total > 1 - nearly:
        _warn_at_bound(estimate, "nothing in the unlabeled rows is new")
    elif estimate.total < nearly:
        _warn_at_bound(estimate, "nothing in the unlabeled rows is of a known class")
    elif estimate.diagnostics.get("at_bound"):
        _warn_at_bound(estimate, "the search stopped at its limit")
    elif not _says_enough(estimate):
        votes = estimate.diagnostics.get("by_candidate", {})
        values = values | {f"candidate {name}": value for name, value in votes.items()}
        answers = estimate.diagnostics.get("by_answers", {})
        values = values | {f"{name} of answers": value for name, value in answers.items()}
        listed = ", ".join(f"{name} {value:.2f}" for name, value in values.items())
        lost = _taken_back(estimate)
        less = f", less the new rows that trials with hidden classes say look known ({lost:.0%})"
        warn_caller(
            f"estimates of the known proportion disagree ({listed}); {estimate.total:.2f} is used"
            f"{less if lost >= 0.05 else ''}. Label more rows, or pass `known_proportion`.",
            ProportionDisagreementWarning,
        )


def _taken_back(estimate: ProportionEstimate) -> float:
    """Return what trials lost, where the share was corrected by that: not where nothing is new."""
    if estimate.diagnostics.get("nothing_new_p_value", 0.0) >= SIGNIFICANT:
        return 0.0
    return float(estimate.diagnostics.get("new_taken_for_known", 0.0))


def _says_enough(estimate: ProportionEstimate) -> bool:
    """Return whether scores agree, or drift was warned of, under which they cannot."""
    drift = estimate.diagnostics.get("drift", {}).get("suspected", False)
    return bool(drift or estimate.diagnostics.get("scores_agree", True))


def _warn_of_drift(estimate: ProportionEstimate) -> None:
    as_labeled, moved = (
        1.0 - estimate.diagnostics["readings"][name]["known_proportion"]
        for name in ("as_labeled", "may_have_moved")
    )
    sign = (
        "next to no unlabeled row looks like a labeled one: all may be new, or known classes may "
        "look different now."
        if estimate.diagnostics["drift"].get("nothing_looks_labeled")
        else "known classes seem to look in deployment other than in the labels."
    )
    warn_caller(
        f"{sign} If they do not: {as_labeled:.0%} of the unlabeled rows are new; if they do: "
        f"{moved:.0%}. "
        f"{estimate.augmented_proportion:.0%} is used, and intervals span both. "
        f"{said_of_moved_classes(estimate.diagnostics['drift'])}"
        f"{_what_moved(estimate)}Label some rows of deployment, or say which holds: `drift`, "
        "`known_proportion`.",
        DriftWarning,
    )


def said_of_moved_classes(drift: Mapping[str, Any]) -> str:
    """Return a sentence on classes that moved as a whole, with a space after it; or nothing.

    Examples
    --------
    >>> said_of_moved_classes({"moved_classes": ["refund"]}).strip()
    "Class 'refund' has moved as a whole, or is gone and new rows look like it."
    """
    classes = drift.get("moved_classes", [])
    if not len(classes):
        return ""
    n_more = len(classes) - MOST_NAMED
    listed = ", ".join(map(repr, classes[:MOST_NAMED])) + f" and {n_more} more" * (n_more > 0)
    if len(classes) == 1:
        return f"Class {listed} has moved as a whole, or is gone and new rows look like it. "
    return f"Classes {listed} have moved as a whole, or are gone and new rows look like them. "


def _what_moved(estimate: ProportionEstimate) -> str:
    """Return a sentence that names columns which moved within a class; nothing without names."""
    found = estimate.diagnostics["drift"].get("moved", [])
    # Columns of an array have no names but their places; a table's own names are told elsewhere.
    named = [one for one in found if not str(one["column"]).isdigit()][:MOST_NAMED]
    changes = [
        f"{one['column']!r} of those taken for {one['known_class']!r} is {one['change']}"
        for one in named
    ]
    return f"Of the unlabeled rows, {', '.join(changes)}. " if changes else ""


def _warn_at_bound(estimate: ProportionEstimate, answer: str) -> None:
    warn_caller(
        f"the known proportion was estimated at its bound ({estimate.total:.3f}, method "
        f"{estimate.method!r}): {answer}, as far as this sample tells. Pass `known_proportion` if "
        "you know better.",
        ProportionAtBoundWarning,
    )
