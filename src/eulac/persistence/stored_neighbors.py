"""Nearest neighbors in model files: their rows are stored, and the trees over them grown again.

scikit-learn's trees are read by compiled code that believes what stands in them, so none is taken
from a file. The same rows give the same tree. It is grown when it is first asked: loading takes no
longer than reading.
"""

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.neighbors import BallTree, KDTree
from sklearn.neighbors._base import NeighborsBase

from eulac.exceptions import ModelFileError
from eulac.persistence.model_parts import parts_of

__all__ = ["LateTree", "are_neighbors", "neighbors_are_sound", "with_trees", "without_trees"]

TREES = {"kd_tree": KDTree, "ball_tree": BallTree}
GROWN_AGAIN = "grown again from the rows"


@dataclass
class LateTree:
    """A tree over rows that is grown when neighbors are first asked for.

    Examples
    --------
    >>> LateTree("kd_tree", np.array([[0.0], [1.0]]), 30, "euclidean", {}).query([[0.9]])[1]
    array([[1]])
    """

    kind: str
    rows: Any
    leaf_size: int
    metric: str
    settings: dict[str, Any]
    grown: Any = None

    def query(self, *questions: Any, **options: Any) -> Any:
        """Return the nearest rows, as the tree does."""
        return self._tree().query(*questions, **options)

    def query_radius(self, *questions: Any, **options: Any) -> Any:
        """Return the rows within a distance, as the tree does."""
        return self._tree().query_radius(*questions, **options)

    def _tree(self) -> Any:
        if self.grown is None:
            grow = TREES[self.kind]
            self.grown = grow(self.rows, self.leaf_size, metric=self.metric, **self.settings)
        return self.grown


def are_neighbors(part: Any) -> bool:
    """Whether a part finds nearest neighbors, and is fitted."""
    return isinstance(part, NeighborsBase) and hasattr(part, "_fit_method")


def without_trees(model: Any) -> Any:
    """Return a copy of a model whose neighbors have no trees; one without trees as it is.

    Examples
    --------
    >>> from sklearn.neighbors import NearestNeighbors
    >>> near = NearestNeighbors(algorithm="kd_tree").fit([[0.0], [1.0]])
    >>> without_trees(near)._tree, type(near._tree).__name__
    ('grown again from the rows', 'KDTree')
    """
    found = [part._tree for part in parts_of(model) if are_neighbors(part)]
    trees = [tree for tree in found if isinstance(tree, KDTree | BallTree | LateTree)]
    if not trees:
        return model
    # A copy that meets a tree takes what is noted for it in its place.
    return copy.deepcopy(model, {id(tree): GROWN_AGAIN for tree in trees})


def with_trees(model: Any, source: str) -> None:
    """Let neighbors of a model have their trees again, once their rows are known to be sound.

    Examples
    --------
    >>> from sklearn.neighbors import NearestNeighbors
    >>> near = without_trees(NearestNeighbors(algorithm="kd_tree").fit([[0.0], [1.0]]))
    >>> with_trees(near, "memory")
    >>> near.kneighbors([[0.9]], n_neighbors=1, return_distance=False)
    array([[1]])
    """
    for part in parts_of(model):
        if not (are_neighbors(part) and part._fit_method in TREES):
            continue
        kind, metric = TREES[part._fit_method], part.effective_metric_
        if not neighbors_are_sound(part) or metric not in kind.valid_metrics or metric == "pyfunc":
            raise ModelFileError(
                f"nearest neighbors of {source} must have rows that fit them, and a distance that "
                f"scikit-learn knows by name; one has the distance {str(metric)[:40]!r}."
            )
        part._tree = LateTree(
            part._fit_method, part._fit_X, part.leaf_size, metric, _settings(part)
        )


def neighbors_are_sound(part: Any) -> bool:
    """Whether rows are as many and as wide as said, each of a class there is."""
    rows = part._fit_X
    if not isinstance(rows, np.ndarray) or rows.ndim != 2 or rows.dtype.kind not in "fiub":
        return False
    if rows.shape != (part.n_samples_fit_, part.n_features_in_):
        return False
    if not (is_classifier(part) and hasattr(part, "_y")):
        return True
    codes, n_classes = np.asarray(part._y), np.size(part.classes_)
    whole = codes.shape == (len(rows),) and codes.dtype.kind in "iu"
    return whole and bool(np.all((codes >= 0) & (codes < n_classes)))


def _settings(part: Any) -> dict[str, Any]:
    """Return what a distance has besides its name: numbers only, no function."""
    given = {name: v for name, v in part.effective_metric_params_.items() if v is not None}
    return {name: np.asarray(value, dtype=float)[()] for name, value in given.items()}
