"""Which classifiers to try on rows of a kind, when nobody says."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from eulac.any_classifier.label_free_steps import (
    ColumnBins,
    LabelFreeSteps,
    SoftmaxRegression,
)
from eulac.any_classifier.two_stage_classifier import TwoStageEulacClassifier
from eulac.data import requirements
from eulac.data.any_rows import as_numbers, scaled_numbers
from eulac.data.encoded_rows import GappyTfidf
from eulac.data.long_tails import EvenScaler
from eulac.maths.feature_maps import NystroemMap
from eulac.maths.kernels import median_distance

__all__ = [
    "GapBoosting",
    "KernelLandmarks",
    "NearRows",
    "default_candidates",
    "indicator_columns",
    "indicator_logistic",
    "kernel_logistic",
    "nearest_neighbors",
    "ordinal_columns",
    "plain_numbers",
    "small_boosting",
]

Array = NDArray[np.float64]

MOST_BOOSTED_FEATURES = 100
"""Boosting looks at every feature for every split; with more, forests do as well in far less."""

N_TREES, FOREST_REPEATS, KERNEL_REPEATS = 75, 2, 3
"""Trees of a forest, and divisions into folds, each with a model of its own."""

N_BOOSTED, N_BINS = 25, 64
"""Boosted trees of a class, and bins of a column."""

MOST_VALUES = 20
"""Columns for strings of a column at the most; rarer ones share the last."""

MOST_NEIGHBOR_ROWS = 20_000
"""Every row is compared with every other one."""


def default_candidates(X: Any) -> dict[str, Any]:
    """Return classifiers by name that suit the rows, those worth most first.

    Finite numbers: extremely randomized trees, kernel logistic regression on landmarks, and
    boosting and nearest neighbors while they are quick. Numbers with gaps: trees and boosting.
    Frames with strings: the same on strings turned into whole numbers, and logistic regression on a
    column for each frequent string. Sparse rows and texts: logistic regression.

    Examples
    --------
    >>> list(default_candidates(np.zeros((3, 2))))
    ['extra_trees', 'kernel_logistic', 'boosting', 'neighbors']
    >>> import pandas as pd
    >>> list(default_candidates(pd.DataFrame({"color": ["red", None, "blue"]})))
    ['boosting', 'extra_trees', 'logistic']
    """
    if sparse.issparse(X):
        return {
            "logistic": TwoStageEulacClassifier(LogisticRegression(max_iter=1000)),
            "extra_trees": _repeated(_trees()),
        }
    if np.ndim(X) == 1:
        logistic = make_pipeline(GappyTfidf(), LogisticRegression(max_iter=1000))
        return {"logistic": TwoStageEulacClassifier(logistic)}
    scaled = scaled_numbers(X)
    if scaled is None:
        return _candidates_of_mixed(X)
    kernel = TwoStageEulacClassifier(kernel_logistic(), n_repeats=KERNEL_REPEATS)
    chosen = {"extra_trees": _repeated(_trees()), "kernel_logistic": kernel}
    if scaled.shape[1] <= MOST_BOOSTED_FEATURES:
        chosen["boosting"] = TwoStageEulacClassifier(small_boosting(), n_folds=3)
    if len(scaled) <= MOST_NEIGHBOR_ROWS:
        chosen["neighbors"] = TwoStageEulacClassifier(nearest_neighbors())
    return chosen


def plain_numbers(X: Any) -> Any:
    """Return frames of numbers as arrays, which every family takes sooner; the rest as it is.

    Examples
    --------
    >>> import pandas as pd
    >>> plain_numbers(pd.DataFrame({"size": [1, 2]}))
    array([[1.], [2.]])
    """
    numbers = as_numbers(X) if hasattr(X, "columns") else None
    return X if numbers is None else numbers


def _candidates_of_mixed(X: Any) -> dict[str, Any]:
    """Return candidates for rows with gaps, or with columns that are no numbers."""
    boosting, trees = small_boosting(), _trees()
    has_strings = as_numbers(X) is None
    if has_strings:
        trees = LabelFreeSteps([("codes", ordinal_columns()), ("trees", trees)])
        boosting = LabelFreeSteps([("codes", ordinal_columns()), *boosting.steps])
    # Boosting first: its smooth scores are the better ones to read the proportion off.
    chosen = {
        "boosting": TwoStageEulacClassifier(boosting, n_folds=3),
        "extra_trees": _repeated(trees),
    }
    if has_strings:
        chosen["logistic"] = TwoStageEulacClassifier(indicator_logistic())
    return chosen


def _trees() -> Any:
    return ExtraTreesClassifier(N_TREES)


def _repeated(base: Any) -> Any:
    """Return the stages around a forest, run with several divisions into folds."""
    return TwoStageEulacClassifier(base, n_repeats=FOREST_REPEATS)


def small_boosting() -> Any:
    """Return boosting of fewer and smaller trees than usual: it is fitted a dozen times."""
    boosting = GapBoosting(
        max_iter=N_BOOSTED,
        learning_rate=0.2,
        max_leaf_nodes=8,
        max_bins=N_BINS,
        l2_regularization=1.0,  # a few rows of little weight would make leaves of any size
    )
    return LabelFreeSteps([("bins", ColumnBins(N_BINS)), ("boosting", boosting)])


def kernel_logistic() -> Any:
    """Return logistic regression on landmarks of a Gaussian kernel: smooth where trees are not."""
    return LabelFreeSteps(
        [
            ("scale", EvenScaler()),
            ("landmarks", KernelLandmarks()),
            ("logistic", SoftmaxRegression(C=20.0)),
        ]
    )


def nearest_neighbors() -> Any:
    """Return the vote of a few rows, near ones first: hardly any work."""
    # Not by a search tree, which a model file could not hold.
    near = NearRows(7, weights="distance", algorithm="brute")
    return LabelFreeSteps([("scale", EvenScaler()), ("near", near)])


def indicator_logistic() -> Any:
    """Return logistic regression on numbers and on zeros and ones for frequent strings."""
    return LabelFreeSteps(
        [
            ("columns", indicator_columns()),
            ("scale", EvenScaler()),
            ("logistic", SoftmaxRegression(C=20.0)),
        ]
    )


def ordinal_columns() -> Any:
    """Return a transformer of frames: strings and categories to whole numbers, gaps kept.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"color": ["red", None, "blue"], "size": [1.0, 2.0, np.nan]})
    >>> ordinal_columns().fit_transform(frame)
    array([[ 1.,  1.], [nan,  2.], [ 0., nan]])
    """
    encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan)
    others = make_column_selector(dtype_exclude="number")
    return make_column_transformer(
        (encoder, others), remainder="passthrough", verbose_feature_names_out=False
    )


def indicator_columns() -> Any:
    """Return a transformer of frames: gaps in numbers filled, a column for each frequent string.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"color": ["red", None, "red"], "size": [1.0, 2.0, np.nan]})
    >>> indicator_columns().fit_transform(frame)  # red, no color; size
    array([[1. , 0. , 1. ],
           [0. , 1. , 2. ],
           [1. , 0. , 1.5]])
    """
    indicators = OneHotEncoder(
        handle_unknown="infrequent_if_exist", max_categories=MOST_VALUES, sparse_output=False
    )
    return make_column_transformer(
        (indicators, make_column_selector(dtype_exclude="number")),
        (
            SimpleImputer(strategy="median", keep_empty_features=True),
            make_column_selector(dtype_include="number"),
        ),
        verbose_feature_names_out=False,
    )


class KernelLandmarks(TransformerMixin, BaseEstimator):
    """Nystroem features of a Gaussian kernel as wide as the rows are apart.

    Adapts to the rows it is fitted to, which in stages and folds may be few, or spread otherwise
    than all rows are.

    Parameters
    ----------
    width : float, default=0.4
        Of the kernel, in median distances between rows.
    n_landmarks : int, default=500
        At most; rows that other landmarks explain are left out.
    random_state : int, RandomState instance or None, default=None

    Examples
    --------
    >>> rows = np.arange(30.0)[:, None]
    >>> KernelLandmarks(random_state=0).fit_transform(rows).shape[0]
    30
    """

    def __init__(
        self, width: float = 0.4, n_landmarks: int = 500, random_state: Any = None
    ) -> None:
        self.width = width
        self.n_landmarks = n_landmarks
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> "KernelLandmarks":
        """Choose the landmarks among the rows, and the width by their distances."""
        X = validate_data(self, X, dtype=np.float64)
        rng = check_random_state(self.random_state)
        # Bounded below: squares of much smaller distances cannot be divided by.
        distance = median_distance(X, random_state=rng.randint(2**31 - 1))
        landmarks = X[rng.permutation(len(X))[: self.n_landmarks]]
        bandwidth = self.width * max(distance, requirements.SMALLEST)
        self.map_ = NystroemMap.of(landmarks, bandwidth)
        return self

    def transform(self, X: Any) -> Array:
        """Return the features of rows."""
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return np.asarray(self.map_.transform(X))


class GapBoosting(HistGradientBoostingClassifier):
    """Boosting of numbers with gaps; a column without any value tells nothing.

    Where few rows have a value, none of the rows of a fold may have one. scikit-learn 1.9 bins no
    such column.
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "GapBoosting":
        """Fit to rows, as `HistGradientBoostingClassifier` does."""
        is_empty = np.isnan(X).all(axis=0)
        super().fit(np.where(is_empty, 0.0, X), y, sample_weight)
        return self


class NearRows(KNeighborsClassifier):
    """Nearest neighbors; where there are fewer rows than asked for, all of them."""

    def kneighbors(
        self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True
    ) -> Any:
        """Return the nearest rows, as in `KNeighborsClassifier`."""
        n_neighbors = min(n_neighbors or self.n_neighbors, self.n_samples_fit_)
        return super().kneighbors(X, n_neighbors, return_distance)
