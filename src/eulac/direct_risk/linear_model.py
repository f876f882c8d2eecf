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
from scipy.special import softmax

from eulac.data.lac_sample import LacSample
from eulac.maths.multiclass_losses import MulticlassLoss
from eulac.risk.nonnegative import corrected_risk

__all__ = ["LinearScores", "fit_linear_scores"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LinearScores:
    """Scores ``X @ coefficients + intercepts``, the augmented class last."""

    coefficients: Array
    intercepts: Array

    def probabilities(self, X: Array) -> Array:
        """Return the softmax of the scores."""
        return np.asarray(softmax(X @ self.coefficients + self.intercepts, axis=1))


def fit_linear_scores(
    sample: LacSample,
    weights: Array,
    penalty: float,
    loss: MulticlassLoss,
    *,
    start: LinearScores | None = None,
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
    loss : MulticlassLoss
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
        value, of_labeled, of_unlabeled = corrected_risk(
            labeled @ W, sample.y_labeled, weights, unlabeled @ W, loss
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
