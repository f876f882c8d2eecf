"""What to say of an estimate that sits on a bound, or whose parts disagree."""

import warnings

from eulac.exceptions import (
    DriftWarning,
    ProportionAtBoundWarning,
    ProportionDisagreementWarning,
)
from eulac.proportion.estimate import ProportionEstimate

__all__ = ["warn_of_doubtful_proportion"]


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
    elif not estimate.diagnostics.get("scores_agree", True):
        votes = estimate.diagnostics.get("by_candidate", {})
        values = values | {f"candidate {name}": value for name, value in votes.items()}
        listed = ", ".join(f"{name} {value:.2f}" for name, value in values.items())
        warnings.warn(
            f"estimates of the known proportion disagree ({listed}); "
            f"{estimate.total:.2f} is used. Label more rows, or pass `known_proportion`.",
            ProportionDisagreementWarning,
            stacklevel=4,
        )


def _warn_of_drift(estimate: ProportionEstimate) -> None:
    as_labeled, moved = (
        1.0 - estimate.diagnostics["readings"][name]["known_proportion"]
        for name in ("as_labeled", "may_have_moved")
    )
    warnings.warn(
        "known classes seem to look in deployment other than in the labels. If they do not: "
        f"{as_labeled:.0%} of the unlabeled rows are new; if they have moved: {moved:.0%}. "
        f"{estimate.augmented_proportion:.0%} is used, and intervals span both. Label some rows of "
        "deployment, or say which holds with `drift`.",
        DriftWarning,
        stacklevel=5,
    )


def _warn_at_bound(estimate: ProportionEstimate, answer: str) -> None:
    warnings.warn(
        f"the known proportion was estimated at its bound ({estimate.total:.3f}, method "
        f"{estimate.method!r}): {answer}, as far as this sample tells. Pass `known_proportion` if "
        "you know better.",
        ProportionAtBoundWarning,
        stacklevel=5,
    )
