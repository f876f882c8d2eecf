"""From records to curves: the mean of a measurement at each value of what was varied."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from eulac.benchmark.methods.trial_methods import TRIAL_METHODS
from eulac.benchmark.records import Record

__all__ = ["Curve", "Point", "condition", "curves_by_method", "estimated_shares", "mean_curve"]


@dataclass(frozen=True)
class Point:
    """Mean of `n` values at `x`, with its standard error (None for a single value)."""

    x: float
    mean: float
    error: float | None
    n: int


Curve = tuple[Point, ...]


def mean_curve(pairs: Iterable[tuple[float, float]]) -> Curve:
    """Return the mean at each x, sorted by x; the order of the pairs does not matter.

    Examples
    --------
    >>> mean_curve([(2, 5.0), (1, 3.0), (1, 5.0)])
    (Point(x=1, mean=4.0, error=1.0, n=2), Point(x=2, mean=5.0, error=None, n=1))
    """
    groups: dict[float, list[float]] = {}
    for x, value in pairs:
        groups.setdefault(x, []).append(value)
    return tuple(_point(x, sorted(groups[x])) for x in sorted(groups))


def condition(name: str) -> Callable[[Record], Any]:
    """Return a function that reads one condition of a record's draw."""
    return lambda record: record.trial.draw.condition(name)


def curves_by_method(
    records: Iterable[Record], x: Callable[[Record], Any], metric: str, *, factor: float = 100.0
) -> dict[str, Curve]:
    """Return the curve of each method, in the order of `TRIAL_METHODS`; metrics become percent."""
    pairs: dict[str, list[tuple[float, float]]] = {}
    for record in records:
        value = record.metrics.get(metric)
        if record.ok and value is not None and x(record) is not None:
            pairs.setdefault(record.trial.method, []).append((x(record), factor * value))
    return {name: mean_curve(pairs[name]) for name in TRIAL_METHODS if name in pairs}


def estimated_shares(records: Sequence[Record], methods: Sequence[str]) -> Mapping[str, Curve]:
    """Return the mean estimate of the known share against the true one, by method."""
    pairs: dict[str, list[tuple[float, float]]] = {}
    for record in records:
        if record.ok and record.trial.method in methods and record.proportion is not None:
            true = record.trial.draw.condition("known_proportion")
            pairs.setdefault(record.trial.method, []).append((true, record.proportion["estimate"]))
    return {name: mean_curve(pairs[name]) for name in methods if name in pairs}


def _point(x: float, values: Sequence[float]) -> Point:
    error = float(np.std(values, ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else None
    return Point(x, float(np.mean(values)), error, len(values))
