"""Refusals every classifier shares: a sentence that says what must hold and what was given."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

__all__ = [
    "LARGEST",
    "SMALLEST",
    "as_candidates",
    "moderate",
    "require_at_least",
    "require_bounded",
    "require_choice",
    "require_dense",
    "require_distinct_names",
    "require_finite_labels",
    "require_jobs",
    "require_label_per_row",
    "require_number_cells",
    "require_range",
    "require_seed",
    "require_spread",
    "require_table",
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


def require_label_per_row(X: Any, y: Any) -> None:
    """Refuse labels that are more or fewer than the rows.

    Examples
    --------
    >>> require_label_per_row(np.eye(3), [0, 1])
    Traceback (most recent call last):
    ValueError: `y` must have a label for each row of `X`, 3 of them; got 2. Mark ...
    """
    n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
    n_labels = len(y) if hasattr(y, "__len__") else np.asarray(y).size
    if n_rows != n_labels:
        raise ValueError(
            f"`y` must have a label for each row of `X`, {n_rows} of them; got {n_labels}. Mark "
            "unlabeled rows, or pass them as `X_unlabeled`."
        )


def require_distinct_names(X: Any) -> None:
    """Refuse a frame that names two columns alike."""
    names = [str(name) for name in getattr(X, "columns", ())]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise ValueError(f"column names must differ; {repeated} come more than once. Rename them.")


def require_table(X: Any) -> None:
    """Refuse what has no rows, and lists of uneven rows."""
    if X is None or isinstance(X, str | bytes | int | float):
        raise ValueError(f"rows must be an array or a data frame; got {X!r:.60}.")
    if isinstance(X, list | tuple) and len({_width(row) for row in X}) > 1:
        widths = sorted({_width(row) for row in X})[:5]
        raise ValueError(f"rows must all have the same number of features; got rows of {widths}.")


def _width(row: Any) -> int:
    return 1 if isinstance(row, str) or not hasattr(row, "__len__") else len(row)


def require_dense(X: Any, name: str) -> None:
    """Refuse sparse rows where a classifier would need them all written out.

    Examples
    --------
    >>> require_dense(np.eye(2), "KernelEulacClassifier")
    """
    if not sparse.issparse(X):
        return
    n_rows, n_columns = X.shape
    raise TypeError(
        f"rows must be dense for {name}; got sparse ones, {n_rows:,} x {n_columns:,}. Use "
        "EulacClassifier(), or TwoStageEulacClassifier around a classifier of sparse rows, such as "
        f"LogisticRegression(), or pass `X.toarray()`, {8 * n_rows * n_columns / 1e6:,.1f} MB."
    )


def require_number_cells(X: Any, error: Exception | None = None) -> None:
    """Refuse text among the features, by the first cell that is no number."""
    require_table(X)
    cells: Any = np.asarray(X, dtype=object)
    if cells.ndim != 2:
        return
    names = list(getattr(X, "columns", range(cells.shape[1])))
    for row, column in np.ndindex(cells.shape):
        if isinstance(cell := cells[row, column], str) and not is_number(cell):
            raise ValueError(
                f"features must be numbers; column {names[column]!r} has {cell!r:.60}. Encode it, "
                "or use EulacClassifier or TwoStageEulacClassifier, which read text and categories."
            ) from error


def is_number(cell: str) -> bool:
    """Return whether a text is a number, as Python reads them.

    Examples
    --------
    >>> is_number("4.1"), is_number("4,1")
    (True, False)
    """
    try:
        float(cell)
    except ValueError:
        return False
    return True


def require_jobs(value: Any) -> None:
    """Refuse a number of cores that is none."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if value is not None and (not whole or value == 0):
        raise ValueError(
            "`n_jobs` must be None or a whole number other than 0, -1 for all cores; got "
            f"{value!r}."
        )


def require_seed(value: Any, name: str = "random_state") -> None:
    """Refuse what cannot seed a draw.

    Examples
    --------
    >>> require_seed(-3)
    Traceback (most recent call last):
    ValueError: `random_state` must be None, a whole number from 0 to 2**32 - 1 or a generator ...
    """
    generators = (np.random.RandomState, np.random.Generator)
    if value is None or value is np.random or isinstance(value, generators):
        return
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or not 0 <= value < 2**32:
        raise ValueError(
            f"`{name}` must be None, a whole number from 0 to 2**32 - 1 or a generator of NumPy; "
            f"got {value!r:.60}."
        )


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
