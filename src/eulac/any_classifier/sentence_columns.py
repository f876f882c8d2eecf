"""Columns of sentences beside others: a default fit makes categories of them, which says little."""

import warnings
from typing import Any

import pandas as pd

from eulac.data.preprocessing import holds_sentences
from eulac.exceptions import SentenceColumnWarning

__all__ = ["warn_of_sentences"]


def warn_of_sentences(X: Any) -> None:
    """Warn of columns of a frame that hold sentences, which may be what matters most."""
    if not isinstance(X, pd.DataFrame):
        return
    for name in X.select_dtypes(exclude=["number", "bool", "datetime"]):
        if holds_sentences(X[name].dropna().astype(str)):
            warnings.warn(
                f"column {name!r} holds sentences, and is learned from as if each were a category. "
                "Pass the texts alone as rows, or a pipeline that makes numbers of them: see "
                '"Text" in docs/recipes.md.',
                SentenceColumnWarning,
                stacklevel=3,
            )
