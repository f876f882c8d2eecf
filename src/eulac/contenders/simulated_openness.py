"""A threshold without any new row: known classes take turns at playing the new ones."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from eulac.contenders.open_set_classifier import Array, OpenSetModel

__all__ = ["simulated_openness_threshold"]


def simulated_openness_threshold(
    fit: Callable[[Array, NDArray[np.intp]], OpenSetModel],
    X: Array,
    y: NDArray[np.intp],
    candidates: Sequence[float] | Array,
    *,
    n_draws: int = 5,
    random_state: int = 0,
) -> float:
    """Return the candidate that tells known from held-out classes best, averaged over draws.

    In each draw half of the classes play unknown, and half of the rows of the others train. The
    merit of a threshold is the mean of two accuracies: of the other half of the known rows (the
    class must be right and the augmented evidence at most the threshold) and of the rows that play
    unknown. A draw that leaves no known row to test with says nothing.

    Parameters
    ----------
    fit : callable
        From rows and codes 0..k-1 to a model.
    X, y : labeled rows and their codes
        Of two or more classes. Copies of a row that lie next to each other, as in the canonical
        order of a sample, train together or not at all.
    candidates : sequence of floats
        Thresholds, from which the best is returned; the middle one of equals.

    Examples
    --------
    >>> from eulac.contenders.open_set_classifier import OpenSetEvidence
    >>> class Nearest:
    ...     def __init__(self, X, y):
    ...         self.centers = np.array([X[y == k].mean() for k in np.unique(y)])
    ...     def evidence(self, X):
    ...         distances = np.abs(X - self.centers)
    ...         return OpenSetEvidence(-distances, distances.min(axis=1))
    >>> X, y = np.array([[0.0], [0.2], [5.0], [5.2], [9.0], [9.2]]), np.repeat([0, 1, 2], 2)
    >>> simulated_openness_threshold(Nearest, X, y, [0.1, 1.0, 10.0])
    1.0
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
    training, unknown = _draw_roles(X, y, rng)
    testing = ~training & ~unknown
    if not testing.any():
        return np.zeros(len(thresholds))
    present, codes = np.unique(y[training], return_inverse=True)
    model = fit(X[training], codes)
    is_new = model.evidence(X[unknown]).augmented[:, None] > thresholds
    seen = model.evidence(X[testing])
    is_right = present[seen.known.argmax(axis=1)] == y[testing]
    is_accepted = seen.augmented[:, None] <= thresholds
    return np.asarray(
        0.5 * is_new.mean(axis=0) + 0.5 * (is_right[:, None] & is_accepted).mean(axis=0)
    )


def _draw_roles(
    X: Array, y: NDArray[np.intp], rng: np.random.Generator
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which rows train, and which play unknown; the rest test."""
    classes = _in_order_of_rows(y)
    playing = rng.permutation(classes)[: len(classes) // 2]
    training = np.zeros(len(y), dtype=bool)
    # Copies of a row share their rank: one that trains would make it easy to accept the other.
    copies = np.cumsum(np.append(True, np.any(X[1:] != X[:-1], axis=1))) - 1
    rank = rng.permutation(len(X))[copies]
    for k in classes[~np.isin(classes, playing)]:
        ranks = rank[y == k]
        training[y == k] = ranks <= np.sort(ranks)[(len(ranks) - 1) // 2]
    return training, np.isin(y, playing)


def _in_order_of_rows(y: NDArray[np.intp]) -> NDArray[np.intp]:
    """Classes by their first row, so that renaming them changes nothing."""
    classes, first = np.unique(y, return_index=True)
    return np.asarray(classes[np.argsort(first)])
