"""Batches over time, a table file each: how much of it is new, and how often answers err."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from eulac.data.reading.text_format import SNIFFED, TextFormat
from eulac.evaluation.batch_estimate import BatchEstimate, estimate_batch
from eulac.tables.pool_table import read_pool_table
from eulac.tables.table_model import TableModel

__all__ = ["TableBatch", "estimate_tables"]


class TableBatch(NamedTuple):
    """A table file and what is estimated of its rows."""

    name: str
    estimate: BatchEstimate


def estimate_tables(
    model: TableModel,
    tables: Sequence[Path],
    *,
    random_state: int = 0,
    progress: Callable[[int, int | None], Any] = lambda done, total: None,
    text: TextFormat = SNIFFED,
) -> list[TableBatch]:
    """Return the estimate of each table of unlabeled rows, in their order.

    Parameters
    ----------
    model : TableModel
    tables : sequence of Path
    random_state : int, default=0
    progress : callable
        Called as ``progress(done, total)`` after each table.
    text : TextFormat, optional
        As in `read_table`.
    """
    found = []
    for done, path in enumerate(tables, 1):
        X = read_pool_table(model, path, text=text).X
        found.append(TableBatch(str(path), _named(model, X, path, random_state)))
        progress(done, len(tables))
    return found


def _named(model: TableModel, X: Any, path: Path, random_state: int) -> BatchEstimate:
    options: dict[str, Any] = {"X_labeled": model.X_labeled, "y_labeled": model.y_labeled}
    try:
        return estimate_batch(model.classifier, X, **options, random_state=random_state)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
