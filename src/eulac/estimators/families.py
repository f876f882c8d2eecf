"""Which classifiers to try on rows of a kind, when nobody says."""

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, OrdinalEncoder

from eulac.estimators.augmented import FOREST_REPEATS, N_TREES, AugmentedClassifier
from eulac.estimators.rows import as_numbers, scaled_numbers
from eulac.estimators.smooth_parts import KernelLandmarks, NearRows

__all__ = [
    "default_candidates",
    "filled_numbers",
    "flag_columns",
    "kernel_logistic",
    "nearest_neighbors",
    "ordinal_columns",
    "small_boosting",
]

MOST_BOOSTED_FEATURES = 100
"""Boosting looks at every feature for every split; with more, forests do as well in far less."""

MOST_CATEGORIES = 30
"""Flags of a column; rarer categories share one."""

MOST_NEIGHBOR_ROWS = 20_000
"""Every row is compared with every other one."""


def default_candidates(X: Any) -> dict[str, Any]:
    """Return classifiers by name that suit the rows, those worth most first.

    Finite numbers: extremely randomized trees, kernel logistic regression on landmarks, and
    boosting and nearest neighbors while they are quick. Numbers with gaps, and frames with strings:
    the same, boosting first and for any number of features; gaps are filled and strings become
    flags, or whole numbers for trees. Sparse rows and texts: logistic regression.

    Examples
    --------
    >>> list(default_candidates(np.zeros((3, 2))))
    ['extra_trees', 'kernel_logistic', 'boosting', 'neighbors']
    >>> import pandas as pd
    >>> list(default_candidates(pd.DataFrame({"color": ["red", None, "blue"]})))
    ['boosting', 'kernel_logistic', 'extra_trees', 'neighbors']
    """
    if sparse.issparse(X):
        return {
            "logistic": AugmentedClassifier(LogisticRegression(max_iter=1000)),
            "extra_trees": AugmentedClassifier(),
        }
    if np.ndim(X) == 1:
        logistic = make_pipeline(TfidfVectorizer(), LogisticRegression(max_iter=1000))
        return {"logistic": AugmentedClassifier(logistic)}
    scaled = scaled_numbers(X)
    if scaled is None:
        return _candidates_of_mixed(X)
    chosen = {"extra_trees": AugmentedClassifier(), "kernel_logistic": _smooth(MinMaxScaler())}
    if scaled.shape[1] <= MOST_BOOSTED_FEATURES:
        chosen["boosting"] = AugmentedClassifier(small_boosting())
    if len(scaled) <= MOST_NEIGHBOR_ROWS:
        chosen["neighbors"] = AugmentedClassifier(nearest_neighbors(MinMaxScaler()))
    return chosen


def _candidates_of_mixed(X: Any) -> dict[str, Any]:
    """Return candidates for rows with gaps, or with columns that are no numbers."""
    boosting: Any = small_boosting()
    trees: Any = ExtraTreesClassifier(N_TREES // FOREST_REPEATS)
    encoder = filled_numbers()
    if as_numbers(X) is None:
        trees, boosting = (make_pipeline(ordinal_columns(), base) for base in (trees, boosting))
        encoder = flag_columns()
    # Boosting first: its smooth scores are the better ones to read the proportion off.
    chosen = {
        "boosting": AugmentedClassifier(boosting),
        "kernel_logistic": _smooth(encoder),
        "extra_trees": AugmentedClassifier(trees, n_repeats=FOREST_REPEATS),
    }
    if len(X) <= MOST_NEIGHBOR_ROWS:
        chosen["neighbors"] = AugmentedClassifier(nearest_neighbors(encoder))
    return chosen


def _smooth(scaler: Any) -> AugmentedClassifier:
    return AugmentedClassifier(kernel_logistic(scaler), n_repeats=FOREST_REPEATS)


def small_boosting() -> Any:
    """Return boosting of fewer and smaller trees than usual: it is fitted a dozen times."""
    return HistGradientBoostingClassifier(max_iter=50, max_leaf_nodes=15)


def kernel_logistic(scaler: Any) -> Any:
    """Return logistic regression on landmarks of a Gaussian kernel: smooth where trees are not.

    Parameters
    ----------
    scaler : transformer
        Of rows to numbers in [0, 1].
    """
    return make_pipeline(scaler, KernelLandmarks(), LogisticRegression(C=20.0, max_iter=1000))


def nearest_neighbors(scaler: Any) -> Any:
    """Return the vote of a few rows, near ones first: hardly any work."""
    # Not by a search tree, which a model file could not hold.
    return make_pipeline(scaler, NearRows(7, weights="distance", algorithm="brute"))


def filled_numbers() -> Any:
    """Return a transformer of numbers with gaps to numbers in [0, 1].

    Examples
    --------
    >>> filled_numbers().fit_transform([[1.0], [np.nan], [3.0]]).ravel()
    array([0. , 0.5, 1. ])
    """
    return make_pipeline(SimpleImputer(strategy="median", keep_empty_features=True), MinMaxScaler())


def flag_columns() -> Any:
    """Return a transformer of frames to numbers in [0, 1]: a flag for each common category.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"color": ["red", None, "blue"], "size": [1.0, 3.0, np.nan]})
    >>> flag_columns().fit_transform(frame)
    array([[0. , 0. , 1. , 0. ],
           [1. , 0. , 0. , 1. ],
           [0.5, 1. , 0. , 0. ]])
    """
    flags = OneHotEncoder(
        handle_unknown="infrequent_if_exist", max_categories=MOST_CATEGORIES, sparse_output=False
    )
    return make_column_transformer(
        (filled_numbers(), make_column_selector(dtype_include="number")),
        (flags, make_column_selector(dtype_exclude="number")),
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
