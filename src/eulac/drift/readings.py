"""The known share under one assumption about the known classes: a reading, and the second of two.

The second reading lets known rows move. It is the median of three estimates that do so in different
ways, and each errs where the others need not.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from eulac.drift.hidden_classes import (
    MOST_HIDDEN,
    HiddenClassScores,
    share_beside_hidden,
    share_by_both_scores,
)
from eulac.drift.share_trials import ShareTrials, without_lost
from eulac.drift.within_labeled import NO_TRIAL, NewWithin, share_within_labeled
from eulac.proportion.dedpul import dedpul
from eulac.proportion.estimate import interval_around

__all__ = [
    "LOOKS_ALL_KNOWN",
    "SPREAD_SHARE",
    "Reading",
    "after_trials",
    "down_to_view",
    "may_have_moved",
    "ramp",
    "reading",
    "share_by_ratio",
    "spread_of",
    "with_moved_classes",
]

Array = NDArray[np.float64]
ScorePair = tuple[Array, Array]

SPREAD_SHARE = 0.5
"""How much of the distance between estimates of one reading enters its standard error."""

MOVED_ERROR = 0.03
"""Standard error of the second reading where its estimates agree."""

FEW_ERROR = 0.15
"""Where no class can be hidden: two estimates are few, and may agree by chance."""

SATURATED = 0.15
"""Below this known share a score tells nearly every unlabeled row from the labeled ones. How far
known rows have moved cannot be read off it then, only which rows are newer."""

LOOKS_ALL_KNOWN = (0.85, 0.95)
"""Upper end of the interval of the known share: below, some rows are seen to be new whatever the
test of "nothing new" says; above, hardly any, and where the test is silent, too, all may be known.
"""

MAY_HAVE_MOVED = "known classes may have moved; what is new lies beyond them"


@dataclass(frozen=True)
class Reading:
    """The known share under one assumption about the known classes.

    Attributes
    ----------
    known_proportion, standard_error : float
    interval : (float, float)
    assumption : str
    estimates : dict
        What single estimators say under it.
    """

    known_proportion: float
    standard_error: float
    interval: tuple[float, float]
    assumption: str
    estimates: dict[str, float]


def reading(share: float, error: float, assumption: str, estimates: dict[str, float]) -> Reading:
    """Return a reading with the interval that follows from its standard error.

    Examples
    --------
    >>> reading(0.5, 0.1, "none", {}).interval
    (0.304, 0.696)
    """
    interval = interval_around(share, error)
    return Reading(float(share), float(error), interval, assumption, estimates)


def spread_of(*readings: Reading) -> float:
    """Return how far all estimates of the readings lie apart."""
    return float(np.ptp([value for one in readings for value in one.estimates.values()]))


def share_by_ratio(scores: ScorePair, *, otherwise: float) -> float:
    """Return the share by the ratio of densities; scores that are all the same have none."""
    if np.ptp(np.concatenate(scores)) < 1e-9:
        return otherwise
    return min(dedpul(-scores[0], -scores[1]).value, 1.0)


def may_have_moved(
    columns: ScorePair,
    view: ScorePair | None,
    hidden: HiddenClassScores | None,
    as_labeled: float,
    expected: NewWithin = NO_TRIAL,
) -> Reading:
    """Return the reading that lets known rows move.

    What the class view finds too dense to be known; what looks as known classes do while they are
    hidden; and what lies within the labeled rows' scores by all columns, less the new rows to be
    expected there. Where many classes can be hidden they stand well for new ones: the order of the
    columns' scores has a vote beside them. Where columns tell nearly every row apart, known rows
    have left the labeled scores, and that order takes the place of what lies within, unless more
    does. Where the class view tells nearly every row apart while the columns do not, noise has made
    forests unsure of all rows: that order has its vote. Where none can be hidden, the class view is
    left, and the mean of both where more lies within.

    Parameters
    ----------
    columns, view : (labeled, unlabeled) scores
        Held out, bigger meaning newer; by all columns, and by the class view alone if it tells
        anything.
    hidden : HiddenClassScores, optional
        None where there are too few classes to hide.
    as_labeled : float
        Known share by the first reading.
    expected : NewWithin
        New rows to be expected within the labeled scores.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.normal(size=400), np.append(rng.normal(0.5, 1, 300), rng.normal(6, 1, 300))
    >>> bool(abs(may_have_moved(scores, None, None, 0.3).known_proportion - 0.5) < 0.1)
    True
    """
    seen, scores = ("columns", columns) if view is None else ("class_view", view)
    within = without_lost(share_within_labeled(columns), expected.least)
    found = {seen: share_by_ratio(scores, otherwise=1.0), "within_labeled": within}
    blind = {"within_labeled"} if hidden is None and within <= found[seen] else set()
    if hidden is not None:
        found["hidden_classes"] = share_beside_hidden(hidden)
        saturated, many = as_labeled < SATURATED, hidden.n_hidden >= MOST_HIDDEN
        blind = {seen} if found[seen] < SATURATED and not (saturated or many) else set()
        if blind or saturated or many:
            found["both_scores"] = share_by_both_scores(hidden, columns[1])
        if saturated:
            del found[min("within_labeled", "both_scores", key=lambda name: found[name])]
    spread = SPREAD_SHARE * np.ptp(list(found.values()))
    error = float(np.hypot(MOVED_ERROR if hidden is not None else FEW_ERROR, spread))
    votes = [value for name, value in found.items() if name not in blind]
    return reading(float(np.median(votes)), error, MAY_HAVE_MOVED, found)


def after_trials(
    as_labeled: Reading, trials: ShareTrials, in_pool: ShareTrials, *, something_new: bool = True
) -> Reading:
    """Return the first reading less the new rows that trials say are counted as known.

    The upper end of its interval stays: what scores find is too much, if anything. The lower end is
    the one that the worst of such trials would have. Where nothing speaks for new rows, only the
    interval changes. And where hardly a row looks new either, all may be known, or as few as would
    go unnoticed in trials.

    Parameters
    ----------
    as_labeled : Reading
    trials : ShareTrials
        As they came out: what counts where no row of the pool shows how far new ones stand apart.
    in_pool : ShareTrials
        What they tell of this pool, from `ShareTrials.of_pool`.
    something_new : bool, default=True
        Whether the test of "nothing new" says so.

    Examples
    --------
    >>> first, trials = reading(0.8, 0.03, "", {}), ShareTrials(0.505, 0.0, 1.0, 4)
    >>> found = after_trials(first, trials, trials)
    >>> round(found.known_proportion, 2), [round(end, 2) for end in found.interval]
    (0.6, [0.48, 0.86])
    >>> after_trials(first, trials, trials, something_new=False).known_proportion
    0.8
    >>> blind = ShareTrials(0.505, 0.0, 1.0, 4, power=0.0)
    >>> found = after_trials(reading(0.95, 0.03, "", {}), blind, blind, something_new=False)
    >>> tuple(round(end, 2) for end in found.interval)
    (0.43, 1.0)
    """
    low, high = as_labeled.interval
    own = as_labeled.known_proportion
    corrected = in_pool.corrected(own)
    lowest = min(in_pool.lowest(low), max(low - (own - corrected), 0.0))
    if something_new:
        return replace(as_labeled, known_proportion=corrected, interval=(lowest, high))
    # Without trials what the pool's scores leave undecided is all there is to go by.
    unnoticed = (trials if trials.n_trials else in_pool).unnoticed(low)
    silent = ramp(high, *LOOKS_ALL_KNOWN)
    lowest = min((1.0 - silent) * lowest + silent * unnoticed, lowest)
    return replace(as_labeled, interval=(lowest, high + silent * (1.0 - high)))


def ramp(value: float, low: float, high: float) -> float:
    """Return 0 up to the low end, 1 from the high one on, and in between what lies between.

    Examples
    --------
    >>> [ramp(value, 0.0, 2.0) for value in (-1.0, 1.0, 3.0)]
    [0.0, 0.5, 1.0]
    """
    return float(np.clip((value - low) / (high - low), 0.0, 1.0))


def down_to_view(as_labeled: Reading, moved: Reading) -> Reading:
    """Return the first reading, its interval reaching down to what the class view finds.

    Under the paper's condition the share found by any score of the rows is too high, if anything:
    new rows that look known are counted as known. So a lower one may be the better one. The class
    view takes priors that moved for something else: not to be used then.

    Examples
    --------
    >>> columns, view = reading(0.6, 0.03, "", {}), reading(0.7, 0.03, "", {"class_view": 0.5})
    >>> [round(end, 2) for end in down_to_view(columns, view).interval]
    [0.44, 0.66]
    """
    low, high = as_labeled.interval
    view = moved.estimates.get("class_view", 1.0)
    lowest = interval_around(view, as_labeled.standard_error)[0]
    return replace(as_labeled, interval=(min(low, lowest), high))


def with_moved_classes(moved: Reading, as_labeled: float, share_of_missing: float) -> Reading:
    """Return the second reading where some classes have moved as a whole.

    They are missing from the first one. Estimates that let all classes move alike may miss them.

    Parameters
    ----------
    moved : Reading
    as_labeled : float
        Known share by the first reading.
    share_of_missing : float
        Share of the unlabeled rows that belongs to these classes.

    Examples
    --------
    >>> second = reading(0.8, 0.03, MAY_HAVE_MOVED, {"class_view": 0.8})
    >>> with_moved_classes(second, 0.75, 0.2).known_proportion
    0.95
    """
    with_them = min(as_labeled + share_of_missing, 1.0)
    if share_of_missing == 0.0 or with_them <= moved.known_proportion:
        return moved
    apart = SPREAD_SHARE * (with_them - moved.known_proportion)
    error = float(np.hypot(moved.standard_error, apart))
    estimates = moved.estimates | {"moved_classes": with_them}
    return reading(with_them, error, MAY_HAVE_MOVED, estimates)
