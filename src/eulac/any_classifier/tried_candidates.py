"""Candidates: called by a name, given the proportion, fitted, and judged on held-out rows."""

import time
import warnings
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from eulac.any_classifier.refined_proportion import proportion_with_answers, voted_proportion
from eulac.any_classifier.selection import (
    held_out_outputs,
    in_columns,
    mixed_held_out,
    own_risk,
    split_by_label,
)
from eulac.any_classifier.two_stage_classifier import TwoStageEulacClassifier
from eulac.any_classifier.weighted_base import with_random_state
from eulac.classifier.options import Progress
from eulac.data.lac_table import LacTable
from eulac.exceptions import EulacWarning
from eulac.proportion.estimate import ProportionEstimate
from eulac.risk.held_out import HeldOut
from eulac.risk.weights import sample_weights
from eulac.risk.zero_one import RiskEstimate

__all__ = [
    "Selection",
    "TriedCandidate",
    "asked_answers",
    "can_lead",
    "fitted_candidate",
    "held_out_rows",
    "is_late",
    "judged_again",
    "kept_candidates",
    "leading_candidate",
    "named_candidates",
    "require_candidates",
    "require_seconds",
    "selection_of",
    "voted",
]


@dataclass(frozen=True, eq=False)
class TriedCandidate:
    """A candidate fitted to all rows, and how it did on held-out ones."""

    name: str
    model: Any
    held_out: HeldOut
    risk: RiskEstimate
    seconds: float


@dataclass(frozen=True, eq=False)
class Selection:
    """What candidates were worth on held-out rows, without a label of a test row.

    Attributes
    ----------
    names : tuple of str
        Candidates that were tried.
    risks : tuple of RiskEstimate
        Label-free test error of each, all by one proportion, which they voted for, and on the same
        rows.
    weights : array of shape (n_candidates,)
        Of their probabilities; a single one where one was chosen.
    seconds : tuple of float
        What each took to fit, cross-fitting included, and the proportion in the one that found it.
    risk : RiskEstimate
        Of the choice itself, by nested folds.
    skipped : tuple of str
        Candidates that there was no time for.
    """

    names: tuple[str, ...]
    risks: tuple[RiskEstimate, ...]
    weights: NDArray[np.float64]
    seconds: tuple[float, ...]
    risk: RiskEstimate
    skipped: tuple[str, ...] = ()

    @property
    def best(self) -> str:
        """Name of the candidate with the largest weight."""
        return self.names[int(self.weights.argmax())]


def is_late(start: float, tried: Sequence[TriedCandidate], time_budget: float | None) -> bool:
    """Whether another candidate as slow as the slowest so far would exceed the budget.

    `start` is when the first was begun, by `time.perf_counter`. The first is always tried.
    """
    if time_budget is None or not tried:
        return False
    return time.perf_counter() - start + max(one.seconds for one in tried) > time_budget


def kept_candidates(
    tried: Sequence[TriedCandidate], weights: NDArray[np.float64]
) -> dict[str, Any]:
    """Return the models with a weight by name, their forests in compact form."""
    kept = {one.name: one.model for one, weight in zip(tried, weights, strict=True) if weight > 0}
    for model in kept.values():
        if isinstance(model, TwoStageEulacClassifier):
            model._compact()
    return kept


def judged_again(
    tried: Sequence[TriedCandidate], table: LacTable, estimate: ProportionEstimate
) -> list[TriedCandidate]:
    """Return candidates judged under another estimate of the proportion."""
    weights, again = sample_weights(table, estimate.per_class), []
    for one in tried:
        held_out = replace(one.held_out, weights=weights, interval=estimate.interval)
        again.append(replace(one, held_out=held_out, risk=own_risk(held_out, estimate)))
    return again


def voted(
    tried: Sequence[TriedCandidate],
    leader: str,
    estimate: ProportionEstimate,
    table: LacTable,
    seed: int,
) -> tuple[ProportionEstimate, list[TriedCandidate]]:
    """Return the proportion that all candidates voted for, and what each is worth under it."""
    others = {one.name: one.held_out for one in tried if one.name != leader}
    estimate = voted_proportion(estimate, others, seed=seed)
    return estimate, judged_again(tried, table, estimate)


def asked_answers(
    tried: Sequence[TriedCandidate], estimate: ProportionEstimate, table: LacTable, seed: int
) -> tuple[ProportionEstimate, list[TriedCandidate]]:
    """Return the proportion with the mixture's votes, and the candidates judged under it."""
    held_out = mixed_held_out([one.held_out for one in tried], random_state=seed)
    estimate = proportion_with_answers(estimate, held_out, seed=seed)
    return estimate, judged_again(tried, table, estimate)


def selection_of(
    tried: Sequence[TriedCandidate],
    names: Iterable[str],
    weights: NDArray[np.float64],
    risk: RiskEstimate,
) -> Selection:
    """Return what those candidates were worth that were tried, of all that have a name."""
    return Selection(
        tuple(one.name for one in tried),
        tuple(one.risk for one in tried),
        weights,
        tuple(one.seconds for one in tried),
        risk,
        tuple(name for name in names if all(name != one.name for one in tried)),
    )


def can_lead(candidate: Any) -> bool:
    """Whether a candidate, itself and not something in it, can tell the proportion."""
    return "refine_proportion" in candidate.get_params(deep=False)


def leading_candidate(named: Mapping[str, Any], *, wanted: bool, must: bool) -> str | None:
    """Return the first candidate that can refine the proportion, if it is wanted or has to be."""
    able = [name for name, model in named.items() if can_lead(model)]
    if not wanted:
        return able[0] if able and must else None
    willing = [name for name in able if named[name].refine_proportion is not False]
    if not willing:
        raise ValueError(
            "`refine_proportion=True` needs a candidate with scores of its own, a "
            f"TwoStageEulacClassifier; got {', '.join(named)}. Add one, or leave it at 'auto'."
        )
    return willing[0]


def named_candidates(candidates: Any) -> dict[str, Any]:
    """Return candidates by name; those without one are called by their class and place."""
    if isinstance(candidates, Mapping):
        return dict(candidates)
    return {f"{type(c).__name__}_{i}": c for i, c in enumerate(candidates)}


def require_seconds(name: str, value: Any) -> None:
    """Refuse what is not a positive number of seconds."""
    if value is not None and not (isinstance(value, int | float | np.number) and value > 0):
        raise ValueError(
            f"`{name}` must be a number of seconds greater than 0, or None for as long as it "
            f"takes; got {value!r}."
        )


def require_candidates(candidates: Any) -> None:
    """Refuse what is neither "auto" nor classifiers that learn from unlabeled rows."""
    if isinstance(candidates, str) and candidates == "auto":
        return
    if isinstance(candidates, str) or not isinstance(candidates, Collection):
        raise ValueError(
            "`candidates` must be 'auto', a list of classifiers, or a dict of them by name, such "
            f"as {{'forest': TwoStageEulacClassifier()}}; got {candidates!r}."
        )
    if not len(candidates):
        raise ValueError("`candidates` must hold one classifier or more; got none.")
    for name, candidate in named_candidates(candidates).items():
        if isinstance(candidate, type) or not hasattr(candidate, "fit"):
            raise TypeError(
                f"candidates must be classifiers; got {candidate!r}. Write a list such as "
                "[TwoStageEulacClassifier()], or a dict of classifiers by name."
            )
        _require_learning_from_unlabeled(name, candidate)


def _require_learning_from_unlabeled(name: str, candidate: Any) -> None:
    """Refuse a classifier of scikit-learn's as it is: it would take -1 for a class."""
    last = candidate.steps[-1][1] if isinstance(candidate, Pipeline) else candidate
    if type(last).__module__.startswith("sklearn."):
        raise TypeError(
            f"candidates must learn from unlabeled rows; {name!r} is a {type(last).__name__}, "
            "which does not. Put it into a TwoStageEulacClassifier."
        )


def fitted_candidate(
    candidate: Any,
    table: LacTable,
    parameters: dict[str, Any],
    *,
    seed: int,
    n_jobs: int | None,
    guesses: NDArray[np.intp] | None = None,
    progress: Progress = None,
    fitting: Callable[[Any], AbstractContextManager[None]] = nullcontext,
) -> Any:
    """Return a clone fitted to class codes, with these parameters where it has them.

    So with guesses of what unlabeled rows are, and progress, where it takes them. What is doubtful
    about the fit is warned of once, by the classifier that asks, not by each. What `fitting` makes
    of the clone is entered around its fit.
    """
    model = candidate
    for parameter, value in parameters.items():
        model = _with_parameter(model, parameter, value)
    if n_jobs is not None and model.get_params().get("n_jobs", 1) is None:
        model.set_params(n_jobs=n_jobs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EulacWarning)
        options = _weights(table, model)
        if guesses is not None and getattr(model, "takes_pool_guesses", False):
            options["pool_guesses"] = guesses
        if has_fit_parameter(model, "progress"):
            options["progress"] = progress
        model = with_random_state(model, seed)
        with fitting(model):
            return model.fit(table.X, table.masked_codes(), **options)


def _weights(table: LacTable, model: Any) -> dict[str, Any]:
    """Return weights of all rows, where labeled rows count differently."""
    if table.importance is None:
        return {}
    if not has_fit_parameter(model, "sample_weight"):
        raise ValueError(
            f"`sample_weight` needs candidates that take it; {type(model).__name__} does not. "
            "Leave it out, or use TwoStageEulacClassifier candidates."
        )
    return {"sample_weight": np.append(table.importance, np.ones(table.n_unlabeled))}


def _with_parameter(candidate: Any, parameter: str, value: Any) -> Any:
    """Return a clone with the parameter set, also inside a pipeline, where it has one."""
    model = clone(candidate)
    found = [name for name in model.get_params(deep=True) if name.split("__")[-1] == parameter]
    # A base classifier inside a candidate keeps what it has: the shortest name is the candidate's.
    outer = min(found, key=len, default=None)
    return model if outer is None else model.set_params(**{outer: value})


def held_out_rows(
    model: Any, table: LacTable, fold: NDArray[np.intp], estimate: ProportionEstimate
) -> HeldOut:
    """Return held-out probabilities of every row by a candidate fitted to all rows.

    Its own, where it keeps them; otherwise it is fitted once more without each fold.
    """
    n_codes = table.n_known_classes + 1
    if hasattr(model, "held_out_probabilities_"):
        rows = in_columns(model.held_out_probabilities_, model.classes_, n_codes)
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", EulacWarning)
            rows = held_out_outputs(model, table, fold)
    weights = sample_weights(table, estimate.per_class)
    return split_by_label(table, rows, weights, estimate.interval)
