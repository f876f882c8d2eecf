"""Which of two readings of the known share is used, and how far its interval reaches.

Drift must show twice to be believed: in the gap between both readings, and among the labeled rows.
There it shows where rows that look most labeled lie unevenly (`evenness`), or where more rows lie
that would have to be new than trials with hidden classes account for (`within_labeled`). In between
there is no jump: the share moves from one reading to the other. A class that moved as a whole
(`missing_classes`) shows by itself; the second reading is used for it where such classes account
for most of what would be new. Where columns and class view find the same share known, neither seems
to have lost any: rows that look labeled must then lie unevenly beyond all chance. And where next to
nothing looks labeled, unevenness has nothing to go by: the interval spans everything, and drift is
believed where the class view and hidden classes agree on it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eulac.drift.readings import Reading, ramp
from eulac.proportion.estimate import ProportionEstimate, error_reaching, interval_around

__all__ = ["chosen_share", "drift_of", "with_votes"]

Array = NDArray[np.float64]

SMALL_GAP = 0.04
CLEAR_GAP = 0.10
"""How much more the second reading finds known than the first: below, the first is used, above, the
second may be, and in between a share between both."""

UNEVEN = (1.0, 1.64)
"""Standard errors by which unlabeled rows lie unevenly among those that look labeled: below, there
is no drift, above, there is; by chance one draw in six, and one in twenty, exceeds them."""

UNEVEN_OF_FEW = (1.64, 2.33)
"""Where no class can be hidden, and little can agree: by chance one draw in twenty, and one in a
hundred."""

CROWDED = (1.64, 2.33)
"""Standard errors by which more rows lie among the labeled ones than new classes account for:
below, they may be new, above, known rows have changed places."""

UNEVEN_AGAINST = (2.33, 3.09)
"""Where columns and class view find the same share known, which speaks against drift: by chance one
draw in a hundred, and one in a thousand. From the first on, the interval spans both readings."""

AGREED_GAP = (0.04, 0.12)
FEWEST_HIDDEN = 5
AGREED_CREDIT = 1.2
"""Where all three estimates of the second reading find so much more known than the first, and that
many classes could be hidden, so many standard errors of unevenness less are asked for: rows that
look labeled must then only not lie evenly by more than chance."""

MOST_OF_NEW = (0.4, 0.6)
"""Part of what would be new that classes which moved as a whole account for: below, they may as
well be gone, with new rows that look like them."""

SAME_SHARE = 0.1
"""Columns and class view see different directions. Known rows that moved are lost to them in
different numbers; shares this close are the same."""

NEARLY_NONE = 0.05
"""Known share of the first reading below which all may be new as well as moved."""

SEEN_ANYWAY = (0.1, 0.3)
"""How much more than next to nothing every estimate of the second reading must find known, to be
believed without a look at unevenness. Of pools where all is new, the class view finds hardly any
row known; of known rows that moved, it may."""

ERROR_SHARE = 0.5
MOST_DOUBT = 0.3
"""Readings that are themselves unsure must lie further apart for the first to be doubted, by this
part of their standard errors. A first reading more unsure than that is a sign of drift itself."""

DOUBT_SHARE = 0.5
LEAST_DOUBT = 0.5
WIDEST_GAP = 0.2
"""How much of the gap between both readings enters the standard error where the first is used: half
of it where the rows lie unevenly, and as much less as they lie evenly, down to half of that. A gap
wider than this says no more."""


def drift_of(
    as_labeled: Reading,
    moved: Reading,
    uneven: float,
    wanted: Any,
    *,
    n_hidden: int = 0,
    moved_classes: Sequence[int] = (),
    share_of_missing: float = 0.0,
    without_drift: float = 0.0,
    crowded: float = 0.0,
) -> dict[str, Any]:
    """Return whether known classes seem to have moved, and how much of the second reading is used.

    Only where known rows moved does the second reading find clearly more of them than the first
    while rows that look labeled lie unevenly. The more its estimates agree, the less unevenness is
    asked for.

    Parameters
    ----------
    as_labeled, moved : Reading
    uneven : float
        From `unevenness`.
    n_hidden : int, default=0
        Classes that could be hidden for the second reading: with few, its estimates may agree and
        be wrong together.
    wanted : {"auto", True, False}
        Whether to use the second reading: where drift is suspected, or as the user says.
    moved_classes : sequence of int
        Codes of classes that seem to have moved as a whole.
    share_of_missing : float, default=0.0
        Their share of the unlabeled rows.
    without_drift : float, default=0.0
        How much unevenness trials show where nothing has moved; so much more is asked for.
    crowded : float, default=0.0
        From `more_within`.

    Examples
    --------
    >>> from eulac.drift.readings import reading
    >>> two = reading(0.3, 0.03, "", {}), reading(0.6, 0.03, "", {})
    >>> drift_of(*two, 5.0, "auto")["used"], drift_of(*two, 0.5, "auto")["used"]
    (True, False)
    >>> drift_of(*two, 0.5, "auto", crowded=4.0)["used"]
    True
    """
    credit = _credit(as_labeled, moved) if n_hidden >= FEWEST_HIDDEN else 0.0
    share, doubted = _believed(as_labeled, moved, uneven + credit - without_drift, crowded)
    nearly_none = bool(as_labeled.known_proportion < NEARLY_NONE)
    would_be_new = max(1.0 - as_labeled.known_proportion, share_of_missing, 1e-9)
    share = max(share, ramp(share_of_missing / would_be_new, *MOST_OF_NEW))
    suspected = bool(share >= 0.5 or doubted or len(moved_classes) > 0 or nearly_none)
    used = share if wanted == "auto" else float(bool(wanted))
    return {
        "suspected": suspected,
        "used": used >= 0.5,
        "share_used": used,
        "gap": float(moved.known_proportion - as_labeled.known_proportion),
        "unevenness": uneven,
        "credit": credit,
        "unevenness_without_drift": without_drift,
        "crowded": crowded,
        "view_gap": _view_gap(as_labeled, moved),
        "nothing_looks_labeled": nearly_none,
        "moved_classes": list(moved_classes),
    }


def _believed(
    as_labeled: Reading, moved: Reading, uneven: float, crowded: float
) -> tuple[float, bool]:
    """Return how much of the second reading is believed, and whether views that agree are doubted.

    Both signs are in standard errors, beyond what needs no drift. Known rows that changed places do
    so in columns and class view alike: that these agree says nothing against them.
    """
    error = max(min(as_labeled.standard_error, MOST_DOUBT), moved.standard_error)
    small = max(SMALL_GAP, ERROR_SHARE * error)
    gap = moved.known_proportion - as_labeled.known_proportion
    lowest = min(as_labeled.known_proportion, moved.estimates.get("class_view", 0.0))
    agree = lowest >= NEARLY_NONE and abs(_view_gap(as_labeled, moved)) <= SAME_SHARE
    few = "hidden_classes" not in moved.estimates
    share = ramp(gap, small, small + CLEAR_GAP - SMALL_GAP)
    asked = UNEVEN_AGAINST if agree else UNEVEN_OF_FEW if few else UNEVEN
    doubted = agree and share * ramp(uneven, *asked) > 0.0
    share *= max(ramp(uneven, *asked), ramp(crowded, *CROWDED))
    if as_labeled.known_proportion < NEARLY_NONE and "hidden_classes" in moved.estimates:
        share = max(share, ramp(_least_more(as_labeled, moved), *SEEN_ANYWAY))
    return share, doubted


def _view_gap(as_labeled: Reading, moved: Reading) -> float:
    """Return how much more the class view finds known than the first reading."""
    return moved.estimates.get("class_view", as_labeled.known_proportion) - (
        as_labeled.known_proportion
    )


def _credit(as_labeled: Reading, moved: Reading) -> float:
    """Return how much less unevenness is asked for, because three estimates agree.

    Where two of them rest on the same scores of hidden classes, they do not count as three.
    """
    if "within_labeled" not in moved.estimates or "both_scores" in moved.estimates:
        return 0.0
    return AGREED_CREDIT * ramp(_least_more(as_labeled, moved), *AGREED_GAP)


def _least_more(as_labeled: Reading, moved: Reading) -> float:
    """Return how much more every estimate of the second reading finds known than the first."""
    return min(moved.estimates.values()) - as_labeled.known_proportion


def chosen_share(
    as_labeled: Reading,
    moved: Reading,
    drift: dict[str, Any],
    *,
    priors: Array,
    sizes: tuple[int, int],
    diagnostics: dict[str, Any],
) -> ProportionEstimate:
    """Return the share between both readings, with an interval that spans what they disagree on.

    Its `diagnostics["reach"]` says how much more may be known than that if known rows have moved.
    """
    part = drift["share_used"]
    share = (1.0 - part) * as_labeled.known_proportion + part * moved.known_proportion
    clear = ramp(drift["gap"], SMALL_GAP, CLEAR_GAP)
    reach = clear * max(moved.known_proportion - share, 0.0)
    error = float(np.hypot(*_weighted_errors(as_labeled, moved, part)))
    interval = interval_around(share, error)
    if drift["suspected"]:
        everything = (0.0, 1.0) if drift["nothing_looks_labeled"] else ()
        ends = *as_labeled.interval, *moved.interval, *everything
        interval = min(ends), max(ends)
    else:
        # Too little to speak of drift, but what it would change is not certain either.
        doubt = _doubt(drift, priors_moved=diagnostics.get("priors_moved", False))
        error = float(np.hypot(error, doubt))
        ends = *interval_around(share, error), *as_labeled.interval, share + reach
        interval = min(ends), max(ends)
    error = error_reaching(interval, share, error)
    readings = {"as_labeled": asdict(as_labeled), "may_have_moved": asdict(moved)}
    return ProportionEstimate(
        share * priors,
        interval,
        "two_readings",
        *sizes,
        standard_error=error,
        diagnostics={
            **diagnostics,
            "at_bound": share >= 1.0,
            "readings": readings,
            "drift": drift,
            "reach": reach,
        },
    )


def with_votes(estimate: ProportionEstimate, votes: Mapping[str, float]) -> ProportionEstimate:
    """Return the estimate in which the first reading is the median of itself and of further votes.

    Within its interval; all that follows from it follows anew.

    Parameters
    ----------
    estimate : ProportionEstimate
        From `chosen_share`.
    votes : mapping of names to float
        Of the known share, if known classes look as in the labels.

    Examples
    --------
    >>> from eulac.drift.readings import reading
    >>> two = reading(0.5, 0.03, "", {}), reading(0.52, 0.03, "", {})
    >>> options = {"priors": np.ones(1), "sizes": (10, 10), "diagnostics": {}}
    >>> estimate = chosen_share(*two, drift_of(*two, 0.0, "auto"), **options)
    >>> [round(with_votes(estimate, {"a": a, "b": 0.54}).total, 2) for a in (0.1, 0.52, 0.9)]
    [0.5, 0.52, 0.54]
    """
    told, drift = estimate.diagnostics["readings"], estimate.diagnostics["drift"]
    first, second = (Reading(**told[name]) for name in ("as_labeled", "may_have_moved"))
    by_rows = first.known_proportion
    share = float(np.clip(np.median([by_rows, *votes.values()]), *first.interval))
    voted = replace(first, known_proportion=share)
    gaps = {"gap": second.known_proportion - share, "view_gap": _view_gap(voted, second)}
    return chosen_share(
        voted,
        second,
        drift | gaps,
        priors=estimate.per_class / estimate.total,
        sizes=(estimate.n_labeled, estimate.n_unlabeled),
        diagnostics={**estimate.diagnostics, "by_rows": by_rows, "by_answers": dict(votes)},
    )


def _doubt(drift: dict[str, Any], *, priors_moved: bool) -> float:
    """Return how far the first reading may be off by what the second says.

    What the class view alone finds more counts however evenly rows lie, unless priors have moved:
    it does not account for them.
    """
    gap = float(np.clip(drift["gap"], -WIDEST_GAP, WIDEST_GAP))
    evenly = gap > 0.0 and drift["unevenness"] < UNEVEN[0]
    part = max(drift["unevenness"] / UNEVEN[0], LEAST_DOUBT) if evenly else 1.0
    seen = 0.0 if priors_moved else min(max(drift["view_gap"], 0.0), WIDEST_GAP)
    return DOUBT_SHARE * max(part * abs(gap), seen)


def _weighted_errors(first: Reading, second: Reading, part: float) -> tuple[float, float]:
    return (1.0 - part) * first.standard_error, part * second.standard_error
