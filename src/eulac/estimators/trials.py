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

__all__ = ["Trial", "named_candidates", "quietly_fitted", "with_parameter"]


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


def with_parameter(candidate: Any, parameter: str, value: Any) -> Any:
    """Return a clone with the parameter set, also inside a pipeline, where it has one."""
    model = clone(candidate)
    found = [name for name in model.get_params(deep=True) if name.split("__")[-1] == parameter]
    # A base classifier inside a candidate keeps what it has: the shortest name is the candidate's.
    outer = min(found, key=len, default=None)
    return model if outer is None else model.set_params(**{outer: value})


def quietly_fitted(model: Any, table: LacTable) -> Any:
    """Return the classifier fitted to class codes; doubts are spoken of once, not by each."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EulacWarning)
        return model.fit(table.X, table.masked_codes())
