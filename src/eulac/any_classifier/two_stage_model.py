"""Two stages around any classifier: which unlabeled rows are new, and a classifier of K + 1.

The first stage tells labeled from unlabeled rows. Its scores order the unlabeled rows
by how new they look, and the known proportion turns the order into shares of newness. The second
trains on the labeled rows, weighted to stand for the known part of the test distribution, and on
the unlabeled rows as augmented ones, weighted by their newness: in expectation the risk of the
paper, whose augmented part is a mean over unlabeled rows of P(augmented | x) times a loss. The
known part of the unlabeled rows is not used twice.

No row scores itself, nor tells the model that scores it which rows are new. The second stage tells
new rows from known ones better than the first, so the proportion may be estimated once more from
its held-out scores; the decision follows, and nothing is trained again for it. More rounds repeat
the second stage with the newness it has found itself; there rows have had a little say, through the
models of other folds, and risks come out a little too small.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eulac.any_classifier.augmented_shares import matched_shares, newest, shares_of_new
from eulac.any_classifier.first_stage import FirstStage
from eulac.any_classifier.refined_proportion import refined_proportion
from eulac.any_classifier.stages import Stages, cross_fitted, fit_on_all
from eulac.any_classifier.weighted_base import AveragedModel, CodedModel, drawn_rows
from eulac.data.lac_table import LacTable
from eulac.proportion.estimate import ProportionEstimate
from eulac.risk.decision_rule import DecisionRule, fit_decision_rule, held_out_risk
from eulac.risk.evidence import LogProbabilities
from eulac.risk.held_out import HeldOut
from eulac.risk.weights import sample_weights
from eulac.risk.zero_one import RiskEstimate

__all__ = ["TwoStageModel", "fit_closed", "fit_two_stage", "judged", "refined"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]
Newness = Callable[[int | None], Array]

SMALLEST_SHARE = 1e-3
"""Rows less new than this are left out of the second stage."""


@dataclass(frozen=True, eq=False)
class TwoStageModel:
    """A fitted classifier of K + 1 classes with its rule and what held-out rows say of it.

    Attributes
    ----------
    model : CodedModel or AveragedModel
        Fitted to all rows.
    rule : DecisionRule
    risk : RiskEstimate
    estimate : ProportionEstimate
        What the rule matches: as given, or refined.
    held_out : HeldOut
    newness : array of shape (n_unlabeled,)
        Weights of the unlabeled rows as augmented ones.
    risks : tuple of float
        Label-free risk of every round that was tried.
    """

    model: CodedModel | AveragedModel
    rule: DecisionRule
    risk: RiskEstimate
    estimate: ProportionEstimate
    held_out: HeldOut
    newness: Array
    risks: tuple[float, ...]

    def decide(self, X: Any) -> Array:
        """Return decision values of rows."""
        return self.rule.decide(LogProbabilities().of(self.model.probabilities(X)))

    def held_out_probabilities(self, places: Codes) -> Array:
        """Return calibrated probabilities of the rows at the places they came from."""
        rows = [self.held_out.labeled, self.held_out.unlabeled]
        raw = np.vstack(rows)[: len(places)]  # without unlabeled rows the labeled ones stand in
        calibrated = self.rule.probabilities(self.rule.decide(LogProbabilities().of(raw)))
        out = np.empty_like(calibrated)
        out[places] = calibrated
        return out


def fit_two_stage(
    table: LacTable,
    estimate: ProportionEstimate,
    first: FirstStage,
    stages: Stages,
    on_round: Callable[[int], Any] = lambda index: None,
    *,
    refine: bool = False,
) -> TwoStageModel:
    """Return the model of a table in value order, its first stage done and proportion estimated.

    Parameters
    ----------
    table : LacTable
    estimate : ProportionEstimate
    first : FirstStage
    stages : Stages
    on_round : callable
        Called with its index after each round: progress.
    refine : bool, default=False
        Estimate the proportion once more, from the held-out scores of the first round.
    """
    weights = sample_weights(table, estimate.per_class)
    newness = _first_newness(first, weights, stages.soft)
    best: _Round | None = None
    risks: list[float] = []
    for index in range(stages.rounds):
        row_weights = _row_weights(weights, newness(None))
        held_out = _second_stage(table, weights, newness, stages, estimate.interval)
        if refine and index == 0:
            estimate, held_out = refined(table, estimate, held_out, stages)
            weights = held_out.weights
        rule, risk = judged(held_out, estimate, stages)
        risks.append(risk.raw)
        on_round(index)
        if best is not None and risk.raw >= best.risk.raw:
            break
        best = _Round(risk, held_out, rule, newness(None), row_weights)
        newness = _same_for_all_folds(_found_newness(held_out, stages.soft))
    assert best is not None
    model = fit_on_all(
        table, _targets(table), best.row_weights, stages, n_codes=table.n_known_classes + 1
    )
    return TwoStageModel(
        model, best.rule, best.risk, estimate, best.held_out, best.newness, tuple(risks)
    )


def refined(
    table: LacTable, estimate: ProportionEstimate, held_out: HeldOut, stages: Stages
) -> tuple[ProportionEstimate, HeldOut]:
    """Return the proportion as held-out rows tell it, and the rows weighted by it."""
    estimate = refined_proportion(estimate, held_out, seed=stages.seed)
    weights = sample_weights(table, estimate.per_class)
    return estimate, replace(held_out, weights=weights, interval=estimate.interval)


def judged(
    held_out: HeldOut, estimate: ProportionEstimate, stages: Stages
) -> tuple[DecisionRule, RiskEstimate]:
    """Return the decision that fits held-out rows, and its label-free risk."""
    kind = LogProbabilities()
    options = {"matched": stages.matched, "closed_set": stages.closed_set}
    rule = fit_decision_rule(held_out, kind, **options)
    return rule, held_out_risk(held_out, rule, kind, estimate.standard_error)


def fit_closed(table: LacTable, estimate: ProportionEstimate, stages: Stages) -> TwoStageModel:
    """Return a model of the known classes alone: there are no unlabeled rows to learn from."""
    weights = sample_weights(table, estimate.per_class)
    n_codes = table.n_known_classes + 1
    held_out = cross_fitted(table, table.y_labeled, lambda fold: weights, stages, n_codes=n_codes)
    deployed = held_out
    if table.importance is not None:  # labeled rows stand in for deployment as often as they count
        deployed = held_out[drawn_rows(table.importance, stages.seed)]
    known = HeldOut(held_out, deployed, table.y_labeled, weights)
    rule = fit_decision_rule(known, LogProbabilities(), closed_set=True)
    risk = held_out_risk(known, rule, LogProbabilities(), estimate.standard_error)
    model = fit_on_all(table, table.y_labeled, weights, stages, n_codes=n_codes)
    return TwoStageModel(model, rule, risk, estimate, known, np.zeros(0), (risk.raw,))


@dataclass(frozen=True, eq=False)
class _Round:
    """What a round found, and the weights it trained with."""

    risk: RiskEstimate
    held_out: HeldOut
    rule: DecisionRule
    newness: Array
    row_weights: Array


def _second_stage(
    table: LacTable,
    weights: Array,
    newness: Newness,
    stages: Stages,
    interval: tuple[float, float],
) -> HeldOut:
    """Return held-out probabilities of a classifier of K + 1 classes."""
    probabilities = cross_fitted(
        table,
        _targets(table),
        lambda fold: _row_weights(weights, newness(fold)),
        stages,
        n_codes=table.n_known_classes + 1,
    )
    labeled, unlabeled = np.split(probabilities, [table.n_labeled])
    return HeldOut(labeled, unlabeled, table.y_labeled, weights, interval)


def _first_newness(first: FirstStage, weights: Array, soft: bool) -> Newness:
    """Return the newness of unlabeled rows, as models without a fold see it; zero in the fold."""

    def newness(fold: int | None) -> Array:
        labeled, unlabeled = first.scores(fold)
        seen, there = ~np.isnan(labeled), ~np.isnan(unlabeled)
        shares = np.zeros(len(unlabeled))
        kept = weights[seen] * (weights.mean() / max(weights[seen].mean(), np.finfo(float).tiny))
        shares[there] = shares_of_new(labeled[seen], kept, unlabeled[there], soft=soft)
        return shares

    return newness


def _same_for_all_folds(found: Array) -> Newness:
    return lambda fold: found


def _found_newness(held_out: HeldOut, soft: bool) -> Array:
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
