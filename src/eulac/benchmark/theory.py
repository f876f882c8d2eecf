"""What the theorems say, measured on a mixture whose posterior is known."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from eulac.benchmark.draws import OpenDraw, mixture_task
from eulac.benchmark.trial import seed_of
from eulac.kernel.kernel_classifier import KernelEulacClassifier
from eulac.maths.losses import LOSSES, Loss
from eulac.risk.unbiased import lac_risk
from eulac.risk.zero_one import zero_one_risk

__all__ = ["RISKS", "excess_risk", "expected_error", "expected_risk", "unbiasedness"]

Array = NDArray[np.float64]

RISKS = (*LOSSES, "zero_one")
N_SIMULATIONS = 400
N_ROWS = 200_000


def expected_error(scores: Array, posterior: Array) -> float:
    """Return the probability that the largest score is wrong, labels averaged out.

    Examples
    --------
    >>> posterior = np.array([[0.9, 0.1], [0.4, 0.6]])
    >>> round(expected_error(posterior, posterior), 6)
    0.25
    """
    answers = scores.argmax(axis=1)
    return float(np.mean(1 - posterior[np.arange(len(answers)), answers]))


def expected_risk(scores: Array, posterior: Array, loss: Loss) -> float:
    """Return the one-versus-rest risk, labels averaged out.

    Under the square loss it is least at ``2 * posterior - 1``.

    Examples
    --------
    >>> posterior = np.array([[0.9, 0.1], [0.4, 0.6]])
    >>> round(expected_risk(2 * posterior - 1, posterior, LOSSES["square"]), 6)
    0.33
    """
    costs = posterior * loss.value(scores) + (1 - posterior) * loss.value(-scores)
    return float(costs.sum(axis=1).mean())


def excess_risk(opened: OpenDraw) -> dict[str, float]:
    """Return error and excess risks of EULAC on the draw: consistency and Theorem 2.

    `bound` is the square root in Theorem 2; `plain_error` is the error of the largest score,
    which the theorem speaks of, and `error` that of the default decision.
    """
    task, split = mixture_task(), opened.split
    classifier = KernelEulacClassifier(
        task.known_proportion, scale=None, random_state=opened.draw.fit_seed
    ).fit(*split.sample.as_masked())
    posterior = task.posterior(split.X_test)
    scores = classifier.model_.expansion.scores(split.X_test)
    best, loss = 2 * posterior - 1, LOSSES["square"]
    excess = expected_risk(scores, posterior, loss) - expected_risk(best, posterior, loss)
    bayes = expected_error(best, posterior)
    return {
        "error": expected_error(classifier.model_.decide(split.X_test), posterior),
        "plain_error": expected_error(scores, posterior),
        "bayes_error": bayes,
        "excess_error": expected_error(scores, posterior) - bayes,
        "excess_square_risk": excess,
        "bound": float(np.sqrt(2 * excess)),
    }


def unbiasedness(opened: OpenDraw) -> dict[str, float]:
    """Return, for each risk estimate, its mean over simulations, its standard error and the truth.

    The scores are fixed; only samples are drawn. The truth is a mean over many rows of known
    posterior.
    """
    task = mixture_task()
    sizes = (opened.draw.condition("n_labeled"), opened.draw.condition("n_unlabeled"))
    seeds = [seed_of(opened.draw.sample_seed, i) for i in range(N_SIMULATIONS)]
    estimates = np.array([_estimates(task.draw(*sizes, random_state=seed)) for seed in seeds])
    rows = task.draw(0, 0, N_ROWS, random_state=seed_of(opened.draw.sample_seed)).X_test
    truths = _truths(_scores(rows), task.posterior(rows))
    errors = estimates.std(axis=0, ddof=1) / np.sqrt(N_SIMULATIONS)
    metrics: dict[str, float] = {}
    for i, name in enumerate(RISKS):
        metrics[f"{name}_mean"] = float(estimates[:, i].mean())
        metrics[f"{name}_standard_error"] = float(errors[i])
        metrics[f"{name}_truth"] = truths[i]
    return metrics


def _scores(X: Array) -> Array:
    """Return fixed linear scores of four classes; each is the largest somewhere."""
    slopes = np.array([[0.5, -0.2], [-0.4, 0.3], [0.1, 0.6], [-0.2, -0.5]])
    return X @ slopes.T[: X.shape[1]] + np.array([0.2, -0.1, 0.0, 0.1])


def _estimates(split: Any) -> list[float]:
    sample, share = split.sample, mixture_task().known_proportion
    labeled, unlabeled = _scores(sample.X_labeled), _scores(sample.X_unlabeled)
    weights = np.full(sample.n_labeled, share)
    risks = [
        float(lac_risk(labeled, sample.y_labeled, weights, unlabeled, loss))
        for loss in LOSSES.values()
    ]
    answers = labeled.argmax(axis=1), sample.y_labeled, weights, unlabeled.argmax(axis=1)
    return [*risks, zero_one_risk(*answers, augmented=sample.n_known_classes).raw]


def _truths(scores: Array, posterior: Array) -> list[float]:
    risks = [expected_risk(scores, posterior, loss) for loss in LOSSES.values()]
    return [*risks, expected_error(scores, posterior)]
