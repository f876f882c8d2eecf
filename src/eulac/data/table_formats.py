"""Table files: which suffix means which format, and how each format is read and written.

A file is written beside its target and then renamed, so nobody meets half a table. pandas, pyarrow
and scikit-learn's loader are imported when used, not before.
"""

from __future__ import annotations

import difflib
import gzip
import importlib.util
import io
import math
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from eulac.data.reading.drafts import require_new_file
from eulac.data.reading.json_lines import json_lines, json_pieces
from eulac.data.reading.text_format import TextFormat, text_notes
from eulac.exceptions import TableRequestError

if TYPE_CHECKING:
    import pandas as pd

    from eulac.data.tables import Table

__all__ = [
    "FRAME_READERS",
    "WRITERS",
    "did_you_mean",
    "listed",
    "read_npz",
    "readable_format",
    "reading_notes",
    "writable_format",
]

_SUFFIXES = {
    "csv": (".csv", ".csv.gz"),
    "tsv": (".tsv", ".tsv.gz"),
    "xlsx": (".xlsx",),
    "jsonl": (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz"),
    "parquet": (".parquet",),
    "npz": (".npz",),
    "svmlight": (".svm", ".svmlight", ".libsvm"),
}
_MAX_CELLS = 10**9  # 8 GB of doubles: a svmlight file wider than that is sparse text, or garbage


def readable_format(path: Path) -> str:
    """Return the format of an existing table file, refusing what cannot be read.

    Examples
    --------
    >>> readable_format(Path("nowhere/pets.csv"))
    Traceback (most recent call last):
    FileNotFoundError: a table must be an existing file; 'nowhere/pets.csv' does not exist. ...
    """
    if path.is_dir():
        raise ValueError(f"`path` must name a file; {str(path)!r} is a folder. Name a file in it.")
    if not path.exists():
        near = path.parent.iterdir() if path.parent.is_dir() else ()
        hint = did_you_mean(path.name, [entry.name for entry in near])
        raise FileNotFoundError(
            f"a table must be an existing file; {str(path)!r} does not exist."
            f"{hint or ' Check the name and the folder.'}"
        )
    kind = _format_of(path)
    if path.stat().st_size == 0:
        raise ValueError(f"a table file must not be empty; {path} has 0 bytes. Write it again.")
    return kind


def reading_notes(path: Path, text: TextFormat) -> list[str]:
    """Return what is to be said of how a file is read: nothing, where its suffix says it all."""
    return text_notes(path, text) if readable_format(path) in ("csv", "tsv") else []


def writable_format(path: Path, *, overwrite: bool = False) -> str:
    """Return the format of a table file to be, refusing a target that must not be written.

    Examples
    --------
    >>> writable_format(Path("pets.tsv.gz"))
    'tsv'
    """
    kind = _format_of(path)
    require_new_file(path, overwrite=overwrite)
    return kind


def _format_of(path: Path) -> str:
    for kind, suffixes in _SUFFIXES.items():
        if path.name.lower().endswith(suffixes):
            return kind
    raise ValueError(
        f"a table file must end in one of {', '.join(chain(*_SUFFIXES.values()))}; "
        f"got {path.name!r}. Save the table in one of these formats."
    )


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return " Did you mean 'x'?" for the closest known word, or "" when none is close.

    Examples
    --------
    >>> did_you_mean("mnits", ["mnist", "usps"])
    " Did you mean 'mnist'?"
    """
    by_lower = {name.lower(): name for name in known}
    close = difflib.get_close_matches(word.lower(), by_lower, n=1)
    return f" Did you mean {by_lower[close[0]]!r}?" if close else ""


def listed(names: Iterable[Any]) -> str:
    """Return names in quotes, not all of very many.

    Examples
    --------
    >>> listed(["cat", "dog", 3])
    "'cat', 'dog', 3"
    """
    quoted = [repr(name) for name in names]
    return ", ".join(quoted if len(quoted) <= 12 else [*quoted[:8], f"and {len(quoted) - 8} more"])


@contextmanager
def _parsing(path: Path, kind: str) -> Iterator[None]:
    """Turn whatever a parser says about broken content into one kind of sentence."""
    try:
        yield
    except (ImportError, MemoryError, PermissionError, Warning):
        raise
    except Exception as error:  # flipped bytes surface as almost anything, even as a TokenError
        reason = (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")[:160]
        what = "what separates its cells, " if kind == "text" else ""
        raise ValueError(
            f"{path} must be a readable {kind} file; reading it failed: {reason}. "
            f"Check {what}that the suffix fits the content and that the file is complete."
        ) from error


def _read_delimited(path: Path, text: TextFormat) -> pd.DataFrame:
    import pandas as pd

    with _parsing(path, "text"):
        options = text.of(path).options()
        # Two rows, because pandas alone would take surplus cells of the first row for an index.
        top = pd.read_csv(path, **options, header=None, nrows=2, dtype=str, na_filter=False)
        frame = pd.read_csv(path, **options, low_memory=False)
        # pandas renames repeated columns and names empty ones; the file's own names get checked.
        return frame.set_axis(top.iloc[0].to_list(), axis=1)


def _read_xlsx(path: Path, text: TextFormat) -> pd.DataFrame:
    """Return the first sheet."""
    import pandas as pd

    _require_openpyxl()
    with _parsing(path, "Excel"):
        frame = pd.read_excel(path, engine="openpyxl")
        top = pd.read_excel(path, engine="openpyxl", header=None, nrows=1, dtype=object)
        return frame.set_axis(["" if pd.isna(name) else name for name in top.iloc[0]], axis=1)


def _require_openpyxl() -> None:
    if importlib.util.find_spec("openpyxl") is None:
        raise ImportError(
            "Excel files need openpyxl, which is not installed. Install the extra: eulac[excel]."
        )


def _read_json_lines(path: Path, text: TextFormat) -> pd.DataFrame:
    import pandas as pd

    with _parsing(path, "JSON lines"):
        return pd.concat([*json_pieces(path, 20_000)])


def _read_parquet(path: Path, text: TextFormat) -> pd.DataFrame:
    import pandas as pd

    _require_pyarrow()
    with _parsing(path, "parquet"):
        return pd.read_parquet(path, engine="pyarrow")


def _require_pyarrow() -> None:
    try:
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise ImportError(
            "parquet files need pyarrow, which is not installed. Install the extra: eulac[parquet]."
        ) from error


def read_npz(
    path: Path, *, label_array: str | None = None
) -> tuple[NDArray[Any], NDArray[Any] | None]:
    """Return `X` and the labels (None when absent) of an .npz file, without unpickling.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "ones.npz")
    ...     np.savez(path, X=np.ones((2, 3)))
    ...     read_npz(path)
    (array([[1., 1., 1.], [1., 1., 1.]]), None)
    """
    with _parsing(path, "npz"):
        if not zipfile.is_zipfile(path):
            raise ValueError("it is not a whole zip archive, as .npz files are")
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
    for name in filter(None, ["X", label_array]):
        if name not in arrays:
            held = ", ".join(map(repr, arrays)) or "nothing"
            raise (TableRequestError if name == label_array else ValueError)(
                f"{path} must hold an array {name!r}; it holds {held}. Save it under that name."
            )
    X, y = arrays["X"], arrays.get(label_array or "y")
    if X.ndim < 2:
        raise ValueError(f"`X` must be 2-D or more; {path} has shape {X.shape}. Reshape it.")
    if y is not None and y.shape != X.shape[:1]:
        raise ValueError(
            f"labels must have one entry per row of `X`; {path} has {len(X)} rows and labels of "
            f"shape {y.shape}. Save both from the same rows."
        )
    return X, y


def _read_svmlight(path: Path, text: TextFormat) -> pd.DataFrame:
    import pandas as pd
    from sklearn.datasets import load_svmlight_file

    with _parsing(path, "svmlight"):
        X, y = load_svmlight_file(str(path))
        if math.prod(X.shape) > _MAX_CELLS:
            raise ValueError(f"{X.shape[0]} x {X.shape[1]} cells are too many for a dense table")
        return pd.DataFrame(X.toarray()).assign(label=y)


def _write_delimited(table: Table, draft: Path, separator: str) -> None:
    table.to_frame().to_csv(draft, sep=separator, index=False)


def _write_xlsx(table: Table, draft: Path) -> None:
    _require_openpyxl()
    table.to_frame().to_excel(draft, index=False, engine="openpyxl")


def _write_json_lines(table: Table, draft: Path) -> None:
    packed: Any = gzip.open if draft.name.lower().endswith(".gz") else open
    with packed(draft, "wt", encoding="utf-8") as stream:
        stream.write(json_lines(table.to_frame()))


def _write_parquet(table: Table, draft: Path) -> None:
    _require_pyarrow()
    table.to_frame().to_parquet(draft, index=False)


def _numbers(table: Table, kind: str) -> NDArray[Any]:
    for name, dtype in table.features.dtypes.items():
        if dtype.kind not in "biuf":
            raise ValueError(
                f"{kind} files hold numbers; column {name!r} is of type {dtype}. "
                "Write .csv or .parquet, or encode the column."
            )
    X = np.asarray(table.features.to_numpy())
    # Columns of several kinds (flags beside counts, nullable integers) meet as objects.
    return table.features.to_numpy(dtype=float, na_value=np.nan) if X.dtype == object else X


def _write_npz(table: Table, draft: Path) -> None:
    X = _numbers(table, "npz").reshape(len(table.features), *(table.row_shape or (-1,)))
    labels: dict[str, Any] = {} if table.labels is None else {"y": _plain_labels(table)}
    whole = io.BytesIO()  # NumPy 2.0 leaves an archive open that a full disk cuts off
    np.savez_compressed(whole, X=X, **labels)
    draft.write_bytes(whole.getbuffer())


def _plain_labels(table: Table) -> NDArray[Any]:
    """Return the labels without objects, which npz could only pickle: gaps become NaN."""
    labels, missing = np.asarray(table.labels), table.unlabeled
    if labels.dtype != object:
        return labels
    if not missing.any():
        return labels.astype(str)
    if any(isinstance(label, str) for label in labels):
        raise ValueError(
            f"npz files cannot mark missing text labels; {missing.sum()} rows of {table.source} "
            "are unlabeled. Write .csv or .parquet."
        )
    return np.where(missing, np.nan, labels).astype(float)


def _write_svmlight(table: Table, draft: Path) -> None:
    X = _numbers(table, "svmlight").astype(float)
    if table.labels is None or table.labels.dtype.kind not in "iuf" or table.unlabeled.any():
        raise ValueError(
            f"svmlight files need a number as label of every row; {table!r} has not. Give a Table "
            "with such labels, as as_table(frame, label_column=...) makes, or write .csv."
        )
    with draft.open("w", encoding="ascii") as lines:
        for label, row in zip(table.labels.tolist(), X, strict=True):
            # The last column is written even when 0: the reader has no other sign of the width.
            written = np.union1d(np.flatnonzero(row), len(row) - 1)
            cells = [f"{column + 1}:{float(row[column])!r}" for column in written]
            lines.write(" ".join([repr(label), *cells]) + "\n")


FRAME_READERS: dict[str, Callable[[Path, TextFormat], pd.DataFrame]] = {
    "csv": _read_delimited,
    "tsv": _read_delimited,
    "xlsx": _read_xlsx,
    "jsonl": _read_json_lines,
    "parquet": _read_parquet,
    "svmlight": _read_svmlight,  # the labels are the column "label"
}

WRITERS: dict[str, Callable[[Table, Path], None]] = {
    "csv": partial(_write_delimited, separator=","),
    "tsv": partial(_write_delimited, separator="\t"),
    "xlsx": _write_xlsx,
    "jsonl": _write_json_lines,
    "parquet": _write_parquet,
    "npz": _write_npz,
    "svmlight": _write_svmlight,
}
