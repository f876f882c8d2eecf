"""Fitting on tables too long for memory: three passes; only sums and some rows are kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eulac.data.preprocessing import CATEGORY, fit_columns, require_columns
from eulac.data.table_scan import LongTable, scan_table
from eulac.tables.table_model import TableModel

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["LongFit", "fit_long_tables"]


@dataclass(frozen=True, eq=False)
class LongFit:
    """A model fitted in pieces, of how many rows, and the tables as a first look saw them."""

    model: TableModel
    n_labeled: int
    n_unlabeled: int
    tables: list[LongTable]
    unused: list[str]
    """Columns of the pool that the labeled table does not have."""


def fit_long_tables(
    classifier: Any,
    labeled: Path,
    label_column: str,
    pool: Path | None = None,
    *,
    drop: Sequence[str] = (),
    progress: Callable[[int, int | None], Any] | None = None,
    checkpoint: Path | None = None,
) -> LongFit:
    """Return a classifier fitted on all rows of one or two table files, read in pieces.

    The first pass says what the columns are; the second finds scaler, landmarks and proportion;
    the third adds up. The model keeps some labeled rows, from which naming classes goes on.

    Parameters
    ----------
    classifier : LandmarkEulacClassifier
        Or any other with `fit_chunks`.
    labeled : Path
        Rows with a blank label are unlabeled.
    label_column : str
    pool : Path, optional
        More unlabeled rows.
    drop : sequence of str, default=()
        Columns to leave out.
    progress, checkpoint
        Handed to `fit_chunks`.
    """
    tables, unused = [scan_table(labeled, label_column)], []
    if pool is not None:
        other = scan_table(pool)
        unused = [name for name in other.names if name not in tables[0].names]
        tables.append(_without_others(other, tables[0]))
    _refuse_doubtful_labels(tables[0])
    columns = fit_columns({str(table.path): table.rows for table in tables}, drop)
    texts = [name for name, kind in columns.kinds.items() if kind == CATEGORY]

    def chunks() -> Iterator[tuple[Any, Any]]:
        for table in tables:
            yield from table.chunks(
                lambda piece, source=str(table.path): columns.transform(piece, source),
                columns.names,
                texts,
            )

    classifier.fit_chunks(chunks, progress=progress, checkpoint=checkpoint)
    survey = classifier.survey_
    X, codes, _ = survey.labeled.sample()
    model = TableModel(columns, classifier, X, survey.labels[codes], label_column)
    counts = int(survey.class_counts.sum()), int(survey.n_unlabeled)
    return LongFit(model, *counts, tables, unused)


def _without_others(pool: LongTable, labeled: LongTable) -> LongTable:
    """Return the pool with the columns of the labeled table alone."""
    require_columns(
        labeled.names, pool.names, str(pool.path), what=f"every feature column of {labeled.path}"
    )
    return LongTable(pool.path, labeled.names, None, pool.rows[labeled.names], {})


def _refuse_doubtful_labels(table: LongTable) -> None:
    where = f"column {table.label_column!r} of {table.path}"
    if not table.labels:
        raise ValueError(f"labels are needed; all cells of {where} are blank.")
    if any(str(label) in ("-1", "-1.0") for label in table.labels.values()):
        raise ValueError(
            "a label must clearly be a class, and -1 may mean 'unlabeled'; some cells of "
            f"{where} hold it. Leave labels of unlabeled rows blank, or rename the class."
        )
