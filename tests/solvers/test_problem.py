"""The kernel problem and its solution as plain data."""

from dataclasses import replace

import numpy as np
import pytest

from eulac.maths.losses import LOSSES
from eulac.risk.unbiased import convex_lac_risk
from eulac.solvers.problem import KernelProblem, KernelSolution
from oracles import GAUSSIAN, draw_kernel_task, full_kernel

BLOCKS = ("K_uu", "K_lu", "K_ll", "y_labeled", "weights")


def draw_solution(problem, seed=0):
    rng = np.random.default_rng(seed)
    n_outputs = problem.n_known_classes + 1
    return KernelSolution(
        rng.standard_normal((problem.n_labeled, n_outputs)),
        rng.standard_normal((problem.n_unlabeled, n_outputs)),
        problem.offsets,
    )


def test_the_problem_counts_its_rows():
    problem = draw_kernel_task(n_labeled=7, n_unlabeled=9).problem(GAUSSIAN)
    assert (problem.n_labeled, problem.n_unlabeled) == (7, 9)


@pytest.mark.parametrize("offset", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("n_known_classes", [1, 3])
def test_offsets_are_against_known_classes_and_for_the_augmented_one(offset, n_known_classes):
    problem = draw_kernel_task(n_known_classes=n_known_classes).problem(GAUSSIAN, offset)
    assert problem.signs.tolist() == [-1.0] * n_known_classes + [1.0]
    assert problem.offsets.tolist() == [-offset] * n_known_classes + [offset]


def test_the_labeled_pull_is_minus_the_derivative_of_the_risk():
    problem = draw_kernel_task(n_known_classes=3).problem(GAUSSIAN)
    rng = np.random.default_rng(0)
    labeled, unlabeled = (rng.standard_normal((n, 4)) for n in (7, 9))
    pull = problem.labeled_pull()

    def risk(scores):
        rows = (scores, problem.y_labeled, problem.weights, unlabeled)
        return convex_lac_risk(*rows, LOSSES["square"])

    for i, k in np.ndindex(labeled.shape):
        step = np.zeros_like(labeled)
        step[i, k] = 1e-3
        slope = (risk(labeled + step) - risk(labeled - step)) / 2e-3
        assert pull[i, k] == pytest.approx(-slope, abs=1e-10)


def test_the_pull_on_known_classes_is_that_on_the_augmented_one_reversed():
    pull = draw_kernel_task(n_known_classes=3).problem(GAUSSIAN).labeled_pull()
    np.testing.assert_allclose(pull.sum(axis=1), 0.0, atol=1e-15)


def test_a_subset_is_the_problem_of_its_rows():
    task = draw_kernel_task()
    labeled, unlabeled = np.array([5, 0, 2]), np.array([1, 8, 3, 4])
    subset = task.problem(GAUSSIAN, 0.5).subset(labeled, unlabeled)
    expected = task.problem(GAUSSIAN, 0.5, labeled, unlabeled)
    for name in BLOCKS:
        np.testing.assert_allclose(getattr(subset, name), getattr(expected, name), rtol=1e-12)
    assert (subset.n_known_classes, subset.offset) == (2, 0.5)


def test_scores_are_the_expansion_plus_the_offsets():
    problem = draw_kernel_task().problem(GAUSSIAN, offset=0.3)
    solution = draw_solution(problem)
    scores = solution.scores(problem.K_ll, problem.K_lu)
    for i, k in np.ndindex(scores.shape):
        expected = [-0.3, -0.3, 0.3][k]
        expected += sum(problem.K_ll[i, j] * solution.labeled[j, k] for j in range(7))
        expected += sum(problem.K_lu[i, j] * solution.unlabeled[j, k] for j in range(9))
        assert scores[i, k] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("size", [1.0, 1e-3])
def test_squared_norms_are_the_quadratic_forms_without_the_constant(size):
    problem = draw_kernel_task().problem(GAUSSIAN, offset=0.7)
    drawn = draw_solution(problem)
    solution = replace(drawn, labeled=size * drawn.labeled, unlabeled=size * drawn.unlabeled)
    coefficients, K = np.vstack([solution.labeled, solution.unlabeled]), full_kernel(problem)
    expected = [column @ K @ column for column in coefficients.T]
    np.testing.assert_allclose(solution.squared_norms(problem), expected, rtol=1e-12)


def test_squared_norms_are_not_negative_where_rounding_would_have_them_so():
    ones = np.ones((2, 2))
    problem = KernelProblem(ones, ones, ones, np.array([0, 0]), np.ones(2), 1)
    coefficients = np.array([[0.1, 0.3], [-0.1, -0.3]]) * 1e8
    solution = KernelSolution(coefficients, coefficients[::-1] * 1.1, problem.offsets)
    assert np.all(solution.squared_norms(problem) >= 0)


def test_one_weight_for_all_labeled_rows_concerns_the_augmented_score_alone():
    problem = draw_kernel_task().problem(GAUSSIAN)
    biased = replace(problem, augmented_weight=0.25)
    own, pull = problem.labeled_pull(), biased.labeled_pull()
    np.testing.assert_array_equal(pull[:, :-1], own[:, :-1])
    np.testing.assert_allclose(pull[:, -1], -0.25 / problem.n_labeled)
    part = biased.subset(np.array([0, 1]), np.array([2, 3, 4]))
    np.testing.assert_allclose(part.labeled_pull()[:, -1], -0.125)
