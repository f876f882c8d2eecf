"""Answers to a dataset of Ray: each worker opens the model once and answers blocks of rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from eulac.distributed.answer_batches import BLOCK_ROWS, open_model, predict_batches

__all__ = ["predict_ray"]

BATCH_ROWS = 16 * BLOCK_ROWS
"""Rows handed to a worker at once."""


def predict_ray(
    model: Any,
    dataset: Any,
    *,
    keep: Sequence[str] = (),
    columns: Sequence[str] | None = None,
    n_workers: int = 1,
) -> Any:
    """Return the answers to a dataset of Ray, as another one.

    Parameters
    ----------
    model : path, fitted classifier, or TableModel
        Opened once by each worker. A path must lead to the file there, and `eulac` must be
        installed.
    dataset : ray.data.Dataset
    keep, columns
        As in `predict_batches`.
    n_workers : int, default=1
        Processes that hold the model and answer.

    Returns
    -------
    answers : ray.data.Dataset
        Not computed yet.
    """
    return dataset.map_batches(
        _Answering,
        fn_constructor_kwargs={"model": model, "keep": tuple(keep), "columns": columns},
        batch_format="pyarrow",
        batch_size=BATCH_ROWS,
        concurrency=n_workers,
    )


class _Answering:
    """What a worker of Ray holds."""

    def __init__(self, model: Any, keep: Sequence[str], columns: Sequence[str] | None) -> None:
        self.model = open_model(model)
        self.options: dict[str, Any] = {"keep": keep, "columns": columns}

    def __call__(self, rows: pa.Table) -> pa.Table:
        return predict_batches(self.model, rows, **self.options).read_all()
