"""A threshold without any new row: known classes take turns at playing the new ones."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from eulac.contenders.base import Array, OpenSetModel

__all__ = ["simulated_openness_threshold"]


def simulated_openness_threshold(
    fit: Callable[[Array, NDArray[np.intp]], OpenSetModel],
    X: Array,
    y: NDArray[np.intp],
    candidates: Sequence[float],
    *,
    n_draws: int = 5,
    random_state: int = 0,
) -> float:
    """Return the candidate that tells known from held-out classes best, averaged over draws.

    In each draw half of the classes play unknown, and half of the rows of the others train. The
    merit of a threshold is the mean of two accuracies: of the other half of the known rows (the
    class must be right and the novelty at most the threshold) and of the rows that play unknown.

    Parameters
    ----------
    fit : callable
        From rows and codes 0..k-1 to a model.
    X, y : labeled rows and their codes
    candidates : sequence of floats
        Thresholds of novelty, from which the best is returned; the middle one of equals.
    """
    rng = np.random.default_rng(random_state)
    thresholds = np.sort(np.asarray(candidates, dtype=float))
    merit = np.zeros(len(thresholds))
    for _ in range(n_draws):
        merit += _merit_of_one_draw(fit, X, y, thresholds, rng)
    best = np.flatnonzero(merit >= merit.max() - 1e-12)
    return float(thresholds[best[len(best) // 2]])


def _merit_of_one_draw(
    fit: Callable[[Array, NDArray[np.intp]], OpenSetModel],
    X: Array,
    y: NDArray[np.intp],
    thresholds: Array,
    rng: np.random.Generator,
) -> Array:
    classes = _in_order_of_rows(y)
    playing = rng.permutation(classes)[: len(classes) // 2]
    unknown = np.isin(y, playing)
    training = np.zeros(len(y), dtype=bool)
    for k in classes[~np.isin(classes, playing)]:
        rows = np.flatnonzero(y == k)
        training[rng.permutation(rows)[: (len(rows) + 1) // 2]] = True
    present, codes = np.unique(y[training], return_inverse=True)
    model = fit(X[training], codes)
    testing = ~training & ~unknown
    merit = 0.5 * np.mean(model.evidence(X[unknown]).novelty[:, None] > thresholds, axis=0)
    if testing.any():
        seen = model.evidence(X[testing])
        is_right = present[seen.known.argmax(axis=1)] == y[testing]
        accepted = seen.novelty[:, None] <= thresholds
        merit = merit + 0.5 * np.mean(is_right[:, None] & accepted, axis=0)
    return np.asarray(merit)


def _in_order_of_rows(y: NDArray[np.intp]) -> NDArray[np.intp]:
    """Classes by their first row, so that renaming them changes nothing."""
    classes, first = np.unique(y, return_index=True)
    return np.asarray(classes[np.argsort(first)])
