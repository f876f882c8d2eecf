"""Tables too long for memory: read and written some rows at a time, in all formats of `tables`.

Pieces carry the row numbers of the whole table. Only the columns asked for are read.
"""

from __future__ import annotations

import io
import math
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from eulac.data.preprocessing import require_columns
from eulac.data.reading.drafts import replacing
from eulac.data.reading.json_lines import json_lines, json_pieces
from eulac.data.reading.text_format import SNIFFED, TextFormat
from eulac.data.table_formats import _parsing, _require_pyarrow, read_npz, readable_format
from eulac.data.table_formats import writable_format as _writable_format
from eulac.data.tables import as_table, read_table, write_table

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["CHUNK_ROWS", "TableWriter", "read_chunks", "writing_table"]

CHUNK_ROWS = 20_000


def read_chunks(
    path: Path,
    columns: Sequence[str],
    *,
    as_text: Sequence[str] = (),
    chunk_rows: int | None = None,
    text: TextFormat = SNIFFED,
) -> Iterator[pd.DataFrame]:
    r"""Yield the named columns of a table file, some rows at a time.

    Parameters
    ----------
    path : Path
        As in `read_table`.
    columns : sequence of str
        Columns to read; the file must have them.
    as_text : sequence of str, default=()
        Columns whose cells are texts even where they look like numbers.
    chunk_rows : int, optional
        Rows of a piece; `CHUNK_ROWS` of them by default.
    text : TextFormat, optional
        As in `read_table`.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "pets.csv")
    ...     _ = path.write_text("kind,weight\ncat,4\ndog,9\ncat,5\n")
    ...     [piece["weight"].tolist() for piece in read_chunks(path, ["weight"], chunk_rows=2)]
    [[4, 9], [5]]
    """
    kind = readable_format(path)
    options = {"chunk_rows": chunk_rows or CHUNK_ROWS, "as_text": list(as_text), "text": text}
    pieces = _READERS[kind](path, list(columns), **options)
    n_rows = 0
    for piece in pieces:
        n_rows += len(piece)
        if len(piece):
            yield piece
    if n_rows == 0:
        raise ValueError(f"a table needs at least one row; {path} has 0. Add rows.")


def _read_delimited(
    path: Path, columns: list[str], *, chunk_rows: int, as_text: list[str], text: TextFormat
) -> Iterator[pd.DataFrame]:
    import pandas as pd

    with _parsing(path, "text"):
        options = text.of(path).options()
        top = pd.read_csv(path, **options, header=None, nrows=2, dtype=str, na_filter=False)
    names = [str(name) for name in top.iloc[0]]
    require_columns(columns, names, str(path))
    repeated = [name for name in columns if names.count(name) > 1]
    if repeated:
        raise ValueError(f"column names must differ; {path} repeats {repeated}. Rename them.")
    # By position and not by name: pandas renames columns that are repeated or without a name.
    with _parsing(path, "text"):
        pieces = pd.read_csv(
            path,
            **options,
            header=0,
            names=list(range(len(names))),
            usecols=[names.index(name) for name in columns],
            dtype={names.index(name): str for name in as_text},
            chunksize=chunk_rows,
            low_memory=False,
            index_col=False,
        )
    with pieces:
        while True:
            with _parsing(path, "text"):
                piece = next(pieces, None)
            if piece is None:
                return
            yield piece.rename(columns=dict(enumerate(names)))[columns]


def _read_parquet(
    path: Path, columns: list[str], *, chunk_rows: int, as_text: list[str], text: TextFormat
) -> Iterator[pd.DataFrame]:
    _require_pyarrow()
    import pyarrow.parquet

    with _parsing(path, "parquet"):
        file = pyarrow.parquet.ParquetFile(path)
    with file:
        require_columns(columns, file.schema_arrow.names, str(path))
        start = 0
        batches = file.iter_batches(batch_size=chunk_rows, columns=columns)
        while True:
            with _parsing(path, "parquet"):
                batch = next(batches, None)
            if batch is None:
                return
            piece = batch.to_pandas(ignore_metadata=True)[columns]
            yield piece.set_axis(range(start, start + len(piece)), axis=0)
            start += len(piece)


def _read_json_lines(
    path: Path, columns: list[str], *, chunk_rows: int, as_text: list[str], text: TextFormat
) -> Iterator[pd.DataFrame]:
    pieces, is_first = json_pieces(path, chunk_rows), True
    while True:
        with _parsing(path, "JSON lines"):
            piece = next(pieces, None)
        if piece is None:
            return
        if is_first:  # a line may leave out keys, but not so many of them the same one
            require_columns(columns, [str(name) for name in piece.columns], str(path))
        yield piece.reindex(columns=columns)
        is_first = False


def _read_xlsx(
    path: Path, columns: list[str], *, chunk_rows: int, as_text: list[str], text: TextFormat
) -> Iterator[pd.DataFrame]:
    """Yield one piece: a sheet has at most a million rows, and cannot be read in parts quickly."""
    frame = read_table(path).features
    require_columns(columns, list(frame.columns), str(path))
    for start in range(0, len(frame), chunk_rows):
        yield frame[columns].iloc[start : start + chunk_rows]


def _read_npz(
    path: Path, columns: list[str], *, chunk_rows: int, as_text: list[str], text: TextFormat
) -> Iterator[pd.DataFrame]:
    import pandas as pd

    with _parsing(path, "npz"):
        archive = zipfile.ZipFile(path)
        stream = archive.open("X.npy")
        version = np.lib.format.read_magic(stream)
        read_header = getattr(np.lib.format, f"read_array_header_{version[0]}_0")
        shape, fortran_order, dtype = read_header(stream)
    if dtype.kind not in "biuf" or len(shape) < 2:
        raise ValueError(
            f"`X` of {path} must be numbers, 2-D or more; got {dtype} of shape {shape}."
        )
    width = math.prod(shape[1:])
    names = [str(column) for column in range(width)]
    require_columns(columns, names, str(path))
    with archive, stream:
        # Column after column (Fortran order) there are no rows before all is read.
        whole = read_npz(path)[0].reshape(shape[0], width) if fortran_order else None
        for start in range(0, shape[0], chunk_rows):
            n_rows = min(chunk_rows, shape[0] - start)
            if whole is None:
                with _parsing(path, "npz"):
                    content = stream.read(n_rows * width * dtype.itemsize)
                    X = np.frombuffer(content, dtype=dtype).reshape(n_rows, width)
            else:
                X = whole[start : start + n_rows]
            index = range(start, start + n_rows)
            yield pd.DataFrame(X, columns=names, index=index)[columns]


def _read_svmlight(
    path: Path, columns: list[str], *, chunk_rows: int, as_text: list[str], text: TextFormat
) -> Iterator[pd.DataFrame]:
    import pandas as pd
    from sklearn.datasets import load_svmlight_file

    width, start = 1 + max(int(name) for name in columns if name.isdigit()), 0
    with path.open("rb") as lines:
        while content := b"".join(islice(lines, chunk_rows)):
            with _parsing(path, "svmlight"):
                X, _ = load_svmlight_file(io.BytesIO(content), zero_based=False)
                X.resize(X.shape[0], max(X.shape[1], width))
                piece = pd.DataFrame.sparse.from_spmatrix(X[:, :width]).sparse.to_dense()
            names = [str(name) for name in piece.columns]
            require_columns(columns, names, str(path))
            index = range(start, start + len(piece))
            yield piece.set_axis(names, axis=1).set_axis(index, axis=0)[columns]
            start += len(piece)


_READERS: dict[str, Any] = {
    "csv": _read_delimited,
    "tsv": _read_delimited,
    "xlsx": _read_xlsx,
    "jsonl": _read_json_lines,
    "parquet": _read_parquet,
    "npz": _read_npz,
    "svmlight": _read_svmlight,
}


class TableWriter(Protocol):
    """Takes the pieces of a table, one after the other."""

    def write(self, piece: pd.DataFrame) -> None:
        """Append rows."""


@contextmanager
def writing_table(
    path: Path, *, label_column: str, overwrite: bool = False
) -> Iterator[TableWriter]:
    """Give a writer of a table file that is there, whole, when the block ends without an error.

    Text, JSON lines and Parquet are written piece by piece; .xlsx, .npz and svmlight files at the
    end. `label_column` is `y` of .npz files and the row start of svmlight ones.
    """
    kind = _writable_format(path, overwrite=overwrite)
    with replacing(path) as draft:
        if kind in _TEXT_WRITERS:
            with _packed(draft, path) as stream:
                yield _TEXT_WRITERS[kind](stream)
        elif kind == "parquet":
            _require_pyarrow()
            parquet = _ParquetWriter(draft)
            try:
                yield parquet
            finally:
                parquet.close()
        else:
            collected = _Collector(None if kind == "xlsx" else label_column)
            yield collected
            # Written beside the draft, under a name whose suffix says the same.
            collected.save(draft)


@contextmanager
def _packed(draft: Path, path: Path) -> Iterator[Any]:
    """Give the stream of a draft, packed where the file to be ends in .gz."""
    import gzip

    with draft.open("wb") as stream:
        if not path.name.endswith(".gz"):
            yield stream
            return
        with gzip.open(stream, "wb") as packed:
            yield packed


class _JsonLinesWriter:
    def __init__(self, stream: Any) -> None:
        self.stream = stream

    def write(self, piece: pd.DataFrame) -> None:
        self.stream.write(json_lines(piece).encode())


class _DelimitedWriter:
    """Writes text by pyarrow where it is installed, which is several times as fast."""

    def __init__(self, stream: Any, separator: str) -> None:
        self.stream, self.separator, self.header = stream, separator, True

    def write(self, piece: pd.DataFrame) -> None:
        try:
            import pyarrow
            from pyarrow import csv
        except ImportError:
            piece.to_csv(self.stream, sep=self.separator, index=False, header=self.header)
        else:
            table = pyarrow.Table.from_pandas(piece, preserve_index=False)
            options = csv.WriteOptions(
                include_header=self.header, delimiter=self.separator, quoting_style="needed"
            )
            csv.write_csv(table, self.stream, options)
        self.header = False


_TEXT_WRITERS: dict[str, Callable[[Any], TableWriter]] = {
    "csv": partial(_DelimitedWriter, separator=","),
    "tsv": partial(_DelimitedWriter, separator="\t"),
    "jsonl": _JsonLinesWriter,
}


class _ParquetWriter:
    def __init__(self, draft: Path) -> None:
        self.draft = draft
        self.writer: Any = None

    def write(self, piece: pd.DataFrame) -> None:
        import pyarrow
        from pyarrow import parquet

        if self.writer is None:
            table = pyarrow.Table.from_pandas(piece, preserve_index=False)
            self.schema = table.schema
            self.writer = parquet.ParquetWriter(self.draft, self.schema)
        table = pyarrow.Table.from_pandas(piece, schema=self.schema, preserve_index=False)
        self.writer.write_table(table)

    def close(self) -> None:
        if self.writer is not None:
            self.writer.close()


class _Collector:
    def __init__(self, label_column: str | None) -> None:
        self.pieces: list[pd.DataFrame] = []
        self.label_column = label_column

    def write(self, piece: pd.DataFrame) -> None:
        self.pieces.append(piece)

    def save(self, draft: Path) -> None:
        import pandas as pd

        table = as_table(pd.concat(self.pieces), self.label_column)
        write_table(table, draft, overwrite=True)
