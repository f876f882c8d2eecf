"""Training rows drawn from one or two table files, in one pass where they are too large to hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eulac.data.reading.text_format import SNIFFED, TextFormat
from eulac.data.row_sketch import FEWEST_OF_CLASS
from eulac.data.table_formats import listed, readable_format, reading_notes
from eulac.data.table_scan import LONG_FORMATS, LongTable, column_names, scan_table_for
from eulac.data.tables import read_table
from eulac.tables.labeled_tables import (
    LabeledTable,
    blank_note,
    choose_label_column,
    read_labeled_table,
    refuse_doubtful_labels,
    unused_notes,
)
from eulac.tables.row_draw import RowDraw, draw_together

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "DrawnTables",
    "RowLimits",
    "are_long",
    "draw_at_once",
    "draw_in_pieces",
    "expected_rows",
    "rows_counter",
]

LONG_BYTES = 50_000_000
"""Files smaller than this are read at once: that takes a few hundred megabytes at most."""

PACKED = 4
"""How many times larger a packed file of text usually is, at least."""

HEAD_BYTES = 1_000_000

LABELED, POOL = 0, 1
"""Which table: the keys of their rows are drawn apart."""


class RowLimits(NamedTuple):
    """Labeled and unlabeled rows to keep, None for all of them; `seed` says which."""

    labeled: int | None = None
    unlabeled: int | None = None
    seed: int = 0

    def keys(self, table: int) -> np.random.Generator:
        """Return what gives the rows of a table their keys, in their order."""
        return np.random.default_rng([self.seed, table])

    def of_labeled(self, rows: Any, keys: Any, labels: NDArray[Any]) -> RowDraw:
        """Return the draw from labeled rows; of small classes all are kept."""
        return RowDraw.of(rows, keys, labels, limit=self.labeled, floor=FEWEST_OF_CLASS)

    def of_unlabeled(self, rows: Any, keys: Any) -> RowDraw:
        """Return the draw from unlabeled rows of a table."""
        return RowDraw.of(rows, keys, np.zeros(len(rows), dtype=np.intp), limit=self.unlabeled)


class DrawnTables(NamedTuple):
    """Rows drawn from a labeled table and, where there is one, a pool.

    Attributes
    ----------
    labeled : RowDraw
        Indexed by places in the file; groups are labels.
    unlabeled : dict of RowDraw
        By where they come from: the pool, and rows of the labeled table with blank labels.
    label_column : str
    row_shape : tuple of int or None
    notes : list of str
        What was noticed while reading.
    """

    labeled: RowDraw
    unlabeled: dict[str, RowDraw]
    label_column: str
    row_shape: tuple[int, ...] | None
    notes: list[str]


def are_long(paths: Sequence[Path | None]) -> bool:
    """Whether files are too large to be read at once, and can be read in pieces."""
    given = [path for path in paths if path is not None]
    if any(readable_format(path) not in LONG_FORMATS for path in given):
        return False
    sizes = (path.stat().st_size * (PACKED if path.suffix == ".gz" else 1) for path in given)
    return any(size > LONG_BYTES for size in sizes)


def draw_at_once(
    labeled: Path,
    pool: Path | None,
    label_column: str | None,
    limits: RowLimits,
    *,
    drop: Sequence[str] = (),
    id_column: str | None = None,
    text: TextFormat = SNIFFED,
) -> DrawnTables:
    """Return rows of tables that are read into memory as a whole.

    Parameters
    ----------
    labeled, pool, label_column, drop, id_column, text
        As in `read_training_tables`.
    limits : RowLimits
    """
    table = read_labeled_table(labeled, label_column, pool=pool, text=text)
    n_rows = len(table.features) + len(table.unlabeled)
    keys, is_blank = limits.keys(LABELED).random(n_rows), np.ones(n_rows, dtype=bool)
    is_blank[table.rows] = False
    known = limits.of_labeled(table.features.set_axis(table.rows), keys[table.rows], table.y)
    hidden, notes = {}, [*table.notes]
    if pool is not None:
        rows, noticed = _read_pool(pool, table, drop, id_column, text)
        hidden[str(pool)] = limits.of_unlabeled(rows, limits.keys(POOL).random(len(rows)))
        notes += noticed
    if is_blank.any():
        notes.append(blank_note(int(is_blank.sum()), labeled))
        hidden[_blank_rows(labeled)] = limits.of_unlabeled(table.unlabeled, keys[is_blank])
    hidden = draw_together(hidden, limits.unlabeled)
    return DrawnTables(known, hidden, table.label_column, table.row_shape, notes)


def _blank_rows(path: Path) -> str:
    return f"{path} (blank labels)"


def _read_pool(
    path: Path,
    labeled: LabeledTable,
    drop: Sequence[str],
    id_column: str | None,
    text: TextFormat,
) -> tuple[pd.DataFrame, list[str]]:
    """Return the unlabeled rows of a table, columns as in the labeled one."""
    table = read_table(path, text=text)
    names, there = list(labeled.features), [*table.features]
    wanted = [name for name in names if name != id_column and name not in drop]
    _require_features(wanted, there, path, labeled.source, labeled.label_column)
    if table.labels is not None:
        there.append(table.label_column)
    kept = [name for name in names if name in table.features]
    return table.features[kept], _reading_notes(path, there, [*names, id_column], text)


def _require_features(
    wanted: list[str], there: list[str], path: Path, source: str, label_column: str
) -> None:
    missing = [name for name in wanted if name not in there]
    if missing:
        raise ValueError(
            f"{path} must have every feature column of {source}; it lacks {listed(missing)}. "
            f"Labels are in {label_column!r}: choose another `label_column`, add what is lacking, "
            "or leave it out of both with `drop`."
        )


def _reading_notes(
    path: Path, there: list[str], used: Sequence[str | None], text: TextFormat
) -> list[str]:
    extra = [name for name in there if name not in used]
    return reading_notes(path, text) + unused_notes(path, extra)


def draw_in_pieces(
    labeled: Path,
    pool: Path | None,
    label_column: str | None,
    limits: RowLimits,
    *,
    drop: Sequence[str] = (),
    id_column: str | None = None,
    text: TextFormat = SNIFFED,
    on_rows: Callable[[int], Any] = lambda n: None,
) -> DrawnTables:
    """Return the same rows as `draw_at_once`; memory does not grow with the tables.

    Parameters
    ----------
    labeled, pool, label_column, drop, id_column, text, limits
        As there.
    on_rows : callable
        Called with the number of rows of each piece: progress.
    """
    notes = reading_notes(labeled, text)
    if label_column is None:
        label_column, why = choose_label_column(column_names(labeled, text), labeled, pool, text)
        notes += why
    first, found = scan_table_for(
        lambda: _Drawing(limits, LABELED, on_rows), labeled, label_column, text=text
    )
    where = f"column {label_column!r} of {labeled}"
    refuse_doubtful_labels(list(first.labels.values()), where, n_blank=first.n_blank)
    hidden = {}
    if pool is not None:
        hidden[str(pool)], noticed = _draw_pool(
            pool, first, label_column, limits, drop, id_column, text, on_rows
        )
        notes += noticed
    if first.n_blank:
        notes.append(blank_note(first.n_blank, labeled))
        hidden[_blank_rows(labeled)] = found.unlabeled
    y = np.array([first.labels[cell] for cell in found.labeled.groups])
    known, hidden = replace(found.labeled, groups=y), draw_together(hidden, limits.unlabeled)
    return DrawnTables(known, hidden, label_column, None, notes)


def _draw_pool(
    path: Path,
    labeled: LongTable,
    label_column: str,
    limits: RowLimits,
    drop: Sequence[str],
    id_column: str | None,
    text: TextFormat,
    on_rows: Callable[[int], Any],
) -> tuple[RowDraw, list[str]]:
    there = column_names(path, text)
    wanted = [name for name in labeled.names if name != id_column and name not in drop]
    _require_features(wanted, there, path, str(labeled.path), label_column)
    _, found = scan_table_for(lambda: _Drawing(limits, POOL, on_rows), path, text=text)
    names = [name for name in labeled.names if name in there]
    draw = replace(found.unlabeled, rows=found.unlabeled.rows[names])
    return draw, _reading_notes(path, there, [*labeled.names, id_column], text)


def expected_rows(path: Path) -> int | None:
    """Return about how many rows a file has, by its first lines; None where it is packed."""
    if readable_format(path) == "parquet":
        import pyarrow.parquet

        return int(pyarrow.parquet.ParquetFile(path).metadata.num_rows)
    if path.suffix == ".gz":
        return None
    with path.open("rb") as stream:
        head = stream.read(HEAD_BYTES)
    return max(round(path.stat().st_size * head.count(b"\n") / max(len(head), 1)), 1)


def rows_counter(
    progress: Callable[[int, int | None], Any] | None, paths: Sequence[Path]
) -> Callable[[int], Any]:
    """Return a function of the rows just read that reports ``(done, total)``, totals guessed."""
    if progress is None:
        return lambda n: None
    expected, done = [expected_rows(path) for path in paths], 0
    total = None if None in expected else sum(n for n in expected if n)

    def count(n: int) -> None:
        nonlocal done
        done += n
        progress(done, None if total is None else max(done, total))

    return count


class _Drawing:
    """Draws from the pieces of a table; without label cells all rows are unlabeled."""

    def __init__(self, limits: RowLimits, table: int, on_rows: Callable[[int], Any]) -> None:
        self.limits, self.on_rows = limits, on_rows
        self.random = limits.keys(table).random
        self.labeled: Any = None
        self.unlabeled: Any = None

    def add(self, piece: pd.DataFrame, cells: Any, blank: Any) -> None:
        """Take a piece in."""
        keys = self.random(len(piece))
        blank = np.ones(len(piece), dtype=bool) if blank is None else blank
        known = np.empty(0) if cells is None else cells.to_numpy(dtype=object)[~blank]
        if self.labeled is None or not blank.all():
            fresh = self.limits.of_labeled(piece[~blank], keys[~blank], known)
            self.labeled = fresh if self.labeled is None else self.labeled.merge(fresh)
        if self.unlabeled is None or blank.any():
            fresh = self.limits.of_unlabeled(piece[blank], keys[blank])
            self.unlabeled = fresh if self.unlabeled is None else self.unlabeled.merge(fresh)
        self.on_rows(len(piece))

    def rows(self) -> pd.DataFrame:
        """Return what was drawn of unlabeled rows."""
        return self.unlabeled.rows
