"""A table of unlabeled rows, as it stands and as a model takes it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eulac.data.reading.text_format import SNIFFED, TextFormat
from eulac.data.tables import read_table

if TYPE_CHECKING:
    import pandas as pd

    from eulac.tables.table_model import TableModel

__all__ = ["PoolTable", "read_pool_table"]


class PoolTable(NamedTuple):
    """Rows of a table.

    `features` is the table itself without labels, `X` the rows as the model takes them, `row_shape`
    the shape of one row where the file holds images.
    """

    features: pd.DataFrame
    X: NDArray[np.float64]
    row_shape: tuple[int, ...] | None


def read_pool_table(model: TableModel, path: Path, *, text: TextFormat = SNIFFED) -> PoolTable:
    """Return the rows of a table file; a column of labels in it is not looked at, nor shown."""
    table = read_table(path, text=text)
    features = table.features
    if model.label_column in features and model.label_column not in model.columns.names:
        features = features.drop(columns=model.label_column)
    return PoolTable(features, model.matrix(features, str(path)), table.row_shape)
