"""A first look at a table too long for memory: its columns, some of its rows, and its labels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from eulac.data.reading.text_format import SNIFFED, TextFormat
from eulac.data.row_chunks import read_chunks
from eulac.data.table_formats import _parsing, _require_pyarrow, did_you_mean, readable_format
from eulac.exceptions import TableRequestError

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "LONG_FORMATS",
    "LongTable",
    "RowKeeper",
    "blank_cells",
    "column_names",
    "scan_table",
    "scan_table_for",
]

LONG_FORMATS = ("csv", "tsv", "parquet")
"""Formats in which labels stand beside the features, so that both can be read in pieces."""

KEPT_ROWS = 20_000


def column_names(path: Path, text: TextFormat = SNIFFED) -> list[str]:
    """Return the names of the columns of a .csv, .tsv or .parquet file, reading nothing else."""
    kind = readable_format(path)
    if kind == "parquet":
        _require_pyarrow()
        import pyarrow.parquet

        with _parsing(path, "parquet"), pyarrow.parquet.ParquetFile(path) as file:
            schema = file.schema_arrow
            # pandas writes the index of a frame as one more column, and says so.
            index = (schema.pandas_metadata or {}).get("index_columns", [])
            return [str(name) for name in schema.names if name not in index]
    if kind not in LONG_FORMATS:
        raise ValueError(
            f"a table read in pieces must be .csv, .tsv or .parquet; {path} is not. Convert it."
        )
    import pandas as pd

    with _parsing(path, "text"):
        options = text.of(path).options()
        top = pd.read_csv(path, **options, header=None, nrows=1, dtype=str, na_filter=False)
    return [str(name) for name in top.iloc[0]]


@dataclass(frozen=True, eq=False)
class LongTable:
    """What is known of a table after one pass over it.

    Attributes
    ----------
    path : Path
    names : list of str
        Feature columns.
    label_column : str or None
    rows : pandas.DataFrame
        Feature columns of some rows, each as likely to be among them as any other.
    labels : dict
        From what label cells say to labels: numbers, or true and false, where all of them are.
    n_blank : int
        Rows whose label cell is empty.
    text : TextFormat
    n_chunks : int or None
        How many pieces `chunks` yields.
    """

    path: Path
    names: list[str]
    label_column: str | None
    rows: pd.DataFrame
    labels: dict[Any, Any]
    n_blank: int = 0
    text: TextFormat = SNIFFED
    n_chunks: int | None = None

    def chunks(
        self, to_matrix: Callable[[pd.DataFrame], Any], names: list[str], as_text: list[str]
    ) -> Iterator[tuple[Any, NDArray[Any] | None]]:
        """Yield matrices of rows with their labels, and of rows without, a piece at a time."""
        label = self.label_column
        if label is None:
            for piece in read_chunks(self.path, names, as_text=as_text, text=self.text):
                yield to_matrix(piece), None
            return
        texts = [*as_text, label]
        for piece in read_chunks(self.path, [*names, label], as_text=texts, text=self.text):
            blank = blank_cells(piece[label])
            if not blank.all():
                y = np.array([self.labels[cell] for cell in piece[label][~blank]])
                yield to_matrix(piece[~blank]), y
            if blank.any():
                yield to_matrix(piece[blank]), None


def scan_table(
    path: Path,
    label_column: str | None = None,
    *,
    n_kept: int = KEPT_ROWS,
    random_state: int = 0,
    text: TextFormat = SNIFFED,
) -> LongTable:
    r"""Return what one pass over a table tells; memory does not grow with its length.

    Parameters
    ----------
    path : Path
        A .csv, .tsv (either also .gz) or .parquet file.
    label_column : str or None, default=None
    n_kept : int
        Rows to keep.
    random_state : int, default=0
        Which ones.
    text : TextFormat, optional
        As in `read_table`.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "pets.csv")
    ...     _ = path.write_text("weight,kind\n4.1,cat\n9.0,dog\n5.2,\n")
    ...     table = scan_table(path, "kind")
    >>> table.names, table.labels, len(table.rows)
    (['weight'], {'cat': 'cat', 'dog': 'dog'}, 3)
    """
    return scan_table_for(lambda: _EvenRows(n_kept, random_state), path, label_column, text=text)[0]


class RowKeeper(Protocol):
    """Takes the pieces of a table one after the other, and keeps what it wants of them."""

    def add(
        self, piece: pd.DataFrame, cells: pd.Series | None, blank: NDArray[np.bool_] | None
    ) -> Any:
        """Look at feature columns, label cells, and which of these are empty."""

    def rows(self) -> pd.DataFrame:
        """Return feature columns of some rows."""


Keeper = TypeVar("Keeper", bound=RowKeeper)


def scan_table_for(
    keeper: Callable[[], Keeper],
    path: Path,
    label_column: str | None = None,
    *,
    text: TextFormat = SNIFFED,
) -> tuple[LongTable, Keeper]:
    """Return what a pass over a table tells, and a keeper that has seen every piece of it.

    Parameters
    ----------
    keeper : callable
        Returns a `RowKeeper`; called once more where a second pass is needed.
    path, label_column, text
        As in `scan_table`.
    """
    text = text.of(path) if readable_format(path) != "parquet" else text  # once, not every pass
    names = column_names(path, text)
    _check_names(names, label_column, path)
    features = [name for name in names if name != label_column]
    if not features:
        raise ValueError(f"a table needs at least one feature column; {path} has only labels.")
    kept, scan = keeper(), _Scan(path, label_column, names, text)
    found = scan.run([], kept)
    if found.mixed:
        # Numbers in some pieces and texts in others: 01 must not be 1 here and "01" there.
        kept = keeper()
        found = scan.run(found.mixed, kept)
    labels = _labels_of(found.labels)
    known = (labels, found.n_blank, text, found.n_chunks)
    return LongTable(path, features, label_column, kept.rows(), *known), kept


class _Found(NamedTuple):
    labels: set[Any]
    n_blank: int
    mixed: list[str]
    n_chunks: int


class _Scan(NamedTuple):
    path: Path
    label_column: str | None
    names: list[str]
    text: TextFormat

    def run(self, as_text: list[str], keeper: RowKeeper) -> _Found:
        """Return what one pass finds, some columns read as texts."""
        label = self.label_column
        texts = as_text if label is None else [*as_text, label]
        seen: set[Any] = set()
        n_blank = n_chunks = 0
        kinds: dict[str, set[str]] = {name: set() for name in self.names}
        for piece in read_chunks(self.path, self.names, as_text=texts, text=self.text):
            n_chunks += 1
            cells = blank = None
            if label is not None:
                cells = piece.pop(label)
                blank = blank_cells(cells)
                n_chunks += int(blank.any() and not blank.all())
                n_blank += int(blank.sum())
                seen |= set(cells[~blank].unique())
            for name in piece:
                kinds[name] |= _kind_of_cells(piece[name])
            keeper.add(piece, cells, blank)
        mixed = [name for name, found in kinds.items() if len(found) > 1 and "text" in found]
        return _Found(seen, n_blank, mixed, n_chunks)


class _EvenRows:
    """Keeps some rows, each as likely as any other."""

    def __init__(self, n_kept: int, random_state: int) -> None:
        self.n_kept, self.rng = n_kept, np.random.default_rng(random_state)
        self.kept: Any = None

    def add(self, piece: pd.DataFrame, cells: Any, blank: Any) -> None:
        self.kept = _smallest(self.kept, piece, self.rng.random(len(piece)), self.n_kept)

    def rows(self) -> pd.DataFrame:
        return self.kept[1]


def _kind_of_cells(cells: pd.Series) -> set[str]:
    """Return whether the cells of a piece are numbers or texts; nothing of empty ones."""
    from pandas.api import types

    if types.is_numeric_dtype(cells):
        return {"number"} if cells.notna().any() else set()
    filled = cells.dropna()
    if all(isinstance(cell, bool | np.bool_) for cell in filled):
        return {"number"} if len(filled) else set()
    return {"text"}


def _check_names(names: list[str], label_column: str | None, path: Path) -> None:
    if "" in names:
        raise ValueError(
            f"every column must have a name; column {names.index('') + 1} of {path} has none. "
            "Name it, or drop it if it only counts the rows."
        )
    if label_column is not None and label_column not in names:
        raise TableRequestError(
            f"`label_column` must be a column of {path}; got {label_column!r}. "
            f"Columns: {', '.join(names[:12])}.{did_you_mean(label_column, names)}"
        )


def blank_cells(cells: pd.Series) -> NDArray[np.bool_]:
    """Which label cells are empty, or hold nothing but spaces.

    Examples
    --------
    >>> import pandas as pd
    >>> blank_cells(pd.Series(["cat", " ", None]))
    array([False,  True,  True])
    """
    missing = cells.isna().to_numpy()
    spaces = [isinstance(cell, str) and not cell.strip() for cell in cells]
    return np.asarray(missing | spaces, dtype=bool)


def _smallest(kept: Any, piece: pd.DataFrame, keys: NDArray[Any], n_kept: int) -> Any:
    """Keep the rows with the smallest keys of those before and a piece."""
    import pandas as pd

    if kept is None:
        kept = np.empty(0), piece.iloc[:0]
    near = np.flatnonzero(keys < kept[0].max()) if len(kept[0]) == n_kept else slice(None)
    keys, rows = np.append(kept[0], keys[near]), pd.concat([kept[1], piece.iloc[near]])
    if not len(kept[1]):
        rows = piece.iloc[near]  # an empty frame would make whole numbers objects
    if len(keys) <= n_kept:
        return keys, rows
    best = np.sort(np.argpartition(keys, n_kept - 1)[:n_kept])
    return keys[best], rows.iloc[best]


def _labels_of(cells: set[Any]) -> dict[Any, Any]:
    """Return the label of each cell: true or false, numbers, or texts, the same for all."""
    import pandas as pd

    ordered = sorted(cells, key=str)
    flags = {"true": True, "false": False}
    if ordered and all(str(cell).strip().lower() in flags for cell in ordered):
        return {cell: flags[str(cell).strip().lower()] for cell in ordered}
    numbers = pd.to_numeric(pd.Series(ordered, dtype=object), errors="coerce")
    if numbers.isna().any():
        return {cell: str(cell) for cell in ordered}
    if (numbers % 1 == 0).all():
        numbers = numbers.astype(np.int64)
    return dict(zip(ordered, numbers.tolist(), strict=True))
