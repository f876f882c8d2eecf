"""A classifier fitted on table files: in memory, or in pieces where it can read them so."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eulac.data.reading.text_format import SNIFFED, TextFormat
from eulac.data.table_formats import readable_format
from eulac.data.table_scan import LONG_FORMATS
from eulac.evaluation.label_errors import suspected_label_errors
from eulac.tables.long_table_model import fit_long_tables
from eulac.tables.table_model import TableFit, TableModel, fit_table_model
from eulac.tables.training_tables import TrainingTables, read_training_tables, require_unlabeled

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["fit_tables", "is_read_in_pieces"]


def fit_tables(
    classifier: Any,
    labeled: Path,
    pool: Path | None = None,
    label_column: str | None = None,
    *,
    drop: Sequence[str] = (),
    id_column: str | None = None,
    max_labeled: int | None = None,
    max_unlabeled: int | None = None,
    keep_row_shape: bool = False,
    random_state: int = 0,
    progress: Callable[[int, int | None], Any] | None = None,
    on_phase: Callable[[str], Any] = lambda task: None,
    checkpoint: Path | None = None,
    text: TextFormat = SNIFFED,
) -> TableFit:
    """Return the model of one or two table files, and what was noticed on the way.

    A classifier with `fit_chunks` reads files of text and Parquet in pieces, whatever their length,
    and learns from every row. Others are given the rows at once.

    Parameters
    ----------
    classifier : unfitted classifier
    labeled, pool, label_column, drop, id_column, text
        As in `read_training_tables`.
    max_labeled, max_unlabeled : int, optional
        As there; in pieces every row is learned from. Of labeled rows no more than the classifier
        learns from (`most_labeled_rows`), unless more are asked for.
    keep_row_shape : bool, default=False
        Whether rows of images are handed over as images.
    random_state : int, default=0
        Of the draw.
    progress : callable, optional
        Called as ``progress(done, total)``.
    on_phase : callable
        Called with "reading" and "fitting" when either begins.
    checkpoint : Path, optional
        Where a fit in pieces keeps what it has done.
    """
    if is_read_in_pieces(classifier, labeled, pool):
        on_phase("fitting")
        return fit_long_tables(
            classifier,
            labeled,
            label_column,
            pool,
            drop=drop,
            id_column=id_column,
            text=text,
            progress=progress,
            checkpoint=checkpoint,
        )
    on_phase("reading")
    if max_labeled is None:
        max_labeled = getattr(classifier, "most_labeled_rows", None)
    tables = read_training_tables(
        labeled,
        pool,
        label_column,
        drop=drop,
        id_column=id_column,
        max_labeled=max_labeled,
        max_unlabeled=max_unlabeled,
        random_state=random_state,
        text=text,
        progress=progress,
    )
    on_phase("fitting")
    if getattr(classifier, "needs_unlabeled", True):
        require_unlabeled(tables.n_unlabeled, str(labeled), tables.label_column)
    takes_progress = "progress" in inspect.signature(classifier.fit).parameters
    model = fit_table_model(
        classifier,
        tables.frames,
        tables.y,
        drop=tuple(drop),
        id_column=id_column,
        label_column=tables.label_column,
        row_shape=tables.row_shape if keep_row_shape else None,
        **({"progress": progress} if takes_progress else {}),
    )
    return TableFit(
        model,
        tables.n_labeled,
        tables.n_unlabeled,
        tables.notes,
        tables.warnings,
        label_errors=_label_errors(model, tables),
    )


def _label_errors(model: TableModel, tables: TrainingTables) -> pd.DataFrame | None:
    """Return labeled rows that look like another class, by their place in the file, from 0."""
    if not hasattr(model.classifier, "held_out_probabilities_"):
        return None
    found = suspected_label_errors(model.classifier, tables.y)
    at = found["row"].to_numpy()
    found["row"] = tables.rows[at]
    if tables.ids is not None:
        found.insert(0, str(tables.ids.name), tables.ids.to_numpy()[at])
    return found


def is_read_in_pieces(classifier: Any, labeled: Path, pool: Path | None = None) -> bool:
    """Whether a classifier can learn from pieces, and the files can be read so."""
    if not hasattr(classifier, "fit_chunks"):
        return False
    return all(readable_format(path) in LONG_FORMATS for path in (labeled, pool) if path)
