"""Theorem 2 on a mixture with known posterior, and errors that approach that of the Bayes rule."""

import numpy as np
import pytest

from eulac import KernelEulacClassifier
from eulac.data.synthetic import make_gaussian_task
from eulac.maths.kernels import GaussianKernel, LinearKernel
from eulac.maths.losses import LOSSES
from eulac.risk.unbiased import lac_risk
from eulac.solvers.closed_form import solve_closed_form
from eulac.solvers.search import choose_solver
from oracles import KernelTask

SQUARE = LOSSES["square"]
TASK = make_gaussian_task(n_known_classes=3, separation=2.0, known_proportion=0.6)


def expected_risk(scores, posterior):
    """One-versus-rest square risk given the rows: labels are averaged out by the posterior."""
    right, wrong = SQUARE.value(scores), SQUARE.value(-scores)
    return np.mean((posterior * right + (1 - posterior) * wrong).sum(axis=1))


def expected_error(scores, posterior):
    answers = scores.argmax(axis=1)
    return np.mean(1 - posterior[np.arange(len(answers)), answers])


def fitted_scores(n_labeled, n_unlabeled, kernel, penalty, solve, X):
    sample = TASK.draw(n_labeled, n_unlabeled, random_state=1).sample
    weights = np.full(n_labeled, TASK.known_proportion)
    task = KernelTask(sample.X_labeled, sample.y_labeled, weights, sample.X_unlabeled, 3)
    solution = solve(task.problem(kernel), penalty)
    return solution.scores(kernel.block(X, task.X), kernel.block(X, task.U))


def perturbed(size, posterior):
    noise = np.random.default_rng(0).standard_normal(posterior.shape)
    return 2 * posterior - 1 + size * noise


FITTED = {
    "few rows": (20, 30, GaussianKernel(1.0), 1e-2, solve_closed_form),
    "over-fitted": (100, 200, GaussianKernel(0.2), 1e-4, solve_closed_form),
    "well chosen": (300, 600, GaussianKernel(1.0), 1e-3, solve_closed_form),
    "over-smoothed": (300, 600, GaussianKernel(5.0), 10.0, solve_closed_form),
    "linear": (300, 600, LinearKernel(), 1e-3, solve_closed_form),
    "logistic": (100, 200, GaussianKernel(1.0), 1e-3, choose_solver("logistic").solve),
}
MADE_UP = {
    "zero": lambda posterior: 0 * posterior,
    "wrong": lambda posterior: 1 - 2 * posterior,
    "slightly perturbed": lambda posterior: perturbed(0.05, posterior),
    "perturbed": lambda posterior: perturbed(0.5, posterior),
    "signs": lambda posterior: np.sign(2 * posterior - 1),
}


@pytest.fixture(scope="module")
def rows_and_posterior():
    X = TASK.draw(2, 2, n_test=20_000, random_state=99).X_test
    return X, TASK.posterior(X)


def assert_theorem_2(scores, posterior):
    best = 2 * posterior - 1
    excess_error = expected_error(scores, posterior) - expected_error(best, posterior)
    excess_risk = expected_risk(scores, posterior) - expected_risk(best, posterior)
    assert excess_error >= 0
    assert excess_risk >= 0
    assert excess_error <= np.sqrt(2 * excess_risk)


@pytest.mark.parametrize("how", FITTED.values(), ids=FITTED)
def test_theorem_2_bounds_the_excess_error_of_fitted_scores(how, rows_and_posterior):
    X, posterior = rows_and_posterior
    assert_theorem_2(fitted_scores(*how, X), posterior)


@pytest.mark.parametrize("make", MADE_UP.values(), ids=MADE_UP)
def test_theorem_2_bounds_the_excess_error_of_any_scores(make, rows_and_posterior):
    _, posterior = rows_and_posterior
    assert_theorem_2(make(posterior), posterior)


def test_twice_the_posterior_less_one_has_the_smallest_risk(rows_and_posterior):
    _, posterior = rows_and_posterior
    smallest = expected_risk(2 * posterior - 1, posterior)
    assert smallest == pytest.approx(np.mean((posterior * (1 - posterior)).sum(axis=1)))
    step = 1e-3 * np.random.default_rng(0).standard_normal(posterior.shape)
    for sign in (1, -1):
        assert expected_risk(2 * posterior - 1 + sign * step, posterior) > smallest


def test_the_risk_of_theorem_2_is_what_lac_risk_estimates(rows_and_posterior):
    X, posterior = rows_and_posterior
    truth = expected_risk(2 * posterior - 1, posterior)
    estimates = []
    for seed in range(40):
        sample = TASK.draw(1000, 2000, random_state=seed).sample
        labeled, unlabeled = (
            2 * TASK.posterior(rows) - 1 for rows in (sample.X_labeled, sample.X_unlabeled)
        )
        weights = np.full(1000, TASK.known_proportion)
        estimates.append(lac_risk(labeled, sample.y_labeled, weights, unlabeled, SQUARE))
    standard_error = np.std(estimates, ddof=1) / np.sqrt(len(estimates))
    own_spread = np.std((posterior * (1 - posterior)).sum(axis=1)) / np.sqrt(len(X))
    assert abs(np.mean(estimates) - truth) < 4 * np.hypot(standard_error, own_spread)


def mean_error(n_labeled, n_unlabeled, X, posterior, seeds):
    errors = []
    for seed in seeds:
        sample = TASK.draw(n_labeled, n_unlabeled, random_state=seed).sample
        classifier = KernelEulacClassifier(
            TASK.known_proportion,
            bandwidth=[0.05, 0.1, 0.2],
            penalty=[1e-4, 1e-3, 1e-2],
            random_state=0,
        )
        classifier.fit(sample.X_labeled, sample.y_labeled, X_unlabeled=sample.X_unlabeled)
        errors.append(expected_error(classifier.decision_function(X), posterior))
    return np.mean(errors)


def test_the_classifier_s_error_approaches_the_bayes_error_as_samples_grow(rows_and_posterior):
    X, posterior = (part[:5000] for part in rows_and_posterior)
    bayes = np.mean(1 - posterior.max(axis=1))
    sizes = [(30, 60), (100, 200), (400, 800)]
    excess = [mean_error(*size, X, posterior, seeds=range(3)) - bayes for size in sizes]
    assert excess[0] > excess[1] > excess[2] > 0
    assert excess[2] < 0.03


@pytest.mark.slow
def test_the_classifier_s_error_is_near_the_bayes_error_on_large_samples(rows_and_posterior):
    X, posterior = (part[:5000] for part in rows_and_posterior)
    bayes = np.mean(1 - posterior.max(axis=1))
    assert 0 < mean_error(1500, 3000, X, posterior, seeds=range(2)) - bayes < 0.015
