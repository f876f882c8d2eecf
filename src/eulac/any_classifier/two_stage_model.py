"""Two stages around any classifier: which unlabeled rows are new, and a classifier of K + 1.

The first stage tells labeled from unlabeled rows. Its scores order the unlabeled rows by how new
they look, and the known proportion says how many of them are. The second trains on the labeled
rows, weighted to stand for the known part of the test distribution, and on the newest unlabeled
rows as augmented ones: in expectation the risk of the paper, whose augmented part is a mean over
unlabeled rows of P(augmented | x) times a loss. The known part of the unlabeled rows is not used
twice.

No row scores itself, nor decides for the model that scores it which rows are new. The second stage
tells new rows from known ones better than the first, so the proportion may be estimated once more
from its held-out scores; the decision follows, and nothing is trained again for it.

Which rows are held out together is chance, and so is a part of what held-out scores say. Both
stages may be run over again with other folds; each time no row scores itself, so the mean of the
scores is a held-out score too, and a steadier one.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eulac.any_classifier.label_free_steps import PreparedModel
from eulac.any_classifier.refined_proportion import refined_proportion
from eulac.any_classifier.stages import (
    FirstStage,
    Stages,
    cross_fitted,
    fit_first_stage,
    fit_on_all,
    guessed_stage,
)
from eulac.any_classifier.weighted_base import AveragedModel, CodedModel
from eulac.data.folds import rows_standing_in
from eulac.data.lac_table import LacTable, in_value_order
from eulac.proportion.estimate import ProportionEstimate
from eulac.risk.decision_rule import DecisionRule, fit_decision_rule, held_out_risk
from eulac.risk.evidence import LogProbabilities
from eulac.risk.held_out import HeldOut
from eulac.risk.weights import sample_weights
from eulac.risk.zero_one import RiskEstimate

__all__ = [
    "Repeat",
    "TwoStageModel",
    "fit_closed",
    "fit_repeated",
    "in_order_of",
    "mean_parts",
    "newest_rows",
    "shuffled_repeats",
]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class TwoStageModel:
    """A fitted classifier of K + 1 classes with its rule and what held-out rows say of it.

    Attributes
    ----------
    model : CodedModel, AveragedModel or PreparedModel
        Fitted to all rows.
    rule : DecisionRule
    risk : RiskEstimate
    estimate : ProportionEstimate
        What the rule matches: as given, or refined.
    held_out : HeldOut
    """

    model: CodedModel | AveragedModel | PreparedModel
    rule: DecisionRule
    risk: RiskEstimate
    estimate: ProportionEstimate
    held_out: HeldOut

    def decide(self, X: Any) -> Array:
        """Return decision values of rows."""
        return self.rule.decide(LogProbabilities().of(self.model.probabilities(X)))

    def held_out_probabilities(self) -> Array:
        """Return calibrated held-out probabilities of the rows, labeled ones first."""
        rows = np.vstack([self.held_out.labeled, self.held_out.unlabeled])
        return self.rule.probabilities(self.rule.decide(LogProbabilities().of(rows)))


def _second_stage(
    table: LacTable, estimate: ProportionEstimate, first: FirstStage, stages: Stages
) -> tuple[CodedModel, Array]:
    """Return the model of all rows, and held-out probabilities of each by models like it."""
    n_codes, target = table.n_known_classes + 1, _targets(table, first.guesses)
    weights = sample_weights(table, estimate.per_class)

    def row_weights(fold: int | None) -> Array:
        if first.guesses is not None:
            return _guessed_weights(weights, first.guesses)
        return _row_weights(weights, _augmented_rows(first, weights, fold))

    found = cross_fitted(table, target, row_weights, stages, n_codes=n_codes)
    model = fit_on_all(table, target, row_weights(None), stages, n_codes=n_codes)
    return model, found


def fit_closed(table: LacTable, estimate: ProportionEstimate, stages: Stages) -> TwoStageModel:
    """Return a model of the known classes alone: there are no unlabeled rows to learn from."""
    weights = sample_weights(table, estimate.per_class)
    n_codes = table.n_known_classes + 1
    table = stages.prepared(table)
    held_out = cross_fitted(table, table.y_labeled, lambda fold: weights, stages, n_codes=n_codes)
    deployed = held_out
    if table.importance is not None:  # labeled rows stand in for deployment as often as they count
        deployed = held_out[rows_standing_in(table.importance, stages.seed)]
    known = HeldOut(held_out, deployed, table.y_labeled, weights)
    rule = fit_decision_rule(known, LogProbabilities(), closed_set=True)
    risk = held_out_risk(known, rule, LogProbabilities(), estimate.standard_error)
    model = fit_on_all(table, table.y_labeled, weights, stages, n_codes=n_codes)
    return TwoStageModel(_behind_steps(model, stages), rule, risk, estimate, known)


def newest_rows(augmented_score: Array, share: float) -> Array:
    """Return 1 for the given share of rows with the largest scores, 0 for the others.

    Examples
    --------
    >>> newest_rows(np.array([0.1, 0.9, 0.5, 0.2]), 0.5)
    array([0., 1., 1., 0.])
    """
    chosen = np.zeros(len(augmented_score))
    n_new = round(share * len(augmented_score))
    chosen[np.argsort(-augmented_score, kind="stable")[:n_new]] = 1.0
    return chosen


def _augmented_rows(first: FirstStage, weights: Array, fold: int | None) -> Array:
    """Return 1 for unlabeled rows that are new to models without a fold; 0 in the fold itself."""
    labeled, unlabeled = first.scores(fold)
    seen, scored = ~np.isnan(labeled), ~np.isnan(unlabeled)
    # Weights average to the known proportion, also those of a part of the rows.
    kept = weights[seen] * (weights.mean() / max(weights[seen].mean(), np.finfo(float).tiny))
    augmented = np.zeros(len(unlabeled))
    augmented[scored] = newest_rows(-unlabeled[scored], 1.0 - float(kept.mean()))
    return augmented


def _targets(table: LacTable, guesses: Codes | None) -> Codes:
    """Return what all rows are taught as; unlabeled ones as augmented, or as they are guessed."""
    augmented = np.full(table.n_unlabeled, table.n_known_classes)
    pool = augmented if guesses is None else np.where(guesses < 0, augmented, guesses)
    return np.append(table.y_labeled, pool)


def _guessed_weights(weights: Array, guesses: Codes) -> Array:
    """Weights of all rows where unlabeled ones are guessed: both samples count as one.

    Known rows of deployment, which look as they do there, stand beside the labeled ones. So what
    tells labeled from unlabeled rows is not taken for what tells known from new ones.
    """
    guessed = (guesses >= 0).astype(float)
    return np.append(weights * (guessed.sum() / len(weights)), guessed)


def _row_weights(weights: Array, augmented: Array) -> Array:
    """Weights of all rows: both samples count as one, whatever their sizes."""
    return np.append(weights * (len(augmented) / len(weights)), augmented)


def _decided(
    model: CodedModel | AveragedModel,
    table: LacTable,
    found: Array,
    estimate: ProportionEstimate,
    stages: Stages,
    *,
    refine: bool,
) -> TwoStageModel:
    """Return the model with the decision that fits its held-out probabilities, and their risk."""
    weights = sample_weights(table, estimate.per_class)
    labeled, unlabeled = np.split(found, [table.n_labeled])
    held_out = HeldOut(labeled, unlabeled, table.y_labeled, weights, estimate.interval)
    if refine:
        estimate = refined_proportion(estimate, held_out, seed=stages.seed)
        weights = sample_weights(table, estimate.per_class)
        held_out = replace(held_out, weights=weights, interval=estimate.interval)
    kind = LogProbabilities()
    rule = fit_decision_rule(held_out, kind, matched=stages.matched, closed_set=stages.closed_set)
    risk = held_out_risk(held_out, rule, kind, estimate.standard_error)
    return TwoStageModel(_behind_steps(model, stages), rule, risk, estimate, held_out)


def _behind_steps(
    model: CodedModel | AveragedModel, stages: Stages
) -> CodedModel | AveragedModel | PreparedModel:
    """Return a model that takes rows as the user has them."""
    return model if stages.prepare is None else PreparedModel(stages.prepare, model)


@dataclass(frozen=True, eq=False)
class Repeat:
    """The rows in one of several orders, and the first stage with the folds that follow."""

    table: LacTable
    stages: Stages
    first: FirstStage


def shuffled_repeats(
    table: LacTable,
    stages: Stages,
    n_repeats: int,
    on_stage: Callable[[int], Any] = lambda index: None,
    *,
    by_class: bool = False,
    guesses: Codes | None = None,
) -> list[Repeat]:
    """Return the first stage of a table in value order, and of as many other orders of it.

    Parameters
    ----------
    table : LacTable
    stages : Stages
    n_repeats : int
    on_stage : callable
        Called with its index after each first stage: progress.
    by_class : bool, default=False
        As in `fit_first_stage`.
    guesses : int array, optional
        What the row at each place is taken for, if that takes the first stage's place; only those
        of unlabeled rows matter.
    """
    repeats = []
    for index in range(n_repeats):
        seed = stages.seed + index
        shuffled = stages.prepared(in_value_order(table, seed) if index else table)
        again = replace(stages, seed=seed)
        if guesses is None:
            first = fit_first_stage(shuffled, again, by_class=by_class)
        else:
            first = guessed_stage(shuffled, guesses[shuffled.places[shuffled.n_labeled :]])
        repeats.append(Repeat(shuffled, again, first))
        on_stage(index)
    return repeats


def mean_parts(repeats: Sequence[Repeat]) -> tuple[Array, Array]:
    """Return first-stage probabilities of labeled and unlabeled rows, in the first one's order."""
    table = repeats[0].table
    found = [in_order_of(table, one.table, one.first.probabilities) for one in repeats]
    labeled, unlabeled = np.split(np.mean(found, axis=0), [table.n_labeled])
    return labeled, unlabeled


def in_order_of(table: LacTable, other: LacTable, rows: Array) -> Array:
    """Return what belongs to the rows of another order of the table in the order of the table."""
    by_place = np.argsort(other.places)
    return np.asarray(rows[by_place[np.searchsorted(other.places, table.places, sorter=by_place)]])


def fit_repeated(
    repeats: Sequence[Repeat],
    estimate: ProportionEstimate,
    on_stage: Callable[[int], Any] = lambda index: None,
    *,
    refine: bool = False,
) -> TwoStageModel:
    """Return the model of the mean of all repeats, their first stages done.

    The proportion is refined, and the decision made, with mean held-out probabilities.

    Parameters
    ----------
    repeats : sequence of Repeat
    estimate : ProportionEstimate
    on_stage : callable
        Called with its index after each second stage: progress.
    refine : bool, default=False
        Estimate the proportion once more, from the held-out scores of the second stage.
    """
    table, stages = repeats[0].table, repeats[0].stages
    models, found = [], []
    for index, one in enumerate(repeats):
        model, rows = _second_stage(one.table, estimate, one.first, one.stages)
        on_stage(index)
        models.append(model)
        found.append(in_order_of(table, one.table, rows))
    whole = AveragedModel(tuple(models)) if len(models) > 1 else models[0]
    return _decided(whole, table, np.mean(found, axis=0), estimate, stages, refine=refine)
