"""Rows of any kind as plain numbers, for estimates that need distances between rows.

Classifiers get rows as they are; here is only what the known proportion is read off. Numbers are
scaled to [0, 1], those of a column with long tails by rank; gaps get the median and a column that
marks them; strings get a column for each frequent value; sparse rows and texts their leading
directions.
"""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.preprocessing import minmax_scale

from eulac.data import requirements
from eulac.data.any_rows import as_pandas
from eulac.data.long_tails import LongTails

__all__ = ["GappyTfidf", "encoded_column", "encoded_names", "encoded_rows"]

Array = NDArray[np.float64]

MOST_VALUES = 20
"""Columns for values of a string column at the most; rarer values have none."""

N_DIRECTIONS = 50
"""Of sparse rows and texts."""


class GappyTfidf(TfidfVectorizer):
    """Words of texts as scikit-learn counts them; a missing text has none.

    Examples
    --------
    >>> GappyTfidf().fit_transform(["a cat", None, np.nan]).toarray().ravel()
    array([1., 0., 0.])
    """

    def decode(self, doc: Any) -> Any:
        """Return the text of a document."""
        return super().decode(doc if isinstance(doc, str | bytes) else "")


def encoded_rows(X: Any, random_state: int | None = None) -> Array:
    """Return rows as an array of numbers in [0, 1], without gaps.

    Examples
    --------
    >>> frame = pd.DataFrame({"size": [1.0, np.nan, 3.0], "color": ["red", "blue", "red"]})
    >>> encoded_rows(frame)  # size, gap in size, red, blue
    array([[0. , 0. , 1. , 0. ],
           [0.5, 1. , 0. , 1. ],
           [1. , 0. , 1. , 0. ]])
    """
    if np.ndim(X) == 1:
        X = GappyTfidf().fit_transform(X)
    if sparse.issparse(X):
        numbers = _leading_directions(X, random_state)
    else:
        frame = as_pandas(X)
        frame = frame if isinstance(frame, pd.DataFrame) else pd.DataFrame(np.asarray(frame))
        numbers = np.hstack([encoded_column(frame.iloc[:, i]) for i in range(frame.shape[1])])
        numbers = LongTails.of(numbers).by_rank(numbers)
    return np.asarray(minmax_scale(np.clip(numbers, -requirements.LARGEST, requirements.LARGEST)))


def encoded_names(X: Any) -> list[str]:
    """Return what the columns of `encoded_rows` stand for; none for sparse rows and texts.

    Examples
    --------
    >>> frame = pd.DataFrame({"size": [1.0, np.nan, 3.0], "color": ["red", "blue", "red"]})
    >>> encoded_names(frame)
    ['size', 'size missing', 'color = red', 'color = blue']
    """
    frame = as_pandas(X)
    if np.ndim(frame) != 2 or sparse.issparse(frame):
        return []
    frame = frame if isinstance(frame, pd.DataFrame) else pd.DataFrame(np.asarray(frame))
    names = []
    for place, name in enumerate(frame.columns):
        column = frame.iloc[:, place]
        names += _names_of(str(name), column, encoded_column(column).shape[1])
    return names


def _names_of(name: str, values: "pd.Series[Any]", n_columns: int) -> list[str]:
    if pd.api.types.is_numeric_dtype(values.dtype):
        return [name, f"{name} missing"][:n_columns]
    return [f"{name} = {value}" for value in _frequent(values)] or [name]


def _leading_directions(X: Any, random_state: int | None) -> Array:
    if min(X.shape) <= N_DIRECTIONS + 1:
        return np.asarray(X.toarray(), dtype=float)
    return np.asarray(TruncatedSVD(N_DIRECTIONS, random_state=random_state).fit_transform(X))


def encoded_column(values: "pd.Series[Any]") -> Array:
    """Return the columns of numbers a column becomes: itself, its gaps, its frequent values.

    Examples
    --------
    >>> encoded_column(pd.Series([1.0, np.nan, 3.0])).tolist()
    [[1.0, 0.0], [2.0, 1.0], [3.0, 0.0]]
    """
    if pd.api.types.is_numeric_dtype(values.dtype):
        return _filled(values.to_numpy(dtype=float, na_value=np.nan))
    found = [values == value for value in _frequent(values)]
    return np.column_stack(found or [values.isna()]).astype(float)


def _frequent(values: "pd.Series[Any]") -> list[Any]:
    """Return the frequent values of a column that is no number."""
    text = values.astype(object).where(values.notna(), None)
    return list(text.value_counts().index[:MOST_VALUES])


def _filled(numbers: Array) -> Array:
    gaps = ~np.isfinite(numbers)
    if not gaps.any():
        return numbers[:, None]
    middle = float(np.median(numbers[~gaps])) if not gaps.all() else 0.0
    return np.column_stack([np.where(gaps, middle, numbers), gaps.astype(float)])
