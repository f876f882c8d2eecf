"""What is learned from: labeled rows of one table, unlabeled ones of the same and of another."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eulac.data.lac_sample import LacSample
from eulac.data.preprocessing import fit_columns, require_columns
from eulac.data.reading.text_format import SNIFFED, TextFormat
from eulac.data.splits import min_max_scale
from eulac.data.table_formats import listed, reading_notes
from eulac.data.tables import read_table
from eulac.exceptions import TableRequestError
from eulac.tables.labeled_tables import LabeledTable, read_labeled_table

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "TrainingTables",
    "proportion_sample",
    "read_training_tables",
    "require_unlabeled",
    "row_number_warnings",
]

FEWEST_NUMBERED_ROWS = 20
"""Rows below which different whole numbers may well be a feature."""


class TrainingTables(NamedTuple):
    """Labeled rows first, unlabeled ones after them, and what was noticed while reading.

    Attributes
    ----------
    frames : dict of pandas.DataFrame
        By where they come from; the labeled rows first.
    y : array
        Labels of the first frame.
    label_column : str
    row_shape : tuple of int or None
    notes, warnings : lists of str
    rows : array of int
        Where the labeled rows stand in their file, from 0.
    ids : pandas.Series or None
        What identifies the labeled rows, where a column does.
    """

    frames: dict[str, pd.DataFrame]
    y: NDArray[Any]
    label_column: str
    row_shape: tuple[int, ...] | None
    notes: list[str]
    warnings: list[str]
    rows: NDArray[np.intp]
    ids: pd.Series | None = None

    @property
    def n_labeled(self) -> int:
        """Number of labeled rows."""
        return len(self.y)

    @property
    def n_unlabeled(self) -> int:
        """Number of unlabeled rows, of all tables."""
        return sum(map(len, self.frames.values())) - self.n_labeled


def read_training_tables(
    labeled: Path,
    pool: Path | None = None,
    label_column: str | None = None,
    *,
    drop: Sequence[str] = (),
    id_column: str | None = None,
    max_unlabeled: int | None = None,
    random_state: int = 0,
    text: TextFormat = SNIFFED,
) -> TrainingTables:
    """Return the rows of one or two tables.

    Parameters
    ----------
    labeled : Path
        Rows with a blank label are unlabeled.
    pool : Path, optional
        More unlabeled rows.
    label_column : str, optional
        By default the one column with a usual name.
    drop : sequence of str, default=()
        Columns that will be left out: no warnings of these.
    id_column : str, optional
        Column that identifies rows, and is no feature.
    max_unlabeled : int, optional
        Keep so many unlabeled rows at most, drawn at random.
    random_state : int, default=0
    text : TextFormat, optional
        As in `read_table`.
    """
    table = read_labeled_table(labeled, label_column, text=text)
    ids = None
    if id_column is not None:
        table, ids = _without_ids(table, id_column)
    frames, notes = {table.source: table.features}, [*table.notes]
    if pool is not None:
        frames[str(pool)], noticed = _read_pool(pool, table, id_column, text)
        notes += noticed
    if len(table.unlabeled):
        notes.append(f"{len(table.unlabeled):,} rows of {labeled} have a blank label: unlabeled.")
        frames[f"{labeled} (blank labels)"] = table.unlabeled
    if max_unlabeled is not None:
        frames, thinned = _thinned(frames, max_unlabeled, random_state)
        notes += thinned
    return TrainingTables(
        frames,
        table.y,
        table.label_column,
        table.row_shape,
        notes,
        row_number_warnings(frames, drop),
        table.rows,
        ids,
    )


def require_unlabeled(n_unlabeled: int, source: str, label_column: str) -> None:
    """Refuse tables without unlabeled rows."""
    if n_unlabeled == 0:
        raise TableRequestError(
            f"unlabeled rows are needed; every row of {source} has a label in {label_column!r}. "
            "Name their table with `pool`."
        )


def _without_ids(table: LabeledTable, id_column: str) -> tuple[LabeledTable, pd.Series]:
    """Return the table without the column that identifies its rows, and that column."""
    require_columns(
        [id_column], list(table.features), table.source, what="the column of ids", asked=True
    )
    ids = table.features[id_column]
    features, unlabeled = (
        part.drop(columns=id_column) for part in (table.features, table.unlabeled)
    )
    return table._replace(features=features, unlabeled=unlabeled), ids


def _read_pool(
    path: Path, labeled: LabeledTable, id_column: str | None, text: TextFormat
) -> tuple[pd.DataFrame, list[str]]:
    """Return the unlabeled rows of a table, columns as in the labeled one."""
    table = read_table(path, text=text)
    names = list(labeled.features)
    missing = [name for name in names if name not in table.features]
    if missing:
        raise ValueError(
            f"{path} must have every feature column of {labeled.source}; it lacks "
            f"{listed(missing)}. Add them, or drop them from {labeled.source}."
        )
    extra = [name for name in table.features if name not in [*names, id_column]]
    if table.labels is not None:
        extra.append(table.label_column)
    unused = [f"Not used of {path}: {listed(extra)}."] if extra else []
    return table.features[names], reading_notes(path, text) + unused


def _thinned(
    frames: dict[str, pd.DataFrame], limit: int, random_state: int
) -> tuple[dict[str, pd.DataFrame], list[str]]:
    first, *others = frames
    total = sum(len(frames[name]) for name in others)
    if total <= limit:
        return frames, []
    thin = {
        name: frames[name].sample(frac=limit / total, random_state=random_state) for name in others
    }
    n_kept = sum(map(len, thin.values()))
    note = (
        f"Of {total:,} unlabeled rows {n_kept:,} were drawn to learn from (`max_unlabeled`); "
        "the model predicts all."
    )
    return {first: frames[first], **thin}, [note]


def row_number_warnings(frames: dict[str, pd.DataFrame], drop: Sequence[str] = ()) -> list[str]:
    """Return warnings of columns that tell samples apart, not classes."""
    first = next(iter(frames.values()))
    return [
        f"Column {name!r} has a different whole number in every row, as row numbers and times do. "
        f"Such a column tells the samples apart, not classes: leave it out with `drop {name}`."
        for name in first
        if name not in drop and all(_counts_rows(frame[name]) for frame in frames.values())
    ]


def _counts_rows(column: pd.Series) -> bool:
    from pandas.api.types import is_integer_dtype

    return (
        len(column) >= FEWEST_NUMBERED_ROWS
        and bool(is_integer_dtype(column))
        and bool(column.is_unique)
    )


def proportion_sample(
    tables: TrainingTables, drop: Sequence[str] = ()
) -> tuple[LacSample, list[str]]:
    """Return the sample of training tables, scaled to [0, 1], and a note of columns left out."""
    columns = fit_columns(tables.frames, drop)
    ignored = {name: why for name, why in columns.ignored.items() if name not in drop}
    left_out = "; ".join(f"{name!r} ({why})" for name, why in ignored.items())
    rows = [columns.transform(frame, source) for source, frame in tables.frames.items()]
    labeled, unlabeled = np.split(min_max_scale(np.vstack(rows)), [tables.n_labeled])
    sample = LacSample.from_masked(labeled, tables.y, X_unlabeled=unlabeled)
    return sample, [f"Left out: {left_out}."] if ignored else []
