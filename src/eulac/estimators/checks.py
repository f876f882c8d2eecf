"""Sentences a classifier says: refusals of parameters, and warnings about a doubtful result."""

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eulac.data.lac_sample import LacSample
from eulac.exceptions import (
    NoUnlabeledRowsWarning,
    ProportionAtBoundWarning,
    ProportionDisagreementWarning,
    SmallClassWarning,
    TrivialPredictorWarning,
)
from eulac.proportion.estimate import ProportionEstimate

__all__ = [
    "as_candidates",
    "moderate",
    "require_at_least",
    "require_bounded",
    "require_choice",
    "require_finite_labels",
    "require_range",
    "require_spread",
    "step_counter",
    "warn_of_doubtful_proportion",
    "warn_if_trivial",
    "warn_of_small_classes",
    "with_deployment_rows",
]

TRIVIAL_SHARE = 0.995

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


def require_at_least(name: str, value: Any, low: int) -> None:
    """Refuse a value that is not a whole number of at least `low`."""
    if not isinstance(value, int | np.integer) or value < low:
        raise ValueError(f"`{name}` must be a whole number of at least {low}; got {value!r}.")


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


def step_counter(progress: Callable[[int, int], Any] | None, total: int) -> Callable[[int], Any]:
    """Return a function of the index just finished that reports ``(done, total)``."""
    if progress is None:
        return lambda index: None
    return lambda index: progress(index + 1, total)


def with_deployment_rows(sample: LacSample) -> LacSample:
    """Return the sample; without unlabeled rows, the labeled ones stand in for them."""
    if sample.n_labeled == 1:
        raise ValueError(
            "at least two labeled rows are needed, to learn from one and try on the other; got 1. "
            "Label more."
        )
    if sample.n_unlabeled == 1:
        raise ValueError(
            "at least two unlabeled rows are needed to learn from them; got n_samples = 1. "
            "Pass more, or none for a classifier of the known classes only."
        )
    if sample.n_unlabeled:
        return sample
    warnings.warn(
        "`y` has no unlabeled rows (none marked, no `X_unlabeled`), so nothing can be called "
        "augmented: fitting a classifier of the known classes only.",
        NoUnlabeledRowsWarning,
        stacklevel=4,
    )
    return LacSample(sample.X_labeled, sample.y_labeled, sample.X_labeled, sample.codec)


def warn_of_small_classes(sample: LacSample, n_folds: int) -> None:
    """Warn of known classes that cannot be in every fold."""
    counts = np.bincount(sample.y_labeled, minlength=sample.n_known_classes)
    labels = sample.codec.known.tolist()
    small = [f"{labels[k]!r} ({counts[k]})" for k in np.flatnonzero(counts < n_folds)]
    if small:
        others = f" and {len(small) - 5} others" if len(small) > 5 else ""
        warnings.warn(
            f"known classes with fewer labeled rows than the {n_folds} folds: "
            f"{', '.join(small[:5])}{others}. What is estimated for them is unreliable; label "
            "more of them.",
            SmallClassWarning,
            stacklevel=4,
        )


def warn_of_doubtful_proportion(estimate: ProportionEstimate) -> None:
    """Warn of an estimate at a bound, or one whose parts disagree."""
    if estimate.method == "given":
        return
    nearly = 1.0 / estimate.n_unlabeled
    values = estimate.diagnostics.get("by_score", {})
    if estimate.total > 1 - nearly:
        _warn_at_bound(estimate, "nothing in the unlabeled rows is new")
    elif estimate.total < nearly:
        _warn_at_bound(estimate, "nothing in the unlabeled rows is of a known class")
    elif estimate.diagnostics.get("at_bound"):
        _warn_at_bound(estimate, "the search stopped at its limit")
    elif not estimate.diagnostics.get("scores_agree", True):
        listed = ", ".join(f"{name} {value:.2f}" for name, value in values.items())
        warnings.warn(
            f"estimates of the known proportion disagree ({listed}); their median "
            f"{estimate.total:.2f} is used. Label more rows, or pass `known_proportion`.",
            ProportionDisagreementWarning,
            stacklevel=4,
        )


def _warn_at_bound(estimate: ProportionEstimate, answer: str) -> None:
    warnings.warn(
        f"the known proportion was estimated at its bound ({estimate.total:.3f}, method "
        f"{estimate.method!r}): {answer}, as far as this sample tells. Pass `known_proportion` if "
        "you know better.",
        ProportionAtBoundWarning,
        stacklevel=5,
    )


def warn_if_trivial(answer_shares: NDArray[np.float64], labels: NDArray[Any]) -> None:
    """Warn of a classifier that gives nearly every unlabeled row the same answer."""
    top = int(answer_shares.argmax())
    if answer_shares[top] >= TRIVIAL_SHARE and len(labels) > 1:
        answer = labels.tolist()[top]
        warnings.warn(
            f"{answer_shares[top]:.1%} of the held-out unlabeled rows are called {answer!r}. "
            "Check the features' scale, the labels, and `known_proportion`.",
            TrivialPredictorWarning,
            stacklevel=3,
        )
