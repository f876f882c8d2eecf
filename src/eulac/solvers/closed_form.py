"""Square loss: the minimizer in closed form, and exact scores of rows held out of it.

With ``target = sign - offset`` of an output, its function without the constant is
``f(x) = (g(x) - k(x, U) a) / (2 penalty)``, where ``(K_uu + 4 n_u penalty I) a = g(U)`` and g
collects the pull of all rows: one linear system for all K + 1 outputs, which labeled rows never
enter.

Every fold of every output comes from one factorization per penalty: with
``G = (K_uu + shift I)^-1`` and ``C = G g(U)``, scores on held-out unlabeled rows F are
``G_FF^-1 C_F / (2 penalty)``, and the fold's coefficients follow from the same block.
"""

from collections.abc import Sequence

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from eulac.data.folds import LacFolds
from eulac.maths.linear_systems import InverseFactor, solve_shifted
from eulac.risk.held_out import HeldOut
from eulac.solvers.problem import KernelProblem, KernelSolution

__all__ = ["held_out_scores", "solve_closed_form"]

Array = NDArray[np.float64]


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


def held_out_scores(
    problem: KernelProblem, folds: LacFolds, penalties: Sequence[float], *, n_workers: int = 1
) -> list[HeldOut]:
    """Return exact held-out scores under the square loss, for each penalty.

    Unlabeled rows are those that are held out once (`LacFolds.n_held_out`), in their order. Equal
    to refitting on every fold; the cost is one factorization of a matrix of all unlabeled rows per
    penalty, whatever the number of folds. Workers share the kernel blocks and hold one factor each.
    """
    shared = _FoldedProblem(problem, folds)
    workers = min(n_workers, len(penalties))
    if workers == 1:
        return [shared.scores(penalty) for penalty in penalties]
    jobs = (delayed(shared.scores)(penalty) for penalty in penalties)
    return list(Parallel(n_jobs=workers, backend="threading")(jobs))


class _FoldedProblem:
    """What all penalties share: the pull g of each fold's training rows, on every row."""

    def __init__(self, problem: KernelProblem, folds: LacFolds):
        self.problem, self.folds = problem, folds
        self.n_outputs = problem.n_known_classes + 1
        self.g_unlabeled = np.empty((problem.n_unlabeled, folds.n_folds * self.n_outputs))
        self.g_labeled = np.empty((problem.n_labeled, self.n_outputs))
        pulls = [self._pull(held_out) for held_out, _ in folds]
        # One product for all folds keeps the matrix of labeled rows in cache.
        self.g_unlabeled[:] = problem.K_lu.T @ np.hstack(pulls)
        for (held_out, _), pull in zip(folds, pulls, strict=True):
            self.g_labeled[held_out] = problem.K_ll[held_out] @ pull
        self._add_unlabeled_pull()

    @property
    def n_train(self) -> int:
        """Unlabeled rows each fold trains on."""
        return self.problem.n_unlabeled - self.folds.fold_size

    def _columns(self, fold: int) -> slice:
        return slice(fold * self.n_outputs, (fold + 1) * self.n_outputs)

    def _pull(self, held_out: NDArray[np.intp]) -> Array:
        """Pull of the labeled rows that are kept, zero on those held out."""
        pull = self.problem.labeled_pull()
        pull *= len(pull) / (len(pull) - len(held_out))
        pull[held_out] = 0.0
        return pull

    def _add_unlabeled_pull(self) -> None:
        target = (self.problem.signs - self.problem.offsets) / (2 * self.n_train)
        all_rows = self.problem.K_uu.sum(axis=1)
        for fold, (held_out, rows) in enumerate(self.folds):
            kept = all_rows - self.problem.K_uu[:, rows].sum(axis=1)
            self.g_unlabeled[:, self._columns(fold)] += np.outer(kept, target)
            K_hu = self.problem.K_lu[held_out]
            kept_labeled = K_hu.sum(axis=1) - K_hu[:, rows].sum(axis=1)
            self.g_labeled[held_out] += np.outer(kept_labeled, target)

    def scores(self, penalty: float) -> HeldOut:
        """Return held-out scores for one penalty."""
        inverse = InverseFactor(self.problem.K_uu, 4 * self.n_train * penalty)
        C = inverse.dot(self.g_unlabeled)
        unlabeled = np.empty((self.folds.n_held_out, self.n_outputs))
        spill = np.zeros_like(C)
        for fold, (_, rows) in enumerate(self.folds):
            own = C[rows, self._columns(fold)]
            unlabeled[rows] = np.linalg.solve(inverse.diagonal_block(rows), own)
            spill[rows, self._columns(fold)] = unlabeled[rows]
        # Coefficients of the kept rows; on the held-out rows they come out as zero.
        coefficients = C - inverse.dot(spill)
        labeled = self.g_labeled.copy()
        for fold, (held_out, rows) in enumerate(self.folds):
            own = coefficients[:, self._columns(fold)]
            own[rows] = 0.0
            labeled[held_out] -= self.problem.K_lu[held_out] @ own
        offsets, scale = self.problem.offsets, 2 * penalty
        scores = labeled / scale + offsets, unlabeled / scale + offsets
        return HeldOut(*scores, self.problem.y_labeled, self.problem.weights)
