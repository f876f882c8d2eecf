"""Unbiasedness, consistency and Theorem 2 on a mixture where everything is known."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eulac.benchmark.draws import MIXTURE, OpenDraw, mixture_task
from eulac.benchmark.experiment import Experiment, Plan, Scope, trial_grid
from eulac.benchmark.records import Record
from eulac.benchmark.report_parts import Part, Section
from eulac.benchmark.trial import seed_of
from eulac.kernel.kernel_classifier import KernelEulacClassifier
from eulac.maths.losses import LOSSES, Loss
from eulac.risk.unbiased import lac_risk
from eulac.risk.zero_one import zero_one_risk

__all__ = ["EXPERIMENT", "RISKS", "excess_risk", "expected_error", "expected_risk", "unbiasedness"]

Array = NDArray[np.float64]

RISKS = (*LOSSES, "zero_one")
N_SIMULATIONS = 400
N_ROWS = 200_000
SIZES = ("n_labeled", "n_unlabeled")
METHODS = ("unbiasedness", "excess_risk")
IN_PERCENT = "Errors in percent, means over fits."


def plan(scope: Scope) -> Plan:
    """List simulations of risk estimates, and fits to samples of growing sizes."""
    sizes = [(50, 1600), (100, 1600), (200, 1600), (400, 1600), (800, 1600)]
    sizes += [(800, 100), (800, 200), (800, 400), (800, 800)]
    if scope.quick:
        sizes = [(50, 400), (200, 400), (200, 100)]
    conditions = [{"n_labeled": a, "n_unlabeled": b, "n_test": 5000} for a, b in sizes]
    few = [{"n_labeled": 40, "n_unlabeled": 60, "n_test": 0}]
    own_sizes, wanted = replace(scope, quick=False, methods=None), scope.methods or METHODS
    unbiased = trial_grid(
        *("theory", own_sizes, [MIXTURE], METHODS[:1], few),
        draws=1,
        samples=1 if scope.quick else 5,
    )
    excess = trial_grid(
        *("theory", own_sizes, [MIXTURE], METHODS[1:], conditions),
        draws=1,
        samples=2 if scope.quick else 5,
    )
    return Plan(tuple(trial for trial in [*unbiased, *excess] if trial.method in wanted))


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


def part(section: Section) -> Part:
    """Return how the estimates, the errors and the bound came out."""
    fits = [r for r in section.records if r.trial.method == "excess_risk" and r.ok]
    batches = [r for r in section.records if r.trial.method == "unbiasedness" and r.ok]
    paragraphs, lines = [], ["n_labeled,n_unlabeled,error,bayes_error,excess_error,bound"]
    if batches:
        paragraphs += ["### Unbiasedness", _unbiasedness_table(batches)]
    for record in fits:
        sizes = [str(record.trial.draw.condition(name)) for name in SIZES]
        names = ("error", "bayes_error", "excess_error", "bound")
        lines.append(",".join([*sizes, *(f"{record.metrics[name]:.6f}" for name in names)]))
    kept = sum(record.metrics["excess_error"] <= record.metrics["bound"] for record in fits)
    paragraphs += ["### Consistency", _consistency_table(fits), IN_PERCENT, "### Theorem 2"]
    paragraphs.append(f"The excess error is below its bound in {kept} of {len(fits)} fits.")
    return Part(paragraphs, {f"{section.stem}.csv": "\n".join(lines) + "\n"})


def _unbiasedness_table(records: Sequence[Record]) -> str:
    lines = ["| risk | truth | mean of estimates | standard errors apart |", "|---|---|---|---|"]
    for name in RISKS:
        means, errors, truths = (
            np.array([record.metrics[f"{name}_{part}"] for record in records])
            for part in ("mean", "standard_error", "truth")
        )
        error = np.sqrt(np.mean(errors**2) / len(records))
        apart = (means.mean() - truths.mean()) / error
        lines.append(f"| {name} | {truths.mean():.4f} | {means.mean():.4f} | {apart:+.1f} |")
    return "\n".join(lines)


def _consistency_table(records: Sequence[Record]) -> str:
    lines = ["| labeled | unlabeled | test error | Bayes error | fits |", "|---|---|---|---|---|"]
    sizes = {tuple(r.trial.draw.condition(name) for name in SIZES) for r in records}
    for pair in sorted(sizes):
        here = [r for r in records if tuple(r.trial.draw.condition(n) for n in SIZES) == pair]
        error, bayes = (
            100 * float(np.mean([record.metrics[name] for record in here]))
            for name in ("error", "bayes_error")
        )
        lines.append(f"| {pair[0]} | {pair[1]} | {error:.2f} | {bayes:.2f} | {len(here)} |")
    return "\n".join(lines)


EXPERIMENT = Experiment(
    "The theorems on a mixture",
    METHODS,
    plan,
    part,
    "eulac.benchmark.paper_figures:theory_figure",
    varied=(*SIZES, "n_test"),
)
