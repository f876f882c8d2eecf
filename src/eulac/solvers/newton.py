"""Smooth convex losses: damped Newton steps, each a Cholesky system per output.

At the optimum an unlabeled row's coefficient is ``b_j = -l'(f(u_j)) / (2 penalty n_u)``, l the
output's loss of a score. Newton's method solves these equations in b; the objective guards each
step. The double hinge is approached through smooth upper bounds that tighten step by step.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from sklearn.exceptions import ConvergenceWarning

from eulac.exceptions import warn_caller
from eulac.maths.losses import Loss
from eulac.solvers.problem import KernelProblem, KernelSolution

__all__ = ["solve_newton", "solve_smoothed_newton"]

Array = NDArray[np.float64]

FINAL_TEMPERATURE = 1e-4


def solve_smoothed_newton(problem: KernelProblem, penalty: float, loss: Loss) -> KernelSolution:
    """Return a minimizer of Eq. (8) under a loss with smooth upper bounds, to a known accuracy.

    The smoothed double hinge exceeds the double hinge by at most ``temperature * log(3)``, so the
    objective reached is within ``(K + 1) * 1e-4 * log(3)`` of the smallest.

    Examples
    --------
    >>> from eulac.maths.losses import LOSSES
    >>> one = np.ones((1, 1))
    >>> problem = KernelProblem(one, one, one, np.array([0]), np.array([1.0]), 1)
    >>> solution = solve_smoothed_newton(problem, 0.1, LOSSES["double_hinge"])
    >>> bool(solution.scores(one, one)[0, 0] > 0)
    True
    """
    if loss.smoothed is None:
        raise ValueError(f"loss {loss.name!r} must have smooth upper bounds, `smoothed`; got none.")
    start = None
    temperature = 1.0
    while temperature > FINAL_TEMPERATURE:
        temperature = max(0.25 * temperature, FINAL_TEMPERATURE)
        solution = solve_newton(problem, penalty, loss.smoothed(temperature), start=start)
        start = solution.unlabeled
    return solution


def solve_newton(
    problem: KernelProblem,
    penalty: float,
    loss: Loss,
    *,
    start: Array | None = None,
    tolerance: float = 1e-8,
    max_steps: int = 100,
) -> KernelSolution:
    """Return the minimizer of Eq. (8) under a smooth convex loss.

    Parameters
    ----------
    problem : KernelProblem
    penalty : float
    loss : Loss
        Convex and twice differentiable, with a linear odd part.
    start : array of shape (n_unlabeled, n_known_classes + 1), optional
        Coefficients to start from.
    tolerance : float, default=1e-8
        Largest violation of the optimality equations, on the scale of the loss's slope.
    max_steps : int, default=100
        Per output; a `ConvergenceWarning` says when they did not suffice.

    Examples
    --------
    >>> from eulac.maths.losses import LOSSES
    >>> one = np.ones((1, 1))
    >>> problem = KernelProblem(one, one, one, np.array([0]), np.array([1.0]), 1)
    >>> bool(solve_newton(problem, 0.1, LOSSES["logistic"]).scores(one, one)[0, 0] > 0)
    True
    """
    labeled = problem.labeled_pull() / (2 * penalty)
    base = problem.K_lu.T @ labeled + problem.offsets
    unlabeled = np.zeros_like(base) if start is None else start.copy()
    violations = []
    for output, sign in enumerate(problem.signs):
        equations = _OutputEquations(problem.K_uu, base[:, output], sign, penalty, loss)
        unlabeled[:, output], violation = equations.solve(
            unlabeled[:, output], tolerance, max_steps
        )
        violations.append(violation)
    if max(violations) > tolerance:
        warn_caller(
            f"Newton's method stopped after {max_steps} steps with a violation of "
            f"{max(violations):.1e}, above the tolerance {tolerance:.1e} (loss {loss.name!r}, "
            f"penalty {penalty:.3g}). Use a larger penalty or the square loss.",
            ConvergenceWarning,
        )
    return KernelSolution(labeled, unlabeled, problem.offsets)


class _OutputEquations:
    """One output's problem in the coefficients b: scores are ``base + K b``."""

    def __init__(self, K: Array, base: Array, sign: float, penalty: float, loss: Loss):
        self.K, self.base, self.sign, self.loss = K, base, sign, loss
        self.scale = 2 * penalty * len(K)

    def objective(self, b: Array, Kb: Array) -> float:
        """Loss of the unlabeled rows plus penalty, times n_u, up to a constant in b.

        The labeled pull cancels against the cross term of the penalty: both are linear in b.
        """
        fit = self.loss.value(self.sign * (self.base + Kb)).sum()
        return float(fit + 0.5 * self.scale * (b @ Kb))

    def residual(self, b: Array, Kb: Array) -> Array:
        """Return ``scale * b + l'(scores)``, zero at the optimum."""
        slope = self.sign * self.loss.derivative(self.sign * (self.base + Kb))
        return np.asarray(self.scale * b + slope)

    def solve(self, b: Array, tolerance: float, max_steps: int) -> tuple[Array, float]:
        """Return coefficients and their largest violation."""
        Kb = self.K @ b
        residual = self.residual(b, Kb)
        for _ in range(max_steps):
            if np.abs(residual).max() <= tolerance:
                break
            step = self.newton_step(residual, Kb)
            b, Kb = self.damped(b, Kb, step, residual)
            residual = self.residual(b, Kb)
        return b, float(np.abs(residual).max())

    def newton_step(self, residual: Array, Kb: Array) -> Array:
        """Solve ``(scale I + W K) step = -residual`` through a symmetric system."""
        curvature = self.loss.second_derivative(self.sign * (self.base + Kb))
        root = np.sqrt(np.maximum(curvature, 0.0))
        system = root[:, None] * self.K * root
        system.flat[:: len(root) + 1] += self.scale
        inner = cho_solve(
            cho_factor(system, lower=True, overwrite_a=True, check_finite=False),
            root * (self.K @ residual),
            check_finite=False,
        )
        return np.asarray((root * inner - residual) / self.scale)

    def damped(self, b: Array, Kb: Array, step: Array, residual: Array) -> tuple[Array, Array]:
        """Halve the step until the objective falls enough."""
        K_step = self.K @ step
        value, slope = self.objective(b, Kb), float(residual @ K_step)
        size = 1.0
        while size > 1e-10:
            trial, K_trial = b + size * step, Kb + size * K_step
            if self.objective(trial, K_trial) <= value + 1e-4 * size * slope + 1e-12 * abs(value):
                break
            size *= 0.5
        return trial, K_trial
