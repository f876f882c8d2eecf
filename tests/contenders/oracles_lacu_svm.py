"""LACU-SVM as it is written down: slack variables, two copies of each unlabeled row, loops.

A generic optimizer solves the convex problems; only tiny ones.
"""

import numpy as np
from scipy.optimize import minimize

RAMP = -0.3


def ramp(z):
    return min(max(1.0 - z, 0.0), 1.0 - RAMP)


def outputs_of(K, coefficients, intercept):
    n = len(K)
    return [sum(K[i, j] * coefficients[j] for j in range(n)) + intercept for i in range(n)]


def penalized_hinge(K, coefficients, outputs, is_positive, cost):
    n = range(len(K))
    total = 0.5 * sum(coefficients[i] * K[i, j] * coefficients[j] for i in n for j in n)
    for output, positive in zip(outputs, is_positive, strict=False):
        total += cost * max(0.0, 1.0 - (output if positive else -output))
    return total


def objective(K, coefficients, intercept, is_positive, cost):
    """Return the penalized hinge and ramp loss of a machine."""
    outputs = outputs_of(K, coefficients, intercept)
    total = penalized_hinge(K, coefficients, outputs, is_positive, cost)
    unlabeled = outputs[len(is_positive) :]
    for output in unlabeled:
        total += cost * len(is_positive) / len(unlabeled) * (ramp(output) + ramp(-output))
    return total


def convex_objective(K, coefficients, intercept, is_positive, cost, tangents):
    """Return the same with the concave part of each ramp replaced by a line."""
    outputs = outputs_of(K, coefficients, intercept)
    total = penalized_hinge(K, coefficients, outputs, is_positive, cost)
    unlabeled = outputs[len(is_positive) :]
    for output, tangent in zip(unlabeled, tangents, strict=True):
        both = max(0.0, 1.0 - output) + max(0.0, 1.0 + output) + tangent * output
        total += cost * len(is_positive) / len(unlabeled) * both
    return total


def solve_convex(K, is_positive, cost, margin, limits, tangents):
    """Return outputs and value of the convex problem with the given slopes of the concave part.

    Variables: coefficients, intercept, a slack per labeled row, two per unlabeled row.
    """
    n_labeled, n = len(is_positive), len(K)
    n_unlabeled = n - n_labeled
    cost_unlabeled = cost * n_labeled / n_unlabeled
    n_slacks = n_labeled + 2 * n_unlabeled
    signs = np.concatenate(
        [np.where(is_positive, 1.0, -1.0), np.ones(n_unlabeled), -np.ones(n_unlabeled)]
    )
    copies = np.concatenate([np.arange(n), np.arange(n_labeled, n)])
    weights = np.concatenate([np.full(n_labeled, cost), np.full(2 * n_unlabeled, cost_unlabeled)])
    rows = np.column_stack([K, np.ones(n)])  # outputs in terms of coefficients and intercept
    tilt = cost_unlabeled * np.asarray(tangents) @ rows[n_labeled:]

    def value(v):
        return 0.5 * v[:n] @ K @ v[:n] + tilt @ v[: n + 1] + weights @ v[n + 1 :]

    def gradient(v):
        return np.concatenate([K @ v[:n], [0.0], weights]) + np.append(tilt, np.zeros(n_slacks))

    mean = rows[n_labeled:].mean(axis=0)
    others = rows[:n_labeled][~np.asarray(is_positive)]
    # Each line says: left side, dotted with all variables, plus constant is not negative.
    left = np.vstack(
        [
            np.column_stack([signs[:, None] * rows[copies], np.eye(n_slacks)]),
            np.column_stack([np.zeros((n_slacks, n + 1)), np.eye(n_slacks)]),
            np.append(mean, np.zeros(n_slacks)),
            np.append(-mean, np.zeros(n_slacks)),
            np.column_stack([-others, np.zeros((len(others), n_slacks))]),
        ]
    )
    constant = np.concatenate(
        [
            -np.ones(n_slacks),
            np.zeros(n_slacks),
            [-limits[0], limits[1]],
            np.full(len(others), -margin),
        ]
    )
    result = minimize(
        value,
        np.concatenate([np.zeros(n + 1), np.ones(n_slacks)]),
        jac=gradient,
        method="SLSQP",
        constraints={"type": "ineq", "fun": lambda v: left @ v + constant, "jac": lambda v: left},
        options={"maxiter": 1000, "ftol": 1e-10},
    )
    assert np.all(left @ result.x + constant > -1e-6), result.message
    return rows @ result.x[: n + 1], result.fun
