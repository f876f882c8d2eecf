"""Scores of how new rows look, from a model that knows the unlabeled rows are a mixture.

A classifier of labeled against unlabeled rows is told that every unlabeled row is the opposite of
labeled, known ones included. Here the unlabeled rows are modeled as what they are: known classes,
as many as a first guess of the proportion says, and one more class. Logits of the K classes and
of the new one maximize the likelihood of where each row comes from. Class structure helps, known
unlabeled rows are discounted, and no row needs to be called new beforehand.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import logsumexp

from eulac.data.lac_sample import LacSample
from eulac.maths.feature_maps import NystroemMap
from eulac.maths.kernels import median_distance
from eulac.proportion.reduction import cross_fit_folds

__all__ = ["SourceLikelihood", "mixture_logits"]

Array = NDArray[np.float64]

WIDTHS = (0.4, 0.6)
"""Kernel widths in median distances; the scores are their mean."""

N_LANDMARKS = 300
RIDGE = 0.025
MOST_STEPS = 100
SMALLEST_DISTANCE = 1e-70


@dataclass(frozen=True, eq=False)
class SourceLikelihood:
    """How likely rows come from where they came from, given logits of K + 1 classes.

    A row is labeled of class c with weight ``exp(z_c)``, or unlabeled with weight
    ``(m / n) (theta sum_c exp(z_c) + (1 - theta) exp(z_new))``, where m and n count unlabeled and
    labeled rows.

    Attributes
    ----------
    y_labeled : int array of shape (n_labeled,)
    weights : array of shape (n_labeled,)
        How much each labeled row counts, one on average.
    log_shares : array of shape (n_known_classes + 1,)
        Logarithms of m / n times theta, and last times 1 - theta.
    """

    y_labeled: NDArray[np.intp]
    weights: Array
    log_shares: Array

    @classmethod
    def of(
        cls,
        y_labeled: NDArray[np.intp],
        n_unlabeled: int,
        n_known_classes: int,
        known_proportion: float,
        weights: Array | None = None,
    ) -> "SourceLikelihood":
        """Return the likelihood of labeled rows, weighted or not, followed by unlabeled ones."""
        shares = np.append(np.full(n_known_classes, known_proportion), 1.0 - known_proportion)
        weights = np.ones(len(y_labeled)) if weights is None else weights
        return cls(y_labeled, weights, np.log(shares * n_unlabeled / len(y_labeled)))

    def loss(self, logits: Array) -> tuple[float, Array]:
        """Return the negative log likelihood and its gradient in the logits.

        Examples
        --------
        >>> likelihood = SourceLikelihood.of(np.array([0]), 1, 1, 0.5)
        >>> value, gradient = likelihood.loss(np.zeros((2, 2)))  # one labeled, one unlabeled row
        >>> round(value, 4), gradient.shape  # each is as likely as the other: 2 log 2
        (1.3863, (2, 2))
        """
        n, known = len(self.y_labeled), slice(0, logits.shape[1] - 1)
        as_unlabeled = logits + self.log_shares
        unlabeled = logsumexp(as_unlabeled, axis=1)
        total = np.logaddexp(logsumexp(logits[:, known], axis=1), unlabeled)
        row = np.append(self.weights, np.ones(len(logits) - n))
        own = np.append(logits[np.arange(n), self.y_labeled], unlabeled[n:])
        gradient = np.exp(as_unlabeled - total[:, None])
        gradient[:, known] += np.exp(logits[:, known] - total[:, None])
        gradient[np.arange(n), self.y_labeled] -= 1.0
        gradient[n:] -= np.exp(as_unlabeled[n:] - unlabeled[n:, None])
        return float(row @ (total - own)), row[:, None] * gradient


def mixture_logits(
    sample: LacSample,
    known_proportion: float,
    *,
    n_folds: int = 5,
    random_state: Any = None,
) -> tuple[Array, Array]:
    """Return out-of-fold logits of the known classes and, last, of new, of labeled and other rows.

    Parameters
    ----------
    sample : LacSample
        In random order, features of comparable scale.
    known_proportion : float
        A first guess, strictly between 0 and 1. It stays as it is: fitted together with the
        logits it would collapse to 0.
    n_folds : int, default=5
    random_state : int, optional

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> known, new = rng.normal(0, 1, (150, 2)), rng.normal(4, 1, (50, 2))
    >>> sample = LacSample.from_masked(np.vstack([known, new]), np.repeat([0, -1], 100))
    >>> from eulac.risk.evidence import augmented_log_odds
    >>> scores = augmented_log_odds(mixture_logits(sample, 0.5, random_state=0)[1])
    >>> bool(scores[50:].mean() > scores[:50].mean() + 2)
    True
    """
    rng = np.random.default_rng(random_state)
    X = np.vstack([sample.X_labeled, sample.X_unlabeled])
    distance = max(median_distance(X, random_state=random_state), SMALLEST_DISTANCE)
    folds = np.concatenate(cross_fit_folds(sample, n_folds, random_state))
    logits = np.zeros((len(X), sample.n_known_classes + 1))
    for width in WIDTHS:
        landmarks = X[rng.permutation(len(X))[: min(N_LANDMARKS, max(len(X) // 2, 1))]]
        features = NystroemMap.of(landmarks, width * distance).transform(X)
        features = np.hstack([features, np.ones((len(X), 1))])
        for index in range(int(folds.max()) + 1):
            held_out = folds == index
            coefficients = _fit_logits(sample, features, ~held_out, known_proportion)
            logits[held_out] += features[held_out] @ coefficients / len(WIDTHS)
    return logits[: sample.n_labeled], logits[sample.n_labeled :]


def _fit_logits(
    sample: LacSample,
    features: Array,
    kept: NDArray[np.bool_],
    known_proportion: float,
) -> Array:
    """Return coefficients of the logits, the intercepts last, that fit the rows kept."""
    n_known = sample.n_known_classes
    of_labeled = kept[: sample.n_labeled]
    y = sample.y_labeled[of_labeled]
    n_unlabeled = int(kept[sample.n_labeled :].sum())
    weights = None if sample.importance is None else sample.importance[of_labeled]
    likelihood = SourceLikelihood.of(y, n_unlabeled, n_known, known_proportion, weights)
    rows = features[kept]
    start = np.zeros((rows.shape[1], n_known + 1))
    start[-1, :-1] = np.log((np.bincount(y, minlength=n_known) + 0.5) / len(y))

    def objective(flat: Array) -> tuple[float, Array]:
        coefficients = flat.reshape(start.shape)
        value, gradient = likelihood.loss(rows @ coefficients)
        slope = rows.T @ gradient
        slope[:-1] += 2.0 * RIDGE * coefficients[:-1]
        return value + RIDGE * float((coefficients[:-1] ** 2).sum()), slope.ravel()

    options = {"maxiter": MOST_STEPS}
    found = minimize(objective, start.ravel(), jac=True, method="L-BFGS-B", options=options)
    return np.asarray(found.x.reshape(start.shape))
