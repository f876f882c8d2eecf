"""The landmark classifier on Ray: tasks read blocks and send sums, never rows."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
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

__all__ = ["fit_ray"]


def fit_ray(
    classifier: Any,
    dataset: Any,
    label_column: str,
    unlabeled: Any = None,
    *,
    columns: Sequence[str] | None = None,
) -> Any:
    """Fit a landmark classifier to a dataset of Ray.

    Parameters
    ----------
    classifier : LandmarkEulacClassifier
        Is fitted, and returned. `eulac` must be installed on the workers.
    dataset : ray.data.Dataset
        Columns of numbers, and one of labels: null, or `unlabeled_label` (-1), in unlabeled rows.
        Read twice.
    label_column : str
    unlabeled : ray.data.Dataset, optional
        Further unlabeled rows, the same columns by name.
    columns : sequence of str, optional
        To learn from. Default: all but the labels.

    Returns
    -------
    classifier
        Its coefficients are those of `fit` on the same rows in memory, up to rounding.
    """
    require_landmarks(classifier)
    others = None if unlabeled is None else unlabeled.columns()
    chosen = row_columns(dataset.columns(), label_column, columns, others)
    datasets = [dataset.select_columns([*chosen, label_column])]
    if unlabeled is not None:
        datasets.append(unlabeled.select_columns(list(chosen)))
    label_columns = [label_column, None][: len(datasets)]
    return fit_by_parts(classifier, chosen, label_columns, partial(_computed, datasets))


def _computed(datasets: Sequence[Any], tasks: Sequence[Any]) -> bytes | None:
    """Return the merged result of the blocks of all datasets."""
    import ray

    refs = []
    for dataset, task in zip(datasets, tasks, strict=True):
        shared = ray.put(task)
        options = {"batch_format": "pyarrow", "batch_size": None}
        refs += dataset.map_batches(_part, fn_kwargs={"task": shared}, **options).to_arrow_refs()
    first = ray.put(tasks[0])
    # In the order of what is in them: blocks come as workers finish them.
    names = ray.get([ray.remote(_names).remote(ref) for ref in refs])
    ordered = [ref for name, ref in sorted(zip(names, refs, strict=True), key=_first) if name]
    while len(ordered) > 1:
        groups = [ordered[i : i + SPLIT_EVERY] for i in range(0, len(ordered), SPLIT_EVERY)]
        ordered = [ray.remote(_merged).remote(first, *group) for group in groups]
    if not ordered:
        return None
    return _merged_table(tasks[0], [ray.get(ordered[0])])["part"][0].as_py()


def _first(pair: tuple[str, Any]) -> str:
    return pair[0]


def _part(rows: pa.Table, task: Any) -> pa.Table:
    import ray

    task = ray.get(task) if isinstance(task, ray.ObjectRef) else task
    part = task.of(rows.to_batches())
    return _table([] if part is None else [packed(part)])


def _names(parts: pa.Table) -> str:
    """Return a text that follows from what is in a table of parts; "" where there is nothing."""
    return " ".join(sorted(parts["name"].to_pylist()))


def _merged(task: Any, *tables: pa.Table) -> pa.Table:
    return _merged_table(task, tables)


def _merged_table(task: Any, tables: Sequence[pa.Table]) -> pa.Table:
    parts = pa.concat_tables(tables)
    return _table([merged_parts(task, parts["part"].to_pylist())])


def _table(parts: Sequence[bytes]) -> pa.Table:
    names = [hashlib.sha256(part).hexdigest() for part in parts]
    schema = pa.schema([("name", pa.string()), ("part", pa.large_binary())])
    return pa.table([names, list(parts)], schema=schema)
