"""Answers to a data frame of Spark: each worker answers the Arrow batches of its partitions."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any

import pyarrow as pa

from eulac.distributed.answer_batches import answer_schema, predict_batches
from eulac.persistence.files import load

__all__ = ["predict_spark"]


def predict_spark(
    model: Any, frame: Any, *, keep: Sequence[str] = (), columns: Sequence[str] | None = None
) -> Any:
    """Return the answers to a data frame of Spark, as another one.

    Parameters
    ----------
    model : path, fitted classifier, or TableModel
        A path is read once by each worker process, and must lead to the file there; all else is
        broadcast. `eulac` must be installed on the workers.
    frame : pyspark.sql.DataFrame
    keep, columns
        As in `predict_batches`.

    Returns
    -------
    answers : pyspark.sql.DataFrame
        Not computed yet.
    """
    from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

    rows = to_arrow_schema(frame.schema)
    schema = from_arrow_schema(answer_schema(model, keep, rows))
    if isinstance(model, str | os.PathLike):
        get_model = _reader(os.fspath(model))
    else:
        broadcast = frame.sparkSession.sparkContext.broadcast(model)
        get_model = _holder(broadcast)
    return frame.mapInArrow(_answering(get_model, tuple(keep), columns, rows), schema)


def _answering(
    get_model: Callable[[], Any], keep: Sequence[str], columns: Any, rows: pa.Schema
) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def answer(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from predict_batches(get_model(), batches, keep=keep, columns=columns, schema=rows)

    return answer


def _reader(path: str) -> Callable[[], Any]:
    return lambda: _loaded(path, os.stat(path).st_mtime_ns)


def _holder(broadcast: Any) -> Callable[[], Any]:
    return lambda: broadcast.value


@cache
def _loaded(path: str, written: int) -> Any:
    """Return a model that this process reads once, until the file is written anew."""
    return load(path)
