"""Logistic regression of several classes with a square penalty, for many fits of few rows.

The problem is the one of scikit-learn's `LogisticRegression`. There, most of the time goes into
checks around each step, and steps are many because columns of a kernel's features are far from
alike. Here the curvature of all columns is factored once, which leaves a dozen steps, and products
are in single precision.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

__all__ = ["fit_softmax", "softmax_probabilities"]

Single = NDArray[np.float32]
Array = NDArray[np.float64]

CURVATURE = 0.2
"""Of the log loss at a row that is not yet certain; what steps start from."""

RELATIVE = 1e-4
"""Added to the curvature of a column: columns that are copies leave it singular."""

N_REMEMBERED = 8
"""Steps that the next direction is made of."""

SUFFICIENT = 1e-4
N_HALVINGS = 20


@dataclass(frozen=True, eq=False)
class _Problem:
    """Rows with a last column of ones, one column of targets for each column of logits."""

    rows: Single
    targets: Single
    weights: Single
    penalty: Single

    def loss(self, coefficients: Single) -> tuple[float, Single]:
        """Return the penalized loss, and the probabilities of the columns."""
        logits = self.rows @ coefficients
        inside = np.einsum("ij,ij->i", logits, self.targets)
        if logits.shape[1] == 1:
            total = np.logaddexp(0, logits[:, 0])
            probabilities = np.exp(logits - total[:, None])
        else:
            top = logits.max(axis=1, keepdims=True)
            probabilities = np.exp(logits - top)
            sums = probabilities.sum(axis=1, keepdims=True)
            total = (top + np.log(sums))[:, 0]
            probabilities /= sums
        fit = float(np.dot(self.weights, total - inside))
        bent = float(np.einsum("i,ij,ij->", self.penalty, coefficients, coefficients))
        return fit + 0.5 * bent, probabilities

    def slope(self, coefficients: Single, probabilities: Single) -> Single:
        off = (probabilities - self.targets) * self.weights[:, None]
        return np.asarray(self.rows.T @ off + self.penalty[:, None] * coefficients)

    def factored_curvature(self) -> Single:
        """Return the Cholesky factor of an upper estimate of the second derivative."""
        weighted = self.rows * np.sqrt(CURVATURE * self.weights)[:, None]
        matrix = weighted.T @ weighted
        diagonal = np.einsum("ii->i", matrix)
        diagonal *= np.float32(1.0 + RELATIVE)
        diagonal += self.penalty + np.finfo(np.float32).tiny
        factor, _ = lapack.spotrf(matrix, lower=1, overwrite_a=1)
        return np.asarray(factor)


def fit_softmax(
    X: NDArray[Any],
    codes: NDArray[np.intp],
    weights: NDArray[Any] | None = None,
    *,
    penalty: float = 1.0,
    tolerance: float = 3e-4,
    max_steps: int = 200,
) -> Single:
    """Return coefficients of the columns of `X` and, last, intercepts, a column for each class.

    Two classes have one column, of the second.

    Parameters
    ----------
    X : array of shape (n_rows, n_columns)
    codes : int array of shape (n_rows,)
        0, 1, …, all of them present.
    weights : array of shape (n_rows,), optional
    penalty : float, default=1.0
        Half of it times the sum of squared coefficients is added to the sum of losses.
    tolerance : float, default=3e-4
        Of the largest slope of the mean loss.
    max_steps : int, default=200

    Examples
    --------
    >>> X, codes = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 0, 1, 1])
    >>> softmax_probabilities(X, fit_softmax(X, codes)).argmax(axis=1)
    array([0, 0, 1, 1])
    """
    problem = _problem(X, codes, weights, penalty)
    bound = tolerance * float(problem.weights.sum())
    found: Single = np.zeros((problem.rows.shape[1], problem.targets.shape[1]), np.float32)
    factor = problem.factored_curvature()
    value, probabilities = problem.loss(found)
    slope = problem.slope(found, probabilities)
    steps: list[tuple[Single, Single, float]] = []
    for _ in range(max_steps):
        if float(np.abs(slope).max()) <= bound:
            break
        direction = _direction(slope, steps, factor)
        taken = _step(problem, found, value, slope, direction)
        if taken is None:  # single precision sees no way down
            break
        move, value, probabilities = taken
        found = found + move
        later = problem.slope(found, probabilities)
        inner = float(np.vdot(move, later - slope))
        if inner > 0:
            steps = [*steps[1 - N_REMEMBERED :], (move, later - slope, inner)]
        slope = later
    return found


def softmax_probabilities(X: NDArray[Any], coefficients: Single) -> Array:
    """Return probabilities of the classes, by coefficients from `fit_softmax`."""
    logits = np.asarray(X, dtype=np.float32) @ coefficients[:-1] + coefficients[-1]
    logits = logits.astype(np.float64)
    if logits.shape[1] == 1:
        logits = np.hstack([np.zeros_like(logits), logits])
    logits -= logits.max(axis=1, keepdims=True)
    np.exp(logits, out=logits)
    return np.asarray(logits / logits.sum(axis=1, keepdims=True))


def _problem(
    X: NDArray[Any], codes: NDArray[np.intp], weights: NDArray[Any] | None, penalty: float
) -> _Problem:
    n_rows, n_columns = X.shape
    rows = np.ones((n_rows, n_columns + 1), dtype=np.float32)
    rows[:, :-1] = X
    targets = np.eye(int(codes.max()) + 1, dtype=np.float32)[codes]
    if targets.shape[1] == 2:
        targets = np.ascontiguousarray(targets[:, 1:])
    kept = np.ones(n_rows, np.float32) if weights is None else np.asarray(weights, np.float32)
    penalties = np.append(np.full(n_columns, penalty), 0.0).astype(np.float32)
    return _Problem(rows, targets, kept, penalties)


def _direction(slope: Single, steps: list[tuple[Single, Single, float]], factor: Single) -> Single:
    """Return the way down by limited-memory BFGS, from the factored curvature on."""
    way = -slope
    shares = []
    for move, change, inner in reversed(steps):
        share = float(np.vdot(move, way)) / inner
        way = way - share * change
        shares.append(share)
    way, _ = lapack.spotrs(factor, way, lower=1)
    for (move, change, inner), share in zip(steps, reversed(shares), strict=True):
        way = way + move * (share - float(np.vdot(change, way)) / inner)
    return np.asarray(way, dtype=np.float32)


def _step(
    problem: _Problem, found: Single, value: float, slope: Single, direction: Single
) -> tuple[Single, float, Single] | None:
    """Return a step that goes down far enough, with the loss and the probabilities after it."""
    downhill = float(np.vdot(slope, direction))
    if downhill >= 0:
        return None
    length = 1.0
    for _ in range(N_HALVINGS):
        move = np.float32(length) * direction
        reached, probabilities = problem.loss(found + move)
        if reached <= value + SUFFICIENT * length * downhill:
            return move, reached, probabilities
        length *= 0.5
    return None
