"""Extremely randomized trees without the bookkeeping of one tree at a time.

Some thousand small trees are grown in a default fit. scikit-learn copies, checks and validates for
each of them what is the same for all, which takes longer than growing it. Here that is done once.
The trees are scikit-learn's own, equal to those of `ExtraTreesClassifier.fit` to the last split.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "fit_extra_trees",
    "fit_quickly",
    "forest_leaves",
    "forest_probabilities",
    "probabilities_of",
    "takes_quick_trees",
]

DEFAULTS = {
    "bootstrap": False,
    "class_weight": None,
    "criterion": "gini",
    "max_depth": None,
    "max_features": "sqrt",
    "max_leaf_nodes": None,
    "min_impurity_decrease": 0.0,
    "min_weight_fraction_leaf": 0.0,
    "monotonic_cst": None,
    "ccp_alpha": 0.0,
    "warm_start": False,
    "oob_score": False,
}
"""Parameters a forest must have left as they are; the number of trees, the smallest leaf, seed and
cores are free."""


MANY_ROWS = 5000
"""From so many rows on growing a tree takes longer than its bookkeeping: several cores pay."""

LARGEST = 1e38
"""Trees look at rows in single precision. A gap is not below it either."""


def takes_quick_trees(forest: Any, X: Any) -> bool:
    """Return whether `fit_extra_trees` grows what the forest itself would.

    Examples
    --------
    >>> from sklearn.ensemble import ExtraTreesClassifier
    >>> X = np.zeros((4, 2))
    >>> takes_quick_trees(ExtraTreesClassifier(random_state=0), X)
    True
    >>> takes_quick_trees(ExtraTreesClassifier(max_depth=3, random_state=0), X)
    False
    """
    from sklearn.ensemble import ExtraTreesClassifier

    if type(forest) is not ExtraTreesClassifier or not isinstance(X, np.ndarray):
        return False
    return (  # not by `get_params`, which reads the signature anew: asked hundreds of times a fit
        all(getattr(forest, name, value) == value for name, value in DEFAULTS.items())
        and isinstance(forest.random_state, int | np.integer)
        and isinstance(forest.min_samples_leaf, int | np.integer)
        and X.ndim == 2
        and X.dtype.kind in "fiu"
        and bool((np.abs(X) <= LARGEST).all())
    )


def fit_extra_trees(
    forest: Any,
    X: NDArray[Any],
    codes: NDArray[np.intp],
    weights: NDArray[np.float64] | None = None,
) -> Any:
    """Return the forest fitted to rows of finite numbers and codes 0, 1, …, all of them present.

    Parameters
    ----------
    forest : ExtraTreesClassifier
        One that `takes_quick_trees` accepts.
    X : array of shape (n_rows, n_features)
    codes : int array of shape (n_rows,)
    weights : array of shape (n_rows,), optional

    Examples
    --------
    >>> from sklearn.ensemble import ExtraTreesClassifier
    >>> X, codes = np.arange(20.0)[:, None], np.repeat([0, 1], 10)
    >>> forest = fit_extra_trees(ExtraTreesClassifier(10, random_state=0), X, codes)
    >>> forest.predict([[2.0], [17.0]])
    array([0, 1])
    """
    from sklearn.tree import ExtraTreeClassifier
    from sklearn.tree._criterion import Gini
    from sklearn.tree._splitter import RandomSplitter
    from sklearn.tree._tree import DepthFirstTreeBuilder, Tree

    rows = np.ascontiguousarray(X, dtype=np.float32)
    targets = np.ascontiguousarray(codes, dtype=np.float64)[:, None]
    n_features, classes = rows.shape[1], np.arange(int(codes.max()) + 1)
    n_classes = np.array([len(classes)], dtype=np.intp)
    n_tried = max(1, int(np.sqrt(n_features)))
    leaf = int(forest.min_samples_leaf)
    split = max(int(forest.min_samples_split), 2 * leaf)
    seeds = np.random.RandomState(forest.random_state).randint(
        np.iinfo(np.int32).max, size=forest.n_estimators
    )
    trees = []
    # One generator, seeded anew for each tree: making one takes longer than growing a small tree.
    state = np.random.RandomState(0)
    for seed in seeds.tolist():
        tree = ExtraTreeClassifier(
            min_samples_leaf=leaf, min_samples_split=forest.min_samples_split, random_state=seed
        )
        grown = Tree(n_features, n_classes, 1)
        state.seed(seed)
        splitter = RandomSplitter(Gini(1, n_classes), n_tried, leaf, 0.0, state, None)
        builder = DepthFirstTreeBuilder(splitter, split, leaf, 0.0, np.iinfo(np.int32).max, 0.0)
        builder.build(grown, rows, targets, weights, None)
        tree.tree_, tree.n_outputs_, tree.max_features_ = grown, 1, n_tried
        tree.n_features_in_, tree.n_classes_, tree.classes_ = n_features, n_classes[0], classes
        trees.append(tree)
    forest.estimators_, forest.estimator_ = trees, ExtraTreeClassifier()
    forest.n_features_in_, forest.n_outputs_ = n_features, 1
    forest.classes_, forest.n_classes_ = classes, len(classes)
    return forest


def forest_probabilities(forest: Any, X: NDArray[Any]) -> NDArray[np.float64]:
    """Return what `predict_proba` of a forest of trees says of rows of finite numbers, sooner.

    Examples
    --------
    >>> from sklearn.ensemble import ExtraTreesClassifier
    >>> X, codes = np.arange(20.0)[:, None], np.repeat([0, 1], 10)
    >>> forest = ExtraTreesClassifier(10, random_state=0).fit(X, codes)
    >>> bool(np.allclose(forest_probabilities(forest, X), forest.predict_proba(X)))
    True
    """
    rows = np.ascontiguousarray(X, dtype=np.float32)
    total = np.zeros((len(rows), len(forest.classes_)))
    for tree in forest.estimators_:
        total += tree.tree_.predict(rows)
    return total / len(forest.estimators_)


def fit_quickly(classifier: Any, X: Any, y: NDArray[Any]) -> Any:
    """Return a classifier fitted to labels, a forest without bookkeeping where that is the same.

    Examples
    --------
    >>> from sklearn.ensemble import ExtraTreesClassifier
    >>> X, y = np.arange(20.0)[:, None], np.repeat([3, 7], 10)
    >>> fit_quickly(ExtraTreesClassifier(10, random_state=0), X, y).predict([[2.0], [17.0]])
    array([3, 7])
    """
    if not takes_quick_trees(classifier, X):
        return classifier.fit(X, y)
    if classifier.n_jobs not in (None, 1) and len(X) >= MANY_ROWS:
        return classifier.fit(X, y)
    present, codes = np.unique(y, return_inverse=True)
    fit_extra_trees(classifier, X, codes)
    classifier.classes_ = present
    return classifier


def probabilities_of(classifier: Any, X: Any) -> NDArray[np.float64]:
    """Return `predict_proba` of a fitted classifier, of a forest sooner."""
    quick = takes_quick_trees(classifier, X)
    return forest_probabilities(classifier, X) if quick else np.asarray(classifier.predict_proba(X))


def forest_leaves(forest: Any, X: NDArray[Any]) -> NDArray[np.intp]:
    """Return what `apply` of a forest of trees says of rows of finite numbers, sooner.

    Examples
    --------
    >>> from sklearn.ensemble import ExtraTreesClassifier
    >>> X, codes = np.arange(20.0)[:, None], np.repeat([0, 1], 10)
    >>> forest = ExtraTreesClassifier(10, random_state=0).fit(X, codes)
    >>> bool(np.array_equal(forest_leaves(forest, X), forest.apply(X)))
    True
    """
    rows = np.ascontiguousarray(X, dtype=np.float32)
    return np.column_stack([tree.tree_.apply(rows) for tree in forest.estimators_])
