"""Scores of rows held out of the fit: exactly for the square loss, by refitting for the others.

For the square loss every fold of every output comes from one factorization per penalty: with
``G = (K_uu + shift I)^-1`` and ``C = G g(U)``, scores on held-out unlabeled rows F are
``G_FF^-1 C_F / (2 penalty)``, and the fold's coefficients follow from the same block.
"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from eulac.data.folds import LacFolds
from eulac.maths.linear_systems import InverseFactor
from eulac.risk.held_out import HeldOut
from eulac.solvers.problem import KernelProblem, KernelSolution

__all__ = ["held_out_by_refitting", "held_out_scores"]

Array = NDArray[np.float64]
Solve = Callable[[KernelProblem, float], KernelSolution]


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


def held_out_by_refitting(
    problem: KernelProblem, folds: LacFolds, penalty: float, solve: Solve
) -> HeldOut:
    """Return held-out scores by solving anew on each fold's training rows, for any loss."""
    n_outputs = problem.n_known_classes + 1
    labeled = np.empty((problem.n_labeled, n_outputs))
    unlabeled = np.empty((folds.n_held_out, n_outputs))
    for kept_l, kept_u, held_out, rows in _training_rows(folds):
        solution = solve(problem.subset(kept_l, kept_u), penalty)
        labeled[held_out] = solution.scores(
            problem.K_ll[np.ix_(held_out, kept_l)], problem.K_lu[np.ix_(held_out, kept_u)]
        )
        unlabeled[rows] = solution.scores(
            problem.K_lu[kept_l, rows].T, problem.K_uu[rows, :][:, kept_u]
        )
    return HeldOut(labeled, unlabeled, problem.y_labeled, problem.weights)


def _training_rows(
    folds: LacFolds,
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp], slice]]:
    everyone = np.arange(folds.n_unlabeled)
    for held_out, rows in folds:
        kept_labeled = np.flatnonzero(~np.isin(np.arange(len(folds.labeled)), held_out))
        yield kept_labeled, np.delete(everyone, rows), held_out, rows
