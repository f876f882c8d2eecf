"""How wrong the known share comes out where it is known: trials with known classes as new ones.

New rows that look like known ones are counted as known, by every score there is. How many they are
cannot be seen in the pool. But known classes resemble each other, too. In a trial some of them are
hidden: of the others half of the rows stay labeled, and the other half makes up a pool together
with the hidden rows. There the true share is known, and so is the part of the new rows that a score
counts as known. If new classes resemble known ones as much as these resemble each other, the same
part is lost in the pool itself. Of tables whose classes are far apart it is nothing; of tables with
many or overlapping classes it is most of what the share is wrong by.

The same trials tell how far the priors of known classes seem to move where they have not, as new
rows that look like one class make it look more frequent; how uneven rows that look labeled lie
where nothing has moved, as new rows among them are not spread evenly; and what part of the new rows
lies among the labeled ones (`within_labeled`).
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax, stdtrit

from eulac.data.lac_sample import LacSample
from eulac.drift.evenness import unevenness
from eulac.drift.mixture_scores import mixture_logits
from eulac.drift.tilt import Tilt, exponential_tilt
from eulac.drift.within_labeled import (
    NO_TRIAL,
    NewWithin,
    new_within,
    part_within,
    share_within_labeled,
)
from eulac.proportion.best_bin import best_bin
from eulac.proportion.known_priors import KnownPriors, known_priors
from eulac.proportion.nothing_new import SIGNIFICANT, nothing_new_p_value, strata_of
from eulac.proportion.reduction import cross_fit_folds
from eulac.risk.evidence import augmented_log_odds

__all__ = ["NO_TRIALS", "ShareTrials", "share_trials", "undecided", "without_lost"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

N_SPLITS = 4
"""Ways to divide the classes in two, at most; each half is hidden once."""

MOST_DRAWN = 20
"""Divisions drawn to find so many different ones."""

MOST_ROWS = 1000
"""Labeled rows a trial looks at."""

FEWEST_ROWS = 10
LEAST_SHARE = 0.15
"""Of each kind in a trial, and of known and hidden rows among its pool: with fewer, what is lost is
noise divided by next to nothing."""

FEWEST_KEPT = 4
"""Rows of a class that stays labeled in a trial: half of them are its pool's."""

N_FOLDS = 3
N_LANDMARKS = 100
WIDTHS = (0.5,)
"""Of the scores in trials: a third of the work, and the same part of the new rows is lost."""

FEWEST_OF_CLASS = 8
"""Labeled rows of a class whose prior is looked at in a trial."""

FIRST_DISPERSION = 2.0
FIRST_WEIGHT = 4.0
"""Before any trial priors are taken to vary by so much more than random rows do, and that counts as
much as so many classes."""

OWN_LOSS = 0.05
"""What trials lose for lack of rows: they have half of those of each class. Less than this says
nothing of the whole sample."""

OVERLAP = 0.1
"""Part taken for known from which on new rows may make the others uneven: where none pass for
known, none lie among those that look labeled."""

MOST_UNEVEN = 3.0
"""Unevenness that trials account for, at most: they are few, and it varies."""

FIRST_DEVIATION = 0.25
FIRST_TRIALS = 2
"""Before any trial, trials are taken to differ by this part of what their scores leave undecided,
and that counts as much as so many trials."""

ONE_SIDED = 0.95
"""Of further trials, the part that loses no more than the bound says."""

MOST_HIDDEN = 0.9
"""Part of the new rows taken for known, at most: beyond, nothing could be said at all."""


@dataclass(frozen=True)
class ShareTrials:
    """What trials tell of the estimates.

    Attributes
    ----------
    taken_for_known : float
        Part of the hidden rows that counts as known, on average.
    standard_error : float
        Of that mean.
    dispersion : float
        Variance of priors that did not move, in units of what chance explains; at least 1.
    n_trials : int
    unevenness : float, default=0.0
        What `unevenness` is to be expected of the whole sample without any drift, because new rows
        lie among those that look labeled.
    undecided : float, default=0.0
        From `undecided`, on average.
    new_within : NewWithin
        What part of the hidden rows lies within the labeled rows' scores.
    power : float, default=1.0
        Part of the trials in which the test of "nothing new" notices the hidden rows.
    """

    taken_for_known: float
    standard_error: float
    dispersion: float
    n_trials: int
    unevenness: float = 0.0
    undecided: float = 0.0
    new_within: NewWithin = NO_TRIAL
    power: float = 1.0

    def of_pool(self, undecided: float) -> "ShareTrials":
        """Return what the trials tell of a pool whose scores are so undecided.

        Known classes may overlap while new ones stand far apart. Scores of the pool then decide
        about its rows, as those of the trials do not, and less is lost in it. Where there were no
        trials, what the pool's scores leave undecided is all there is to go by.

        Examples
        --------
        >>> trials = ShareTrials(0.6, 0.1, 1.0, 4, undecided=0.5)
        >>> round(trials.of_pool(0.1).taken_for_known, 2), trials.of_pool(0.9).taken_for_known
        (0.12, 0.6)
        """
        if not self.n_trials:
            return replace(self, undecided=undecided)
        part = min(undecided / max(self.undecided, 1e-9), 1.0)
        lost, error = part * self.taken_for_known, part * self.standard_error
        return replace(
            self, taken_for_known=lost, standard_error=error, undecided=part * self.undecided
        )

    @property
    def excess(self) -> float:
        """The part taken for known beyond noise and `OWN_LOSS`: drawn to nothing by both.

        Examples
        --------
        >>> round(ShareTrials(0.5, 0.1, 1.0, 4).excess, 3), ShareTrials(0.05, 0.03, 1.0, 4).excess
        (0.475, 0.0)
        """
        noise = math.hypot(self.standard_error, OWN_LOSS)
        if self.taken_for_known <= noise:
            return 0.0
        part = 1.0 - (noise / self.taken_for_known) ** 2
        return min(self.taken_for_known * part, MOST_HIDDEN)

    @property
    def most_lost(self) -> float:
        """The part that may be taken for known in a trial like these, `OWN_LOSS` less.

        With one known class nothing can be hidden. Of trials elsewhere nineteen in twenty lost no
        larger part than scores were undecided, so this is it then.

        Examples
        --------
        >>> round(ShareTrials(0.4, 0.1, 1.0, 4).most_lost, 3), NO_TRIALS.of_pool(0.2).most_lost
        (0.699, 0.2)
        """
        if not self.n_trials:
            return min(self.undecided, MOST_HIDDEN)
        beyond = (
            stdtrit(self._n_free, ONE_SIDED) * self._deviation * math.sqrt(1 + 1 / self.n_trials)
        )
        most = max(self.taken_for_known, 0.0) + beyond - OWN_LOSS
        return float(min(max(most, 0.0), MOST_HIDDEN))

    @property
    def _n_free(self) -> float:
        return FIRST_TRIALS + self.n_trials - 1

    @property
    def _deviation(self) -> float:
        """By how much one trial differs from others, which so few of them tell only roughly."""
        squares = self.standard_error**2 * self.n_trials * (self.n_trials - 1)
        before = FIRST_TRIALS * (FIRST_DEVIATION * self.undecided) ** 2
        return math.sqrt((squares + before) / self._n_free)

    def corrected(self, share: float) -> float:
        """Return the known share that looks like this one once new rows are taken for known.

        No more than half of it is taken back: what is lost is known too roughly for more.

        Examples
        --------
        >>> round(ShareTrials(0.505, 0.0, 1.0, 4).corrected(0.8), 2)  # half of the new look known
        0.6
        """
        return max(without_lost(share, self.excess), 0.5 * share)

    def lowest(self, share: float) -> float:
        """Return the known share that looks like this one if most is lost.

        Examples
        --------
        >>> round(ShareTrials(0.4, 0.05, 1.0, 4).lowest(0.8), 2)
        0.58
        """
        return min(without_lost(share, self.most_lost), self.corrected(share))

    def unnoticed(self, share: float) -> float:
        """Return the lowest known share where as many rows look known and none are seen to be new.

        Where trials lose hidden rows, and the test does not notice those, its silence says nothing.
        How far down that leads is a setting: by what is lost, times how often it goes unnoticed.

        Examples
        --------
        >>> trials = ShareTrials(0.55, 0.0, 1.0, 8)
        >>> [round(replace(trials, power=p).unnoticed(0.9), 2) for p in (1.0, 0.5, 0.0)]
        [0.78, 0.58, 0.39]
        """
        return (1.0 - (1.0 - self.power) * self.most_lost) * self.lowest(share)


def without_lost(share: float, lost: float) -> float:
    """Return the known share, if this one counts so large a part of the new rows as known."""
    return max((share - lost) / (1.0 - lost), 0.0)


NO_TRIALS = ShareTrials(0.0, 0.0, FIRST_DISPERSION, 0, undecided=1.0)
"""Where there is but one known class, or hardly a row."""


def share_trials(sample: LacSample, *, seed: int) -> ShareTrials:
    """Return what scores make of known classes that are hidden.

    Parameters
    ----------
    sample : LacSample
        In random order, features of comparable scale; only its labeled rows are looked at.
    seed : int

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(4, size=300)
    >>> apart, alike = (rng.normal(size=(300, 2)) + width * y[:, None] for width in (6.0, 0.2))
    >>> of_apart, of_alike = (
    ...     share_trials(LacSample.from_masked(np.vstack([X, X]), np.append(y, 0 * y - 1)), seed=0)
    ...     for X in (apart, alike)
    ... )
    >>> of_apart.excess < 0.1, of_alike.excess > 0.3
    (True, True)
    """
    if sample.n_known_classes < 2:
        return NO_TRIALS
    rng = np.random.default_rng(seed)
    counted = np.ones(sample.n_labeled) if sample.importance is None else sample.importance
    rows = np.flatnonzero(counted > 0.0)[:MOST_ROWS]
    sample = sample.taken(rows, slice(None))
    y = sample.y_labeled
    drawn = [_drawn_trial(y, hidden, rng) for hidden in _halves(y, sample.n_known_classes, rng)]
    outcomes = [_outcome(sample, *one, seed=int(rng.integers(2**31 - 1))) for one in drawn if one]
    if len(outcomes) < 2:
        return NO_TRIALS
    lost = np.array([one.lost for one in outcomes])
    return ShareTrials(
        float(lost.mean()),
        float(lost.std(ddof=1) / np.sqrt(len(lost))),
        _dispersion(outcomes),
        len(lost),
        _unevenness(outcomes, int((counted > 0.0).sum()), sample.n_unlabeled)
        * min(max(float(lost.mean()) / OVERLAP, 0.0), 1.0),
        float(np.mean([one.undecided for one in outcomes])),
        new_within([one.part_within for one in outcomes]),
        float(np.mean([one.p_value < SIGNIFICANT for one in outcomes])),
    )


def undecided(tilt: Tilt, scores: Array) -> float:
    """Return how little scores decide about rows: 0 where all are sure, 1 where none differ.

    Examples
    --------
    >>> tilt = Tilt(0.5, 0.0, 0.0)
    >>> [round(undecided(tilt, np.array([-s, s])), 2) for s in (0.0, 1.0, 9.0)]
    [1.0, 0.6, 0.0]
    """
    known = tilt.known_probability(scores)
    mean = float(known.mean())
    return float((known * (1.0 - known)).mean() / max(mean * (1.0 - mean), 1e-12))


class _Outcome(NamedTuple):
    """What came out of a trial: part of the hidden rows taken for known, and signs of moves."""

    lost: float
    priors: KnownPriors
    unevenness: float
    undecided: float
    part_within: float
    rows: tuple[int, int]
    p_value: float


def _halves(
    y: Codes, n_known_classes: int, rng: np.random.Generator
) -> Iterator[NDArray[np.bool_]]:
    """Yield classes to hide, then all others: halves with about as many rows, each division once.

    Few classes can be divided in few ways, two in one only.
    """
    counts = np.bincount(y, minlength=n_known_classes)
    seen: set[bytes] = set()
    for _ in range(MOST_DRAWN):
        hidden = np.zeros(n_known_classes, dtype=bool)
        n_rows = {True: 0, False: 0}
        for code in rng.permutation(n_known_classes):
            hidden[code] = n_rows[True] <= n_rows[False]
            n_rows[bool(hidden[code])] += int(counts[code])
        division = (hidden ^ hidden[0]).tobytes()
        if division not in seen and len(seen) < N_SPLITS:
            seen.add(division)
            yield hidden
            yield ~hidden


def _drawn_trial(
    y: Codes, hidden: NDArray[np.bool_], rng: np.random.Generator
) -> tuple[Codes, Codes, int] | None:
    """Return rows that stay labeled, those of the pool, and how many of these are known."""
    stays = ~hidden & (np.bincount(y, minlength=len(hidden)) >= FEWEST_KEPT)
    kept = rng.permutation(np.flatnonzero(stays[y]))
    kept = kept[np.argsort(y[kept], kind="stable")]  # every class in both halves
    labeled, known, new = kept[::2], kept[1::2], np.flatnonzero(hidden[y])
    fewest = min(len(known), len(new))
    if fewest < max(FEWEST_ROWS, LEAST_SHARE * (len(known) + len(new))):
        return None
    return rng.permutation(labeled), rng.permutation(np.append(known, new)), len(known)


def _outcome(
    sample: LacSample, labeled: Codes, pool: Codes, n_known: int, *, seed: int
) -> _Outcome:
    X, y = sample.X_labeled, sample.y_labeled
    trial = LacSample.from_masked(X[labeled], y[labeled], X_unlabeled=X[pool])
    options: dict[str, Any] = {"n_folds": N_FOLDS, "n_landmarks": N_LANDMARKS, "widths": WIDTHS}
    logits = mixture_logits(trial, **options, random_state=seed)
    scores = augmented_log_odds(logits[0]), augmented_log_odds(logits[1])
    folds = cross_fit_folds(trial, N_FOLDS, seed)
    tilt = exponential_tilt(*scores)
    bin_share = min(best_bin(-scores[0], -scores[1])[0], 1.0)
    truth = n_known / len(pool)
    lost = (0.5 * (tilt.known_proportion + bin_share) - truth) / (1.0 - truth)
    probabilities = [softmax(one, axis=1) for one in logits]
    priors = known_priors(trial, *probabilities, small_class=FEWEST_OF_CLASS, random_state=seed)
    return _Outcome(
        float(lost),
        priors,
        unevenness(*scores),
        undecided(tilt, scores[1]),
        part_within(share_within_labeled(scores), tilt.known_proportion),
        (len(labeled), len(pool)),
        nothing_new_p_value([(-scores[0], -scores[1])], *strata_of(folds, logits)),
    )


def _dispersion(outcomes: list[_Outcome]) -> float:
    """Return by how much priors vary beyond chance, over all trials and what is taken before."""
    total = FIRST_DISPERSION * FIRST_WEIGHT + sum(one.priors.statistic for one in outcomes)
    return max(total / (FIRST_WEIGHT + sum(one.priors.n_free for one in outcomes)), 1.0)


def _unevenness(outcomes: list[_Outcome], n_labeled: int, n_unlabeled: int) -> float:
    """Return the mean unevenness beyond its own standard error, in a sample of so many rows.

    It is in standard errors, which fall with the root of the number of rows.
    """
    mean = float(np.mean([one.unevenness for one in outcomes])) - 1.0 / math.sqrt(len(outcomes))
    variance = np.mean([sum(1.0 / n for n in one.rows) for one in outcomes])
    larger = float(variance) / (1.0 / n_labeled + 1.0 / max(n_unlabeled, 1))
    return min(max(mean, 0.0) * math.sqrt(larger), MOST_UNEVEN)
