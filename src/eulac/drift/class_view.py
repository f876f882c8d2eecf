"""Rows as classifiers of the known classes see them: the class view.

Forests are trained on labeled rows alone, one a fold. Of a row they tell the probability of each
known class and how near the row is to labeled rows: in what share of the trees it falls into a
leaf with them. Directions in which known classes are not told apart drop out, so this view keeps
the known share where the columns themselves have drifted.

A labeled row is seen by the one forest that was not trained on it. Every other row must be seen by
one forest too, drawn at random or by a hash of the row: the mean of several is smoother, and the
unlabeled rows would look different from the labeled ones for that reason alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import logit

from eulac.data.folds import draw_folds
from eulac.maths.quick_forest import (
    fit_quickly,
    forest_leaves,
    takes_quick_trees,
)

__all__ = [
    "ClassView",
    "HeldOutView",
    "SeenRows",
    "class_view_of",
    "fit_class_view",
    "held_out_class_view",
]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

N_TREES = 64
N_NEAREST = 5
"""Labeled rows whose mean nearness counts."""

BLOCK_ROWS = 2048
"""Rows looked at together."""


@dataclass(frozen=True, eq=False)
class SeenRows:
    """What a forest of the known classes says of each row.

    Attributes
    ----------
    probabilities : array of shape (n, n_known_classes)
    nearness : array of shape (n,)
        Share of the trees in which a row shares a leaf with its nearest labeled rows.
    own_nearness : array of shape (n,)
        The same, over all labeled rows of its likeliest class.
    """

    probabilities: Array
    nearness: Array
    own_nearness: Array

    @property
    def classes(self) -> Codes:
        """The likeliest known class of each row."""
        return np.asarray(self.probabilities.argmax(axis=1))

    @property
    def columns(self) -> Array:
        """Probabilities of the known classes and, last, the nearness."""
        return np.column_stack([self.probabilities, self.nearness])

    @property
    def typicality(self) -> Array:
        """How sure and how near, whatever the class: four columns that fall for odd rows."""
        top = -np.sort(-np.column_stack([self.probabilities, np.zeros(len(self.nearness))]))[:, :2]
        return np.column_stack(
            [
                logit(np.clip(top[:, 0], 0.02, 0.98)),
                np.log((top[:, 0] + 0.02) / (top[:, 1] + 0.02)),
                np.log(self.nearness + 0.01),
                np.log(self.own_nearness + 0.005),
            ]
        )


@dataclass(frozen=True, eq=False)
class ClassView:
    """Forests of the known classes, one a fold, and the leaves of the rows each was trained on.

    Attributes
    ----------
    forests : tuple of fitted forests
    leaves : tuple of sparse arrays of shape (n_rows, n_nodes)
        A one for each tree, at the leaf a training row falls into.
    values : tuple of arrays of shape (n_nodes, n_known_classes)
        Shares of the classes in each node.
    classes : tuple of int arrays of shape (n_rows,)
        Classes of these rows.
    n_known_classes : int
    """

    forests: tuple[Any, ...]
    leaves: tuple[Any, ...]
    values: tuple[Array, ...]
    classes: tuple[Codes, ...]
    n_known_classes: int

    def seen_by(self, X: Any, fold: Codes) -> SeenRows:
        """Return what is said of rows, each by the forest of its fold."""
        probabilities = np.zeros((len(fold), self.n_known_classes))
        nearness = np.zeros((2, len(fold)))
        for index, forest in enumerate(self.forests):
            rows = np.flatnonzero(fold == index)
            for start in range(0, len(rows), BLOCK_ROWS):
                piece = rows[start : start + BLOCK_ROWS]
                leaves = _leaves_of(forest, X[piece])
                found = np.asarray(leaves @ self.values[index]) / N_TREES
                shared = (leaves @ self.leaves[index].T).toarray() / N_TREES
                own = self.classes[index][None, :] == found.argmax(axis=1)[:, None]
                probabilities[piece] = found
                nearness[0, piece] = _mean_of_nearest(shared)
                nearness[1, piece] = (shared * own).sum(axis=1) / np.maximum(own.sum(axis=1), 1)
        return SeenRows(probabilities, *nearness)


@dataclass(frozen=True, eq=False)
class HeldOutView:
    """Labeled and unlabeled rows, each seen by one forest that was not trained on it.

    Attributes
    ----------
    labeled, unlabeled : SeenRows
    view : ClassView
    fold : int array of shape (n_labeled,)
        Which of its forests sees a labeled row.
    """

    labeled: SeenRows
    unlabeled: SeenRows
    view: ClassView
    fold: Codes


def fit_class_view(
    X: Any, y: Codes, fold: Codes, n_known_classes: int, *, seed: int, n_jobs: Any = None
) -> ClassView:
    """Return a forest of the known classes for each fold, trained on the rows of the others."""
    kept = [np.flatnonzero(fold != index) for index in range(int(fold.max()) + 1)]
    return class_view_of(X, y, kept, n_known_classes, seed=seed, n_jobs=n_jobs)


def class_view_of(
    X: Any,
    y: Codes,
    kept: Sequence[Codes],
    n_known_classes: int,
    *,
    seed: int,
    n_jobs: Any = None,
) -> ClassView:
    """Return a forest of the known classes for each part of the rows that is kept."""
    from sklearn.ensemble import ExtraTreesClassifier

    forests, leaves = [], []
    for index, rows in enumerate(kept):
        forest = ExtraTreesClassifier(N_TREES, random_state=seed + index, n_jobs=n_jobs)
        forests.append(fit_quickly(forest, X[rows], y[rows]))
        leaves.append(_leaves_of(forest, X[rows]))
    values = tuple(_node_values(forest, n_known_classes) for forest in forests)
    classes = tuple(y[rows] for rows in kept)
    return ClassView(tuple(forests), tuple(leaves), values, classes, n_known_classes)


def held_out_class_view(
    X_labeled: Any,
    y_labeled: Codes,
    X_unlabeled: Any,
    *,
    n_known_classes: int,
    n_folds: int = 5,
    seed: int = 0,
    n_jobs: Any = None,
) -> HeldOutView:
    """Return what forests of the known classes say of rows they were not trained on.

    Parameters
    ----------
    X_labeled, y_labeled, X_unlabeled
        Rows of numbers, gaps allowed, or sparse rows; in random order.
    n_known_classes : int
    n_folds : int, default=5
    seed : int, default=0
    n_jobs : int, optional

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 50)
    >>> X = rng.normal(size=(100, 2)) + 6.0 * y[:, None]
    >>> between = rng.normal(3.0, 0.3, size=(100, 2))
    >>> seen = held_out_class_view(X, y, between, n_known_classes=2)
    >>> sure = [part.probabilities.max(axis=1).mean() for part in (seen.labeled, seen.unlabeled)]
    >>> bool(sure[0] > sure[1])
    True
    """
    fold = draw_folds(y_labeled, X_unlabeled.shape[0], n_folds, seed).labeled
    view = fit_class_view(X_labeled, y_labeled, fold, n_known_classes, seed=seed, n_jobs=n_jobs)
    one_each = np.random.default_rng(seed).integers(len(view.forests), size=X_unlabeled.shape[0])
    labeled, unlabeled = view.seen_by(X_labeled, fold), view.seen_by(X_unlabeled, one_each)
    return HeldOutView(labeled, unlabeled, view, fold)


def _node_values(forest: Any, n_known_classes: int) -> Array:
    """Return the shares of all known classes in each node of all trees."""
    shares = np.vstack([tree.tree_.value[:, 0, :] for tree in forest.estimators_])
    values = np.zeros((len(shares), n_known_classes))
    values[:, forest.classes_] = shares / shares.sum(axis=1, keepdims=True)
    return values


def _leaves_of(forest: Any, X: Any) -> Any:
    """Return the leaves rows fall into: a sparse row of ones, one for each tree."""
    sizes = [tree.tree_.node_count for tree in forest.estimators_]
    leaves = forest_leaves(forest, X) if takes_quick_trees(forest, X) else forest.apply(X)
    columns = leaves + np.append(0, np.cumsum(sizes)[:-1])
    n_rows, n_trees = columns.shape
    starts = np.arange(0, n_rows * n_trees + 1, n_trees)
    ones = np.ones(n_rows * n_trees, dtype=np.float32)
    return sparse.csr_array((ones, columns.ravel(), starts), shape=(n_rows, sum(sizes)))


def _mean_of_nearest(shared: Array) -> Array:
    """Return the mean share of common leaves over the nearest training rows of each row."""
    n_nearest = min(N_NEAREST, shared.shape[1])
    return np.asarray(-np.partition(-shared, n_nearest - 1, axis=1)[:, :n_nearest].mean(axis=1))
