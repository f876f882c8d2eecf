"""Which classifiers to try on rows of a kind, when nobody says."""

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder, StandardScaler

from eulac.estimators.augmented import FOREST_REPEATS, N_TREES, AugmentedClassifier
from eulac.estimators.kernel import EulacClassifier
from eulac.estimators.rows import as_numbers

__all__ = [
    "MOST_KERNEL_ROWS",
    "default_candidates",
    "kernel_logistic",
    "ordinal_columns",
    "small_boosting",
]

MOST_KERNEL_ROWS = 4000
"""Exact kernel machines factorize matrices of so many unlabeled rows; more take minutes."""

MOST_BOOSTED_FEATURES = 100
"""Boosting looks at every feature for every split; with more, forests do as well in far less."""

MOST_LANDMARKS = 300
ROWS_PER_LANDMARK = 4
"""A first stage has half of the rows, and a second one may have fewer still."""


def default_candidates(X: Any, n_unlabeled: int) -> dict[str, Any]:
    """Return classifiers by name that suit the rows.

    Finite numbers: extremely randomized trees, kernel logistic regression on landmarks, and the
    kernel machine and boosting while they are quick. Numbers with gaps, and frames with strings:
    trees and boosting, strings turned into whole numbers. Sparse rows and texts: logistic
    regression.

    Examples
    --------
    >>> list(default_candidates(np.zeros((3, 2)), 2))
    ['extra_trees', 'kernel', 'boosting', 'kernel_logistic']
    >>> import pandas as pd
    >>> list(default_candidates(pd.DataFrame({"color": ["red", None, "blue"]}), 2))
    ['boosting', 'extra_trees']
    """
    if sparse.issparse(X):
        return {
            "logistic": AugmentedClassifier(LogisticRegression(max_iter=1000)),
            "extra_trees": AugmentedClassifier(),
        }
    if np.ndim(X) == 1:
        logistic = make_pipeline(TfidfVectorizer(), LogisticRegression(max_iter=1000))
        return {"logistic": AugmentedClassifier(logistic)}
    numbers = as_numbers(X)
    if numbers is not None and np.all(np.isfinite(numbers)):
        chosen: dict[str, Any] = {"extra_trees": AugmentedClassifier()}
        if n_unlabeled <= MOST_KERNEL_ROWS:
            chosen["kernel"] = EulacClassifier()
        if numbers.shape[1] <= MOST_BOOSTED_FEATURES:
            chosen["boosting"] = AugmentedClassifier(small_boosting())
        chosen["kernel_logistic"] = AugmentedClassifier(kernel_logistic(len(numbers)))
        return chosen
    boosting: Any = small_boosting()
    trees: Any = ExtraTreesClassifier(N_TREES // FOREST_REPEATS)
    if numbers is None:
        trees, boosting = (make_pipeline(ordinal_columns(), base) for base in (trees, boosting))
    # Boosting first: its smooth scores are the better ones to read the proportion off.
    return {
        "boosting": AugmentedClassifier(boosting),
        "extra_trees": AugmentedClassifier(trees, n_repeats=FOREST_REPEATS),
    }


def small_boosting() -> Any:
    """Return boosting of fewer and smaller trees than usual: it is fitted a dozen times."""
    return HistGradientBoostingClassifier(max_iter=50, max_leaf_nodes=15)


def kernel_logistic(n_rows: int) -> Any:
    """Return logistic regression on landmarks of a Gaussian kernel: smooth where trees are not."""
    n_landmarks = min(MOST_LANDMARKS, max(n_rows // ROWS_PER_LANDMARK, 1))
    logistic = LogisticRegression(C=10.0, max_iter=1000)
    return make_pipeline(StandardScaler(), Nystroem(n_components=n_landmarks), logistic)


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
