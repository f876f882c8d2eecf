"""Answers to data frames of Dask, a partition at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
from dask.delayed import delayed

from eulac.distributed.answer_batches import answer_schema, predict_batches

__all__ = ["predict_dask"]


def predict_dask(
    model: Any, frame: Any, *, keep: Sequence[str] = (), columns: Sequence[str] | None = None
) -> Any:
    """Return the answers to a data frame of Dask, as another one with its partitions and index.

    Parameters
    ----------
    model : fitted classifier, TableModel, or path
        A path must lead to the file on every worker.
    frame : dask.dataframe.DataFrame
    keep, columns
        As in `predict_batches`.

    Returns
    -------
    answers : dask.dataframe.DataFrame
        Not computed yet. Unlike `lazily`, all answers at once, of models of tables, too.

    Examples
    --------
    >>> import dask.dataframe as dd
    >>> import pandas as pd
    >>> from eulac import OsnnClassifier
    >>> clf = OsnnClassifier(ratio=0.5).fit([[0.0], [0.1], [5.0], [5.1]], [0, 0, 1, 1])
    >>> rows = dd.from_pandas(pd.DataFrame({"x": [0.05, 2.6]}), npartitions=2)
    >>> predict_dask(clf, rows)["label"].compute().tolist()
    [0, -2]
    """
    rows = pa.Schema.from_pandas(frame._meta, preserve_index=False)
    empty = answer_schema(model, keep, rows).empty_table().to_pandas()
    empty.index = frame._meta.index
    # One copy of the model in the graph, not one a partition.
    shared = delayed(model)
    return frame.map_partitions(_answered, shared, tuple(keep), columns, empty, meta=empty)


def _answered(part: Any, model: Any, keep: Sequence[str], columns: Any, empty: Any) -> Any:
    if not len(part):
        return empty
    rows = pa.Table.from_pandas(part, preserve_index=False)
    answers = predict_batches(model, rows, keep=keep, columns=columns).read_all().to_pandas()
    return answers.set_axis(part.index, axis=0)
