"""Two stages around any classifier: which unlabeled rows are new, and a classifier of K + 1.

The first stage tells labeled from unlabeled rows. Its scores order the unlabeled rows
by how new they look, and the known proportion turns the order into shares of newness. The second
trains on the labeled rows, weighted to stand for the known part of the test distribution, and on
the unlabeled rows as augmented ones, weighted by their newness: in expectation the risk of the
paper, whose augmented part is a mean over unlabeled rows of P(augmented | x) times a loss. The
known part of the unlabeled rows is not used twice. More rounds repeat the second stage with the
newness it has found itself.

No row scores itself. Every score comes from a model without the row, in both stages.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from eulac.data.folds import draw_folds
from eulac.estimators.newness import matched_shares, newest, shares_of_new
from eulac.estimators.probability_rule import (
    HeldOutProbabilities,
    ProbabilityRule,
    fit_probability_rule,
    held_out_risk,
)
from eulac.estimators.rows import LacTable, picked
from eulac.estimators.weighted_base import CodedModel, fit_weighted
from eulac.maths.threads import blas_threads
from eulac.proportion.estimate import ProportionEstimate
from eulac.proportion.reduction import log_odds
from eulac.risk.weights import labeled_weights
from eulac.risk.zero_one import RiskEstimate

__all__ = [
    "Stages",
    "TwoStageModel",
    "fit_closed",
    "fit_two_stage",
    "membership_probabilities",
]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

SMALLEST_SHARE = 1e-3
"""Rows less new than this are left out of the second stage."""


@dataclass(frozen=True)
class Stages:
    """How the stages are run.

    Attributes
    ----------
    base : scikit-learn classifier
    n_folds : int
    rounds : int
        At most so many second stages; the one with the smallest label-free risk is kept.
    soft : bool
        Weight unlabeled rows by their newness; otherwise the newest ones weigh one, others zero.
    matched, closed_set : bool
        Of the decision rule.
    n_jobs : int or None
    seed : int
    """

    base: Any
    n_folds: int = 4
    rounds: int = 1
    soft: bool = False
    matched: bool = True
    closed_set: bool = False
    n_jobs: int | None = None
    seed: int = 0


@dataclass(frozen=True, eq=False)
class TwoStageModel:
    """A fitted classifier of K + 1 classes with its rule and what held-out rows say of it.

    Attributes
    ----------
    model : CodedModel
        Fitted to all rows.
    rule : ProbabilityRule
    risk : RiskEstimate
    held_out : HeldOutProbabilities
    newness : array of shape (n_unlabeled,)
        Weights of the unlabeled rows as augmented ones.
    risks : tuple of float
        Label-free risk of every round that was tried.
    """

    model: CodedModel
    rule: ProbabilityRule
    risk: RiskEstimate
    held_out: HeldOutProbabilities
    newness: Array
    risks: tuple[float, ...]

    def decide(self, X: Any) -> Array:
        """Return decision values of rows."""
        return self.rule.decide(self.model.probabilities(X))

    def held_out_probabilities(self, places: Codes) -> Array:
        """Return calibrated probabilities of the rows at the places they came from."""
        rows = [self.held_out.labeled, self.held_out.unlabeled]
        raw = np.vstack(rows)[: len(places)]  # without unlabeled rows the labeled ones stand in
        calibrated = self.rule.probabilities(self.rule.decide(raw))
        out = np.empty_like(calibrated)
        out[places] = calibrated
        return out


def fold_of_rows(table: LacTable, n_folds: int, seed: int) -> Codes:
    """Return the fold by which each row is held out, labeled rows first."""
    if not table.n_unlabeled:
        return draw_folds(table.y_labeled, table.n_labeled, n_folds, seed).labeled
    folds = draw_folds(table.y_labeled, table.n_unlabeled, n_folds, seed)
    unlabeled = np.minimum(np.arange(table.n_unlabeled) // folds.fold_size, folds.n_folds - 1)
    return np.append(folds.labeled, unlabeled)


def cross_fitted(
    table: LacTable, target: Codes, weights: Array, stages: Stages, *, n_codes: int
) -> Array:
    """Return probabilities of all rows, each by a model fitted without its fold."""
    fold = fold_of_rows(table, stages.n_folds, stages.seed)

    def one(index: int) -> tuple[Codes, Array]:
        held_out = np.flatnonzero(fold == index)
        kept = np.where(fold == index, 0.0, weights)
        model = fit_weighted(stages.base, table.X, target, kept, n_codes=n_codes, seed=stages.seed)
        return held_out, model.probabilities(picked(table.X, held_out))

    out = np.zeros((len(fold), n_codes))
    with blas_threads(1):
        jobs = (delayed(one)(index) for index in range(fold.max() + 1))
        for rows, probabilities in Parallel(stages.n_jobs, prefer="threads")(jobs):
            out[rows] = probabilities
    return out


def membership_probabilities(
    table: LacTable, stages: Stages, *, by_class: bool = False
) -> tuple[Array, Array]:
    """Return out-of-fold probabilities of being labeled and, last, of being unlabeled.

    With `by_class` there is a column for each known class instead of one for all of them.
    """
    is_unlabeled = np.arange(table.n_labeled + table.n_unlabeled) >= table.n_labeled
    target = _targets(table) if by_class else is_unlabeled.astype(np.intp)
    n_codes = table.n_known_classes + 1 if by_class else 2
    probabilities = cross_fitted(table, target, np.ones(len(target)), stages, n_codes=n_codes)
    return probabilities[: table.n_labeled], probabilities[table.n_labeled :]


def fit_two_stage(
    table: LacTable,
    estimate: ProportionEstimate,
    first: tuple[Array, Array],
    stages: Stages,
    on_round: Callable[[int], Any] = lambda index: None,
) -> TwoStageModel:
    """Return the model of a table in value order, its first stage done and proportion estimated.

    Parameters
    ----------
    table : LacTable
    estimate : ProportionEstimate
    first : (labeled, unlabeled) arrays
        From `membership_probabilities`.
    stages : Stages
    on_round : callable
        Called with its index after each round: progress.
    """
    weights = labeled_weights(table.y_labeled, estimate.per_class)
    scores = [log_odds(1.0 - probabilities[:, -1]) for probabilities in first]
    newness = shares_of_new(scores[0], weights, scores[1], soft=stages.soft)
    best: tuple[RiskEstimate, HeldOutProbabilities, ProbabilityRule, Array] | None = None
    risks: list[float] = []
    for index in range(stages.rounds):
        held_out = _second_stage(table, weights, newness, stages, estimate.interval)
        rule = fit_probability_rule(held_out, matched=stages.matched, closed_set=stages.closed_set)
        risk = held_out_risk(held_out, rule, estimate)
        risks.append(risk.raw)
        on_round(index)
        if best is not None and risk.raw >= best[0].raw:
            break
        best = risk, held_out, rule, newness
        newness = _found_newness(held_out, stages.soft)
    assert best is not None
    risk, held_out, rule, newness = best
    model = _on_all_rows(table, _targets(table), _row_weights(weights, newness), stages)
    return TwoStageModel(model, rule, risk, held_out, newness, tuple(risks))


def fit_closed(table: LacTable, estimate: ProportionEstimate, stages: Stages) -> TwoStageModel:
    """Return a model of the known classes alone: there are no unlabeled rows to learn from."""
    weights = labeled_weights(table.y_labeled, estimate.per_class)
    n_codes = table.n_known_classes + 1
    held_out = cross_fitted(table, table.y_labeled, weights, stages, n_codes=n_codes)
    known = HeldOutProbabilities(held_out, held_out, table.y_labeled, weights)
    rule = fit_probability_rule(known, closed_set=True)
    risk = held_out_risk(known, rule, estimate)
    model = _on_all_rows(table, table.y_labeled, weights, stages)
    return TwoStageModel(model, rule, risk, known, np.zeros(0), (risk.raw,))


def _on_all_rows(table: LacTable, target: Codes, weights: Array, stages: Stages) -> CodedModel:
    n_codes = table.n_known_classes + 1
    with blas_threads(1):
        return fit_weighted(
            stages.base, table.X, target, weights, n_codes=n_codes, seed=stages.seed
        )


def _second_stage(
    table: LacTable,
    weights: Array,
    newness: Array,
    stages: Stages,
    interval: tuple[float, float],
) -> HeldOutProbabilities:
    """Return held-out probabilities of a classifier of K + 1 classes."""
    row_weights = _row_weights(weights, newness)
    n_codes = table.n_known_classes + 1
    probabilities = cross_fitted(table, _targets(table), row_weights, stages, n_codes=n_codes)
    labeled, unlabeled = np.split(probabilities, [table.n_labeled])
    return HeldOutProbabilities(labeled, unlabeled, table.y_labeled, weights, interval)


def _found_newness(held_out: HeldOutProbabilities, soft: bool) -> Array:
    """Return the newness of unlabeled rows as the second stage sees it."""
    share = 1.0 - float(held_out.weights.mean())
    new = held_out.unlabeled[:, -1]
    if soft:
        return matched_shares(new, share)
    return newest(new - held_out.unlabeled[:, :-1].max(axis=1), share)


def _targets(table: LacTable) -> Codes:
    return np.append(table.y_labeled, np.full(table.n_unlabeled, table.n_known_classes))


def _row_weights(weights: Array, newness: Array) -> Array:
    """Weights of all rows: both samples count as one, whatever their sizes."""
    new = np.where(newness < SMALLEST_SHARE, 0.0, newness)
    return np.append(weights * (len(newness) / len(weights)), new)
