import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.svm import SVC, SVR

from eulac.maths.kernels import GaussianKernel
from eulac.maths.piecewise_machine import PiecewiseMachine, fit_piecewise_machine
from eulac.maths.two_kink_losses import TwoKinkLosses


def draw_problem(random_state, n=12, bandwidth=1.0):
    """Return a kernel matrix and random losses that are bounded below together."""
    rng = np.random.default_rng(random_state)
    X = rng.normal(0, 1, (n, 2))
    slopes = np.sort(rng.normal(0, 2, (n, 3)))
    slopes[0] = [-40.0, 0.0, 40.0]
    kinks = np.sort(rng.normal(0, 1, (n, 2)))
    return GaussianKernel(bandwidth).block(X, X), TwoKinkLosses(kinks, slopes)


def objective(K, losses, machine):
    values = K @ machine.coefficients
    penalty = 0.5 * machine.coefficients @ values
    return penalty + losses.values(values + machine.intercept).sum()


def smallest_objective(K, losses):
    """Solve with a slack variable per row by a generic optimizer."""
    n = len(K)
    left, middle, right = losses.slopes.T
    first, second = losses.kinks.T
    rows = np.column_stack([K, np.ones(n)])
    # A loss is the largest of three lines.
    slopes = np.concatenate([left, middle, right])
    heights = np.concatenate([(middle - left) * first, np.zeros(n), (middle - right) * second])
    above = np.column_stack([-slopes[:, None] * np.tile(rows, (3, 1)), np.tile(np.eye(n), (3, 1))])
    result = minimize(
        lambda v: 0.5 * v[:n] @ K @ v[:n] + v[n + 1 :].sum(),
        np.append(np.zeros(n + 1), losses.values(np.zeros(n))),
        jac=lambda v: np.concatenate([K @ v[:n], [0.0], np.ones(n)]),
        method="SLSQP",
        constraints={"type": "ineq", "fun": lambda v: above @ v - heights, "jac": lambda v: above},
        options={"maxiter": 1000, "ftol": 1e-12},
    )
    assert result.success, result.message
    return result.fun


def fit(K, losses, **options):
    options = {"tolerance": 1e-8, **options}
    softness = options.pop("softness", np.full(len(K), 0.3))
    return fit_piecewise_machine(K, losses, softness, **options)


def hinges(y, cost):
    signs = np.where(y, 1.0, -1.0)
    slopes = np.where(y[:, None], [-cost, 0.0, 0.0], [0.0, 0.0, cost])
    return TwoKinkLosses(np.column_stack([signs, signs]), slopes)


@pytest.mark.parametrize("random_state", range(8))
def test_objective_is_that_of_a_generic_optimizer(random_state):
    K, losses = draw_problem(random_state)
    machine = fit(K, losses)
    assert machine.gap <= 1e-8
    assert objective(K, losses, machine) == pytest.approx(smallest_objective(K, losses), abs=1e-6)


@pytest.mark.parametrize("cost", [0.1, 1.0, 100.0])
@pytest.mark.parametrize("bandwidth", [0.1, 1.0, 5.0])
def test_hinges_make_a_support_vector_machine(cost, bandwidth):
    rng = np.random.default_rng(0)
    X = rng.normal(0, 1, (120, 3))
    y = X[:, 0] + rng.normal(0, 0.5, 120) > 0.4
    K = GaussianKernel(bandwidth).block(X, X)
    machine = fit(K, hinges(y, cost), tolerance=1e-9 * cost)
    theirs = SVC(C=cost, kernel="precomputed", tol=1e-9).fit(K, y)
    # Intercepts need not be unique.
    values = theirs.decision_function(K) - theirs.intercept_
    np.testing.assert_allclose(K @ machine.coefficients, values, atol=1e-4)
    ours = objective(K, hinges(y, cost), machine)
    hinge = np.maximum(0.0, 1.0 - np.where(y, 1.0, -1.0) * theirs.decision_function(K)).sum()
    coefficients = np.zeros(120)
    coefficients[theirs.support_] = theirs.dual_coef_[0]
    assert ours <= 0.5 * coefficients @ values + cost * hinge + machine.gap


@pytest.mark.parametrize("width", [0.0, 0.2])
def test_tubes_make_a_support_vector_regression(width):
    rng = np.random.default_rng(1)
    X = rng.uniform(-3, 3, (80, 1))
    y = np.sin(X[:, 0]) + rng.normal(0, 0.2, 80)
    K = GaussianKernel(0.7).block(X, X)
    tubes = TwoKinkLosses(
        np.column_stack([y - width, y + width]), np.tile([-2.0, 0.0, 2.0], (80, 1))
    )
    theirs = SVR(C=2.0, epsilon=width, kernel="precomputed", tol=1e-9).fit(K, y)
    np.testing.assert_allclose(fit(K, tubes).outputs, theirs.predict(K), atol=1e-4)


@pytest.mark.parametrize("random_state", range(4))
@pytest.mark.parametrize("tolerance", [10.0, 0.1, 1e-3])
def test_gap_bounds_the_distance_from_the_minimum(random_state, tolerance):
    K, losses = draw_problem(random_state, n=60)
    rough, fine = fit(K, losses, tolerance=tolerance), fit(K, losses)
    assert rough.gap <= tolerance
    excess = objective(K, losses, rough) - objective(K, losses, fine)
    assert -1e-7 <= excess <= rough.gap + 1e-9


@pytest.mark.parametrize("random_state", range(4))
def test_coefficients_are_subgradients_that_sum_to_zero(random_state):
    K, losses = draw_problem(random_state, n=60)
    machine = fit(K, losses)
    left, _, right = losses.slopes.T
    assert np.all((-machine.coefficients >= left) & (-machine.coefficients <= right))
    assert abs(machine.coefficients.sum()) <= 1e-8
    np.testing.assert_allclose(machine.outputs, K @ machine.coefficients + machine.intercept)
    slopes_at = losses.envelope_slopes(machine.outputs, np.full(60, 1e-3))[0]
    off_kinks = np.abs(machine.outputs[:, None] - losses.kinks).min(axis=1) > 0.1
    np.testing.assert_allclose(-machine.coefficients[off_kinks], slopes_at[off_kinks])


@pytest.mark.parametrize("random_state", range(3))
def test_start_and_softness_do_not_matter_for_the_answer(random_state):
    K, losses = draw_problem(random_state, n=50)
    plain = fit(K, losses)
    rng = np.random.default_rng(random_state)
    elsewhere = PiecewiseMachine.of(K, rng.normal(0, 3, 50), 2.0)
    for options in (
        {"start": elsewhere},
        {"start": plain},
        {"softness": np.full(50, 3.0)},
        {"softness": np.exp(rng.normal(-3, 1, 50))},
    ):
        np.testing.assert_allclose(fit(K, losses, **options).outputs, plain.outputs, atol=1e-4)


def test_a_start_at_the_answer_saves_steps():
    K, losses = draw_problem(0, n=100)
    plain = fit(K, losses)
    assert fit(K, losses, start=plain).n_steps < plain.n_steps


def test_rows_that_coincide_are_no_problem():
    K, losses = draw_problem(0, n=30)
    twice = np.tile(K, (2, 2))
    doubled = TwoKinkLosses(np.tile(losses.kinks, (2, 1)), np.tile(losses.slopes / 2, (2, 1)))
    machine = fit(twice, doubled)
    assert machine.gap <= 1e-8
    np.testing.assert_allclose(machine.outputs[:30], fit(K, losses).outputs, atol=1e-4)


def test_without_a_kernel_the_intercept_is_a_median():
    values = np.array([-3.0, -1.0, 0.5, 2.0, 7.0])
    losses = TwoKinkLosses(np.column_stack([values, values]), np.tile([-1.0, 0.0, 1.0], (5, 1)))
    machine = fit(np.zeros((5, 5)), losses)
    assert machine.intercept == pytest.approx(0.5, abs=1e-6)


def test_one_class_alone_has_no_loss():
    K, _ = draw_problem(0, n=20)
    machine = fit(K, hinges(np.ones(20, dtype=bool), 1.0))
    np.testing.assert_allclose(machine.coefficients, 0.0, atol=1e-9)
    assert machine.outputs.min() >= 1.0 - 1e-9


def test_too_small_a_tolerance_gives_the_best_there_is():
    K, losses = draw_problem(0, n=30)
    machine = fit(K, losses, tolerance=0.0)
    assert 0.0 <= machine.gap <= 1e-9
