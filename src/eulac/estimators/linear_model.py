"""Softmax regression trained on the unbiased risk itself, its augmented part kept above zero.

For any multiclass loss l the risk is ``E_L[w l(f, y)] + bracket`` with ``bracket = E_U[l(f, ac)] -
E_L[w l(f, ac)]``, an estimate of the loss of augmented rows. Where it falls below zero the model
has begun to fit noise, and the correction leaves it out.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import logsumexp, softmax

from eulac.data.lac_sample import LacSample
from eulac.risk.nonnegative import generalized_lac_parts

__all__ = ["LinearScores", "corrected_log_risk", "fit_linear_scores"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LinearScores:
    """Scores ``X @ coefficients + intercepts``, the augmented class last."""

    coefficients: Array
    intercepts: Array

    def probabilities(self, X: Array) -> Array:
        """Return the softmax of the scores."""
        return np.asarray(softmax(X @ self.coefficients + self.intercepts, axis=1))


def corrected_log_risk(
    logits_labeled: Array, y_labeled: NDArray[np.intp], weights: Array, logits_unlabeled: Array
) -> tuple[float, Array, Array]:
    """Return the corrected risk of the log loss, and its gradients in both logits.

    Parameters are those of `log_lac_risk`, of which this is the version that cannot fall below
    zero.

    Examples
    --------
    >>> zeros = np.zeros((4, 3))
    >>> value, _, _ = corrected_log_risk(zeros, np.array([0, 1, 1, 0]), np.full(4, 0.5), zeros)
    >>> round(value, 4)  # log(3)
    1.0986
    """
    rows = np.arange(len(y_labeled))
    total_labeled = logsumexp(logits_labeled, axis=1)
    own = total_labeled - logits_labeled[rows, y_labeled]
    as_augmented = total_labeled - logits_labeled[:, -1]
    unlabeled = logsumexp(logits_unlabeled, axis=1) - logits_unlabeled[:, -1]
    labeled_part, bracket = generalized_lac_parts(own, as_augmented, weights, unlabeled)
    shares = weights[:, None] / len(weights)
    slope_labeled = softmax(logits_labeled, axis=1)
    slope_labeled[rows, y_labeled] -= 1.0
    slope_labeled *= shares
    if bracket < 0:
        return float(labeled_part), slope_labeled, np.zeros_like(logits_unlabeled)
    # As of the augmented class: softmax minus the last unit vector, for labeled rows with a minus.
    away = -softmax(logits_labeled, axis=1)
    away[:, -1] += 1.0
    slope_unlabeled = softmax(logits_unlabeled, axis=1)
    slope_unlabeled[:, -1] -= 1.0
    slope_unlabeled /= len(logits_unlabeled)
    return float(labeled_part + bracket), slope_labeled + shares * away, slope_unlabeled


def fit_linear_scores(
    sample: LacSample, weights: Array, penalty: float, *, start: LinearScores | None = None
) -> LinearScores:
    """Return the minimizer of the corrected risk plus half the penalty times the squared norm.

    Parameters
    ----------
    sample : LacSample
        Scaled rows.
    weights : array of shape (n_labeled,)
        From `labeled_weights`.
    penalty : float
        Intercepts are not penalized.
    start : LinearScores, optional
        Where to begin, for instance at the solution of a larger penalty.
    """
    shape = sample.X_labeled.shape[1] + 1, sample.n_known_classes + 1
    labeled, unlabeled = (
        np.column_stack([X, np.ones(len(X))]) for X in (sample.X_labeled, sample.X_unlabeled)
    )
    penalties = np.full(shape, penalty)
    penalties[-1] = 1e-6  # keeps intercepts of classes without weight finite

    def objective(flat: Array) -> tuple[float, Array]:
        W = flat.reshape(shape)
        value, of_labeled, of_unlabeled = corrected_log_risk(
            labeled @ W, sample.y_labeled, weights, unlabeled @ W
        )
        gradient = labeled.T @ of_labeled + unlabeled.T @ of_unlabeled + penalties * W
        return value + 0.5 * float((penalties * W**2).sum()), gradient.ravel()

    first = np.zeros(shape)
    if start is not None:
        first = np.vstack([start.coefficients, start.intercepts])
    options: dict[str, Any] = {"maxiter": 500}
    result = minimize(objective, first.ravel(), jac=True, method="L-BFGS-B", options=options)
    W = result.x.reshape(shape)
    return LinearScores(W[:-1], W[-1])
