"""Shares of the known classes among each other in the unlabeled rows, new classes present.

For each class a region is chosen in which its rows are many and others few (its best bin). The
share of unlabeled rows in every region is a mixture of the known classes' shares there, which a
small non-negative system takes apart. Augmented rows hardly reach these regions.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls
from scipy.special import gammaincc

from eulac.data.lac_sample import LacSample
from eulac.proportion.best_bin import best_bin
from eulac.proportion.reduction import log_odds

__all__ = ["KnownPriors", "UsedPriors", "choose_priors", "known_priors"]

Array = NDArray[np.float64]

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
    """

    priors: Array
    labeled: Array
    standard_errors: Array
    p_value: float


@dataclass(frozen=True, eq=False)
class UsedPriors:
    """Priors an estimate uses, and whether they are other than the labeled ones."""

    used: Array
    labeled: Array
    moved: bool = False
    p_value: float | None = None

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
    random_state: int | None = None,
) -> KnownPriors:
    """Return the priors of the known classes, from cross-fitted probabilities of each class.

    Parameters
    ----------
    sample : LacSample
    labeled, unlabeled : arrays of shape (n, n_known_classes + 1)
        From `cross_fitted_probabilities`.
    n_resamples : int, default=100
    random_state : int, optional
    """
    n_known = sample.n_known_classes
    odds_labeled, odds_unlabeled = log_odds(labeled[:, :-1]), log_odds(unlabeled[:, :-1])
    y = sample.y_labeled
    thresholds = np.array(
        [best_bin(odds_labeled[y == k, k], odds_unlabeled[:, k])[1] for k in range(n_known)]
    )
    inside_labeled = (odds_labeled >= thresholds).astype(float)
    inside_unlabeled = (odds_unlabeled >= thresholds).astype(float)
    priors = _unmix(inside_labeled, y, inside_unlabeled, n_known)
    rng = np.random.default_rng(random_state)
    resampled = np.empty((n_resamples, n_known))
    for row in resampled:
        rows = rng.integers(0, len(y), len(y))
        others = rng.integers(0, len(unlabeled), len(unlabeled))
        row[:] = _unmix(inside_labeled[rows], y[rows], inside_unlabeled[others], n_known)
    frequency = sample.labeled_frequency
    errors = resampled.std(axis=0)
    return KnownPriors(
        priors, frequency, errors, _shift_p_value(priors, frequency, resampled, len(y))
    )


def _unmix(
    inside_labeled: Array, y: NDArray[np.intp], inside_unlabeled: Array, n_known: int
) -> Array:
    """Solve ``share_U(region j) = sum_k prior_k share_k(region j)`` and normalize."""
    counts = np.maximum(np.bincount(y, minlength=n_known), 1)
    shares = np.array(
        [np.bincount(y, inside_labeled[:, j], minlength=n_known) / counts for j in range(n_known)]
    )
    solution, _ = nnls(shares, inside_unlabeled.mean(axis=0))
    total = solution.sum()
    return np.asarray(solution / total) if total > 0 else np.full(n_known, 1.0 / n_known)


def _shift_p_value(priors: Array, frequency: Array, resampled: Array, n_labeled: int) -> float:
    """Wald test that priors equal labeled frequencies, with a shrunken bootstrap covariance."""
    if len(priors) == 1:
        return 1.0
    # The last prior follows from the others; labeled frequencies are random themselves.
    difference = (priors - frequency)[:-1]
    sampling = (np.diag(frequency) - np.outer(frequency, frequency)) / n_labeled
    covariance = np.cov(resampled[:, :-1], rowvar=False).reshape(len(difference), -1)
    covariance = covariance + sampling[:-1, :-1] + 1e-6 * np.eye(len(difference))
    statistic = float(difference @ np.linalg.solve(covariance, difference))
    return float(gammaincc(0.5 * len(difference), 0.5 * statistic))
