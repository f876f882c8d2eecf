"""Names of columns that scikit-learn would not read: frames it does not know become pandas'."""

from typing import Any

import pandas as pd
from sklearn.utils.validation import _get_feature_names

__all__ = ["with_readable_names"]


def with_readable_names(X: Any) -> Any:
    """Return rows as they came, or as a pandas frame where scikit-learn would not see their names.

    Older versions, such as 1.6, ask other frames for `__dataframe__`, which polars 2 has not.
    Without names columns in another order would be taken as they stand.

    Examples
    --------
    >>> with_readable_names([[1.0, 2.0]])
    [[1.0, 2.0]]
    """
    if not hasattr(X, "columns") or isinstance(X, pd.DataFrame):
        return X
    names = list(X.columns)
    if not all(isinstance(name, str) for name in names) or _get_feature_names(X) is not None:
        return X
    return pd.DataFrame({name: X[name].to_numpy() for name in names})
