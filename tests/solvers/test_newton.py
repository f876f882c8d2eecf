"""Newton's method: the closed form where there is one, the generic optimum elsewhere."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from eulac.maths.kernels import GaussianKernel, LinearKernel
from eulac.maths.losses import LOSSES, smoothed_double_hinge
from eulac.solvers.closed_form import solve_closed_form
from eulac.solvers.newton import _OutputEquations, solve_newton, solve_smoothed_newton
from eulac.solvers.search import choose_solver
from oracles import (
    GAUSSIAN,
    coefficients_of,
    double_hinge_optimum,
    draw_kernel_task,
    full_kernel,
    generic_coefficients,
    kernel_objective,
)

SIZES = {
    "two classes": {},
    "one class": {"n_known_classes": 1},
    "few unlabeled": {"n_labeled": 9, "n_unlabeled": 4, "n_known_classes": 3},
}
SMOOTH = {"square": LOSSES["square"], "logistic": LOSSES["logistic"]} | {
    f"smoothed-{t}": smoothed_double_hinge(t) for t in (1.0, 0.1)
}
each_size = pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
each_offset = pytest.mark.parametrize("offset", [0.0, 1.0])
each_penalty = pytest.mark.parametrize("penalty", [1e-3, 0.05, 2.0])
each_smooth_loss = pytest.mark.parametrize("loss", SMOOTH.values(), ids=SMOOTH)


@each_size
@each_offset
@each_penalty
def test_under_the_square_loss_newton_is_the_closed_form(size, offset, penalty):
    problem = draw_kernel_task(**size).problem(GAUSSIAN, offset)
    newton = solve_newton(problem, penalty, LOSSES["square"])
    closed = solve_closed_form(problem, penalty)
    np.testing.assert_allclose(newton.labeled, closed.labeled, rtol=1e-12)
    np.testing.assert_allclose(newton.unlabeled, closed.unlabeled, atol=1e-6)


@each_size
@each_offset
@each_penalty
def test_the_logistic_solution_is_the_generic_optimum(size, offset, penalty):
    problem, loss = draw_kernel_task(**size).problem(GAUSSIAN, offset), LOSSES["logistic"]
    found = coefficients_of(choose_solver("logistic").solve(problem, penalty))
    generic = generic_coefficients(problem, penalty, loss)
    K = full_kernel(problem)
    np.testing.assert_allclose(K @ found, K @ generic, atol=1e-5)
    best = kernel_objective(problem, generic, penalty, loss)
    assert kernel_objective(problem, found, penalty, loss) <= best + 1e-10


@each_size
@each_offset
@each_penalty
def test_the_double_hinge_solution_is_as_near_the_smallest_objective_as_it_says(
    size, offset, penalty
):
    problem, loss = draw_kernel_task(**size).problem(GAUSSIAN, offset), LOSSES["double_hinge"]
    solution = solve_smoothed_newton(problem, penalty, loss)
    found = kernel_objective(problem, coefficients_of(solution), penalty, loss)
    smallest = double_hinge_optimum(problem, penalty)
    allowed = (problem.n_known_classes + 1) * 1e-4 * np.log(3)
    assert smallest - 1e-8 <= found <= smallest + allowed


@each_smooth_loss
@each_offset
@each_penalty
def test_solutions_satisfy_the_optimality_equations(loss, offset, penalty):
    problem = draw_kernel_task(n_labeled=20, n_unlabeled=30).problem(GAUSSIAN, offset)
    solution = solve_newton(problem, penalty, loss)
    margins = problem.signs * solution.scores(problem.K_lu.T, problem.K_uu)
    expected = -problem.signs * loss.derivative(margins) / (2 * penalty * problem.n_unlabeled)
    scale = 2 * penalty * problem.n_unlabeled
    np.testing.assert_allclose(scale * solution.unlabeled, scale * expected, atol=1e-8)
    np.testing.assert_allclose(solution.labeled, problem.labeled_pull() / (2 * penalty))


@pytest.mark.parametrize(
    "kernel", [GaussianKernel(0.1), GaussianKernel(20.0), LinearKernel()], ids=repr
)
@pytest.mark.parametrize("loss", ["logistic", "double_hinge"])
@pytest.mark.parametrize("penalty", [1e-5, 10.0])
def test_hard_kernels_and_penalties_converge_without_a_warning(kernel, loss, penalty):
    task = draw_kernel_task(n_labeled=20, n_unlabeled=40, n_known_classes=3)
    solution = choose_solver(loss).solve(task.problem(kernel), penalty)
    assert np.all(np.isfinite(solution.unlabeled))


@each_smooth_loss
def test_the_start_does_not_change_the_solution(loss):
    problem = draw_kernel_task().problem(GAUSSIAN)
    start = np.random.default_rng(0).standard_normal((9, 3))
    before = start.copy()
    cold, warm = (solve_newton(problem, 0.05, loss, start=s) for s in (None, start))
    np.testing.assert_allclose(warm.unlabeled, cold.unlabeled, atol=1e-6)
    np.testing.assert_array_equal(start, before)


def test_too_few_steps_are_reported_in_a_sentence():
    problem = draw_kernel_task().problem(GAUSSIAN)
    with pytest.warns(
        ConvergenceWarning,
        match=r"Newton's method stopped after 1 steps with a violation of \d\.\de-\d\d, above the "
        r"tolerance 1\.0e-08 \(loss 'logistic', penalty 0\.001\)\. Use a larger penalty or the "
        r"square loss\.",
    ):
        solve_newton(problem, 1e-3, LOSSES["logistic"], max_steps=1)


def test_a_loss_without_smooth_bounds_is_refused():
    problem = draw_kernel_task().problem(GAUSSIAN)
    with pytest.raises(ValueError, match=r"loss 'logistic' must have smooth upper bounds"):
        solve_smoothed_newton(problem, 0.1, LOSSES["logistic"])


def test_a_warning_points_to_who_asked_for_the_solution():
    with pytest.warns(ConvergenceWarning) as caught:
        solve_newton(draw_kernel_task().problem(GAUSSIAN), 1e-3, LOSSES["logistic"], max_steps=1)
    assert caught[0].filename == __file__


def test_a_looser_tolerance_is_met_and_no_more_than_that_is_asked():
    problem = draw_kernel_task(n_labeled=20, n_unlabeled=30).problem(GAUSSIAN)
    loss, penalty = LOSSES["logistic"], 1e-3
    scale = 2 * penalty * problem.n_unlabeled

    def violation(tolerance):
        solution = solve_newton(problem, penalty, loss, tolerance=tolerance)
        margins = problem.signs * solution.scores(problem.K_lu.T, problem.K_uu)
        equations = scale * solution.unlabeled + problem.signs * loss.derivative(margins)
        return np.abs(equations).max()

    assert violation(1e-8) <= 1e-8 < violation(0.05) <= 0.05


@each_size
@each_offset
@pytest.mark.parametrize(("penalty", "n_steps"), [(1e-3, 12), (0.05, 4), (2.0, 2)])
def test_one_step_solves_the_square_loss_and_a_few_the_logistic_one(size, offset, penalty, n_steps):
    problem = draw_kernel_task(**size).problem(GAUSSIAN, offset)
    solve_newton(problem, penalty, LOSSES["square"], max_steps=1)  # warnings are errors here
    solve_newton(problem, penalty, LOSSES["logistic"], max_steps=n_steps)


def test_no_step_is_needed_from_the_solution():
    problem = draw_kernel_task().problem(GAUSSIAN)
    found = solve_newton(problem, 0.05, LOSSES["logistic"])
    again = solve_newton(problem, 0.05, LOSSES["logistic"], start=found.unlabeled, max_steps=0)
    np.testing.assert_array_equal(again.unlabeled, found.unlabeled)


@pytest.mark.parametrize("size", [3.0, 30.0, 1e3])
def test_a_step_that_is_too_long_is_halved_until_the_objective_falls(size):
    problem, loss = draw_kernel_task().problem(GAUSSIAN), LOSSES["logistic"]
    equations = _OutputEquations(problem.K_uu, np.zeros(9), 1.0, 0.05, loss)
    b = np.zeros(9)
    residual = equations.residual(b, b)
    step = equations.newton_step(residual, b)
    there, K_there = equations.damped(b, b, size * step, residual)
    assert equations.objective(there, K_there) < equations.objective(b, b)
    np.testing.assert_allclose(K_there, problem.K_uu @ there)
    halvings = np.log2(size * step[0] / there[0])
    assert halvings == pytest.approx(round(halvings))
    whole, _ = equations.damped(b, b, step, residual)
    np.testing.assert_array_equal(whole, step)
