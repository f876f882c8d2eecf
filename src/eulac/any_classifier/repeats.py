"""Both stages over again with other folds, and the mean of what they say.

Which rows are held out together is chance, and so is a part of what held-out scores say: of new
rows, of the known proportion, of the error. Another shuffle of the rows gives other folds; each
time no row scores itself, so their mean is a held-out score too, and a steadier one.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eulac.any_classifier.first_stage import FirstStage, fit_first_stage
from eulac.any_classifier.stages import Stages
from eulac.any_classifier.two_stage_model import TwoStageModel, fit_two_stage, judged, refined
from eulac.any_classifier.weighted_base import AveragedModel
from eulac.data.lac_table import LacTable, in_value_order
from eulac.proportion.estimate import ProportionEstimate
from eulac.risk.held_out import HeldOut
from eulac.risk.weights import sample_weights

__all__ = ["Repeat", "fit_repeated", "in_order_of", "mean_parts", "shuffled_repeats"]

Array = NDArray[np.float64]


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
    """
    repeats = []
    for index in range(n_repeats):
        seed = stages.seed + index
        shuffled = in_value_order(table, seed) if index else table
        again = replace(stages, seed=seed)
        first = fit_first_stage(shuffled, again, by_class=by_class)
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
    on_round: Callable[[int], Any] = lambda index: None,
    *,
    refine: bool = False,
) -> TwoStageModel:
    """Return the model of the mean of all repeats; of one, what `fit_two_stage` returns.

    The proportion is refined, and the decision made, with mean held-out probabilities.
    """
    only = repeats[0]
    if len(repeats) == 1:
        return fit_two_stage(only.table, estimate, only.first, only.stages, on_round, refine=refine)
    models = []
    for index, one in enumerate(repeats):
        start = index * one.stages.rounds
        models.append(
            fit_two_stage(
                one.table,
                estimate,
                one.first,
                one.stages,
                lambda done, start=start: on_round(start + done),
            )
        )
    return _mean(repeats, models, estimate, refine=refine)


def _mean(
    repeats: Sequence[Repeat],
    models: Sequence[TwoStageModel],
    estimate: ProportionEstimate,
    *,
    refine: bool,
) -> TwoStageModel:
    table, stages = repeats[0].table, repeats[0].stages
    found = [
        in_order_of(table, one.table, np.vstack([model.held_out.labeled, model.held_out.unlabeled]))
        for one, model in zip(repeats, models, strict=True)
    ]
    newness = [
        in_order_of(table, one.table, np.append(np.zeros(table.n_labeled), model.newness))
        for one, model in zip(repeats, models, strict=True)
    ]
    weights = sample_weights(table, estimate.per_class)
    labeled, unlabeled = np.split(np.mean(found, axis=0), [table.n_labeled])
    held_out = HeldOut(labeled, unlabeled, table.y_labeled, weights, estimate.interval)
    if refine:
        estimate, held_out = refined(table, estimate, held_out, stages)
    rule, risk = judged(held_out, estimate, stages)
    return TwoStageModel(
        AveragedModel(tuple(model.model for model in models)),
        rule,
        risk,
        estimate,
        held_out,
        np.mean(newness, axis=0)[table.n_labeled :],
        (risk.raw,),
    )
