"""Which solver minimizes which loss, and a full sentence where none does."""

from collections.abc import Callable
from dataclasses import dataclass

from eulac.maths.losses import Loss, get_loss
from eulac.risk.unbiased import require_linear_odd_part
from eulac.solvers.closed_form import solve_closed_form
from eulac.solvers.newton import solve_newton, solve_smoothed_newton
from eulac.solvers.problem import KernelProblem, KernelSolution

__all__ = ["SOLVERS", "Solver", "SolverKind", "choose_solver"]


@dataclass(frozen=True)
class SolverKind:
    """A way to minimize Eq. (8), for losses that allow it."""

    name: str
    allows: Callable[[Loss], bool]
    minimize: Callable[[KernelProblem, float, Loss], KernelSolution]


@dataclass(frozen=True)
class Solver:
    """The way to minimize Eq. (8) under one loss."""

    name: str
    loss: Loss
    minimize: Callable[[KernelProblem, float, Loss], KernelSolution]

    def solve(self, problem: KernelProblem, penalty: float) -> KernelSolution:
        """Return the minimizer of a problem."""
        return self.minimize(problem, penalty, self.loss)


SOLVERS: tuple[SolverKind, ...] = (
    SolverKind(
        "closed_form",
        lambda loss: loss.quadratic,
        lambda problem, penalty, loss: solve_closed_form(problem, penalty),
    ),
    SolverKind("newton", lambda loss: loss.newton, solve_newton),
    SolverKind("smoothed_newton", lambda loss: loss.smoothed is not None, solve_smoothed_newton),
)
"""In the order of preference."""


def choose_solver(loss: str | Loss) -> Solver:
    """Return the solver for a loss, or say why there is none.

    Examples
    --------
    >>> choose_solver("logistic").name
    'newton'
    """
    loss = get_loss(loss) if isinstance(loss, str) else loss
    require_linear_odd_part(loss)
    for kind in SOLVERS:
        if kind.allows(loss):
            return Solver(kind.name, loss, kind.minimize)
    raise ValueError(
        f"no solver minimizes loss {loss.name!r}: it must be `quadratic`, allow `newton`, or be "
        "`smoothed`; it says none of that of itself. Set one of these attributes of the loss."
    )
