"""Parts of scikit-learn that compiled code reads without looking: checked before they are used.

Trees, boosting, support vector machines, neighbors and centers of a forged file could point
outside their arrays, and the process would end. Everything else of a model is indexed by NumPy,
which looks.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor
from sklearn.ensemble._hist_gradient_boosting.common import (
    PREDICTOR_RECORD_DTYPE,
    X_BITSET_INNER_DTYPE,
)
from sklearn.ensemble._hist_gradient_boosting.gradient_boosting import BaseHistGradientBoosting
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM
from sklearn.tree._tree import Tree

from eulac.exceptions import ModelFileError
from eulac.persistence.model_parts import children, parts_of
from eulac.persistence.stored_neighbors import are_neighbors, neighbors_are_sound

__all__ = ["check_native_parts"]

BITSET = np.dtype(X_BITSET_INNER_DTYPE)
KNOWN_STARTS = (DummyClassifier, DummyRegressor)
STAGED = (GradientBoostingClassifier, GradientBoostingRegressor)
MACHINES = (SVC, SVR, NuSVC, NuSVR, OneClassSVM)


def check_native_parts(model: Any, source: str) -> None:
    """Refuse trees and machines whose arrays do not fit each other or the model's features.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> tree = DecisionTreeClassifier().fit(np.eye(2), [0, 1])
    >>> check_native_parts(tree, "memory")
    """
    for part in parts_of(model):
        width = getattr(part, "n_features_in_", None)
        if _hides(part):
            fits = False
        elif isinstance(part, Tree):
            fits = _tree_is_sound(part)
        elif isinstance(part, MACHINES) and hasattr(part, "support_vectors_"):
            fits = _machine_is_sound(part)
        elif isinstance(part, BaseHistGradientBoosting) and hasattr(part, "_predictors"):
            fits = _boosting_is_sound(part)
        elif isinstance(part, STAGED) and hasattr(part, "estimators_"):
            fits = _stages_are_sound(part)
        elif are_neighbors(part):
            fits = neighbors_are_sound(part)
        elif hasattr(part, "cluster_centers_"):
            fits = np.ndim(part.cluster_centers_) == 2 and part.cluster_centers_.shape[1] == width
        elif isinstance(getattr(part, "tree_", None), Tree):
            fits = part.tree_.n_features == width
        elif hasattr(part, "estimators_features_"):
            fits = all(len(features) == width for features in part.estimators_features_)
        else:
            fits = True
        if not fits or not _counts_are_true(part) or not _order_is_sound(part):
            raise ModelFileError(
                f"parts of {source} must fit each other; a {type(part).__name__} in it does not. "
                "Trees that see only some of the features (`max_features`), gradient boosting "
                "with `init=`, and boosting of categories, cannot be stored."
            )
    _check_widths(model, source)


def _counts_are_true(part: Any) -> bool:
    """Whether there are as many classes as a part says: answers are made that wide."""
    n_classes, classes = (getattr(part, name, None) for name in ("n_classes_", "classes_"))
    if n_classes is None or classes is None:
        return True
    return np.ndim(classes) == 1 and np.ndim(n_classes) == 0 and n_classes == len(classes)


def _order_is_sound(part: Any) -> bool:
    """Whether columns are only put into another order: answers are made of as many."""
    order, width = (getattr(part, name, None) for name in ("column_order_", "n_features_in_"))
    return order is None or (
        np.size(order) == width and np.array_equal(np.sort(order), np.arange(width))
    )


def _check_widths(model: Any, source: str) -> None:
    """Refuse trees that see another number of features than the classifier around them checks."""
    for tree, width in _trees_and_widths(model, None, set()):
        if tree.n_features != width:
            raise ModelFileError(
                f"trees of {source} must see the {width} features of the classifier they are "
                f"part of; one sees {tree.n_features}."
            )


def _trees_and_widths(
    item: Any, width: int | None, seen: set[tuple[int, int | None]]
) -> Iterator[tuple[Tree, int | None]]:
    """Yield every tree with the width of the outermost classifier that hands rows on to it.

    A pipeline hands on what its steps make of the rows; the classifier at its end has a width of
    its own, and looks. What is part of two classifiers is yielded for both.
    """
    if isinstance(item, Tree):
        yield item, width
        return
    if (id(item), width) in seen:
        return
    seen.add((id(item), width))
    if isinstance(item, Pipeline):
        width = None
    elif width is None and _has_width(item):
        width = item.n_features_in_
    for child in children(item):
        yield from _trees_and_widths(child, width, seen)


def _has_width(part: Any) -> bool:
    return isinstance(getattr(part, "n_features_in_", None), int) and hasattr(part, "classes_")


def _tree_is_sound(tree: Tree) -> bool:
    """Whether children come after their parents, and splits are on features there are."""
    if not 0 < tree.node_count <= tree.capacity:  # before anything reads that many nodes
        return False
    left, right, feature = tree.children_left, tree.children_right, tree.feature
    index = np.arange(tree.node_count)
    inner = left != -1
    later = (left > index) & (right > index) & (left < len(index)) & (right < len(index))
    there = (feature >= 0) & (feature < tree.n_features)
    return bool(np.all(~inner | (later & there)))


def _boosting_is_sound(boosting: BaseHistGradientBoosting) -> bool:
    """Whether nodes lead to later nodes and to features there are.

    Boosting of categories is refused: it encodes them itself, and what comes out of that step is
    not looked at any more.
    """
    try:
        width = boosting.n_features_in_
        return (
            boosting._preprocessor is None
            and boosting._n_features == width
            and np.shape(boosting._bin_mapper.is_categorical_) == (width,)
            and not np.any(boosting._bin_mapper.is_categorical_)
            and all(
                _boosted_tree_is_sound(tree, width)
                for trees in boosting._predictors
                for tree in trees
            )
        )
    except (AttributeError, TypeError, ValueError):
        return False


def _hides(part: Any) -> bool:
    """Whether an attribute hides entries under a mask, which checks skip and compiled code reads.

    Results of a search are masked where a setting does not apply, and are only shown.
    """
    attributes = getattr(part, "__dict__", {}).items()
    return any(_is_masked(value) for name, value in attributes if name != "cv_results_")


def _is_masked(item: Any) -> bool:
    if isinstance(item, dict | list | tuple | set):
        return any(map(_is_masked, item.values() if isinstance(item, dict) else item))
    return isinstance(item, np.ma.MaskedArray)


def _stages_are_sound(boosting: Any) -> bool:
    """Whether there are as many trees a stage as numbers a row, into which they are summed.

    What the numbers begin with comes from `init_`, so it must be one that does not look at rows.
    """
    trees = np.asarray(boosting.estimators_)
    first = boosting.init_
    if trees.ndim != 2 or not (isinstance(first, KNOWN_STARTS) or str(first) == "zero"):
        return False
    row = np.zeros((1, boosting.n_features_in_), dtype=np.float32)
    return boosting._raw_predict_init(row).shape == (1, trees.shape[1])


def _boosted_tree_is_sound(tree: Any, width: int) -> bool:
    nodes, sets = tree.nodes, tree.raw_left_cat_bitsets
    if nodes.dtype != PREDICTOR_RECORD_DTYPE or nodes.ndim != 1 or not len(nodes):
        return False
    index = np.arange(len(nodes))
    left, right, feature = nodes["left"], nodes["right"], nodes["feature_idx"]
    later = (left > index) & (right > index) & (left < len(index)) & (right < len(index))
    there = (feature >= 0) & (feature < width) & (nodes["is_categorical"] == 0)
    return sets.dtype == BITSET and bool(np.all((nodes["is_leaf"] != 0) | (later & there)))


def _machine_is_sound(machine: Any) -> bool:
    rows, width = np.shape(machine.support_vectors_)
    counts = np.asarray(machine._n_support)
    n_classes = len(counts)
    n_pairs = n_classes * (n_classes - 1) // 2 if isinstance(machine, SVC | NuSVC) else 1
    n_rows_of_dual = max(n_classes - 1, 1) if isinstance(machine, SVC | NuSVC) else 1
    return (
        width == machine.n_features_in_ == machine.shape_fit_[1]
        and bool(np.all(counts >= 0))
        and (counts.sum() == rows or not isinstance(machine, SVC | NuSVC))
        and np.shape(machine.support_) == (rows,)
        and np.shape(machine._dual_coef_) == np.shape(machine.dual_coef_) == (n_rows_of_dual, rows)
        and len(machine._intercept_) == n_pairs
        and not machine._sparse
    )
