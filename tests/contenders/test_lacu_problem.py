import numpy as np
import pytest
from sklearn.svm import SVC

from contenders import oracles_lacu_svm as textbook
from eulac.contenders.lacu_problem import (
    MAX_STEPS,
    TOLERANCE,
    LacuProblem,
    mean_limits,
    smallest_margin,
    with_mean_row,
)
from eulac.maths.kernels import GaussianKernel
from eulac.maths.piecewise_machine import PiecewiseMachine


def draw_problem(random_state, n_labeled=40, n_unlabeled=80, *, cost=1.0, bandwidth=1.0):
    """Return a class, another one and, among unlabeled rows, a new one."""
    rng = np.random.default_rng(random_state)
    centers = np.array([[0.0, 0.0], [2.5, 0.0], [0.0, 2.5]])
    labels = np.resize([0, 1, 1], n_labeled)
    labels_unlabeled = np.resize([0, 1, 2, 2], n_unlabeled)
    X = rng.normal(centers[np.append(labels, labels_unlabeled)], 0.8)
    K = GaussianKernel(bandwidth).block(X, X)
    return LacuProblem(with_mean_row(K, n_labeled), labels == 0, cost)


@pytest.mark.parametrize("random_state", range(4))
@pytest.mark.parametrize("margin", [0.5, 1.1])
@pytest.mark.parametrize("cost", [0.5, 5.0])
def test_a_convex_problem_has_the_answer_of_a_generic_optimizer(random_state, margin, cost):
    problem = draw_problem(random_state, 9, 12, cost=cost, bandwidth=0.7)
    start = PiecewiseMachine.of(problem.K, np.zeros(len(problem.K)), 0.0)
    tangents = np.random.default_rng(random_state).integers(-1, 2, 12).astype(float)
    machine = problem.solve_convex(start, margin, tangents, tangents)
    outputs, value = textbook.solve_convex(
        problem.K[:-1, :-1], problem.is_positive, cost, margin, problem.mean_limits, tangents
    )
    assert problem.violation(machine.outputs, margin) < 1e-6
    np.testing.assert_allclose(machine.outputs[:-1], outputs, atol=1e-2)
    coefficients = problem.row_coefficients(machine)
    ours = textbook.convex_objective(
        problem.K[:-1, :-1], coefficients, machine.intercept, problem.is_positive, cost, tangents
    )
    assert ours == pytest.approx(value, rel=1e-5)


@pytest.mark.parametrize("random_state", range(5))
def test_objective_is_that_of_the_textbook(random_state):
    problem = draw_problem(random_state, 10, 15, cost=2.0)
    machine = problem.solve()
    expected = textbook.objective(
        problem.K[:-1, :-1], machine.coefficients, machine.intercept, problem.is_positive, 2.0
    )
    assert machine.objectives[-1] == pytest.approx(expected)


@pytest.mark.parametrize("random_state", range(5))
@pytest.mark.parametrize("cost", [0.1, 1.0, 100.0])
@pytest.mark.parametrize("bandwidth", [0.3, 1.0, 4.0])
def test_objectives_do_not_rise_gaps_are_small_and_constraints_hold(random_state, cost, bandwidth):
    problem = draw_problem(random_state, cost=cost, bandwidth=bandwidth)
    machine = problem.solve()
    assert max(machine.gaps) <= TOLERANCE
    assert np.all(np.diff(machine.objectives) <= TOLERANCE * problem.scale)
    assert machine.violation < 1e-6
    assert not machine.is_relaxed
    outputs = problem.K[:-1, :-1] @ machine.coefficients + machine.intercept
    low, high = machine.mean_limits
    assert low - 1e-6 < outputs[problem.n_labeled :].mean() < high + 1e-6
    assert np.all(outputs[: problem.n_labeled][~problem.is_positive] < 1e-6 - machine.margin)


def test_procedure_ends_where_no_unlabeled_row_changes_sides():
    problem = draw_problem(0)
    machine = problem.solve()
    assert 1 < len(machine.objectives) < MAX_STEPS
    outputs = problem.K[:, :-1] @ machine.coefficients + machine.intercept
    tangents = problem.tangents(outputs)
    start = PiecewiseMachine.of(problem.K, np.append(machine.coefficients, 0), machine.intercept)
    again = problem.solve_convex(start, machine.margin, tangents, np.zeros(problem.n_unlabeled))
    np.testing.assert_allclose(again.outputs, outputs, atol=1e-2)


def test_start_is_the_support_vector_machine_of_labeled_rows():
    problem = draw_problem(0, cost=3.0)
    K = problem.K[:40, :40]
    theirs = SVC(C=3.0, kernel="precomputed", tol=1e-9).fit(K, problem.is_positive)
    ours = problem.solve_labeled_only()
    np.testing.assert_allclose(ours.outputs, theirs.decision_function(K), atol=1e-2)
    assert problem.solve().margin == pytest.approx(
        smallest_margin(theirs.decision_function(K)[problem.is_positive]), abs=1e-2
    )


def test_mean_row_is_the_mean_of_the_unlabeled_rows():
    X = np.random.default_rng(0).normal(size=(7, 3))
    Z = np.vstack([X, X[2:].mean(axis=0)])
    np.testing.assert_allclose(with_mean_row(X @ X.T, 2), Z @ Z.T)


@pytest.mark.parametrize("mean_label", np.linspace(-0.99, 0.99, 34))
def test_limits_of_the_mean_are_in_order_and_below_the_mean_label(mean_label):
    low, high = mean_limits(mean_label)
    assert low <= high == mean_label
    assert high - low <= 0.3 * abs(mean_label) + 1e-12


def test_limits_of_the_mean_are_those_of_the_release_where_they_are_in_order():
    for mean_label in np.linspace(-0.9, 0.0, 10):
        expected = max(-0.9, 1.3 * mean_label)
        assert mean_limits(mean_label) == (pytest.approx(expected), mean_label)


def test_constraints_that_contradict_each_other_are_missed_by_the_least_possible():
    """All unlabeled rows are copies of other classes' rows, whose mean is below -margin."""
    rng = np.random.default_rng(0)
    X = rng.normal(np.repeat([[0.0], [4.0]], 20, axis=0), 0.5)
    rows = np.vstack([X, X[20:]])
    K = GaussianKernel(1.0).block(rows, rows)
    problem = LacuProblem(with_mean_row(K, 40), np.arange(40) < 20, 1.0)
    machine = problem.solve()
    assert machine.margin > -machine.mean_limits[0]
    assert machine.is_relaxed
    assert machine.violation == pytest.approx(machine.mean_limits[0] + machine.margin, abs=1e-4)
    assert np.all(np.isfinite(machine.coefficients))
