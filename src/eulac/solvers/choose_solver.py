"""Which solver goes with which loss, and a full sentence where none does."""

from collections.abc import Callable
from dataclasses import dataclass

from eulac.maths.losses import get_loss
from eulac.risk.unbiased import require_linear_odd_part
from eulac.solvers.closed_form import solve_closed_form
from eulac.solvers.newton import solve_double_hinge, solve_logistic
from eulac.solvers.problem import KernelProblem, KernelSolution

__all__ = ["SOLVERS", "Solver", "choose_solver"]


@dataclass(frozen=True)
class Solver:
    """A way to minimize Eq. (8), for one loss."""

    name: str
    loss: str
    solve: Callable[[KernelProblem, float], KernelSolution]


SOLVERS: tuple[Solver, ...] = (
    Solver("closed_form", "square", solve_closed_form),
    Solver("newton", "logistic", solve_logistic),
    Solver("smoothed_newton", "double_hinge", solve_double_hinge),
)


def choose_solver(loss: str, name: str = "auto") -> Solver:
    """Return the solver for a loss, or say why there is none.

    Examples
    --------
    >>> choose_solver("logistic").name
    'newton'
    """
    require_linear_odd_part(get_loss(loss))
    fitting = next(solver for solver in SOLVERS if solver.loss == loss)
    known = {solver.name: solver for solver in SOLVERS}
    if name != "auto" and name not in known:
        raise ValueError(f"unknown solver {name!r}. Known: auto, {', '.join(known)}.")
    if name not in ("auto", fitting.name):
        raise ValueError(
            f"solver {name!r} needs the {known[name].loss} loss; got {loss!r}. "
            f"Use solver={fitting.name!r} or 'auto'."
        )
    return fitting
