"""The landmark classifier on Spark: workers read rows and send sums, never rows.

Partial results of partitions are merged on workers, a few at a time and in the order of the
partitions, so that neither the number of workers nor a task that is run again changes a bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import pyarrow as pa

from eulac.distributed.batch_sums import (
    SPLIT_EVERY,
    fit_by_parts,
    merged_parts,
    packed,
    require_landmarks,
    row_columns,
)

__all__ = ["fit_spark"]

SCHEMA = "place long, part binary"
ARROW_SCHEMA = pa.schema([("place", pa.int64()), ("part", pa.binary())])


def fit_spark(
    classifier: Any,
    frame: Any,
    label_column: str,
    unlabeled: Any = None,
    *,
    columns: Sequence[str] | None = None,
) -> Any:
    """Fit a landmark classifier to a data frame of Spark.

    Parameters
    ----------
    classifier : LandmarkEulacClassifier
        Is fitted, and returned. `eulac` must be installed on the workers.
    frame : pyspark.sql.DataFrame
        Columns of numbers, and one of labels: null, or `unlabeled_label` (-1), in unlabeled rows.
        Read twice; cache it where that is expensive.
    label_column : str
    unlabeled : pyspark.sql.DataFrame, optional
        Further unlabeled rows, the same columns by name.
    columns : sequence of str, optional
        To learn from. Default: all but the labels.

    Returns
    -------
    classifier
        Its coefficients are those of `fit` on the same rows in memory, up to rounding.
    """
    require_landmarks(classifier)
    others = None if unlabeled is None else unlabeled.columns
    chosen = row_columns(frame.columns, label_column, columns, others)
    tables = [frame.select(*chosen, label_column)]
    if unlabeled is not None:
        tables.append(unlabeled.select(*chosen))
    label_columns = [label_column, None][: len(tables)]
    return fit_by_parts(classifier, chosen, label_columns, partial(_computed, tables))


def _computed(tables: Sequence[Any], tasks: Sequence[Any]) -> bytes | None:
    """Return the merged result of the partitions of all tables."""
    context = tables[0].sparkSession.sparkContext
    shared = [context.broadcast(task) for task in tasks]
    found = [
        table.mapInArrow(_working(task), SCHEMA) for table, task in zip(tables, shared, strict=True)
    ]
    first = (found[0] if len(found) == 1 else found[0].union(found[1])).persist()
    try:
        last = first.agg({"place": "max"}).collect()[0][0]
        parts = first
        while last is not None and last >= SPLIT_EVERY:
            parts, last = _merged_by_group(parts, shared[0]), last // SPLIT_EVERY
        rows = sorted(parts.collect(), key=lambda row: row.place)
    finally:
        first.unpersist()
    return merged_parts(tasks[0], [bytes(row.part) for row in rows]) if rows else None


def _working(task: Any) -> Callable[[Iterator[Any]], Iterator[pa.RecordBatch]]:
    """Return what turns the batches of a partition into one row: its place, and its result."""

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from pyspark import TaskContext

        part, context = task.value.of(batches), TaskContext.get()
        if part is not None and context is not None:
            yield _row(context.partitionId(), packed(part))

    return work


def _merged_by_group(parts: Any, task: Any) -> Any:
    """Return parts merged a few neighbors at a time, on the workers."""

    def merge(group: pa.Table) -> pa.Table:
        group = group.sort_by("place")
        place = group["place"][0].as_py()
        merged = merged_parts(task.value, group["part"].to_pylist())
        return pa.Table.from_batches([_row(place // SPLIT_EVERY, merged)])

    key = (parts.place / SPLIT_EVERY).cast("long")
    return parts.groupBy(key).applyInArrow(merge, SCHEMA)


def _row(place: int, part: bytes) -> pa.RecordBatch:
    columns = [pa.array([place], pa.int64()), pa.array([part], pa.binary())]
    return pa.RecordBatch.from_arrays(columns, schema=ARROW_SCHEMA)
