"""The known share read twice: as if known classes look as in the labels, and as if they may move.

Drift of known classes and new classes cannot be told apart without an assumption. Each reading
makes one. The first is the paper's: known rows look in deployment as they do in the labels. It is
read off the columns and the class view together. The second lets known rows move. It is the median
of three estimates that do so in different ways: what stands apart from moved known rows, what the
class view says, where most drift is not seen, and what known classes look like while hidden.

Where both find the same share, nothing speaks for drift, and the first reading is the more exact
one. Where the second finds clearly more known rows, something other than classes has moved: the
second is used, and the interval spans both.
"""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from eulac.data.lac_sample import LacSample
from eulac.drift.class_view import SeenRows, held_out_class_view
from eulac.drift.hidden_classes import hidden_class_scores, share_beside_hidden
from eulac.drift.mixture_scores import mixture_logits
from eulac.drift.moved_columns import moved_columns
from eulac.drift.moved_mixture import fit_moved_mixture
from eulac.drift.tilt import exponential_tilt, tilt_error
from eulac.maths.threads import blas_threads
from eulac.proportion.best_bin import DISAGREEMENT, best_bin
from eulac.proportion.dedpul import dedpul
from eulac.proportion.estimate import ProportionEstimate, ProportionEstimator, interval_around
from eulac.proportion.known_priors import UsedPriors, choose_priors, known_priors
from eulac.proportion.nothing_new import nothing_new_p_value
from eulac.proportion.reduction import cross_fit_folds
from eulac.risk.evidence import augmented_log_odds

__all__ = ["DRIFTS", "Reading", "TwoReadingsProportion", "columns_share"]

Array = NDArray[np.float64]
ScorePair = tuple[Array, Array]

DRIFTS = ("auto", True, False)

MOST_ROWS = (2000, 4000)
"""Labeled and unlabeled rows looked at; more would change the share by less than its error."""

SMALLEST_ERROR = 0.008
SPREAD_SHARE = 0.5
"""How much of the distance between estimates on one score enters the standard error."""

DOUBT_SHARE = 0.25
"""The same for estimates of both readings, one of which lets known rows move."""

SMALL_GAP = 0.06
CLEAR_GAP = 0.14
"""How much more the second reading finds known than the first: below, the first is used, above, the
second, and in between a share between both. On draws without drift the gap stays below 0.08."""

MOVED_ERROR = 0.03
"""Standard error of the second reading where its estimates agree."""

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
    estimates : dict
        What single estimators say under it.
    """

    known_proportion: float
    standard_error: float
    interval: tuple[float, float]
    assumption: str
    estimates: dict[str, float]


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
            columns, view = _score_pair(logits), self._view_scores(part, seen)
            hidden = self._hidden(part, seen)
        priors = self._priors(part, logits)
        weights = priors.weights(part.y_labeled, part.importance)
        as_labeled = self._as_labeled(columns, weights)
        moved = _may_have_moved(columns, columns if view is None else view, hidden)
        spread = _spread(as_labeled)
        drift = _drift(as_labeled, moved, self.drift)
        drift["moved"] = _moved(part, seen, columns, moved) if drift["suspected"] else []
        return _estimate_of(
            as_labeled,
            moved,
            drift,
            priors=priors.used,
            sizes=(sample.n_labeled, sample.n_unlabeled),
            diagnostics={
                "by_score": as_labeled.estimates,
                "spread": spread,
                "scores_agree": spread <= DISAGREEMENT,
                "nothing_new_p_value": self._nothing_new(part, logits, columns),
                **priors.diagnostics(),
            },
        )

    def _class_view(self, part: LacSample) -> tuple[SeenRows, SeenRows]:
        return held_out_class_view(
            part.X_labeled,
            part.y_labeled,
            part.X_unlabeled,
            n_known_classes=part.n_known_classes,
            n_folds=self.n_folds,
            seed=self.random_state or 0,
            n_jobs=self.n_jobs,
        )

    def _view_scores(self, part: LacSample, seen: tuple[SeenRows, SeenRows]) -> ScorePair | None:
        """Return scores from the class view alone; None with one known class, all the same."""
        rows = {"X_labeled": seen[0].columns, "X_unlabeled": seen[1].columns}
        scores = _score_pair(self._logits(part.with_rows(**rows)))
        return None if _is_constant(scores) else scores

    def _hidden(self, part: LacSample, seen: tuple[SeenRows, SeenRows]) -> float | None:
        """Return the share beside hidden classes; None where there are too few to hide."""
        options = {"n_known_classes": part.n_known_classes, "seed": self.random_state or 0}
        scores = hidden_class_scores(part.X_labeled, part.y_labeled, seen, **options)
        return None if scores is None else share_beside_hidden(scores)

    def _logits(self, part: LacSample) -> ScorePair:
        options: dict[str, Any] = {"n_folds": self.n_folds, "random_state": self.random_state}
        return mixture_logits(part, **options)

    def _priors(self, part: LacSample, logits: ScorePair) -> UsedPriors:
        if self.shift is False:
            return UsedPriors(part.labeled_frequency, part.labeled_frequency)
        probabilities = [softmax(one, axis=1) for one in logits]
        found = known_priors(part, *probabilities, random_state=self.random_state)
        return choose_priors(found, self.shift)

    def _as_labeled(self, columns: ScorePair, weights: Array | None) -> Reading:
        """Return the reading under the paper's condition."""
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
        return _reading(tilt.known_proportion, error, AS_LABELED, by_estimator)

    def _nothing_new(self, part: LacSample, logits: ScorePair, columns: ScorePair) -> float:
        folds = cross_fit_folds(part, self.n_folds, self.random_state)
        strata = [
            fold * part.n_known_classes + pair[:, :-1].argmax(axis=1)
            for fold, pair in zip(folds, logits, strict=True)
        ]
        return nothing_new_p_value([(-columns[0], -columns[1])], *strata)


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
    part = sample.taken(*(slice(most) for most in MOST_ROWS))
    with blas_threads(1):
        logits = mixture_logits(part, random_state=random_state)
    return exponential_tilt(*_score_pair(logits)).known_proportion


def _with_view(part: LacSample, seen: tuple[SeenRows, SeenRows]) -> LacSample:
    """Return the sample with the class view as further columns."""
    labeled, unlabeled = (
        np.hstack([rows, view.columns])
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


def _reading(share: float, error: float, assumption: str, estimates: dict[str, float]) -> Reading:
    interval = interval_around(share, error)
    return Reading(float(share), float(error), interval, assumption, estimates)


def _spread(*readings: Reading) -> float:
    """Return how far all estimates of the readings lie apart."""
    return float(np.ptp([value for reading in readings for value in reading.estimates.values()]))


def _may_have_moved(columns: ScorePair, view: ScorePair, hidden: float | None) -> Reading:
    """Return the median of three shares that let known rows move, each seen in another way.

    What stands apart in the columns' scores; what the class view finds too dense to be known; what
    looks as known classes do while they are hidden. Each errs where the others need not.
    """
    found = {
        "stands_apart": fit_moved_mixture(*columns).known_proportion,
        "class_view": _by_ratio(view, otherwise=1.0),
    }
    if hidden is not None:
        found["hidden_classes"] = hidden
    values = list(found.values())
    error = float(np.hypot(MOVED_ERROR, SPREAD_SHARE * np.ptp(values)))
    return _reading(float(np.median(values)), error, MAY_HAVE_MOVED, found)


def _drift(as_labeled: Reading, moved: Reading, wanted: Any) -> dict[str, Any]:
    """Return whether known classes seem to have moved, and how much of the second reading is used.

    Only where known rows moved does the second reading find clearly more of them than the first.
    """
    gap = moved.known_proportion - as_labeled.known_proportion
    # A first reading that is itself unsure must be further away to be doubted.
    small = max(SMALL_GAP, as_labeled.standard_error)
    share = float(np.clip((gap - small) / (CLEAR_GAP - SMALL_GAP), 0.0, 1.0))
    suspected = bool(share >= 0.5)
    used = share if wanted == "auto" else float(bool(wanted))
    return {"suspected": suspected, "used": used >= 0.5, "share_used": used, "gap": float(gap)}


def _moved(
    part: LacSample, seen: tuple[SeenRows, SeenRows], columns: ScorePair, reading: Reading
) -> list[dict[str, Any]]:
    """Return what moved, if the least new rows are known, as many as the second reading says."""
    is_known = columns[1] <= np.quantile(columns[1], reading.known_proportion)
    found = moved_columns(part.X_labeled, part.X_unlabeled, seen, is_known)
    return [asdict(one) for one in found]


def _estimate_of(
    as_labeled: Reading,
    moved: Reading,
    drift: dict[str, Any],
    *,
    priors: Array,
    sizes: tuple[int, int],
    diagnostics: dict[str, Any],
) -> ProportionEstimate:
    """Return the share between both readings, with an interval that spans what they disagree on."""
    part = drift["share_used"]
    share = (1.0 - part) * as_labeled.known_proportion + part * moved.known_proportion
    error = float(np.hypot(*_weighted_errors(as_labeled, moved, part)))
    interval = interval_around(share, error)
    if drift["suspected"]:
        ends = *as_labeled.interval, *moved.interval
        interval = min(ends), max(ends)
        error = max(error, (share - interval[0]) / 1.96, (interval[1] - share) / 1.96)
    else:
        # Too little to speak of drift, but what it would change is not certain either.
        error = float(np.hypot(error, DOUBT_SHARE * _spread(as_labeled, moved)))
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


def _weighted_errors(first: Reading, second: Reading, part: float) -> tuple[float, float]:
    return (1.0 - part) * first.standard_error, part * second.standard_error
