"""Answers to frames of Polars, eager ones and lazy ones that never are in memory as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from eulac.distributed.answer_batches import answer_schema, predict_batches

__all__ = ["predict_polars"]


def predict_polars(
    model: Any, frame: Any, *, keep: Sequence[str] = (), columns: Sequence[str] | None = None
) -> Any:
    """Return the answers to a frame of Polars, as a frame of the same kind.

    Parameters
    ----------
    model : fitted classifier, TableModel, or path
    frame : polars.DataFrame or polars.LazyFrame
        The batches of a lazy frame are answered as its streaming engine brings them.
    keep, columns
        As in `predict_batches`.

    Returns
    -------
    answers : polars.DataFrame, or polars.LazyFrame of a lazy frame
        Nothing of a lazy frame is computed until it is collected or written by a sink.

    Examples
    --------
    >>> import polars as pl
    >>> from eulac import OsnnClassifier
    >>> clf = OsnnClassifier(ratio=0.5).fit([[0.0], [0.1], [5.0], [5.1]], [0, 0, 1, 1])
    >>> lazy = pl.LazyFrame({"id": ["a", "b"], "x": [0.05, 2.6]})
    >>> predict_polars(clf, lazy, keep=["id"]).select("id", "label").collect().rows()
    [('a', 0), ('b', -2)]
    """
    import polars as pl
    from polars.io.plugins import register_io_source

    options: dict[str, Any] = {"keep": keep, "columns": columns}
    if isinstance(frame, pl.DataFrame):
        return pl.DataFrame(predict_batches(model, frame, **options))
    if not isinstance(frame, pl.LazyFrame):
        raise TypeError(
            "`frame` must be a DataFrame or LazyFrame of Polars; got "
            f"{type(frame).__name__}. Use `predict_batches` for other rows."
        )
    header = pl.DataFrame(schema=frame.collect_schema()).to_arrow()
    empty = answer_schema(model, keep, header.schema).empty_table()
    schema = pl.DataFrame(empty).schema

    def answered(
        with_columns: list[str] | None, predicate: Any, n_rows: int | None, batch_size: int | None
    ) -> Iterator[Any]:
        """Yield the answers, as far as Polars says it wants them."""
        left = n_rows
        for batch in predict_batches(model, frame.collect_batches(), **options):
            part = pl.DataFrame(batch)[:left]
            left = None if left is None else left - len(part)
            part = part if predicate is None else part.filter(predicate)
            yield part if with_columns is None else part.select(with_columns)
            if left == 0:
                return

    return register_io_source(answered, schema=schema)
