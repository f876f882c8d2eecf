"""Answers to rows that come in Arrow batches, as Arrow batches: what every engine is served by.

Rows are answered in blocks of one fixed size, whatever batches they come in: the blocks follow from
the order of the rows alone, so batches of any size give the same bytes, and memory does not grow.
Partitions of an engine are answered one by one: there, numbers agree up to rounding.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa

from eulac.classifier.own_answers import own_answers_of
from eulac.data.preprocessing import require_columns
from eulac.data.reading.column_watch import ColumnWatch
from eulac.distributed.arrow_rows import arrow_batches, fixed_blocks, with_columns
from eulac.exceptions import TableRequestError, UnfamiliarValuesWarning, warn_caller
from eulac.persistence.files import load
from eulac.tables.table_answers import LABEL, P_VALUE, PROBABILITY, SCORE
from eulac.tables.table_model import TableModel

__all__ = ["answer_schema", "answered_batches", "open_model", "predict_batches", "read_columns"]

BLOCK_ROWS = 2048
"""Rows answered at once."""


def predict_batches(
    model: Any,
    batches: Any,
    *,
    keep: Sequence[str] = (),
    columns: Sequence[str] | None = None,
    schema: pa.Schema | None = None,
) -> pa.RecordBatchReader:
    """Return the answers to rows in Arrow batches, as Arrow batches, one after the other.

    Nothing is read before answers are asked for, but for the first batch, and at most one batch
    and one block of rows are held. Batches of any size give the same bytes.

    Parameters
    ----------
    model : fitted classifier, TableModel, or path
        A path names a file of `eulac.save` or `eulac fit`.
    batches : iterable of pyarrow.RecordBatch or pyarrow.Table
        Or what Arrow can stream: a table, a reader, frames of Polars and pandas, a relation of
        DuckDB.
    keep : sequence of str, default=()
        Columns to carry over, before the answers.
    columns : sequence of str, optional
        The features, in the order of the fit, for a classifier fitted on arrays. By default the
        names the model was fitted with, or all columns that are not kept.
    schema : pyarrow.Schema, optional
        Of the batches; by default that of the first one.

    Returns
    -------
    answers : pyarrow.RecordBatchReader
        An iterator of batches, all of `answer_schema`: columns to keep, `label`, `p_...` of each
        class, `augmented_score`, and `new_p_value` where the classifier has `new_p_values`. As in
        `eulac predict`, rows of the pool of the fit are answered by models that have not seen them.

    Examples
    --------
    >>> from eulac import OsnnClassifier
    >>> clf = OsnnClassifier(ratio=0.5).fit([[0.0], [0.1], [5.0], [5.1]], [0, 0, 1, 1])
    >>> rows = pa.table({"id": ["a", "b"], "x": [0.05, 2.6]})
    >>> answers = predict_batches(clf, rows.to_batches(max_chunksize=1), keep=["id"])
    >>> answers.read_all().select(["id", "label"]).to_pylist()
    [{'id': 'a', 'label': 0}, {'id': 'b', 'label': -2}]
    """
    model, stream = open_model(model), arrow_batches(batches)
    if schema is None:
        first = next(stream, None)
        if first is None:
            return pa.RecordBatchReader.from_batches(answer_schema(model, keep), iter(()))
        stream, schema = chain([first], stream), first.schema
    names = read_columns(model, schema.names, keep, columns)
    answered = _watched(model, stream, names, keep, schema)
    return pa.RecordBatchReader.from_batches(answer_schema(model, keep, schema), answered)


def answer_schema(
    model: Any, keep: Sequence[str] = (), schema: pa.Schema | None = None
) -> pa.Schema:
    """Return the columns of the answers and their types, before any row is seen.

    Parameters
    ----------
    model : fitted classifier, TableModel, or path
    keep : sequence of str, default=()
        Columns to carry over.
    schema : pyarrow.Schema, optional
        Of the rows; needed if there are columns to keep.

    Returns
    -------
    schema : pyarrow.Schema

    Examples
    --------
    >>> from eulac import OsnnClassifier
    >>> clf = OsnnClassifier(ratio=0.5).fit([[0.0], [0.1], [5.0], [5.1]], ["a", "a", "b", "b"])
    >>> answer_schema(clf).names
    ['label', 'augmented_score']
    """
    model = open_model(model)
    classifier, labels = _classifier(model), model.classes_.tolist()
    fields = [pa.field(LABEL, pa.array(labels).type)]
    if hasattr(classifier, "predict_proba"):
        fields += [pa.field(PROBABILITY.format(label), pa.float32()) for label in labels]
    fields.append(pa.field(SCORE, pa.float32()))
    if _has_p_values(classifier):
        fields.append(pa.field(P_VALUE, pa.float64()))
    clash = sorted({field.name for field in fields} & set(keep))
    if clash:
        raise TableRequestError(
            f"a column to keep must not be named as an answer; {clash[0]!r} is. Rename it."
        )
    if keep and schema is None:
        raise ValueError(
            f"the types of columns to keep ({', '.join(keep)}) come from the rows; there are none. "
            "Pass the `schema` of the rows."
        )
    kept = [] if schema is None else [schema.field(name).remove_metadata() for name in keep]
    return pa.schema([*kept, *fields])


def read_columns(
    model: Any, there: list[str], keep: Sequence[str] = (), columns: Sequence[str] | None = None
) -> list[str]:
    """Return the feature columns of a model in batches that have some columns, in its order."""
    require_columns(keep, there, "the batches", what="every column to keep", typed=True)
    if isinstance(model, TableModel):
        names = model.columns.names
    elif hasattr(model, "feature_names_in_"):
        names = [str(name) for name in model.feature_names_in_]
    else:
        names = [name for name in there if name not in keep] if columns is None else list(columns)
        if len(names) != model.n_features_in_:
            raise ValueError(
                f"the classifier was fitted on {model.n_features_in_} columns without names; the "
                f"batches have {len(names)} that are not kept. Name the features in `columns`."
            )
    require_columns(names, there, "the batches")
    return names


def answered_batches(
    model: Any,
    batches: Iterable[pa.RecordBatch],
    names: Sequence[str],
    keep: Sequence[str],
    schema: pa.Schema,
    watch: ColumnWatch | None = None,
) -> Iterator[pa.RecordBatch]:
    """Yield the answers to batches, a block at a time, counting unfamiliar values in `watch`.

    `names` are those of `read_columns`, `schema` is that of the batches.
    """
    wanted = list(dict.fromkeys([*names, *keep]))
    target = answer_schema(model, keep, schema)
    same = with_columns(batches, pa.schema([schema.field(name) for name in wanted]))
    for block in fixed_blocks(same, BLOCK_ROWS):
        frame = block.select(list(names)).to_pandas()
        if watch is not None:
            watch.look(frame)
        answers = _answer_columns(model, frame)
        columns = [*(block.column(name) for name in keep), *answers]
        arrays = [
            pa.array(column, field.type) if isinstance(column, np.ndarray) else column
            for column, field in zip(columns, target, strict=True)
        ]
        yield pa.Table.from_arrays(arrays, schema=target).combine_chunks().to_batches()[0]


def _watched(
    model: Any, batches: Any, names: list[str], keep: Sequence[str], schema: pa.Schema
) -> Iterator[pa.RecordBatch]:
    """Yield answers; at the end, warn of values the fit never saw, as `TableModel.predict` does."""
    watch = ColumnWatch(model.columns) if isinstance(model, TableModel) else None
    yield from answered_batches(model, batches, names, keep, schema, watch)
    for sentence in () if watch is None else watch.sentences():
        warn_caller(sentence, UnfamiliarValuesWarning)


def _answer_columns(model: Any, frame: Any) -> list[Any]:
    """Return the columns of answers to a block, in the order of `answer_schema`."""
    classifier = _classifier(model)
    X = _features(model, frame)
    answers = own_answers_of(classifier, X).answers
    columns = [answers.labels]
    if answers.probabilities is not None:
        columns += list(answers.probabilities.T.astype(np.float32))
    columns.append(answers.augmented_score.astype(np.float32))
    if _has_p_values(classifier):
        columns.append(classifier.new_p_values(X))
    return [np.asarray(column) for column in columns]


def _features(model: Any, frame: Any) -> Any:
    if isinstance(model, TableModel):
        return model.matrix(frame, "the batches")
    return frame if hasattr(model, "feature_names_in_") else frame.to_numpy(dtype=np.float64)


def open_model(model: Any) -> Any:
    """Return a model, read from its file if a path is given."""
    return load(model) if isinstance(model, str | os.PathLike) else model


def _classifier(model: Any) -> Any:
    return model.classifier if isinstance(model, TableModel) else model


def _has_p_values(classifier: Any) -> bool:
    """Whether it keeps what it said of held-out rows, and knows a new class."""
    return (
        hasattr(classifier, "new_p_values")
        and not classifier.closed_set_
        and getattr(classifier, "held_out_probabilities_", None) is not None
        and getattr(classifier, "fit_rows_", None) is not None
    )
