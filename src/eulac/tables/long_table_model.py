"""Fitting on tables too long for memory: three passes; only sums and some rows are kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from eulac.data.preprocessing import CATEGORY, TableColumns, fit_columns, require_columns
from eulac.data.reading.text_format import SNIFFED, TextFormat
from eulac.data.table_formats import reading_notes
from eulac.data.table_scan import LongTable, column_names, scan_table
from eulac.tables.labeled_tables import (
    blank_note,
    choose_label_column,
    refuse_doubtful_labels,
    unused_notes,
)
from eulac.tables.table_model import TableFit, TableModel
from eulac.tables.training_tables import (
    require_another_table,
    require_ids,
    require_unlabeled,
    row_number_warnings,
)

__all__ = ["fit_long_tables"]


def fit_long_tables(
    classifier: Any,
    labeled: Path,
    label_column: str | None = None,
    pool: Path | None = None,
    *,
    drop: Sequence[str] = (),
    id_column: str | None = None,
    text: TextFormat = SNIFFED,
    progress: Callable[[int, int | None], Any] | None = None,
    checkpoint: Path | None = None,
) -> TableFit:
    """Return a classifier fitted on all rows of one or two table files, read in pieces.

    The first pass says what the columns are; the second finds scaler, landmarks and proportion;
    the third adds up. The model keeps some labeled rows, from which naming classes goes on.

    Parameters
    ----------
    classifier : LandmarkEulacClassifier
        Or any other with `fit_chunks`.
    labeled : Path
        Rows with a blank label are unlabeled.
    label_column : str, optional
        By default the one with a usual name, or the only one the pool lacks.
    pool : Path, optional
        More unlabeled rows.
    drop : sequence of str, default=()
        Columns to leave out.
    id_column : str, optional
        Column that identifies rows, and is no feature.
    text : TextFormat, optional
        As in `read_table`.
    progress, checkpoint
        Handed to `fit_chunks`.
    """
    notes = [note for path in (labeled, pool) if path for note in reading_notes(path, text)]
    if label_column is None:
        label_column, why = choose_label_column(column_names(labeled, text), labeled, pool, text)
        notes += why
    if checkpoint is not None and checkpoint.exists():
        notes.append(f"Going on from {checkpoint}, left by a fit that was interrupted.")
    tables, unused = _scanned(labeled, label_column, pool, drop, id_column, text)
    n_blank = tables[0].n_blank
    notes += [blank_note(n_blank, labeled)] if n_blank else []
    require_another_table(pool, labeled)
    require_unlabeled(n_blank + len(tables) - 1, str(labeled), label_column)
    columns = fit_columns({str(table.path): table.rows for table in tables}, drop, id_column)
    chunks = _TableChunks(tables, columns)
    classifier.fit_chunks(chunks, progress=progress, checkpoint=checkpoint)
    survey = classifier.survey_
    kept = survey.labeled.sample()
    return TableFit(
        TableModel(columns, classifier, kept.rows, survey.labels[kept.codes], label_column),
        int(survey.class_counts.sum()),
        int(survey.n_unlabeled),
        notes + unused_notes(pool, unused),
        row_number_warnings({str(table.path): table.rows for table in tables}, drop),
        in_pieces=True,
    )


def _scanned(
    labeled: Path,
    label_column: str,
    pool: Path | None,
    drop: Sequence[str],
    id_column: str | None,
    text: TextFormat,
) -> tuple[list[LongTable], list[str]]:
    """Return the tables after a first pass, and columns of the pool that are not used."""
    first = scan_table(labeled, label_column, text=text)
    if id_column is not None:
        require_ids(id_column, first.names, labeled, label_column)
    features = [name for name in first.names if name != id_column]
    first = replace(first, names=features, rows=first.rows[features])
    where = f"column {label_column!r} of {labeled}"
    refuse_doubtful_labels(list(first.labels.values()), where, n_blank=first.n_blank)
    if pool is None:
        return [first], []
    other = scan_table(pool, text=text)
    needed = [name for name in features if name not in drop]
    require_columns(needed, other.names, str(pool), what=f"every feature column of {labeled}")
    unused = [name for name in other.names if name not in [*features, id_column]]
    shared = [name for name in features if name in other.names]
    return [first, replace(other, names=shared, rows=other.rows[shared])], unused


@dataclass(frozen=True, eq=False)
class _TableChunks:
    """The rows of tables in pieces, as often as they are asked for; their number is known."""

    tables: Sequence[LongTable]
    columns: TableColumns

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        columns = self.columns
        texts = [name for name, kind in columns.kinds.items() if kind == CATEGORY]
        for table in self.tables:
            to_matrix = partial(columns.transform, source=str(table.path))
            yield from table.chunks(to_matrix, columns.names, texts)

    def __len__(self) -> int:
        return sum(table.n_chunks or 0 for table in self.tables)
