"""Choosing the solver of a loss, and bandwidth and penalty by label-free risk of held-out rows.

Both criteria of the search are unbiased estimates under the test distribution, so candidates are
compared on what they are for. They are comparable across kernels and penalties, never across
proportions.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eulac.data.folds import LacFolds
from eulac.data.lac_sample import LacSample
from eulac.maths.kernels import GaussianKernel, LinearKernel, squared_distances
from eulac.maths.losses import Loss, get_loss, require_linear_odd_part
from eulac.maths.threads import blas_threads, share_cores
from eulac.risk.held_out import HeldOut
from eulac.risk.unbiased import convex_lac_risk
from eulac.risk.zero_one import RiskEstimate, zero_one_risk
from eulac.solvers.closed_form import held_out_scores, solve_closed_form
from eulac.solvers.newton import solve_newton, solve_smoothed_newton
from eulac.solvers.problem import KernelProblem, KernelSolution

__all__ = [
    "SELECTIONS",
    "SOLVERS",
    "Candidate",
    "Refit",
    "SearchSettings",
    "Solver",
    "SolverKind",
    "as_table",
    "choose_solver",
    "held_out",
    "held_out_by_refitting",
    "kernel_problems",
    "refit",
    "search",
]

Kernel = GaussianKernel | LinearKernel
SELECTIONS = ("zero_one", "surrogate")


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
        "`smoothed`; it is none of these. Set one of these attributes of the loss."
    )


@dataclass(frozen=True)
class SearchSettings:
    """What is searched, and by which criterion."""

    kernels: Sequence[Kernel]
    penalties: Sequence[float]
    solver: Solver
    selection: str = "zero_one"
    offset: float = 0.0
    n_jobs: int | None = None
    augmented_weight: float | None = None

    def __post_init__(self) -> None:
        if self.selection not in SELECTIONS:
            raise ValueError(
                f"`selection` must be one of {', '.join(map(repr, SELECTIONS))}; "
                f"got {self.selection!r}."
            )
        if not len(self.kernels) or not len(self.penalties):
            raise ValueError("the grid is empty: give at least one bandwidth and one penalty.")


@dataclass(frozen=True)
class Candidate:
    """One kernel and penalty with what held-out rows say about them."""

    kernel: Kernel
    penalty: float
    zero_one: RiskEstimate
    surrogate: float


class Refit(NamedTuple):
    """One candidate solved on all rows, and its scores of rows held out."""

    problem: KernelProblem
    solution: KernelSolution
    squared_norms: NDArray[np.float64]
    held_out: HeldOut


def kernel_problems(
    sample: LacSample, weights: NDArray[np.float64], settings: SearchSettings
) -> Iterator[tuple[Kernel, KernelProblem]]:
    """Yield the problem of each kernel; squared distances are computed once for all of them.

    Memory: the distances, and one set of kernel blocks at a time.
    """
    X, U = sample.X_labeled, sample.X_unlabeled
    pairs = ((U, U), (X, U), (X, X))
    gaussian = any(isinstance(kernel, GaussianKernel) for kernel in settings.kernels)
    distances = [squared_distances(A, B) for A, B in pairs] if gaussian else []

    def problem(kernel: Kernel) -> KernelProblem:
        if isinstance(kernel, GaussianKernel):
            K_uu, K_lu, K_ll = (kernel.from_squared_distances(part) for part in distances)
        else:
            K_uu, K_lu, K_ll = (kernel.block(A, B) for A, B in pairs)
        return KernelProblem(
            K_uu,
            K_lu,
            K_ll,
            sample.y_labeled,
            weights,
            sample.n_known_classes,
            settings.offset,
            settings.augmented_weight,
        )

    for kernel in settings.kernels:
        # Not held here: the caller lets go of one problem before it asks for the next.
        yield kernel, problem(kernel)


def search(
    sample: LacSample,
    weights: NDArray[np.float64],
    folds: LacFolds,
    settings: SearchSettings,
    progress: Callable[[int, int], Any] | None = None,
) -> tuple[Candidate, list[Candidate]]:
    """Return the best candidate, and all of them kernel by kernel.

    Parameters
    ----------
    sample, weights, folds
        Rows, their weights and how they are held out.
    settings : SearchSettings
    progress : callable, optional
        Called after each kernel with the number of kernels done and that of all.
    """
    workers, threads = share_cores(settings.n_jobs, sample.n_unlabeled)
    candidates: list[Candidate] = []
    with blas_threads(threads):
        for index, (kernel, problem) in enumerate(kernel_problems(sample, weights, settings)):
            penalties, solver = settings.penalties, settings.solver
            by_penalty = held_out(problem, folds, solver, penalties, workers)
            candidates.extend(
                assess(kernel, penalty, scores, solver.loss)
                for penalty, scores in zip(penalties, by_penalty, strict=True)
            )
            del problem  # Before the next kernel's blocks are made: one set of them at a time.
            if progress is not None:
                progress(index + 1, len(settings.kernels))
    shape = (len(settings.kernels), len(settings.penalties))
    return candidates[select(candidates, shape, settings.selection)], candidates


def refit(
    sample: LacSample, weights: NDArray[np.float64], folds: LacFolds, settings: SearchSettings
) -> Refit:
    """Return the solution on all rows of the only candidate, with its held-out scores."""
    [penalty] = settings.penalties
    _, threads = share_cores(settings.n_jobs, sample.n_unlabeled)
    with blas_threads(threads):
        [(_, problem)] = kernel_problems(sample, weights, settings)
        [scores] = held_out(problem, folds, settings.solver, [penalty])
        solution = settings.solver.solve(problem, penalty)
        return Refit(problem, solution, solution.squared_norms(problem), scores)


def select(candidates: Sequence[Candidate], shape: tuple[int, int], selection: str) -> int:
    """Return the index of the best candidate of a kernels by penalties grid.

    The 0-1 risk is a noisy count, so each value is averaged with its grid neighbors before they
    are compared (weights 4 and 1); what ties is decided by the surrogate risk.
    """
    surrogate = np.array([candidate.surrogate for candidate in candidates])
    if selection == "surrogate":
        return int(surrogate.argmin())
    # An unbiased risk below zero is luck: nobody makes fewer errors than none.
    raw = np.array([max(candidate.zero_one.raw, 0.0) for candidate in candidates]).reshape(shape)
    padded = np.pad(raw, 1, mode="edge")
    neighbors = padded[:-2, 1:-1] + padded[2:, 1:-1] + padded[1:-1, :-2] + padded[1:-1, 2:]
    # Rounding makes counts that agree on paper agree in floating point too.
    smooth = np.round((4 * raw + neighbors) / 8, 12).ravel()
    return int(np.lexsort((surrogate, smooth))[0])


DIGITS = 12
"""Decimals of scores beyond which they are no evidence: shares of classes round them off."""


def assess(kernel: Kernel, penalty: float, scores: HeldOut, loss: Loss) -> Candidate:
    """Return the candidate with both label-free risks of its held-out scores."""
    y, weights = scores.y_labeled, scores.weights
    # Narrow kernels leave scores of 1e-30, whose largest is the nearest row; no rule sees them.
    labeled, unlabeled = (np.round(part, DIGITS) for part in (scores.labeled, scores.unlabeled))
    zero_one = zero_one_risk(
        labeled.argmax(axis=1),
        y,
        weights,
        unlabeled.argmax(axis=1),
        augmented=scores.augmented,
    )
    surrogate = convex_lac_risk(scores.labeled, y, weights, scores.unlabeled, loss)
    return Candidate(kernel, penalty, zero_one, float(surrogate))


def held_out(
    problem: KernelProblem,
    folds: LacFolds,
    solver: Solver,
    penalties: Sequence[float],
    n_workers: int = 1,
) -> list[HeldOut]:
    """Return held-out scores for each penalty, as quickly as the loss allows."""
    if solver.loss.quadratic:
        return held_out_scores(problem, folds, penalties, n_workers=n_workers)
    return [held_out_by_refitting(problem, folds, p, solver) for p in penalties]


def held_out_by_refitting(
    problem: KernelProblem, folds: LacFolds, penalty: float, solver: Solver
) -> HeldOut:
    """Return held-out scores by solving anew on each fold's training rows, for any loss."""
    n_outputs = problem.n_known_classes + 1
    labeled = np.empty((problem.n_labeled, n_outputs))
    unlabeled = np.empty((folds.n_held_out, n_outputs))
    for kept_l, kept_u, held_out, rows in _training_rows(folds):
        solution = solver.solve(problem.subset(kept_l, kept_u), penalty)
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


def as_table(candidates: Sequence[Candidate]) -> dict[str, NDArray[np.float64]]:
    """Return the candidates as columns, the form of scikit-learn's ``cv_results_``."""
    rows = [
        {
            "bandwidth": getattr(candidate.kernel, "bandwidth", float("nan")),
            "penalty": candidate.penalty,
            "zero_one_risk": candidate.zero_one.raw,
            "zero_one_standard_error": candidate.zero_one.standard_error,
            "surrogate_risk": candidate.surrogate,
        }
        for candidate in candidates
    ]
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}
