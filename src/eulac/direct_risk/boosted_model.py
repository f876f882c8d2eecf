"""Gradient boosting on the unbiased risk, its augmented part kept above zero.

Trees of scikit-learn find the leaves: they are grown on the slopes of `corrected_risk`, one
column per class. What a leaf adds is a Newton step of the rows in it. Slopes of the risk pull
labeled rows away from *augmented* whatever the model says already, so curvature is taken from
labeled rows too, always with a plus. Together with doubt and learning rate it keeps steps short.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn.tree import DecisionTreeRegressor

from eulac.data.lac_sample import LacSample
from eulac.maths.multiclass_losses import MulticlassLoss
from eulac.risk.nonnegative import corrected_risk

__all__ = ["BoostedScores", "boost"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

LARGEST = 1e30


@dataclass(frozen=True, eq=False)
class StepTree:
    """A tree as plain arrays over its nodes, the first of them the root.

    Attributes
    ----------
    children : int array of shape (n_nodes, 2)
        Where rows go at or below the threshold, and above it; a leaf leads to itself.
    feature : int array of shape (n_nodes,)
    threshold : array of shape (n_nodes,)
    steps : array of shape (n_nodes, n_known_classes + 1)
        What a leaf adds to the score of each class.
    """

    children: Codes
    feature: Codes
    threshold: Array
    steps: Array

    def leaves(self, rows: NDArray[np.float32]) -> Codes:
        """Return the leaf of each row."""
        node = np.zeros(len(rows), dtype=np.intp)
        places = np.arange(len(rows))
        for _ in range(len(self.feature)):  # no path is longer than there are nodes
            above = rows[places, self.feature[node]] > self.threshold[node]
            below = self.children[node, above.astype(np.intp)]
            if np.array_equal(below, node):
                break
            node = below
        return node


@dataclass(frozen=True, eq=False)
class BoostedScores:
    """A sum of trees, each with a value for every class in its leaves.

    Attributes
    ----------
    start : array of shape (n_known_classes + 1,)
        What the sum begins with.
    columns : int array of shape (n_known_classes + 1,)
        Which output of the trees belongs to each class.
    trees : tuple of StepTree
    """

    start: Array
    columns: Codes
    trees: tuple[StepTree, ...]

    def logits(self, X: Array) -> Array:
        """Return the sum of the trees."""
        rows = _single(X)
        out = np.tile(self.start, (len(rows), 1))
        for tree in self.trees:
            out += tree.steps[tree.leaves(rows)]
        return out[:, self.columns]

    def probabilities(self, X: Array) -> Array:
        """Return the softmax of the sum."""
        return np.asarray(softmax(self.logits(X), axis=1))


def boost(
    sample: LacSample,
    weights: Array,
    stops: Sequence[float],
    loss: MulticlassLoss,
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
    loss : MulticlassLoss
    learning_rate : float
    doubt : float
        Added to the curvature of every leaf, in rows.
    seed : int
    **tree_options
        For `DecisionTreeRegressor`.
    """
    rows = _single(np.vstack([sample.X_labeled, sample.X_unlabeled]))
    n_labeled, n_rows = sample.n_labeled, len(rows)
    shares = np.append(weights / n_labeled, np.full(sample.n_unlabeled, 1.0 / sample.n_unlabeled))
    columns = _by_appearance(sample)
    loss = loss.renumbered(columns)
    y = columns[sample.y_labeled]
    codes = np.append(y, np.full(sample.n_unlabeled, sample.n_known_classes))
    start = _start(y, weights, sample.n_known_classes)
    logits = np.tile(start, (n_rows, 1))
    counts, each = _counts(sample)
    rng = np.random.RandomState(seed)
    trees: list[StepTree] = []
    for stop in stops:
        while len(trees) < stop:
            parts = logits[:n_labeled], y, weights, logits[n_labeled:]
            _, *slopes = corrected_risk(*parts, loss)
            steps = -n_rows * np.vstack(slopes)
            curvature = n_rows * shares[:, None] * loss.curvature(logits, codes)
            tree = DecisionTreeRegressor(random_state=rng.randint(2**31 - 1), **tree_options)
            grown = tree.fit(rows, steps / each[:, None], counts).tree_
            leaf = grown.apply(rows)
            trees.append(_step_tree(grown, _newton(leaf, steps, curvature, doubt, learning_rate)))
            logits += trees[-1].steps[leaf]
        yield BoostedScores(start, columns, tuple(trees))


def _counts(sample: LacSample) -> tuple[Array | None, Array]:
    """Return how much each row counts where a tree is split, and what its step is divided by."""
    if sample.importance is None:
        return None, np.ones(sample.n_labeled + sample.n_unlabeled)
    counts = np.append(sample.importance, np.ones(sample.n_unlabeled))
    return counts, np.where(counts > 0, counts, 1.0)


def _single(X: Array) -> NDArray[np.float32]:
    """Return rows in single precision, which scikit-learn splits, cut off at its limits."""
    return np.clip(X, -LARGEST, LARGEST).astype(np.float32)


def _by_appearance(sample: LacSample) -> Codes:
    """Return a number for each class: what a class is called must not change a bit."""
    present, first = np.unique(sample.y_labeled, return_index=True)
    order = present[np.argsort(first)]
    missing = np.setdiff1d(np.arange(sample.n_known_classes), present)
    columns = np.empty(sample.n_known_classes + 1, dtype=np.intp)
    columns[np.concatenate([order, missing, [sample.n_known_classes]])] = np.arange(len(columns))
    return columns


def _start(y: Codes, weights: Array, n_known: int) -> Array:
    """Return logits of the shares of the classes: the best that ignores the rows."""
    known = np.bincount(y, weights, n_known) / len(y)
    shares = np.append(known, 1.0 - known.sum())
    return np.asarray(np.log(np.clip(shares, 1e-3, None)))


def _newton(leaf: Codes, steps: Array, curvature: Array, doubt: float, rate: float) -> Array:
    """Return a Newton step for every node, shortened by doubt and learning rate."""
    sums, curvatures = (
        np.column_stack([np.bincount(leaf, column) for column in part.T])
        for part in (steps, curvature)
    )
    return np.asarray(rate * sums / np.maximum(curvatures + doubt, 1e-9))


def _step_tree(grown: Any, steps: Array) -> StepTree:
    """Return a tree of scikit-learn with other values, as plain arrays."""
    children = np.column_stack([grown.children_left, grown.children_right]).astype(np.intp)
    is_leaf = children[:, 0] < 0
    children[is_leaf] = np.flatnonzero(is_leaf)[:, None]
    feature = np.where(is_leaf, 0, grown.feature).astype(np.intp)
    return StepTree(children, feature, np.array(grown.threshold), _padded(steps, len(feature)))


def _padded(steps: Array, n_nodes: int) -> Array:
    out = np.zeros((n_nodes, steps.shape[1]))
    out[: len(steps)] = steps
    return out
