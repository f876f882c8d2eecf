"""A fitted forest in a few flat arrays: a tenth of the room that trees take one by one.

Trees of a default fit are grown until leaves are pure, so that a leaf is the number of its class.
The left child of a node follows it. Thresholds are compared with numbers in single precision, so
that rounding them down to single precision changes no answer. For answers scikit-learn's trees are
made again, from arrays that were looked at first: compiled code would not look.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.utils import Tags
from sklearn.utils.validation import validate_data

__all__ = ["CompactForest", "compact_forest"]

Array = NDArray[np.float64]
FORESTS = (ExtraTreesClassifier, RandomForestClassifier)


class CompactForest(ClassifierMixin, BaseEstimator):
    """The trees of a fitted forest; made by `compact_forest`, not fitted.

    Attributes
    ----------
    classes_ : int array of shape (n_classes,)
        0, 1, …
    n_features_in_ : int
    starts_ : int array of shape (n_trees,)
        Where the nodes of each tree begin.
    right_ : int array of shape (n_nodes,)
        Right child within the tree; 0 for leaves.
    feature_ : int array of shape (n_nodes,)
        What a node looks at, plus the number of features where gaps go left; of leaves the class,
        or the number of classes plus the place in `mixed_`.
    threshold_ : float array of shape (n_nodes,)
    mixed_ : array of shape (n_mixed, n_classes)
        Shares of the classes in leaves of several.

    Examples
    --------
    >>> X, codes = np.arange(20.0)[:, None], np.repeat([0, 1], 10)
    >>> forest = ExtraTreesClassifier(10, random_state=0).fit(X, codes)
    >>> compact_forest(forest).predict([[2.0], [17.0]])
    array([0, 1])
    """

    classes_: NDArray[np.intp]
    n_features_in_: int
    starts_: NDArray[np.int32]
    right_: NDArray[np.int32]
    feature_: NDArray[Any]
    threshold_: NDArray[np.float32]
    mixed_: Array

    def predict_proba(self, X: Any) -> Array:
        """Return the mean of the trees' probabilities."""
        X = validate_data(
            self,
            X,
            accept_sparse="csr",
            dtype=np.float32,
            order="C",
            ensure_all_finite="allow-nan",
            reset=False,
        )
        total = np.zeros((X.shape[0], len(self.classes_)))
        for tree in self.trees():
            total += tree.predict(X)
        return total / len(self.starts_)

    def predict(self, X: Any) -> NDArray[np.intp]:
        """Return the likeliest class."""
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])

    def trees(self) -> Iterator[Any]:
        """Yield the trees as scikit-learn has them (`tree_`)."""
        self._require_sound()
        ends = np.append(self.starts_[1:], len(self.right_))
        for start, end in zip(self.starts_, ends, strict=True):
            yield self._tree(slice(int(start), int(end)))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags

    def _tree(self, nodes: slice) -> Any:
        """Return one of the trees as scikit-learn has it."""
        from sklearn.tree._tree import NODE_DTYPE, Tree

        right, code = self.right_[nodes], self.feature_[nodes].astype(np.intp)
        leaf, n_classes, n_features = right == 0, len(self.classes_), self.n_features_in_
        made = np.zeros(len(right), dtype=NODE_DTYPE)
        made["left_child"] = np.where(leaf, -1, np.arange(1, len(right) + 1))
        made["right_child"] = np.where(leaf, -1, right)
        made["feature"] = np.where(leaf, -2, code % n_features)
        made["threshold"] = np.where(leaf, -2.0, self.threshold_[nodes])
        made["missing_go_to_left"] = ~leaf & (code >= n_features)
        values = np.zeros((len(right), 1, n_classes))
        values[leaf, 0] = np.vstack([np.eye(n_classes), self.mixed_])[code[leaf]]
        tree = Tree(n_features, np.array([n_classes], dtype=np.intp), 1)
        state = {"max_depth": 0, "node_count": len(made), "nodes": made, "values": values}
        tree.__setstate__(state)
        return tree

    def _require_sound(self) -> None:
        """Refuse arrays that would lead compiled code astray: a file may have been forged."""
        if not self._is_sound():
            raise ValueError(
                "arrays of a stored forest must fit each other; those of this one do not. Fit and "
                "save the model again."
            )

    def _is_sound(self) -> bool:
        right, code, starts = self.right_, self.feature_, self.starts_
        n_nodes, n_classes, n_features = len(right), len(self.classes_), self.n_features_in_
        flat = (right, code, starts, self.threshold_)
        shapes = all(part.ndim == 1 for part in flat) and all(
            part.dtype.kind == "i" for part in flat[:3]
        )
        if not (shapes and len(code) == len(self.threshold_) == n_nodes and n_features > 0):
            return False
        if not (len(starts) and starts[0] == 0 and self.mixed_.shape[1:] == (n_classes,)):
            return False
        sizes = np.diff(starts, append=n_nodes)
        if np.any(sizes <= 0):
            return False
        place = np.arange(n_nodes) - np.repeat(starts, sizes)
        size, leaf = np.repeat(sizes, sizes), right == 0
        inner = ~leaf & (right > place + 1) & (right < size) & (code < 2 * n_features)
        ends = leaf & (code < n_classes + len(self.mixed_))
        return bool(np.all(code >= 0) and np.all(inner | ends))


def compact_forest(forest: Any) -> Any:
    """Return a fitted forest of classes 0, 1, … in compact form; anything else as it is.

    Examples
    --------
    >>> compact_forest("no forest")
    'no forest'
    """
    if not isinstance(forest, FORESTS) or forest.n_outputs_ != 1:
        return forest
    trees = [one.tree_ for one in forest.estimators_]
    if not all(_follows(tree) for tree in trees):
        return forest
    n_classes, n_features = len(forest.classes_), int(forest.n_features_in_)
    sizes = np.array([tree.node_count for tree in trees])
    mixed, codes = _coded_leaves(trees, n_classes)
    leaf = np.concatenate([tree.children_left == -1 for tree in trees])
    feature = np.concatenate([tree.feature for tree in trees])
    gaps = np.concatenate([tree.missing_go_to_left for tree in trees]).astype(bool)
    coded = np.where(leaf, codes, feature + n_features * gaps)
    small = max(2 * n_features, n_classes + len(mixed)) < np.iinfo(np.int16).max
    out = CompactForest()
    out.classes_, out.n_features_in_ = np.asarray(forest.classes_), n_features
    out.starts_ = np.append(0, np.cumsum(sizes)[:-1]).astype(np.int32)
    right = np.concatenate([tree.children_right for tree in trees])
    out.right_ = np.where(leaf, 0, right).astype(np.int32)
    out.feature_ = coded.astype(np.int16 if small else np.int32)
    out.threshold_ = _rounded_down(np.concatenate([tree.threshold for tree in trees]))
    out.mixed_ = mixed
    return out


def _follows(tree: Any) -> bool:
    """Return whether left children follow their parents, as trees grown depth first have them."""
    inner = np.flatnonzero(tree.children_left != -1)
    return bool(np.array_equal(tree.children_left[inner], inner + 1))


def _coded_leaves(trees: list[Any], n_classes: int) -> tuple[Array, NDArray[np.intp]]:
    """Return shares of leaves of several classes, and what each node is as a leaf."""
    values = [tree.value[:, 0, :] for tree in trees]
    codes = np.concatenate([value.argmax(axis=1) for value in values])
    leaf = np.concatenate([tree.children_left == -1 for tree in trees])
    several = leaf & (np.concatenate([value.max(axis=1) for value in values]) < 1.0)
    mixed = np.vstack(values)[several]
    codes[several] = n_classes + np.arange(len(mixed))
    return np.asarray(mixed, dtype=np.float64), codes


def _rounded_down(thresholds: Array) -> NDArray[np.float32]:
    """Return the largest numbers in single precision that are not above the thresholds."""
    single = thresholds.astype(np.float32)
    return np.where(single > thresholds, np.nextafter(single, np.float32(-np.inf)), single)
