"""Columns of sentences beside others: a default fit makes categories of them, which says little."""

from typing import Any

import pandas as pd

from eulac.data.preprocessing import holds_sentences
from eulac.exceptions import SentenceColumnWarning, warn_caller

__all__ = ["warn_of_sentences"]


def warn_of_sentences(X: Any) -> None:
    """Warn of columns of a frame that hold sentences, which may be what matters most."""
    if not isinstance(X, pd.DataFrame):
        return
    for name in X.select_dtypes(exclude=["number", "bool", "datetime"]):
        if holds_sentences(X[name].dropna().astype(str)):
            warn_caller(
                f"column {name!r} holds sentences, and is learned from as if each were a category. "
                "Pass the texts alone as rows, or a pipeline that makes numbers of them: see "
                '"Text" in docs/recipes.md.',
                SentenceColumnWarning,
            )
