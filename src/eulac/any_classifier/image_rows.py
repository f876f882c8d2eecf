"""Images: pixels for the families of tables, and networks beside them, found by their name.

Families do not import each other. Which classifier trains networks is known to the package, which
lists all public names; it is asked for one when images come.
"""

from importlib import import_module
from typing import Any

import numpy as np

from eulac.any_classifier.default_proportion import TableReading

__all__ = [
    "MOST_IMAGES",
    "NETWORKS",
    "beside_networks",
    "clear_reading",
    "image_shape",
    "most_rows",
    "pixels",
]

NETWORKS = "networks"
"""What the candidate is called."""

BUDGET_SHARE = 0.45
"""Of the time there is, the part that goes into networks. Less than half: a further family begins
only if one as slow as the slowest would fit in."""

USUAL_SECONDS = 1200.0
"""For networks, where nobody says how much time there is."""

MOST_IMAGES = (20_000, 20_000)
"""Labeled and unlabeled images to learn from. Networks, unlike families of tables, go on to gain
from labeled rows far beyond 5,000."""


def image_shape(X: Any) -> tuple[int, ...] | None:
    """Return the shape of one image where rows are images; None for rows of a table.

    Examples
    --------
    >>> image_shape(np.zeros((5, 28, 28))), image_shape(np.zeros((5, 3)))
    ((28, 28), None)
    """
    shape = tuple(getattr(X, "shape", ()))
    return shape[1:] if len(shape) in (3, 4) else None


def most_rows(shape: tuple[int, ...] | None) -> tuple[int, int] | None:
    """Return how many labeled and unlabeled images to learn from; None for rows of a table.

    Examples
    --------
    >>> most_rows((28, 28))
    (20000, 20000)
    """
    return None if shape is None else MOST_IMAGES


def pixels(X: Any, shape: tuple[int, ...] | None) -> Any:
    """Return images of that shape as rows of pixels; rows of a table as they are.

    Examples
    --------
    >>> pixels(np.zeros((5, 28, 28)), (28, 28)).shape
    (5, 784)
    """
    if X is None or shape is None or image_shape(X) is None:
        return X
    if image_shape(X) != shape:
        raise ValueError(
            f"images must have the shape they had in `fit`, {shape}; got {image_shape(X)}."
        )
    return np.reshape(np.asarray(X), (len(X), -1))


def clear_reading(found: TableReading) -> TableReading:
    """Return what was read off pixels, drift only where both readings lie clearly apart.

    Pixels tell less than columns of a table do, and networks, which tell more, are left out where
    known classes have moved: they would learn the move.
    """
    clear = found.estimate.diagnostics["drift"]["share_used"] >= 1.0
    return found if clear else found._replace(guesses=None)


def beside_networks(
    named: dict[str, Any],
    shape: tuple[int, ...] | None,
    found: TableReading | None,
    time_budget: float | None,
) -> dict[str, Any]:
    """Return candidates for rows of pixels, with networks beside them if these are images.

    Not where known classes have moved, see `clear_reading`.

    Examples
    --------
    >>> beside_networks({}, None, None, None)
    {}
    """
    if shape is None or (found is not None and found.guesses is not None):
        return named
    kind = getattr(import_module("eulac"), "EnsembleEulacClassifier", None)
    if kind is None:
        raise ImportError(
            f"images are answered by networks, which need PyTorch; got images of the shape {shape} "
            "and no PyTorch. Install it with: pip install 'eulac[deep]'. Or pass pixels as a "
            "table, X.reshape(len(X), -1)."
        )
    seconds = USUAL_SECONDS if time_budget is None else BUDGET_SHARE * time_budget
    return {**named, NETWORKS: kind(row_shape=shape, time_budget=seconds)}
