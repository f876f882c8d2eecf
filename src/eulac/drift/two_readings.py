"""The known share read twice: as if known classes look as in the labels, and as if they may move.

Drift of known classes and new classes cannot be told apart without an assumption. Each reading
makes one. The first is the paper's: known rows look in deployment as they do in the labels. It is
read off the columns and the class view together, less what trials with hidden classes
(`share_trials`) say is wrongly counted as known. The second lets known rows move. It is the median
of three estimates that do so in different ways (`readings`): what the class view says, where most
drift is not seen, what known classes look like while hidden, and what lies within the labeled rows.

Drift must show twice to be believed: the second reading finds clearly more known rows than the
first, and the first one's condition fails where it can be tested, among the rows that look labeled
(`evenness`). Then the second reading is used, and the interval spans both. Otherwise the first is
the more exact one.
"""

from dataclasses import asdict, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from eulac.data.lac_sample import LacSample
from eulac.data.row_sketch import first_rows
from eulac.drift.chosen_reading import chosen_share, drift_of
from eulac.drift.class_view import HeldOutView, held_out_class_view
from eulac.drift.evenness import unevenness
from eulac.drift.hidden_classes import (
    HiddenClassScores,
    hidden_class_scores,
    share_beside_hidden,
)
from eulac.drift.missing_classes import MissingClass, missing_classes, share_of_missing
from eulac.drift.mixture_scores import mixture_logits
from eulac.drift.moved_columns import classes_by_column, moved_columns
from eulac.drift.readings import (
    SPREAD_SHARE,
    Reading,
    after_trials,
    down_to_view,
    may_have_moved,
    reading,
    share_by_ratio,
    spread_of,
    with_moved_classes,
)
from eulac.drift.row_guesses import disagreement, guessed_priors, newest_last, row_guesses
from eulac.drift.share_trials import ShareTrials, share_trials, undecided
from eulac.drift.tilt import exponential_tilt, tilt_error
from eulac.drift.within_labeled import more_within, share_within_labeled
from eulac.maths.threads import blas_threads
from eulac.proportion.best_bin import DISAGREEMENT, best_bin
from eulac.proportion.estimate import ProportionEstimate, ProportionEstimator, with_one_seed
from eulac.proportion.known_priors import SMALL_CLASS, UsedPriors, used_priors
from eulac.proportion.nothing_new import SIGNIFICANT, nothing_new_p_value, strata_of
from eulac.proportion.reduction import cross_fit_folds
from eulac.risk.evidence import augmented_log_odds

__all__ = ["DRIFTS", "NO_GUESS", "TwoReadingsProportion", "columns_share"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]
ScorePair = tuple[Array, Array]

DRIFTS = ("auto", True, False)

MOST_ROWS = (2000, 4000)
"""Labeled and unlabeled rows looked at; more would change the share by less than its error."""

SMALLEST_ERROR = 0.015
"""Of a reading: new rows that look known in every way cannot be counted."""

VIEW_LANDMARKS = 150
"""For the class view alone, which has few columns: more change nothing."""

MOST_NAMED = 10
"""Columns named that moved within a class, the clearest."""

NOTHING_MOVED: dict[str, Any] = {"moved": [], "moved_within": {}}

NO_GUESS = -1
"""For unlabeled rows that were not looked at."""

AS_LABELED = "known classes look in deployment as they do in the labels"


class TwoReadingsProportion(ProportionEstimator):
    """The known share under two assumptions, and which of them the rows speak for.

    Parameters
    ----------
    shift : {"auto", True, False}, default="auto"
        As in `ConsensusProportion`.
    drift : {"auto", True, False}, default="auto"
        Whether known classes may look different in deployment: decided by a test, taken for
        granted, or ruled out, which is the paper's condition.
    n_folds : int, default=5
    n_resamples : int, default=40
        Bootstrap resamples behind the intervals.
    n_jobs : int, optional
        Cores the forests may use.
    random_state : int or generator of NumPy, optional

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(200) % 2
    >>> X = rng.normal(size=(200, 2)) + 6.0 * y[:, None]
    >>> known, new = X[100:], rng.normal([0, 6], 1, size=(100, 2))
    >>> sample = LacSample.from_masked(X[:100], y[:100], X_unlabeled=np.vstack([known, new]))
    >>> estimate = TwoReadingsProportion(random_state=0).estimate(sample)
    >>> bool(abs(estimate.total - 0.5) < 0.1), estimate.diagnostics["drift"]["suspected"]
    (True, False)
    >>> sorted(estimate.diagnostics["readings"])
    ['as_labeled', 'may_have_moved']
    """

    def __init__(
        self,
        *,
        shift: Any = "auto",
        drift: Any = "auto",
        n_folds: int = 5,
        n_resamples: int = 40,
        n_jobs: int | None = None,
        random_state: Any = None,
    ):
        self.shift = shift
        self.drift = drift
        self.n_folds = n_folds
        self.n_resamples = n_resamples
        self.n_jobs = n_jobs
        self.random_state = random_state

    def estimate(self, sample: LacSample) -> ProportionEstimate:
        """Return the reading that is used; `diagnostics["readings"]` has both."""
        return self.read(sample)[0]

    def read(self, sample: LacSample) -> tuple[ProportionEstimate, Codes | None]:
        """Return the estimate, and what each unlabeled row is taken for where known rows moved.

        That is the code of a known class, K for new, or `NO_GUESS` for a row that was not looked
        at; None where known classes look as in the labels.
        """
        return with_one_seed(self)._read(sample)

    def _read(self, sample: LacSample) -> tuple[ProportionEstimate, Codes | None]:
        part = _looked_at(sample)
        with blas_threads(1):
            seen = self._class_view(part)
            logits = self._logits(_with_view(part, seen))
            columns, view = _score_pair(logits), self._view_scores(part, seen)
            seed = self.random_state
            hidden = hidden_class_scores(part.X_labeled, part.y_labeled, seen, seed=seed)
            trials = share_trials(part, seed=seed)
        priors = self._priors(part, logits, trials)
        as_labeled = self._as_labeled(part, columns, seen, hidden, priors)
        own = as_labeled.known_proportion
        moved = may_have_moved(columns, view, hidden, own, trials.new_within)
        missing = missing_classes(columns, (seen.labeled.classes, seen.unlabeled.classes))
        codes = np.array([one.known_class for one in missing], dtype=np.intp)
        share_missing = share_of_missing(missing, part.n_unlabeled)
        moved = with_moved_classes(moved, own, share_missing)
        drift = drift_of(
            as_labeled,
            moved,
            _unevenness(part, columns, missing, priors, moved),
            self.drift,
            n_hidden=0 if hidden is None else hidden.n_hidden,
            moved_classes=codes.tolist(),
            share_of_missing=share_missing,
            without_drift=trials.unevenness,
            crowded=_crowded(part, columns, as_labeled, trials),
        )
        folds = cross_fit_folds(part, self.n_folds, self.random_state)
        known_scores = -columns[0], -columns[1]
        nothing_new = nothing_new_p_value([known_scores], *strata_of(folds, logits))
        in_pool = trials.of_pool(_undecided(part, columns, priors))
        found_new = bool(nothing_new < SIGNIFICANT)
        as_labeled = after_trials(as_labeled, trials, in_pool, something_new=found_new)
        if not priors.moved and part.importance is None:  # the class view knows neither
            as_labeled = down_to_view(as_labeled, moved)
        newest = newest_last(columns[1], None if view is None else view[1])
        drift |= _moved(part, seen, newest, moved) if drift["suspected"] else NOTHING_MOVED
        drift["moved_classes"] = part.codec.known[codes].tolist()
        estimate = chosen_share(
            as_labeled,
            moved,
            drift,
            priors=priors.used,
            sizes=(sample.n_labeled, sample.n_unlabeled),
            diagnostics={
                **_diagnostics(as_labeled, in_pool, nothing_new),
                **priors.diagnostics(),
            },
        )
        if not drift["used"]:
            return estimate, None
        likely = softmax(logits[1][:, :-1], axis=1), seen.unlabeled.probabilities
        if view is not None:
            both = columns[1], view[1]
            drift["disagreement"] = disagreement(both, likely, estimate.total)
        guesses = row_guesses(newest, likely[0] + likely[1], estimate.total)
        not_seen = np.full(sample.n_unlabeled - part.n_unlabeled, NO_GUESS, dtype=np.intp)
        return self._with_priors_of(guesses, part, estimate), np.append(guesses, not_seen)

    def _with_priors_of(
        self, guesses: Codes, part: LacSample, estimate: ProportionEstimate
    ) -> ProportionEstimate:
        if self.shift is False:
            return estimate
        priors = guessed_priors(guesses, part.labeled_frequency)
        return replace(estimate, per_class=estimate.total * priors)

    def _class_view(self, part: LacSample) -> HeldOutView:
        return held_out_class_view(
            part.X_labeled,
            part.y_labeled,
            part.X_unlabeled,
            n_known_classes=part.n_known_classes,
            n_folds=self.n_folds,
            seed=self.random_state,
            n_jobs=self.n_jobs,
        )

    def _view_scores(self, part: LacSample, seen: HeldOutView) -> ScorePair | None:
        """Return scores from the class view alone; None with one known class, all the same."""
        rows = {"X_labeled": seen.labeled.columns, "X_unlabeled": seen.unlabeled.columns}
        scores = _score_pair(self._logits(part.with_rows(**rows), n_landmarks=VIEW_LANDMARKS))
        return None if float(np.ptp(np.concatenate(scores))) < 1e-9 else scores

    def _logits(self, part: LacSample, **options: Any) -> ScorePair:
        options |= {"n_folds": self.n_folds, "random_state": self.random_state}
        return mixture_logits(part, **options)

    def _priors(self, part: LacSample, logits: ScorePair, trials: ShareTrials) -> UsedPriors:
        probabilities = softmax(logits[0], axis=1), softmax(logits[1], axis=1)
        options = {"dispersion": trials.dispersion, "random_state": self.random_state}
        return used_priors(part, probabilities, self.shift, **options)

    def _as_labeled(
        self,
        part: LacSample,
        columns: ScorePair,
        seen: HeldOutView,
        hidden: HiddenClassScores | None,
        priors: UsedPriors,
    ) -> Reading:
        """Return the reading under the paper's condition.

        The tilt leans to *known* where classes are many, the best bin to *new* where few rows are
        new. What known classes look like while hidden, as far as it lies between both, decides.
        """
        weights = priors.weights(part.y_labeled, part.importance)
        tilt = exponential_tilt(*columns, weights)
        options: dict[str, Any] = {"n_resamples": self.n_resamples}
        error = tilt_error(tilt, *columns, weights, random_state=self.random_state, **options)
        known = -columns[0], -columns[1]
        by_estimator = {
            "tilt": tilt.known_proportion,
            "best_bin": min(best_bin(*known, weights)[0], 1.0),
            "dedpul": share_by_ratio(columns, otherwise=tilt.known_proportion),
        }
        spread = float(np.ptp(list(by_estimator.values())))
        unsaid = _rows_of_small_classes(part, seen)
        error = float(np.linalg.norm([error, SPREAD_SHARE * spread, SMALLEST_ERROR, unsaid]))
        share = tilt.known_proportion
        if hidden is not None:
            votes = share, by_estimator["best_bin"], share_beside_hidden(hidden)
            share = float(np.median(votes))
        return reading(share, error, AS_LABELED, by_estimator)


def columns_share(sample: LacSample, *, random_state: int | None = None) -> float:
    """Return the known share by the columns alone, known classes looking as in the labels.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = np.vstack([rng.normal(size=(300, 2)), rng.normal(6, 1, (100, 2))])
    >>> sample = LacSample.from_masked(X, np.repeat([0, -1], 200))
    >>> bool(abs(columns_share(sample, random_state=0) - 0.5) < 0.1)
    True
    """
    part = _looked_at(sample)
    with blas_threads(1):
        logits = mixture_logits(part, random_state=random_state)
    return exponential_tilt(*_score_pair(logits)).known_proportion


def _looked_at(sample: LacSample) -> LacSample:
    """Return the rows that are looked at: the first ones, rare classes not left out."""
    labeled = first_rows(sample.y_labeled, MOST_ROWS[0])
    return sample.taken(labeled, slice(MOST_ROWS[1]))


def _with_view(part: LacSample, seen: HeldOutView) -> LacSample:
    """Return the sample with the class view as further columns."""
    return part.with_rows(
        X_labeled=np.hstack([part.X_labeled, seen.labeled.columns]),
        X_unlabeled=np.hstack([part.X_unlabeled, seen.unlabeled.columns]),
    )


def _score_pair(logits: ScorePair) -> ScorePair:
    return augmented_log_odds(logits[0]), augmented_log_odds(logits[1])


def _undecided(part: LacSample, columns: ScorePair, priors: UsedPriors) -> float:
    weights = priors.weights(part.y_labeled, part.importance)
    return undecided(exponential_tilt(*columns, weights), columns[1])


def _diagnostics(
    as_labeled: Reading, trials: ShareTrials, nothing_new_p_value: float
) -> dict[str, Any]:
    spread = spread_of(as_labeled)
    return {
        "by_score": as_labeled.estimates,
        "spread": spread,
        "scores_agree": spread <= DISAGREEMENT,
        "new_taken_for_known": max(trials.taken_for_known, 0.0),
        # With one known class none can be hidden, and this is all that is known.
        "new_undecided": 0.0 if trials.n_trials else trials.most_lost,
        "nothing_new_p_value": nothing_new_p_value,
        "nothing_new_power": trials.power if trials.n_trials else None,
    }


def _unevenness(
    part: LacSample,
    columns: ScorePair,
    missing: list[MissingClass],
    priors: UsedPriors,
    moved: Reading,
) -> float:
    """Return how uneven rows that look labeled are, priors that moved taken into account."""
    used = priors.used.copy()
    codes = [one.known_class for one in missing]
    used[codes] = priors.labeled[codes]  # a class that has moved is not rarer
    weights = replace(priors, used=used).weights(part.y_labeled, part.importance)
    return unevenness(*columns, weights, known_proportion=moved.known_proportion)


def _crowded(part: LacSample, columns: ScorePair, first: Reading, trials: ShareTrials) -> float:
    """Return how many more rows than expected lie among the labeled ones and would be new."""
    sizes = part.n_labeled, part.n_unlabeled
    own = first.known_proportion, first.standard_error
    return more_within(share_within_labeled(columns), *own, trials.new_within, sizes)


def _moved(part: LacSample, seen: HeldOutView, newest: Codes, moved: Reading) -> dict[str, Any]:
    """Return what moved, if the least new rows are known, as many as the second reading says.

    The clearest columns, and of each column, named or not, within how many classes it has moved.
    """
    is_known = np.zeros(len(newest), dtype=bool)
    is_known[newest[: round(moved.known_proportion * len(newest))]] = True
    both = seen.labeled, seen.unlabeled
    found = moved_columns(part.X_labeled, part.X_unlabeled, both, is_known)
    known = part.codec.known.tolist()
    named = [{**asdict(one), "known_class": known[one.known_class]} for one in found[:MOST_NAMED]]
    return {"moved": named, "moved_within": classes_by_column(found)}


def _rows_of_small_classes(part: LacSample, seen: HeldOutView) -> float:
    """Return how many more rows than in the labels forests give to classes of few labeled rows.

    How the prior of such a class has moved is not asked (`known_priors`). Where it has grown, its
    rows look new to every other score.
    """
    small = np.bincount(part.y_labeled, minlength=part.n_known_classes) < SMALL_CLASS
    given = np.bincount(seen.unlabeled.classes, minlength=len(small))
    share = given[small].sum() / part.n_unlabeled - part.labeled_frequency[small].sum()
    return max(float(share), 0.0)
