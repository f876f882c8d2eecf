"""The known proportion of the default classifier: read twice, off columns that have a say."""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from eulac.classifier.known_proportion import choose_proportion, estimate_proportion
from eulac.data.any_rows import given_places, places_by_name, scaled_numbers
from eulac.data.encoded_rows import encoded_names, encoded_rows
from eulac.data.lac_table import LacTable
from eulac.data.table_formats import listed
from eulac.drift.evenness import ALL_GONE
from eulac.drift.separating_columns import (
    FEW,
    HALF,
    LITTLE_ROOM,
    WELL_KNOWN,
    column_rooms,
    columns_beside,
    columns_that_moved,
    most_left_out,
    without_columns,
)
from eulac.drift.two_readings import TwoReadingsProportion, columns_share
from eulac.exceptions import SeparatingColumnWarning, warn_caller
from eulac.proportion.estimate import ProportionEstimate, error_reaching, with_column_names

__all__ = [
    "HIDES",
    "MOVED_ALIKE",
    "SEPARATES",
    "TableReading",
    "default_estimate",
    "read_table",
    "read_twice",
    "without_left_out",
]

Codes = NDArray[np.intp]

NO_COLUMNS: Codes = np.empty(0, dtype=np.intp)

SEPARATES = "would make nearly all unlabeled rows new"

HIDES = "would make many unlabeled rows new"

MOVED_ALIKE = "moved within most known classes"

MOST_CLASSES = 0.5
"""Part of the known classes, two at least, within which a column must have moved."""

NEARLY_NONE = 0.1
"""Below, the first reading says that nearly all is new: a column may be the reason."""


ABOUT = 0.1
"""The second reading is no more exact than that."""

CLEAR_GAP = 0.2
"""Readings that lie further apart are hardly seen where nothing moved."""


class TableReading(NamedTuple):
    """What was read off a table: the proportion, which columns were left out, what rows seem.

    Attributes
    ----------
    estimate : ProportionEstimate
    left_out : int array
        Places, in the table of the user, of columns that moved by themselves.
    guesses : int array of shape (n_unlabeled,) or None
        What each unlabeled row is taken for where known classes have moved; see
        `TwoReadingsProportion.read`.
    """

    estimate: ProportionEstimate
    left_out: Codes
    guesses: Codes | None


def read_twice(
    classifier: Any, table: LacTable, seed: int, left_out: Codes = NO_COLUMNS
) -> tuple[ProportionEstimate, Codes | None]:
    """Return both readings of a table of any kind, with the settings of a default classifier.

    `left_out` are places of columns that were taken out of it before: columns that moved and have
    no name are called by the place they had with these.
    """
    options = {name: getattr(classifier, name) for name in ("shift", "drift", "n_jobs")}
    sample = table.sample(encoded_rows(table.X, seed))
    estimate, guesses = TwoReadingsProportion(**options, random_state=seed).read(sample)
    names = _names_or_places(table.X, left_out) if estimate.diagnostics["drift"]["moved"] else []
    return with_column_names(estimate, names), guesses


def _names_or_places(X: Any, left_out: Codes) -> list[Any]:
    """Return what the columns of `encoded_rows` are called; of an array, places before any left."""
    names = encoded_names(X)
    if hasattr(X, "columns") or not names:
        return names
    kept = np.setdiff1d(np.arange(X.shape[1] + len(left_out)), left_out).tolist()
    parts = (name.partition(" ") for name in names)  # "3", or "3 missing"
    return [f"{kept[int(place)]} {what}" if what else kept[int(place)] for place, _, what in parts]


def default_estimate(classifier: Any, table: LacTable, seed: int) -> ProportionEstimate:
    """Return the proportion that was given, or that an estimator of the user finds in the rows."""
    numbers = scaled_numbers(table.X)
    if classifier.closed_set_ or numbers is not None:
        return estimate_proportion(classifier, table.sample(numbers), seed, warn=False)
    if getattr(choose_proportion(classifier.known_proportion, shift=False), "reads_rows", True):
        raise ValueError(
            "where columns are not finite numbers, `known_proportion` must be 'auto' or a "
            f"number; got {classifier.known_proportion!r}. Pass one of the two."
        )
    return estimate_proportion(classifier, table.sample(), seed, warn=False, shift=False)


def read_table(
    classifier: Any, table: LacTable, seed: int, *, may_leave_out: bool = True
) -> TableReading:
    """Return both readings, and the columns left out because they moved by themselves.

    Where drift is ruled out all columns are used, and of images all pixels.
    """
    estimate, guesses = read_twice(classifier, table, seed)
    whole = TableReading(estimate, NO_COLUMNS, guesses)
    are_images = getattr(classifier, "image_shape_", None) is not None
    if classifier.drift is False or are_images or not may_leave_out:
        return whole
    for suspects in _suspects(classifier, table, seed, whole.estimate):
        if not len(suspects.places):
            continue
        rest = replace(table, X=without_columns(table.X, suspects.places))
        estimate, guesses = read_twice(classifier, rest, seed, suspects.places)
        if suspects.certain or not estimate.doubts_condition:
            if suspects.spans:
                estimate = _down_to(estimate, whole.estimate)
            _warn(table, suspects)
            return TableReading(estimate, given_places(classifier, suspects.places), guesses)
    return whole


class _Suspects(NamedTuple):
    """Columns that may have moved by themselves, and why.

    Whether they are left out whatever the rest says, and whether the interval reaches down to what
    all columns say, because new rows may differ in these alone.
    """

    places: Codes
    why: str
    otherwise: str
    certain: bool = False
    spans: bool = False


def _suspects(
    classifier: Any, table: LacTable, seed: int, estimate: ProportionEstimate
) -> Iterator[_Suspects]:
    """Yield columns to leave out, one set after the other, the surest first.

    Where known classes as labeled leave nearly nothing known, few columns that alone do so; where
    drift is suspected, those that moved within most classes; then up to half of the columns, where
    nearly nothing is known; and where far more is known if known classes may have moved, those
    without which both readings come together.
    """
    as_labeled = float(np.median(list(estimate.diagnostics["by_score"].values())))
    gap = _moved_share(estimate) - as_labeled
    nearly_none, others_know = as_labeled <= NEARLY_NONE, "by the other columns alone they are not"
    rooms, share_without = column_rooms(table.X, table.n_labeled), _share_without(table, seed)
    few, enough = most_left_out(len(rooms), FEW), max(_moved_share(estimate) - ABOUT, WELL_KNOWN)
    if nearly_none:
        found = columns_that_moved(rooms, share_without, most=few, enough=enough)
        yield _Suspects(found, SEPARATES, others_know, certain=True)
    alike = _moved_alike(table, estimate)
    yield _Suspects(alike, MOVED_ALIKE, "the rest does not seem to have moved")
    if nearly_none and _may_be_hidden(estimate):
        found = _many_columns(classifier, table, seed, estimate)
        yield _Suspects(found, SEPARATES, others_know, certain=True, spans=len(found) > few)
    if not nearly_none and gap > CLEAR_GAP:
        well_known = max(as_labeled + 0.5 * gap, WELL_KNOWN)
        options = {"well_known": well_known, "enough": enough}
        found = columns_that_moved(rooms, share_without, most=few, **options)
        yield _Suspects(found, HIDES, others_know, spans=True)


def _down_to(estimate: ProportionEstimate, whole: ProportionEstimate) -> ProportionEstimate:
    """Return the estimate, its interval down to the first reading of all columns.

    New rows may differ in a column alone that seems to have moved: nothing in the rows tells which.
    """
    readings = estimate.diagnostics["readings"]
    lowest = whole.diagnostics["readings"]["as_labeled"]["interval"][0]
    low, high = readings["as_labeled"]["interval"]
    first = {**readings["as_labeled"], "interval": (min(low, lowest), high)}
    interval = min(estimate.interval[0], lowest), estimate.interval[1]
    return replace(
        estimate,
        interval=interval,
        standard_error=error_reaching(interval, estimate.total, estimate.standard_error),
        diagnostics={**estimate.diagnostics, "readings": {**readings, "as_labeled": first}},
    )


def _many_columns(
    classifier: Any, table: LacTable, seed: int, estimate: ProportionEstimate
) -> Codes:
    """Return columns without which a good part is known; none if half of them do not suffice.

    Those with the least room come first. Where they do not suffice, what the rest says without the
    clearest of them tells which others moved within the known classes.
    """
    rooms, share_without = column_rooms(table.X, table.n_labeled), _share_without(table, seed)
    most = most_left_out(len(rooms), HALF)
    enough = max(_moved_share(estimate) - ABOUT, WELL_KNOWN)
    found = columns_that_moved(rooms, share_without, most=most, enough=enough)
    alone = np.flatnonzero(rooms < LITTLE_ROOM)
    if len(found) or not most or len(alone) > most:
        return found
    if len(alone):
        rest = replace(table, X=without_columns(table.X, alone))
        estimate, _ = read_twice(classifier, rest, seed, alone)
    within = _classes_within(table, estimate)
    moved = sorted(within, key=lambda place: -within[place])
    others = np.array([place for place in moved if place not in alone], dtype=np.intp)
    return columns_beside(alone, others, share_without, most=most, enough=enough)


def _share_without(table: LacTable, seed: int) -> Callable[[Codes], float]:
    """Return a function that tells the known share of a table without some of its columns."""

    def share_without(places: Codes) -> float:
        X = encoded_rows(without_columns(table.X, places), seed)
        return columns_share(table.sample(X), random_state=seed)

    return share_without


def _moved_share(estimate: ProportionEstimate) -> float:
    """Return the known share if known classes may have moved."""
    return float(estimate.diagnostics["readings"]["may_have_moved"]["known_proportion"])


def _may_be_hidden(estimate: ProportionEstimate) -> bool:
    """Whether a good part may be known all the same: another view says so, or no row looks labeled.

    Where nearly all is new, columns that tell new rows would seem to have moved. But then the
    second reading, too, says that next to nothing is known, and what is known looks labeled.
    """
    unevenness = estimate.diagnostics["drift"]["unevenness"]
    return bool(_moved_share(estimate) > WELL_KNOWN or unevenness >= ALL_GONE)


def _moved_alike(table: LacTable, estimate: ProportionEstimate) -> Codes:
    """Return few columns that moved within most known classes, as another sensor makes them."""
    within = _classes_within(table, estimate)
    if not within:
        return NO_COLUMNS
    most = max(2, math.ceil(MOST_CLASSES * len(estimate.per_class)))
    found = np.array(sorted(place for place, n in within.items() if n >= most), dtype=np.intp)
    return found if len(found) <= most_left_out(table.X.shape[1], FEW) else NO_COLUMNS


def _classes_within(table: LacTable, estimate: ProportionEstimate) -> dict[int, int]:
    """Return within how many known classes columns moved: by their places, the clearest first."""
    within = estimate.diagnostics["drift"]["moved_within"]
    # Of sparse rows other directions than columns are looked at.
    if not within or np.ndim(table.X) != 2 or sparse.issparse(table.X):
        return {}
    names = getattr(table.X, "columns", range(table.X.shape[1]))
    places = {str(name): place for place, name in enumerate(names)}
    # What a column became besides, as whether it is missing, has another name.
    return {places[str(name)]: n for name, n in within.items() if str(name) in places}


def without_left_out(classifier: Any, X: Any) -> Any:
    """Return a table, its columns as the fit sorted them, without those the fit left out."""
    return without_columns(X, places_by_name(classifier, classifier.left_out_columns_))


def _warn(table: LacTable, suspects: _Suspects) -> None:
    names = getattr(table.X, "columns", np.arange(table.X.shape[1]))
    called = listed(np.asarray(names)[suspects.places].tolist())
    column, it = ("column", "It is") if len(suspects.places) == 1 else ("columns", "They are")
    warn_caller(
        f"{column} {called} {suspects.why}, as an ID, a time stamp, "
        f"another unit or an offset against other columns would; {suspects.otherwise}. {it} left "
        f"out. Check what stands there; `drift=False` uses all columns.",
        SeparatingColumnWarning,
    )
