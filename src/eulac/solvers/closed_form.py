"""Square loss: the minimizer in closed form, one linear system for all K + 1 outputs.

With ``target = sign - offset`` of an output, its function without the constant is
``f(x) = (g(x) - k(x, U) a) / (2 penalty)``, where ``(K_uu + 4 n_u penalty I) a = g(U)`` and g
collects the pull of all rows. Labeled rows never enter the system.
"""

import numpy as np

from eulac.maths.linear_systems import solve_shifted
from eulac.solvers.problem import KernelProblem, KernelSolution

__all__ = ["solve_closed_form"]


def solve_closed_form(problem: KernelProblem, penalty: float) -> KernelSolution:
    """Return the minimizer of Eq. (8) under the square loss.

    Examples
    --------
    One labeled and one unlabeled row that coincide: the augmented score there must be negative.

    >>> import numpy as np
    >>> one = np.ones((1, 1))
    >>> problem = KernelProblem(one, one, one, np.array([0]), np.array([1.0]), 1)
    >>> solve_closed_form(problem, penalty=0.25).scores(one, one).round(3)
    array([[ 0.5, -0.5]])
    """
    pull_labeled = problem.labeled_pull()
    pull_unlabeled = (problem.signs - problem.offsets) / (2 * problem.n_unlabeled)
    g_unlabeled = problem.K_lu.T @ pull_labeled
    g_unlabeled += np.outer(problem.K_uu.sum(axis=1), pull_unlabeled)
    a = solve_shifted(problem.K_uu, 4 * problem.n_unlabeled * penalty, g_unlabeled)
    return KernelSolution(
        pull_labeled / (2 * penalty), (pull_unlabeled - a) / (2 * penalty), problem.offsets
    )
