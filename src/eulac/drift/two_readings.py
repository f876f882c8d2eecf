"""The known share read twice: as if known classes look as in the labels, and as if they may move.

Drift of known classes and new classes cannot be told apart without an assumption. Each reading
makes one. The first is the paper's: known rows look in deployment as they do in the labels. It is
read off the columns and the class view together. The second lets known rows move, and takes for
new only what stands apart. It is read off the class view alone, where most drift is not seen.

Which one holds is decided by two comparisons. The same estimate is made on the columns with the
class view and on the class view alone: where something other than classes moved, the columns say
that more is new. That alone could mean that the class view is blind to some new rows. So the known
part of the columns' scores must have moved too: new rows beside unmoved known ones do not do that.
"""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from eulac.data.lac_sample import LacSample
from eulac.drift.class_view import held_out_class_view
from eulac.drift.mixture_scores import mixture_logits
from eulac.drift.moved_mixture import fit_moved_mixture
from eulac.drift.tilt import exponential_tilt, tilt_error
from eulac.maths.threads import blas_threads
from eulac.proportion.best_bin import best_bin
from eulac.proportion.dedpul import dedpul
from eulac.proportion.estimate import ProportionEstimate, interval_around
from eulac.proportion.from_scores import DISAGREEMENT
from eulac.proportion.known_priors import UsedPriors, choose_priors, known_priors
from eulac.proportion.nothing_new import nothing_new_p_value
from eulac.proportion.proportion_estimator import ProportionEstimator
from eulac.proportion.reduction import cross_fit_folds
from eulac.risk.evidence import augmented_log_odds

__all__ = ["DRIFTS", "Reading", "TwoReadingsProportion"]

Array = NDArray[np.float64]
ScorePair = tuple[Array, Array]

DRIFTS = ("auto", True, False)

MOST_ROWS = (2000, 4000)
"""Labeled and unlabeled rows looked at; more would change the share by less than its error."""

SMALLEST_ERROR = 0.008
SPREAD_SHARE = 0.5
"""How much of the distance between estimates on one score enters the standard error."""

DRIFT_GAP = 0.06
"""The class view must find so much more known than the columns do."""

DRIFT_SHIFT = 0.3
"""So far, in deviations of the labeled scores, must the known part of the columns' scores have
moved."""

NEARLY_NONE = 0.1
"""Below, the columns say that nearly all is new: the class view is asked whether that is drift."""

NOTHING_APART = 0.9
"""Above, too little stands apart from known rows for another estimate to be of use."""


MOVED_ERROR = 0.03
"""Standard error of the second reading where both of its estimates agree, by trials on drifted
parts of three tables."""

AS_LABELED = "known classes look in deployment as they do in the labels"
MAY_HAVE_MOVED = "known classes may have moved; what is new stands apart from them"


@dataclass(frozen=True)
class Reading:
    """The known share under one assumption about the known classes.

    Attributes
    ----------
    known_proportion, standard_error : float
    interval : (float, float)
    assumption : str
    """

    known_proportion: float
    standard_error: float
    interval: tuple[float, float]
    assumption: str


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
    random_state : int, optional

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
        random_state: int | None = None,
    ):
        self.shift = shift
        self.drift = drift
        self.n_folds = n_folds
        self.n_resamples = n_resamples
        self.n_jobs = n_jobs
        self.random_state = random_state

    def estimate(self, sample: LacSample) -> ProportionEstimate:
        """Return the reading that is used; `diagnostics["readings"]` has both."""
        part = sample.taken(*(slice(most) for most in MOST_ROWS))
        with blas_threads(1):
            seen = self._class_view(part)
            logits = self._logits(_with_view(part, seen))
            view = _score_pair(self._logits(part.with_rows(X_labeled=seen[0], X_unlabeled=seen[1])))
        columns = _score_pair(logits)
        if _is_constant(view):  # one known class: there is nothing to tell apart
            view = columns
        priors = self._priors(part, logits)
        weights = priors.weights(part.y_labeled, part.importance)
        as_labeled, by_estimator = self._as_labeled(columns, weights)
        moved = _may_have_moved(view)
        drift = self._drift(as_labeled, moved, (columns, view), weights)
        spread = float(np.ptp(list(by_estimator.values())))
        return _estimate_of(
            as_labeled,
            moved,
            drift,
            priors=priors.used,
            sizes=(sample.n_labeled, sample.n_unlabeled),
            diagnostics={
                "by_score": by_estimator,
                "spread": spread,
                "scores_agree": spread <= DISAGREEMENT,
                "nothing_new_p_value": self._nothing_new(part, logits, columns),
                **priors.diagnostics(),
            },
        )

    def _class_view(self, part: LacSample) -> ScorePair:
        return held_out_class_view(
            part.X_labeled,
            part.y_labeled,
            part.X_unlabeled,
            n_known_classes=part.n_known_classes,
            n_folds=self.n_folds,
            seed=self.random_state or 0,
            n_jobs=self.n_jobs,
        )

    def _logits(self, part: LacSample) -> ScorePair:
        options: dict[str, Any] = {"n_folds": self.n_folds, "random_state": self.random_state}
        return mixture_logits(part, **options)

    def _priors(self, part: LacSample, logits: ScorePair) -> UsedPriors:
        if self.shift is False:
            return UsedPriors(part.labeled_frequency, part.labeled_frequency)
        probabilities = [softmax(one, axis=1) for one in logits]
        found = known_priors(part, *probabilities, random_state=self.random_state)
        return choose_priors(found, self.shift)

    def _as_labeled(
        self, columns: ScorePair, weights: Array | None
    ) -> tuple[Reading, dict[str, float]]:
        """Return the reading under the paper's condition, and what three estimators say."""
        tilt = exponential_tilt(*columns, weights)
        options: dict[str, Any] = {"n_resamples": self.n_resamples}
        error = tilt_error(tilt, *columns, weights, random_state=self.random_state, **options)
        known = -columns[0], -columns[1]
        by_estimator = {
            "tilt": tilt.known_proportion,
            "best_bin": min(best_bin(*known, weights)[0], 1.0),
            "dedpul": _by_ratio(columns, otherwise=tilt.known_proportion),
        }
        spread = float(np.ptp(list(by_estimator.values())))
        error = float(np.sqrt(error**2 + (SPREAD_SHARE * spread) ** 2 + SMALLEST_ERROR**2))
        return _reading(tilt.known_proportion, error, AS_LABELED), by_estimator

    def _drift(
        self,
        as_labeled: Reading,
        moved: Reading,
        scores: tuple[ScorePair, ScorePair],
        weights: Array | None,
    ) -> dict[str, Any]:
        """Return whether known classes seem to have moved, and whether that reading is used."""
        share = as_labeled.known_proportion
        columns, view = scores
        gap = exponential_tilt(*view, weights).known_proportion - share
        in_columns = fit_moved_mixture(*columns)
        nearly_none = share < NEARLY_NONE
        found = gap > DRIFT_GAP and in_columns.shift > DRIFT_SHIFT
        suspected = bool(found or (nearly_none and moved.known_proportion > 0.5))
        return {
            "suspected": suspected,
            "used": suspected if self.drift == "auto" else bool(self.drift),
            "gap": float(gap),
            "shift": float(in_columns.shift),
            # Where nearly all seems new, everything that could speak for known rows is heard.
            "at_most_known": in_columns.known_proportion if nearly_none else None,
        }

    def _nothing_new(self, part: LacSample, logits: ScorePair, columns: ScorePair) -> float:
        folds = cross_fit_folds(part, self.n_folds, self.random_state)
        strata = [
            fold * part.n_known_classes + pair[:, :-1].argmax(axis=1)
            for fold, pair in zip(folds, logits, strict=True)
        ]
        return nothing_new_p_value([(-columns[0], -columns[1])], *strata)


def _with_view(part: LacSample, seen: ScorePair) -> LacSample:
    """Return the sample with the class view as further columns."""
    labeled, unlabeled = (
        np.hstack([rows, view])
        for rows, view in zip((part.X_labeled, part.X_unlabeled), seen, strict=True)
    )
    return part.with_rows(X_labeled=labeled, X_unlabeled=unlabeled)


def _score_pair(logits: ScorePair) -> ScorePair:
    return augmented_log_odds(logits[0]), augmented_log_odds(logits[1])


def _is_constant(scores: ScorePair) -> bool:
    return float(np.ptp(np.concatenate(scores))) < 1e-9


def _by_ratio(scores: ScorePair, *, otherwise: float) -> float:
    """Return the share by the ratio of densities; scores that are all the same have none."""
    if _is_constant(scores):
        return otherwise
    return min(dedpul(-scores[0], -scores[1]).value, 1.0)


def _reading(share: float, error: float, assumption: str) -> Reading:
    return Reading(float(share), float(error), interval_around(share, error), assumption)


def _may_have_moved(view: ScorePair) -> Reading:
    """Return the share of rows that do not stand apart from known ones in the class view."""
    share, error = fit_moved_mixture(*view).known_proportion, MOVED_ERROR
    by_ratio = _by_ratio(view, otherwise=share)
    if share >= NOTHING_APART:
        # Unless two estimates that need no distance between known and new rows agree.
        by_tilt = exponential_tilt(*view).known_proportion
        overlap = max(by_ratio, by_tilt) < NOTHING_APART and abs(by_ratio - by_tilt) < DISAGREEMENT
        return _reading(0.5 * (by_ratio + by_tilt) if overlap else share, error, MAY_HAVE_MOVED)
    error = float(np.hypot(error, SPREAD_SHARE * abs(by_ratio - share)))
    return _reading(0.5 * (share + by_ratio), error, MAY_HAVE_MOVED)


def _estimate_of(
    as_labeled: Reading,
    moved: Reading,
    drift: dict[str, Any],
    *,
    priors: Array,
    sizes: tuple[int, int],
    diagnostics: dict[str, Any],
) -> ProportionEstimate:
    """Return the reading that is used, with an interval that spans both where they disagree."""
    used = moved if drift["used"] else as_labeled
    share, error = used.known_proportion, used.standard_error
    interval = used.interval
    if drift["suspected"] or drift["at_most_known"] is not None:
        ends = [*as_labeled.interval, *moved.interval, drift["at_most_known"] or 0.0]
        interval = min(ends[:-1]), max(ends)
        error = max(error, (share - interval[0]) / 1.96, (interval[1] - share) / 1.96)
    elif not drift["used"] and drift["gap"] > 0:
        # Too little to speak of drift, but what it would change is not certain either.
        error = float(np.hypot(error, drift["gap"]))
        interval = interval_around(share, error)
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
        },
    )
