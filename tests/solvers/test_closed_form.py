"""Square loss in closed form: the generic optimum, and facts that hold only there."""

import numpy as np
import pytest

from eulac.maths.kernels import LinearKernel
from eulac.maths.losses import LOSSES
from eulac.solvers.closed_form import solve_closed_form
from oracles import (
    GAUSSIAN,
    coefficients_of,
    draw_kernel_task,
    full_kernel,
    generic_coefficients,
    kernel_objective,
)

SQUARE = LOSSES["square"]
SIZES = {
    "few unlabeled": {"n_labeled": 9, "n_unlabeled": 4},
    "few labeled": {"n_labeled": 3, "n_unlabeled": 12},
    "one known class": {"n_known_classes": 1},
    "four known classes": {"n_known_classes": 4},
}
each_size = pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
each_offset = pytest.mark.parametrize("offset", [0.0, 0.5, 1.0])
each_penalty = pytest.mark.parametrize("penalty", [1e-3, 0.05, 2.0])


def scores_everywhere(problem, coefficients):
    return full_kernel(problem) @ coefficients + problem.offsets


@each_size
@each_offset
@each_penalty
def test_the_solution_is_the_generic_optimum(size, offset, penalty):
    problem = draw_kernel_task(**size).problem(GAUSSIAN, offset)
    found = coefficients_of(solve_closed_form(problem, penalty))
    generic = generic_coefficients(problem, penalty, SQUARE)
    scores = scores_everywhere(problem, generic)
    tolerance = 1e-6 * max(1.0, np.abs(scores).max())
    np.testing.assert_allclose(scores_everywhere(problem, found), scores, atol=tolerance)
    best = kernel_objective(problem, generic, penalty, SQUARE)
    assert kernel_objective(problem, found, penalty, SQUARE) <= best + 1e-12


@each_offset
@each_penalty
def test_no_small_change_of_the_coefficients_lowers_the_objective(offset, penalty):
    problem = draw_kernel_task(n_known_classes=3).problem(GAUSSIAN, offset)
    found = coefficients_of(solve_closed_form(problem, penalty))
    best = kernel_objective(problem, found, penalty, SQUARE)
    rng = np.random.default_rng(0)
    for size in (1e-4, 1e-2, 1.0):
        for _ in range(5):
            other = found + size * rng.standard_normal(found.shape)
            assert kernel_objective(problem, other, penalty, SQUARE) > best


@each_offset
@each_penalty
def test_the_sum_of_scores_does_not_depend_on_the_labels(offset, penalty):
    task = draw_kernel_task(n_labeled=12, n_known_classes=3)
    sums = []
    for labels in (task.y, task.y[::-1], np.zeros(12, dtype=int)):
        for weights in (task.weights, 0.1 * task.weights):
            problem = task._replace(y=labels, weights=weights).problem(GAUSSIAN, offset)
            solution = coefficients_of(solve_closed_form(problem, penalty))
            sums.append(scores_everywhere(problem, solution).sum(axis=1))
    for other in sums[1:]:
        np.testing.assert_allclose(other, sums[0], atol=1e-9)


@each_penalty
def test_a_heavy_offset_only_moves_what_the_functions_have_to_reach(penalty):
    # With offset 1 unlabeled rows are where they are pulled to: only labels move the scores.
    task = draw_kernel_task()
    problem = task._replace(weights=0 * task.weights).problem(GAUSSIAN, 1.0)
    solution = solve_closed_form(problem, penalty)
    np.testing.assert_allclose(coefficients_of(solution), 0.0, atol=1e-12)
    np.testing.assert_array_equal(solution.offsets, [-1.0, -1.0, 1.0])


def test_far_from_all_data_the_scores_are_the_offsets():
    task = draw_kernel_task()
    far = np.full((1, 2), 1e6)
    for offset in (0.0, 0.5, 1.0):
        solution = solve_closed_form(task.problem(GAUSSIAN, offset), 0.01)
        scores = solution.scores(GAUSSIAN.block(far, task.X), GAUSSIAN.block(far, task.U))
        np.testing.assert_array_equal(scores[0], [-offset, -offset, offset])


def test_duplicate_rows_and_a_singular_kernel_are_no_obstacle():
    task = draw_kernel_task(n_features=1)
    doubled = task._replace(
        X=np.repeat(task.X, 2, axis=0),
        y=np.repeat(task.y, 2),
        weights=np.repeat(task.weights, 2),
        U=np.repeat(task.U, 2, axis=0),
    )
    for kernel in (GAUSSIAN, LinearKernel()):
        once = solve_closed_form(task.problem(kernel), 0.1)
        twice = solve_closed_form(doubled.problem(kernel), 0.1)
        np.testing.assert_allclose(
            once.scores(kernel.block(task.U, task.X), kernel.block(task.U, task.U)),
            twice.scores(kernel.block(task.U, doubled.X), kernel.block(task.U, doubled.U)),
            atol=1e-9,
        )


def test_solving_leaves_the_problem_alone():
    problem = draw_kernel_task().problem(GAUSSIAN)
    before = [block.copy() for block in (problem.K_uu, problem.K_lu, problem.K_ll)]
    solve_closed_form(problem, 0.1)
    for old, new in zip(before, (problem.K_uu, problem.K_lu, problem.K_ll), strict=True):
        np.testing.assert_array_equal(old, new)
