"""Gradient boosting on the unbiased risk, its augmented part kept above zero.

Trees of scikit-learn find the leaves: they are grown on the slopes of `corrected_log_risk`, one
column per class. What a leaf adds is a Newton step of the rows in it. Slopes of the risk pull
labeled rows away from *augmented* whatever the model says already, so curvature is taken from
labeled rows too; it is an upper bound of the true one, and steps stay short.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn.tree import DecisionTreeRegressor

from eulac.data.lac_sample import LacSample
from eulac.estimators.linear_model import corrected_log_risk

__all__ = ["BoostedScores", "boost"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class BoostedScores:
    """A sum of trees, each with a value for every class in its leaves.

    Attributes
    ----------
    start : array of shape (n_known_classes + 1,)
        What the sum begins with.
    columns : int array of shape (n_known_classes + 1,)
        Which output of the trees belongs to each class.
    trees : tuple of DecisionTreeRegressor
        Leaves hold steps, learning rate included.
    """

    start: Array
    columns: NDArray[np.intp]
    trees: tuple[Any, ...]

    def logits(self, X: Array) -> Array:
        """Return the sum of the trees."""
        rows = np.asarray(X, dtype=np.float32)
        out = np.tile(self.start, (len(rows), 1))
        for tree in self.trees:
            out += tree.tree_.value[tree.tree_.apply(rows), :, 0]
        return out[:, self.columns]

    def probabilities(self, X: Array) -> Array:
        """Return the softmax of the sum."""
        return np.asarray(softmax(self.logits(X), axis=1))


def boost(
    sample: LacSample,
    weights: Array,
    stops: Sequence[float],
    *,
    learning_rate: float,
    doubt: float,
    seed: int,
    **tree_options: Any,
) -> Iterator[BoostedScores]:
    """Give the model at each number of trees.

    Parameters
    ----------
    sample : LacSample
    weights : array of shape (n_labeled,)
        From `labeled_weights`.
    stops : sequence of int
        Numbers of trees, rising.
    learning_rate : float
    doubt : float
        Added to the curvature of every leaf, in rows.
    seed : int
    **tree_options
        For `DecisionTreeRegressor`.
    """
    rows = np.vstack([sample.X_labeled, sample.X_unlabeled]).astype(np.float32)
    n_labeled, n_rows = sample.n_labeled, len(rows)
    shares = np.append(weights / n_labeled, np.full(sample.n_unlabeled, 1.0 / sample.n_unlabeled))
    columns = _by_appearance(sample)
    y = columns[sample.y_labeled]
    start = _start(y, weights, sample.n_known_classes)
    logits = np.tile(start, (n_rows, 1))
    rng = np.random.RandomState(seed)
    trees: list[Any] = []
    for stop in stops:
        while len(trees) < stop:
            _, *slopes = corrected_log_risk(logits[:n_labeled], y, weights, logits[n_labeled:])
            steps = -n_rows * np.vstack(slopes)
            likely = softmax(logits, axis=1)
            curvature = n_rows * shares[:, None] * likely * (1.0 - likely)
            tree = DecisionTreeRegressor(random_state=rng.randint(2**31 - 1), **tree_options)
            leaf = tree.fit(rows, steps).tree_.apply(rows)
            _set_leaves(tree, leaf, steps, curvature, doubt, learning_rate)
            logits += tree.tree_.value[leaf, :, 0]
            trees.append(tree)
        yield BoostedScores(start, columns, tuple(trees))


def _by_appearance(sample: LacSample) -> NDArray[np.intp]:
    """Return a number for each class: what a class is called must not change a bit."""
    present, first = np.unique(sample.y_labeled, return_index=True)
    order = present[np.argsort(first)]
    missing = np.setdiff1d(np.arange(sample.n_known_classes), present)
    columns = np.empty(sample.n_known_classes + 1, dtype=np.intp)
    columns[np.concatenate([order, missing, [sample.n_known_classes]])] = np.arange(len(columns))
    return columns


def _start(y: NDArray[np.intp], weights: Array, n_known: int) -> Array:
    """Return logits of the shares of the classes: the best that ignores the rows."""
    known = np.bincount(y, weights, n_known) / len(y)
    shares = np.append(known, 1.0 - known.sum())
    return np.asarray(np.log(np.clip(shares, 1e-3, None)))


def _set_leaves(
    tree: Any, leaf: NDArray[np.intp], steps: Array, curvature: Array, doubt: float, rate: float
) -> None:
    """Write a Newton step into every leaf, shortened by doubt and learning rate."""
    n_nodes = tree.tree_.node_count
    for column in range(steps.shape[1]):
        sums = np.bincount(leaf, steps[:, column], n_nodes)
        bends = np.bincount(leaf, curvature[:, column], n_nodes)
        tree.tree_.value[:, column, 0] = rate * sums / np.maximum(bends + doubt, 1e-9)
