"""Scores of how new rows look, from a model that knows the unlabeled rows are a mixture.

A classifier of labeled against unlabeled rows is told that every unlabeled row is the opposite of
labeled, known ones included. Here the unlabeled rows are modeled as what they are: known classes,
as many as a first guess of the proportion says, and one more class. Logits of the K classes and
of the new one maximize the likelihood of where each row comes from. Class structure helps, known
unlabeled rows are discounted, and no row needs to be called new beforehand.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from scipy.optimize import minimize

from eulac.data.lac_sample import LacSample
from eulac.maths.feature_maps import NystroemMap
from eulac.maths.kernels import median_distance
from eulac.proportion.best_bin import best_bin
from eulac.proportion.reduction import cross_fit_folds

__all__ = ["SourceLikelihood", "mixture_logits"]

Array = NDArray[np.float64]
Features = NDArray[np.float32]
Logits = NDArray[Any]

WIDTHS = (0.4, 0.6)
"""Kernel widths in median distances; the scores are their mean."""

N_LANDMARKS = 300
RIDGE = 0.025
MOST_STEPS = 15
"""Of the optimizer, in variables of about the same curvature; more change no score that matters."""

SMALLEST_CURVATURE = 1e-3
"""Added to that of every variable, so that constant features are no trouble."""

CURVATURE = 0.25
"""Largest second derivative of a logistic term, by which those variables are scaled."""

SMALLEST_DISTANCE = 1e-70

FIRST_GUESS = (0.05, 0.95)
"""The first guess of the share is kept within."""

NOTHING_KNOWN = 1e-9
"""The share under which the mixture is plain logistic regression of labeled or not."""


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

    def taken(self, kept: NDArray[np.bool_]) -> "SourceLikelihood":
        """Return the likelihood of some of the rows; of both kinds about the same share."""
        labeled = kept[: len(self.y_labeled)]
        return replace(self, y_labeled=self.y_labeled[labeled], weights=self.weights[labeled])

    def loss(self, logits: Logits) -> tuple[float, Logits]:
        """Return the negative log likelihood and its gradient in the logits.

        Examples
        --------
        >>> likelihood = SourceLikelihood.of(np.array([0]), 1, 1, 0.5)
        >>> value, gradient = likelihood.loss(np.zeros((2, 2)))  # one labeled, one unlabeled row
        >>> round(value, 4), gradient.shape  # each is as likely as the other: 2 log 2
        (1.3863, (2, 2))
        """
        n = len(self.y_labeled)
        labeled = np.arange(n), self.y_labeled
        top = logits.max(axis=1)
        powers = np.exp(logits - top[:, None])
        shares = np.exp(self.log_shares).astype(logits.dtype)
        both = shares + 1  # a known class is labeled, too
        both[-1] = shares[-1]
        unlabeled = powers @ shares  # at least the smallest share: never zero
        total = powers @ both
        own = np.append(logits[labeled] - top[:n], np.log(unlabeled[n:]))
        gradient = powers * (both / total[:, None])
        gradient[n:] -= powers[n:] * (shares / unlabeled[n:, None])
        gradient[labeled] -= 1
        gradient[:n] *= self.weights[:, None]
        losses = np.log(total) - own
        value = losses[:n].astype(float) @ self.weights + losses[n:].sum(dtype=float)
        return float(value), gradient


def mixture_logits(
    sample: LacSample,
    known_proportion: float | None = None,
    *,
    n_folds: int = 5,
    n_landmarks: int = N_LANDMARKS,
    widths: tuple[float, ...] = WIDTHS,
    random_state: Any = None,
) -> tuple[Array, Array]:
    """Return out-of-fold logits of the known classes and, last, of new, of labeled and other rows.

    Parameters
    ----------
    sample : LacSample
        In random order, features of comparable scale.
    known_proportion : float, optional
        A first guess, strictly between 0 and 1; by default the best bin of a score that tells
        labeled from unlabeled rows. It stays as it is: fitted together with the logits it would
        collapse to 0.
    n_folds : int, default=5
    n_landmarks : int, default=300
        Of the kernel. With fewer, drift shows less.
    widths : tuple of float, default=(0.4, 0.6)
        Of the kernel, in median distances; the logits are the mean over all of them.
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
    folds = np.concatenate(cross_fit_folds(sample, n_folds, random_state))
    features = _landmark_features(sample, n_landmarks, widths, random_state)
    if known_proportion is None:
        known_proportion = _first_guess(sample, features[-1], folds)
    shares = sample.n_unlabeled, sample.n_known_classes, known_proportion
    likelihood = SourceLikelihood.of(sample.y_labeled, *shares, sample.importance)
    logits = np.mean([_held_out(likelihood, one, folds) for one in features], axis=0)
    return logits[: sample.n_labeled], logits[sample.n_labeled :]


def _landmark_features(
    sample: LacSample, n_landmarks: int, widths: tuple[float, ...], random_state: Any
) -> list[Features]:
    """Return features of all rows, for each width of the kernel, the last column one."""
    rng = np.random.default_rng(random_state)
    X = np.vstack([sample.X_labeled, sample.X_unlabeled])
    distance = max(median_distance(X, random_state=random_state), SMALLEST_DISTANCE)
    features = []
    for width in widths:
        landmarks = X[rng.permutation(len(X))[: min(n_landmarks, max(len(X) // 2, 1))]]
        mapped = NystroemMap.of(landmarks, width * distance).transform(X)
        # Single precision is enough for scores, and half the work.
        features.append(np.hstack([mapped, np.ones((len(X), 1))]).astype(np.float32))
    return features


def _first_guess(sample: LacSample, features: Features, folds: NDArray[np.intp]) -> float:
    """Return the best bin of logits that take every unlabeled row for new."""
    one_class = np.zeros_like(sample.y_labeled), sample.n_unlabeled, 1, NOTHING_KNOWN
    likelihood = SourceLikelihood.of(*one_class, sample.importance)
    logits = _held_out(likelihood, features, folds)
    labeled, unlabeled = np.split(logits[:, 0] - logits[:, 1], [sample.n_labeled])
    return float(np.clip(best_bin(labeled, unlabeled, sample.importance)[0], *FIRST_GUESS))


def _held_out(likelihood: SourceLikelihood, features: Features, folds: NDArray[np.intp]) -> Array:
    """Return logits of all rows, each by a fit without its fold."""
    even = _even_features(features)
    logits = np.zeros((len(features), len(likelihood.log_shares)))
    for index in range(int(folds.max()) + 1):
        held_out = folds == index
        coefficients = _fit_logits(likelihood.taken(~held_out), even, ~held_out)
        logits[held_out] = even.rows[held_out] @ coefficients
    return logits


@dataclass(frozen=True, eq=False)
class _EvenFeatures:
    """Features in which the optimizer finds about the same curvature in every direction.

    Landmarks overlap: in features themselves it would take a hundred steps. With the Cholesky
    factor of a bound on the second derivatives, coefficients w are sought as ``factor w``.

    Attributes
    ----------
    rows : array of shape (n_rows, n_features)
    penalty : array of shape (n_features, n_features)
        What a ridge on w has become; none on the intercept, the last of w.
    intercept : array of shape (n_features,)
        The coefficients whose logit is one everywhere.
    """

    rows: Features
    penalty: Array
    intercept: Array


def _even_features(features: Features) -> _EvenFeatures:
    ridge = np.full(features.shape[1], RIDGE)
    ridge[-1] = 0.0
    squares = (features.T @ features).astype(float)
    factor = np.linalg.cholesky(CURVATURE * squares + np.diag(2.0 * ridge + SMALLEST_CURVATURE))
    inverse = solve_triangular(factor, np.eye(len(ridge)), lower=True)
    rows = features @ inverse.T.astype(np.float32)
    return _EvenFeatures(rows, (inverse * ridge) @ inverse.T, factor[-1])


def _fit_logits(
    likelihood: SourceLikelihood, even: _EvenFeatures, kept: NDArray[np.bool_]
) -> Features:
    """Return coefficients of the logits that fit the rows that are kept."""
    rows, penalty = even.rows[kept], (2.0 * even.penalty).astype(np.float32)
    n_features, n_logits = rows.shape[1], len(likelihood.log_shares)
    across = np.ascontiguousarray(rows.T)

    def objective(flat: Array) -> tuple[float, Array]:
        coefficients = flat.reshape(n_features, n_logits).astype(np.float32)
        value, gradient = likelihood.loss(rows @ coefficients)
        shrunk = penalty @ coefficients
        value += 0.5 * float(np.vdot(coefficients, shrunk))
        return value, (across @ gradient + shrunk).ravel().astype(float)

    counts = np.bincount(likelihood.y_labeled, minlength=n_logits - 1)
    logits = np.append(np.log((counts + 0.5) / counts.sum()), 0.0)
    begin = np.outer(even.intercept, logits).ravel()
    options = {"maxiter": MOST_STEPS}
    found = minimize(objective, begin, jac=True, method="L-BFGS-B", options=options)
    return np.asarray(found.x.reshape(n_features, n_logits), dtype=np.float32)
