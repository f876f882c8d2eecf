"""How much likelier a row is among new rows than among known ones, by a few numbers of its scores.

The logarithm of that ratio is linear in the numbers, and fitted by telling labeled rows from the
pool, which is a mixture of known and new rows. Each row is scored by a fit that has not seen it.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, logit

from eulac.drift.mixture_scores import SourceLikelihood

__all__ = ["Newness", "cross_fitted_newness", "fit_newness", "known_probability"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

RIDGE = 1.0
"""Weight of the squared slopes, as against one row."""

CERTAIN = 1e-3
"""Proportions nearer to 0 or 1 leave nothing to tell apart."""


@dataclass(frozen=True, eq=False)
class Newness:
    """A fitted log ratio of new to known rows.

    Attributes
    ----------
    slopes : array of shape (n_numbers,)
    offset : float

    Examples
    --------
    >>> Newness(np.array([1.0, 2.0]), -1.0).log_ratio(np.array([[1.0, 0.5]]))
    array([1.])
    """

    slopes: Array
    offset: float

    def log_ratio(self, numbers: Array) -> Array:
        """Return the log ratio of rows, bigger for newer ones."""
        return np.asarray(numbers @ self.slopes + self.offset)


def fit_newness(
    numbers: Array, n_labeled: int, known_proportion: float, weights: Array | None = None
) -> Newness:
    """Return the log ratio that best tells labeled rows, which come first, from the pool.

    Parameters
    ----------
    numbers : array of shape (n_labeled + n_unlabeled, n_numbers)
    n_labeled : int
    known_proportion : float
        Of the pool. It stays as it is.
    weights : array of shape (n_labeled,), optional
        How much each labeled row counts, one on average.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> known, new = rng.normal(0, 1, (800, 1)), rng.normal(2, 1, (200, 1))
    >>> found = fit_newness(np.vstack([known, new]), 400, known_proportion=2 / 3)
    >>> bool(abs(found.slopes[0] - 2) < 0.3)  # of two normal densities: their distance
    True
    """
    rows = np.column_stack([numbers, np.ones(len(numbers))])
    theta = float(np.clip(known_proportion, CERTAIN, 1.0 - CERTAIN))
    y, n_unlabeled = np.zeros(n_labeled, dtype=np.intp), len(numbers) - n_labeled
    likelihood = SourceLikelihood.of(y, n_unlabeled, 1, theta, weights)

    def objective(coefficients: Array) -> tuple[float, Array]:
        logits = np.column_stack([np.zeros(len(rows)), rows @ coefficients])
        value, gradient = likelihood.loss(logits)
        slope = rows.T @ gradient[:, 1]
        slope[:-1] += RIDGE * coefficients[:-1]
        return value + 0.5 * RIDGE * float((coefficients[:-1] ** 2).sum()), slope

    found = minimize(objective, np.zeros(rows.shape[1]), jac=True, method="L-BFGS-B").x
    return Newness(found[:-1], float(found[-1]))


def cross_fitted_newness(
    numbers: Array,
    folds: tuple[Codes, Codes],
    known_proportion: float,
    weights: Array | None = None,
) -> tuple[Array, Array]:
    """Return held-out log ratios of labeled and of unlabeled rows.

    Parameters
    ----------
    numbers : array of shape (n_labeled + n_unlabeled, n_numbers)
    folds : (labeled, unlabeled) int arrays
        By which each row is held out.
    known_proportion, weights
        As in `fit_newness`.
    """
    n, fold = len(folds[0]), np.concatenate(folds)
    found = np.zeros(len(numbers))
    for index in range(int(fold.max()) + 1):
        kept = fold != index
        own = None if weights is None else weights[kept[:n]]
        model = fit_newness(numbers[kept], int(kept[:n].sum()), known_proportion, own)
        found[~kept] = model.log_ratio(numbers[~kept])
    return found[:n], found[n:]


def known_probability(log_ratio: Array, known_proportion: float) -> Array:
    """Return how likely rows of the pool are known.

    Examples
    --------
    >>> known_probability(np.array([0.0, 9.0]), 0.75).round(3)
    array([0.75, 0.  ])
    """
    theta = np.clip(known_proportion, CERTAIN, 1.0 - CERTAIN)
    return np.asarray(expit(logit(theta) - log_ratio))
