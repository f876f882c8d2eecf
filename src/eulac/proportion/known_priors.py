"""Shares of the known classes among each other in the unlabeled rows, new classes present.

For each class a region is chosen in which its rows are many and others few (its best bin). The
share of unlabeled rows in every region is a mixture of the known classes' shares there, which a
small non-negative system takes apart. Augmented rows hardly reach these regions.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import lsq_linear
from scipy.special import gammaincc

from eulac.data.lac_sample import LacSample
from eulac.proportion.best_bin import best_bin
from eulac.proportion.reduction import log_odds

__all__ = ["KnownPriors", "UsedPriors", "choose_priors", "known_priors", "used_priors"]

Array = NDArray[np.float64]

SMALL_CLASS = 20
"""Labeled rows below which a class is left out of the question."""

SIGNIFICANT = 0.01
"""Below this p-value priors count as moved when the choice is automatic."""


@dataclass(frozen=True, eq=False)
class KnownPriors:
    """Priors of the known classes among themselves.

    Attributes
    ----------
    priors : array of shape (n_known_classes,)
        Estimated for the unlabeled rows; sums to one.
    labeled : array of shape (n_known_classes,)
        Frequencies among the labeled rows.
    standard_errors : array of shape (n_known_classes,)
        Of `priors`, by the bootstrap.
    p_value : float
        Of "the priors did not move"; small values speak for a shift.
    statistic, n_free : float and int
        The chi-squared statistic behind it and its degrees of freedom.
    """

    priors: Array
    labeled: Array
    standard_errors: Array
    p_value: float
    statistic: float = 0.0
    n_free: int = 0

    def dispersed(self, factor: float) -> "KnownPriors":
        """Return the same with the p-value that follows where chance moves priors more than that.

        The statistic knows how much random rows differ. New rows that look like one known class
        and not like others move priors, too; how much, trials can tell (`share_trials`).

        Parameters
        ----------
        factor : float, at least 1
            By how much the variance is larger.

        Examples
        --------
        >>> found = KnownPriors(np.ones(1), np.ones(1), np.zeros(1), 0.005, 15.0, 4)
        >>> round(found.dispersed(1.0).p_value, 3), round(found.dispersed(2.0).p_value, 3)
        (0.005, 0.112)
        """
        p_value = _p_value(self.statistic / factor, self.n_free)
        return replace(self, p_value=p_value)


@dataclass(frozen=True, eq=False)
class UsedPriors:
    """Priors an estimate uses, and whether they are other than the labeled ones."""

    used: Array
    labeled: Array
    moved: bool = False
    p_value: float | None = None

    def weights(self, y_labeled: NDArray[np.intp], importance: Array | None = None) -> Array | None:
        """Return weights that bring labeled rows to the priors; None where they all count alike."""
        if not self.moved:
            return importance
        moved = (self.used / self.labeled)[y_labeled]
        return moved if importance is None else moved * importance

    def diagnostics(self) -> dict[str, Any]:
        """Return what an estimate says about its priors."""
        return {"priors_moved": self.moved, "priors_moved_p_value": self.p_value}


def choose_priors(estimated: KnownPriors, shift: Any) -> UsedPriors:
    """Return estimated priors where asked for, or where they moved significantly.

    Parameters
    ----------
    estimated : KnownPriors
    shift : {"auto", True, False}
    """
    if not (isinstance(shift, bool) or shift == "auto"):
        raise ValueError(f"`shift` must be 'auto', True or False; got {shift!r}.")
    moved = shift is True or (shift == "auto" and estimated.p_value < SIGNIFICANT)
    used = estimated.priors if moved else estimated.labeled
    return UsedPriors(used, estimated.labeled, moved, estimated.p_value)


def known_priors(
    sample: LacSample,
    labeled: Array,
    unlabeled: Array,
    *,
    n_resamples: int = 100,
    small_class: int = SMALL_CLASS,
    random_state: int | None = None,
) -> KnownPriors:
    """Return the priors of the known classes, from cross-fitted probabilities of each class.

    Classes with fewer than `small_class` labeled rows keep their labeled frequency: nothing can be
    said about how a handful of rows has moved.

    Parameters
    ----------
    sample : LacSample
    labeled, unlabeled : arrays of shape (n, n_known_classes + 1)
        From `cross_fitted_probabilities`.
    n_resamples : int, default=100
    small_class : int, default=20
    random_state : int, optional
    """
    frequency = sample.labeled_frequency
    counts = np.bincount(sample.y_labeled, minlength=sample.n_known_classes)
    large = np.flatnonzero((counts >= small_class) & (frequency > 0))
    priors, errors = frequency.copy(), np.zeros(len(frequency))
    if len(large) < 2:
        return KnownPriors(priors, frequency, errors, 1.0)
    regions = _Regions.of(sample, labeled, unlabeled, large)
    rng = np.random.default_rng(random_state)
    resampled = np.array([regions.resampled(rng).unmixed() for _ in range(n_resamples)])
    mass = frequency[large].sum()
    priors[large] = mass * regions.unmixed()
    errors[large] = mass * resampled.std(axis=0)
    statistic = _statistic(regions.unmixed(), frequency[large] / mass, resampled, regions.n_rows)
    n_free = len(large) - 1
    p_value = _p_value(statistic, n_free)
    return KnownPriors(priors, frequency, errors, p_value, statistic, n_free)


def used_priors(
    sample: LacSample,
    probabilities: tuple[Array, Array],
    shift: Any,
    *,
    dispersion: float = 1.0,
    random_state: int | None = None,
) -> UsedPriors:
    """Return the priors an estimate uses: without a question if they are said not to have moved.

    Parameters
    ----------
    sample : LacSample
    probabilities : (labeled, unlabeled) arrays of shape (n, n_known_classes + 1)
        As of `known_priors`.
    shift : {"auto", True, False}
    dispersion : float, default=1.0
        As of `KnownPriors.dispersed`.
    random_state : int, optional

    Examples
    --------
    >>> sample = LacSample.from_masked(np.zeros((4, 1)), [0, 1, 1, -1])
    >>> rows = np.full((3, 3), 1 / 3), np.full((1, 3), 1 / 3)
    >>> used_priors(sample, rows, False).used.round(2)
    array([0.33, 0.67])
    """
    if shift is False:
        return UsedPriors(sample.labeled_frequency, sample.labeled_frequency)
    found = known_priors(sample, *probabilities, random_state=random_state)
    return choose_priors(found.dispersed(dispersion), shift)


@dataclass(frozen=True, eq=False)
class _Regions:
    """Which rows lie in the best bin of which class; only rows of the classes in question."""

    y: NDArray[np.intp]
    importance: Array
    labeled: Array
    unlabeled: Array

    @classmethod
    def of(
        cls, sample: LacSample, labeled: Array, unlabeled: Array, classes: NDArray[np.intp]
    ) -> "_Regions":
        rows = np.isin(sample.y_labeled, classes)
        y = np.searchsorted(classes, sample.y_labeled[rows])
        odds_labeled, odds_unlabeled = (
            log_odds(labeled[rows][:, classes]),
            log_odds(unlabeled[:, classes]),
        )
        importance = None if sample.importance is None else sample.importance[rows]
        thresholds = [
            best_bin(
                odds_labeled[y == k, k],
                odds_unlabeled[:, k],
                None if importance is None else importance[y == k],
            )[1]
            for k in range(len(classes))
        ]
        return cls(
            y,
            np.ones(len(y)) if importance is None else importance,
            (odds_labeled >= thresholds).astype(float),
            (odds_unlabeled >= thresholds).astype(float),
        )

    @property
    def n_rows(self) -> float:
        """As many rows that count the same would tell as much about frequencies."""
        return float(self.importance.sum() ** 2 / (self.importance**2).sum())

    def resampled(self, rng: np.random.Generator) -> "_Regions":
        rows = rng.integers(0, len(self.y), len(self.y))
        others = rng.integers(0, len(self.unlabeled), len(self.unlabeled))
        return _Regions(
            self.y[rows], self.importance[rows], self.labeled[rows], self.unlabeled[others]
        )

    def unmixed(self) -> Array:
        """Solve ``share_U(region j) = sum_k prior_k share_k(region j)`` and normalize."""
        n = self.labeled.shape[1]
        counts = np.bincount(self.y, self.importance, minlength=n)
        counts[counts == 0] = 1.0
        inside = self.importance[:, None] * self.labeled
        shares = [np.bincount(self.y, inside[:, j], minlength=n) / counts for j in range(n)]
        # Not by `nnls`: in SciPy 1.15 it ends beside the smallest sum of squares now and then.
        bounds, seen = (0.0, np.inf), self.unlabeled.mean(axis=0)
        solution = lsq_linear(np.array(shares), seen, bounds, method="bvls").x
        total = solution.sum()
        return np.asarray(solution / total) if total > 0 else np.full(n, 1.0 / n)


def _statistic(priors: Array, frequency: Array, resampled: Array, n_labeled: float) -> float:
    """Wald statistic of "priors equal labeled frequencies", with the bootstrap's covariance."""
    # The last prior follows from the others; labeled frequencies are random themselves.
    difference = (priors - frequency)[:-1]
    sampling = (np.diag(frequency) - np.outer(frequency, frequency)) / n_labeled
    covariance = np.cov(resampled[:, :-1], rowvar=False).reshape(len(difference), -1)
    covariance = covariance + sampling[:-1, :-1] + 1e-6 * np.eye(len(difference))
    return float(difference @ np.linalg.solve(covariance, difference))


def _p_value(statistic: float, n_free: int) -> float:
    """Return how often a chi-squared number of so many degrees of freedom is larger."""
    return float(gammaincc(0.5 * n_free, 0.5 * statistic)) if n_free else 1.0
