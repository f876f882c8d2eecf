"""Rows in Arrow's memory: from what engines hand over, to blocks of one size."""

from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa

__all__ = ["arrow_batches", "fixed_blocks", "with_columns"]


def arrow_batches(rows: Any) -> Iterator[pa.RecordBatch]:
    """Yield batches of what Arrow can stream, or of an iterable of such things.

    Examples
    --------
    >>> table = pa.table({"a": [1, 2, 3]})
    >>> [batch.num_rows for batch in arrow_batches([table, table.to_batches()[0]])]
    [3, 3]
    """
    if isinstance(rows, pa.RecordBatch):
        yield rows
    elif isinstance(rows, pa.RecordBatchReader):
        yield from rows
    elif hasattr(rows, "__arrow_c_stream__"):
        yield from pa.RecordBatchReader.from_stream(rows)
    elif isinstance(rows, Iterable) and not isinstance(rows, str | bytes | dict):
        for part in rows:
            yield from arrow_batches(_streamable(part))
    else:
        _streamable(rows)


def _streamable(rows: Any) -> Any:
    if not isinstance(rows, pa.RecordBatch) and not hasattr(rows, "__arrow_c_stream__"):
        raise TypeError(
            "rows must come as record batches or tables of Arrow, or as frames that Arrow can "
            f"stream; got {type(rows).__name__}. Use pyarrow.table, or `predict` for arrays."
        )
    return rows


def with_columns(batches: Iterable[pa.RecordBatch], schema: pa.Schema) -> Iterator[pa.Table]:
    """Yield the columns of a schema of each batch, in its order and of its types."""
    for number, batch in enumerate(batches):
        missing = [name for name in schema.names if name not in batch.schema.names]
        if missing:
            raise ValueError(
                f"all batches must have the columns of the first; batch {number} lacks "
                f"{missing[0]!r}. Select the same columns in all of them."
            )
        part = pa.Table.from_batches([batch]).select(schema.names)
        try:
            yield part.cast(schema)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            raise ValueError(
                "all batches must have the types of the first; those of batch "
                f"{number} do not fit: {error}. Cast the columns."
            ) from error


def fixed_blocks(parts: Iterable[pa.Table], n_rows: int) -> Iterator[pa.Table]:
    """Yield the same rows in tables of `n_rows` each, the last one shorter.

    Examples
    --------
    >>> parts = [pa.table({"a": [1, 2, 3]}), pa.table({"a": [4, 5]})]
    >>> [block["a"].to_pylist() for block in fixed_blocks(parts, 2)]
    [[1, 2], [3, 4], [5]]
    """
    waiting: list[pa.Table] = []
    held = 0
    for part in parts:
        waiting.append(part)
        held += part.num_rows
        if held >= n_rows:
            rows = pa.concat_tables(waiting)
            starts = range(0, held - held % n_rows, n_rows)
            yield from (rows.slice(start, n_rows) for start in starts)
            waiting, held = [rows.slice(held - held % n_rows)], held % n_rows
    if held:
        yield pa.concat_tables(waiting)
