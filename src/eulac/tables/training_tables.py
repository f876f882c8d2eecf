"""What is learned from: labeled rows of one table, unlabeled ones of the same and of another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eulac.data.lac_sample import LacSample
from eulac.data.preprocessing import fit_columns, require_columns
from eulac.data.reading.text_format import SNIFFED, TextFormat
from eulac.data.splits import min_max_scale
from eulac.data.table_formats import listed
from eulac.exceptions import TableRequestError
from eulac.tables.drawn_tables import (
    DrawnTables,
    RowLimits,
    are_long,
    draw_at_once,
    draw_in_pieces,
    rows_counter,
)

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "TrainingTables",
    "proportion_sample",
    "read_training_tables",
    "require_another_table",
    "require_ids",
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
    max_labeled: int | None = None,
    max_unlabeled: int | None = None,
    random_state: int = 0,
    text: TextFormat = SNIFFED,
    progress: Callable[[int, int | None], Any] | None = None,
) -> TrainingTables:
    """Return the rows of one or two tables.

    Large files of text and Parquet are read in pieces, of which only the rows to learn from stay.

    Parameters
    ----------
    labeled : Path
        Rows with a blank label are unlabeled.
    pool : Path, optional
        More unlabeled rows.
    label_column : str, optional
        By default the one with a usual name, or the only one the pool lacks.
    drop : sequence of str, default=()
        Columns that will be left out: no warnings of these.
    id_column : str, optional
        Column that identifies rows, and is no feature.
    max_labeled, max_unlabeled : int, optional
        Keep so many rows at most, drawn at random; of classes with few rows all are kept.
    random_state : int, default=0
        Which ones.
    text : TextFormat, optional
        As in `read_table`.
    progress : callable, optional
        Called as ``progress(done, total)`` with rows, where large files are read in pieces.
    """
    limits = RowLimits(max_labeled, max_unlabeled, random_state)
    options: dict[str, Any] = {"drop": drop, "id_column": id_column, "text": text}
    if are_long((labeled, pool)):
        options["on_rows"] = rows_counter(progress, [path for path in (labeled, pool) if path])
        drawn = draw_in_pieces(labeled, pool, label_column, limits, **options)
    else:
        drawn = draw_at_once(labeled, pool, label_column, limits, **options)
    require_another_table(pool, labeled)
    known, ids = drawn.labeled.rows, None
    if id_column is not None:
        require_ids(id_column, list(known), labeled, drawn.label_column)
        ids = known[id_column].reset_index(drop=True)
    draws = {str(labeled): drawn.labeled, **drawn.unlabeled}
    frames = {
        source: draw.rows.drop(columns=id_column or [], errors="ignore").reset_index(drop=True)
        for source, draw in draws.items()
    }
    return TrainingTables(
        frames,
        drawn.labeled.groups,
        drawn.label_column,
        drawn.row_shape,
        drawn.notes + _thinning_notes(drawn),
        row_number_warnings(frames, drop),
        known.index.to_numpy(),
        ids,
    )


def require_another_table(pool: Path | None, labeled: Path) -> None:
    """Refuse a table that is named twice: its rows would be labeled, and unlabeled too."""
    if pool is not None and pool.resolve() == labeled.resolve():
        raise TableRequestError(
            f"`pool` must be another table than the labeled one; both are {labeled}. Leave it out "
            "where rows with a blank label are the unlabeled ones, or name a table of such rows."
        )


def require_ids(id_column: str, names: list[str], source: Path, label_column: str) -> None:
    """Refuse a column of ids that is not there, or is the one of the labels."""
    if id_column == label_column:
        raise TableRequestError(
            f"`id_column` must be another column than the labels; both are {id_column!r}. Choose "
            f"one of {listed(names)}, or leave it out."
        )
    require_columns([id_column], names, str(source), what="the column of ids", typed=True)


def _thinning_notes(drawn: DrawnTables) -> list[str]:
    """Say which rows were drawn, where not all are learned from."""
    draws = {"labeled": [drawn.labeled], "unlabeled": [*drawn.unlabeled.values()]}
    notes = []
    for kind, parts in draws.items():
        n_seen, n_kept = sum(one.n_seen for one in parts), sum(len(one.rows) for one in parts)
        if n_kept < n_seen:
            notes.append(
                f"Of {n_seen:,} {kind} rows {n_kept:,} were drawn to learn from (`max_{kind}`); "
                "the model predicts all."
            )
    return notes


def require_unlabeled(n_unlabeled: int, source: str, label_column: str) -> None:
    """Refuse tables without unlabeled rows."""
    if n_unlabeled == 0:
        raise TableRequestError(
            f"unlabeled rows are needed; every row of {source} has a label in {label_column!r}. "
            "Name their table with `pool`."
        )


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
