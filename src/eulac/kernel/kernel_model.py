"""Fitting kernel EULAC once the proportion is known: search, decide, solve. No classes of users."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eulac.data.folds import draw_folds, with_twins_together
from eulac.data.lac_sample import LacSample
from eulac.maths.losses import Loss, get_loss
from eulac.proportion.estimate import ProportionEstimate
from eulac.risk.decision_rule import DecisionRule, fit_score_rule
from eulac.risk.evidence import ClassShares, score_reach
from eulac.risk.unbiased import BoundTerms, estimation_error_bound, generalization_bound
from eulac.risk.weights import sample_weights
from eulac.risk.zero_one import RiskEstimate
from eulac.solvers.search import Refit, SearchSettings, as_table, refit, search

__all__ = ["KernelExpansion", "KernelModel", "fit_kernel_model"]

Array = NDArray[np.float64]

PROBE_ROWS = 200
"""Rows tried in both precisions first."""

TOLERANCE = 1e-4
"""By how much decision values of those rows may differ; of others it may be some times that."""


@dataclass(frozen=True, eq=False)
class KernelExpansion:
    """Score functions ``offsets + sum_i coefficients[i] * kernel(., rows[i])``."""

    kernel: Any
    rows: Array
    coefficients: Array
    offsets: Array

    def scores(self, X: Array) -> Array:
        """Return the scores of new rows, shape ``(len(X), n_known_classes + 1)``."""
        return self.kernel.expand(X, self.rows, self.coefficients) + self.offsets

    def single_precision_scores(self, X: Array) -> tuple[Array, Array]:
        """Return scores that took half the time, and by how much those of a row may be off."""
        arguments = X, self.rows, self.coefficients, np.float32
        scores = self.kernel.expand(*arguments) + self.offsets
        return scores, self.kernel.expansion_error(*arguments)


@dataclass(frozen=True, eq=False)
class KernelModel:
    """A fitted kernel classifier on scaled rows and class codes."""

    expansion: KernelExpansion
    evidence: ClassShares
    rule: DecisionRule
    risk: RiskEstimate
    penalty: float
    cv_results: dict[str, Array]
    answer_shares: Array
    """Share of held-out unlabeled rows given each answer."""

    held_out: Array
    """Decision values of the rows of the fit, by fits that have not seen them, but for a few
    unlabeled ones, less than there are folds."""

    y_labeled: NDArray[np.intp]
    """Class codes of the labeled rows, which are the first rows of the expansion."""

    def decide(self, X: Array) -> Array:
        """Return decision values of scaled rows."""
        return self._decided(self.expansion.scores(X))

    def _decided(self, scores: Array) -> Array:
        return self.rule.decide_outputs(scores, self.evidence)

    def decide_in_single_precision(self, X: Array) -> Array:
        """Return decision values good to three decimals, with the same answers as `decide`.

        Some rows are tried in both precisions first: where coefficients are large, single
        precision is not good enough, and all rows are decided in double precision. So are rows
        whose answer the rounding could change.
        """
        # Other losses, and one known class, divide by sums that may vanish anywhere.
        n_outputs = self.expansion.coefficients.shape[1]
        has_reach = get_loss(self.evidence.loss).quadratic and n_outputs > 2
        if len(X) <= PROBE_ROWS or not has_reach:
            return self.decide(X)
        some = X[:PROBE_ROWS]
        if not np.abs(self._single(some)[0] - self.decide(some)).max() <= TOLERANCE:
            return self.decide(X)
        decision, unsure = self._single(X)
        if unsure.any():
            decision[unsure] = self.decide(X[unsure])
        return decision

    def _single(self, X: Array) -> tuple[Array, NDArray[np.bool_]]:
        """Decision values in single precision, and which rows they cannot be trusted on."""
        scores, error = self.expansion.single_precision_scores(X)
        decision = self._decided(scores)
        top = np.partition(decision, -2, axis=1)[:, -2:]
        # Shares are scores divided by the reach: an error counts relative to that.
        reach = np.minimum(score_reach(scores), 1.0)
        return decision, ~((top[:, 1] - top[:, 0]) * reach > 4.0 * error)


def fit_kernel_model(
    sample: LacSample,
    estimate: ProportionEstimate,
    settings: SearchSettings,
    *,
    n_folds: int,
    rule_options: dict[str, bool],
    random_state: int,
    progress: Callable[[int, int], Any] | None = None,
) -> KernelModel:
    """Return the model of a sample whose known proportion is estimated.

    Parameters
    ----------
    sample : LacSample
        Scaled rows in canonical order.
    estimate : ProportionEstimate
    settings : SearchSettings
    n_folds : int
    rule_options : dict
        `matched` and `closed_set` of the decision rule.
    random_state : int
    progress : callable, optional
        Called after each kernel with the number of kernels done and that of all.
    """
    weights = sample_weights(sample, estimate.per_class)
    folds = draw_folds(sample.y_labeled, sample.n_unlabeled, n_folds, random_state)
    folds = with_twins_together(folds, sample)
    best, candidates = search(sample, weights, folds, settings, progress)
    chosen = replace(settings, kernels=[best.kernel], penalties=[best.penalty])
    fitted = refit(sample, weights, folds, chosen)
    solution, scores = fitted.solution, replace(fitted.held_out, interval=estimate.interval)
    error = estimate.standard_error
    loss = settings.solver.loss.name
    decision = fit_score_rule(scores, loss, proportion_error=error, **rule_options)
    evidence, rule, risk = decision.evidence, decision.rule, decision.risk
    expansion = KernelExpansion(
        best.kernel,
        np.vstack([sample.X_labeled, sample.X_unlabeled]),
        np.vstack([solution.labeled, solution.unlabeled]),
        solution.offsets,
    )
    # Folds are of one size: fewer rows than there are folds may be left over.
    left_over = expansion.scores(sample.X_unlabeled[len(scores.unlabeled) :])
    facts = {"surrogate_risk": best.surrogate, **_bounds(fitted, settings.solver.loss)}
    every = np.vstack([scores.labeled, scores.unlabeled, left_over])
    return KernelModel(
        expansion,
        evidence,
        rule,
        replace(risk, diagnostics={**risk.diagnostics, **facts}),
        best.penalty,
        as_table(candidates),
        decision.answer_shares,
        rule.decide_outputs(every, evidence),
        sample.y_labeled,
    )


def _bounds(fitted: Refit, loss: Loss) -> dict[str, float]:
    problem = fitted.problem
    largest = max(problem.K_uu.diagonal().max(), problem.K_ll.diagonal().max())
    terms = BoundTerms(
        problem.n_labeled,
        problem.n_unlabeled,
        problem.n_known_classes,
        float(np.sqrt(fitted.squared_norms.max())),
        float(np.sqrt(largest)),
        loss,
    )
    return {
        "generalization_bound": generalization_bound(terms),
        "estimation_error_bound": estimation_error_bound(terms),
    }
