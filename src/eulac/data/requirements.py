"""Refusals every classifier shares: a sentence that says what must hold and what was given."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "LARGEST",
    "SMALLEST",
    "as_candidates",
    "moderate",
    "require_at_least",
    "require_bounded",
    "require_choice",
    "require_finite_labels",
    "require_range",
    "require_spread",
]

LARGEST, SMALLEST = 1e70, 1e-70
"""Numbers within these limits can be squared and divided by each other without overflow."""


def require_choice(name: str, value: Any, choices: Sequence[Any]) -> None:
    """Refuse a value that is not one of the choices."""
    if not any(value is choice or value == choice for choice in choices):
        known = ", ".join(map(repr, choices))
        raise ValueError(f"`{name}` must be one of {known}; got {value!r}.")


def require_range(name: str, value: Any, low: float, high: float) -> None:
    """Refuse a value that is not a number in ``[low, high]``."""
    if not isinstance(value, int | float | np.number) or not low <= value <= high:
        raise ValueError(f"`{name}` must lie in [{low:g}, {high:g}]; got {value!r}.")


def require_at_least(name: str, value: Any, low: int, *, or_auto: bool = False) -> None:
    """Refuse a value that is not a whole number of at least `low`, nor "auto" where it may be."""
    if or_auto and isinstance(value, str) and value == "auto":
        return
    if not isinstance(value, int | np.integer) or value < low:
        what = "'auto' or a whole" if or_auto else "a whole"
        raise ValueError(f"`{name}` must be {what} number of at least {low}; got {value!r}.")


def as_candidates(name: str, value: Any, default: Sequence[float]) -> list[float]:
    """Return what to search: the default, one number, or several."""
    if value is None:
        return list(default)
    try:
        candidates = np.asarray(value, dtype=float).ravel()
    except (TypeError, ValueError):
        candidates = np.empty(0)
    if not candidates.size or not np.all((candidates >= SMALLEST) & (candidates <= LARGEST)):
        raise ValueError(
            f"`{name}` must be one or more positive numbers, within {SMALLEST:g} and "
            f"{LARGEST:g}; got {value!r}."
        )
    return [float(candidate) for candidate in candidates]


def moderate(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rows, what is beyond the limits moved to them."""
    return np.clip(X, -LARGEST, LARGEST)


def require_finite_labels(y: Any) -> None:
    """Refuse infinite labels, at which scikit-learn's own check of `y` warns first."""
    labels = np.asarray(y)
    if labels.dtype.kind == "f" and np.isinf(labels).any():
        raise ValueError(f"labels in `y` must be finite; got {np.isinf(labels).sum()} times inf.")


def require_bounded(X: NDArray[np.float64]) -> None:
    """Refuse features whose squares might overflow."""
    largest = float(np.abs(X).max())
    if largest > LARGEST:
        raise ValueError(
            f"features must lie within {-LARGEST:g} and {LARGEST:g}; got one of size "
            f"{largest:.3g}. Rescale them."
        )


def require_spread(X: NDArray[np.float64]) -> None:
    """Refuse features that differ, but by so little that squared distances vanish."""
    spread = float(np.ptp(X, axis=0).max())
    if 0 < spread < SMALLEST:
        raise ValueError(
            f"scaled features must differ by {SMALLEST:g} or more; got {spread:.3g} at most. "
            "Rescale them."
        )
