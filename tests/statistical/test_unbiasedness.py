"""Over many draws, label-free estimates average to the truth, computed here by quadrature."""

from functools import cache

import numpy as np
import pytest
from scipy.special import log_softmax
from scipy.stats import norm

from eulac.data.synthetic import GaussianMixtureTask
from eulac.maths.losses import LOSSES
from eulac.risk.unbiased import convex_lac_risk, lac_risk, log_lac_risk
from eulac.risk.weights import labeled_weights
from eulac.risk.zero_one import zero_one_risk

N_SIMULATIONS = 2000
N_KNOWN = 2
SLOPES, INTERCEPTS = np.array([-0.8, 0.1, 0.6]), np.array([-0.4, 0.3, -0.9])
PLACE = {"means": [[-2.0], [0.5], [2.5], [5.0]], "scale": 1.0, "labeled_priors": [0.5, 0.5]}
TASKS = {
    "base": GaussianMixtureTask(per_class=[0.3, 0.3], **PLACE),
    "shift": GaussianMixtureTask(per_class=[0.5, 0.15], **PLACE),
}
CONVEX_READY = [name for name, loss in LOSSES.items() if loss.linear_odd_part]
ESTIMATES = [*LOSSES, *(f"convex {name}" for name in CONVEX_READY), "log", "zero_one"]


def scores_of(x):
    """Fixed linear scores; each class has the largest one somewhere."""
    return np.multiply.outer(x, SLOPES) + INTERCEPTS


def row_weights(name, y):
    task = TASKS[name]
    if name == "base":
        return np.full(len(y), task.known_proportion)
    return labeled_weights(y, task.per_class)


def estimates_of(sample, weights):
    labeled, unlabeled = scores_of(sample.X_labeled[:, 0]), scores_of(sample.X_unlabeled[:, 0])
    arguments = (labeled, sample.y_labeled, weights, unlabeled)
    risks = [lac_risk(*arguments, loss) for loss in LOSSES.values()]
    risks += [convex_lac_risk(*arguments, LOSSES[name]) for name in CONVEX_READY]
    answers = labeled.argmax(axis=1), sample.y_labeled, weights, unlabeled.argmax(axis=1)
    return [*risks, log_lac_risk(*arguments), zero_one_risk(*answers, augmented=N_KNOWN).raw]


@pytest.fixture(scope="module", params=TASKS)
def simulated(request):
    """Name of a task, and its estimates: one row per simulation, one column per estimate."""
    name, rng = request.param, np.random.default_rng(7)
    rows = []
    for _ in range(N_SIMULATIONS):
        sample = TASKS[name].draw(n_labeled=40, n_unlabeled=60, random_state=rng).sample
        rows.append(estimates_of(sample, row_weights(name, sample.y_labeled)))
    return name, np.array(rows)


@cache
def truths_of(name):
    """Each estimate's expectation under the test distribution, by the trapezoidal rule."""
    task, x = TASKS[name], np.linspace(-11.0, 14.0, 250_001)
    scores = scores_of(x)
    total = np.zeros(len(LOSSES) + 2)
    for component, share in enumerate(task.component_priors):
        label = min(component, N_KNOWN)
        signs = np.where(np.arange(N_KNOWN + 1) == label, 1.0, -1.0)
        costs = [loss.value(signs * scores).sum(axis=1) for loss in LOSSES.values()]
        costs += [-log_softmax(scores, axis=1)[:, label], scores.argmax(axis=1) != label]
        density = share * norm.pdf(x, task.means[component, 0], task.scale)
        total += np.trapezoid(density * np.array(costs), x, axis=1)
    by_loss = dict(zip(LOSSES, total, strict=False))
    return np.array([*by_loss.values(), *(by_loss[name] for name in CONVEX_READY), *total[-2:]])


def standard_scores(name, estimates):
    standard_errors = estimates.std(axis=0, ddof=1) / np.sqrt(len(estimates))
    return (estimates.mean(axis=0) - truths_of(name)) / standard_errors


@pytest.mark.parametrize("estimate", ESTIMATES)
def test_the_mean_of_the_estimates_is_the_risk_on_the_test_distribution(simulated, estimate):
    name, estimates = simulated
    assert abs(standard_scores(name, estimates)[ESTIMATES.index(estimate)]) < 4


def test_few_means_are_two_standard_errors_away(simulated):
    far = np.abs(standard_scores(*simulated)) > 2
    assert far.sum() <= 2, dict(zip(ESTIMATES, standard_scores(*simulated), strict=True))


def test_ignoring_a_shift_of_the_priors_would_be_noticed():
    task, rng = TASKS["shift"], np.random.default_rng(8)
    rows = []
    for _ in range(N_SIMULATIONS):
        sample = task.draw(n_labeled=40, n_unlabeled=60, random_state=rng).sample
        rows.append(estimates_of(sample, np.full(40, task.known_proportion)))
    assert np.abs(standard_scores("shift", np.array(rows))).min() > 4
