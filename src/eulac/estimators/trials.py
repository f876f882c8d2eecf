"""Candidates on trial: called by a name, told the proportion, fitted without repeating doubts."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sklearn.base import clone

from eulac.estimators.probability_rule import HeldOutProbabilities
from eulac.estimators.rows import LacTable
from eulac.exceptions import EulacWarning
from eulac.risk.zero_one import RiskEstimate

__all__ = ["Trial", "has_parameter", "named_candidates", "quietly_fitted", "with_parameter"]


@dataclass(frozen=True, eq=False)
class Trial:
    """A candidate fitted to all rows, and how it did on held-out ones."""

    name: str
    model: Any
    held_out: HeldOutProbabilities
    risk: RiskEstimate
    seconds: float


def named_candidates(candidates: Any) -> dict[str, Any]:
    """Return candidates by name; those without one are called by their class and place."""
    if isinstance(candidates, Mapping):
        return dict(candidates)
    return {f"{type(c).__name__}_{i}": c for i, c in enumerate(candidates)}


def has_parameter(candidate: Any, parameter: str) -> bool:
    """Return whether the candidate has a parameter of that name, also inside a pipeline."""
    return _full_name(candidate, parameter) is not None


def with_parameter(candidate: Any, parameter: str, value: Any) -> Any:
    """Return a clone with the parameter set, also inside a pipeline, where it has one."""
    model = clone(candidate)
    name = _full_name(model, parameter)
    return model if name is None else model.set_params(**{name: value})


def _full_name(candidate: Any, parameter: str) -> str | None:
    names = candidate.get_params(deep=True)
    found = [name for name in names if name.split("__")[-1] == parameter]
    # A base classifier inside a candidate keeps what it has: the shortest name is the candidate's.
    return min(found, key=len, default=None)


def quietly_fitted(model: Any, table: LacTable) -> Any:
    """Return the classifier fitted to class codes; doubts are spoken of once, not by each."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EulacWarning)
        return model.fit(table.X, table.masked_codes())
