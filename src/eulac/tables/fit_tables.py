"""A classifier fitted on table files: in memory, or in pieces where it can read them so."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from eulac.data.table_formats import readable_format
from eulac.data.table_scan import LONG_FORMATS
from eulac.tables.long_table_model import fit_long_tables
from eulac.tables.table_model import TableFit, fit_table_model
from eulac.tables.training_tables import read_training_tables, require_unlabeled

__all__ = ["fit_tables", "is_read_in_pieces"]


def fit_tables(
    classifier: Any,
    labeled: Path,
    pool: Path | None = None,
    label_column: str | None = None,
    *,
    drop: Sequence[str] = (),
    max_unlabeled: int | None = None,
    keep_row_shape: bool = False,
    random_state: int = 0,
    progress: Callable[[int, int | None], Any] | None = None,
    checkpoint: Path | None = None,
) -> TableFit:
    """Return the model of one or two table files, and what was noticed on the way.

    A classifier with `fit_chunks` reads files of text and Parquet in pieces, whatever their length,
    and learns from every row. Others are given the rows at once.

    Parameters
    ----------
    classifier : unfitted classifier
    labeled, pool, label_column, drop
        As in `read_training_tables`.
    max_unlabeled : int, optional
        As there; in pieces every row is learned from.
    keep_row_shape : bool, default=False
        Whether rows of images are handed over as images.
    random_state : int, default=0
        Of the draw.
    progress : callable, optional
        Called as ``progress(done, total)``.
    checkpoint : Path, optional
        Where a fit in pieces keeps what it has done.
    """
    if is_read_in_pieces(classifier, labeled, pool):
        return fit_long_tables(
            classifier,
            labeled,
            label_column,
            pool,
            drop=drop,
            progress=progress,
            checkpoint=checkpoint,
        )
    tables = read_training_tables(
        labeled,
        pool,
        label_column,
        drop=drop,
        max_unlabeled=max_unlabeled,
        random_state=random_state,
    )
    if getattr(classifier, "needs_unlabeled", True):
        require_unlabeled(tables.n_unlabeled, str(labeled), tables.label_column)
    takes_progress = "progress" in inspect.signature(classifier.fit).parameters
    model = fit_table_model(
        classifier,
        tables.frames,
        tables.y,
        drop=tuple(drop),
        label_column=tables.label_column,
        row_shape=tables.row_shape if keep_row_shape else None,
        **({"progress": progress} if takes_progress else {}),
    )
    return TableFit(model, tables.n_labeled, tables.n_unlabeled, tables.notes, tables.warnings)


def is_read_in_pieces(classifier: Any, labeled: Path, pool: Path | None = None) -> bool:
    """Whether a classifier can learn from pieces, and the files can be read so."""
    if not hasattr(classifier, "fit_chunks"):
        return False
    return all(readable_format(path) in LONG_FORMATS for path in (labeled, pool) if path)
