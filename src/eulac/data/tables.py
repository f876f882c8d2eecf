"""Tables in and out: a file, a data frame or an array becomes a `Table`, and back.

How each format is read and written stands in `table_formats`. pandas is imported when used.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from eulac.data.reading.drafts import replacing
from eulac.data.reading.text_format import SNIFFED, TextFormat
from eulac.data.table_formats import (
    FRAME_READERS,
    WRITERS,
    did_you_mean,
    read_npz,
    readable_format,
    writable_format,
)
from eulac.exceptions import TableRequestError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Table", "as_table", "read_table", "write_table"]


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """Rows of features and, where known, a label for each row.

    Parameters
    ----------
    features : pandas.DataFrame of shape (n_rows, n_features)
        Columns are named by distinct strings.
    labels : ndarray of shape (n_rows,) or None, default=None
        None when the source has no labels. A missing label is None or NaN; see `unlabeled`.
    source : str, default="memory"
        Where the table came from: a path or the kind of object.
    label_column : str, default="label"
        Name of the labels in the source and in files written from this table.
    row_shape : tuple of int or None, default=None
        Shape of one row before it was flattened, for images.

    Examples
    --------
    >>> import numpy as np
    >>> as_table(np.eye(3), label_column=2)
    Table(3 rows x 2 features, 2 classes in '2', 0 rows unlabeled, from numpy.ndarray)
    """

    features: pd.DataFrame
    labels: NDArray[Any] | None = None
    source: str = "memory"
    label_column: str = "label"
    row_shape: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        n_rows, n_features = self.features.shape
        if n_features == 0:
            several = any(mark in self.label_column for mark in ",;|\t")
            otherwise = ", or what separates cells (`sep`)" if several else ""
            raise ValueError(
                f"a table needs at least one feature column; {self.source} has only the label "
                f"column {self.label_column!r}. Choose another `label_column`{otherwise}."
            )
        if n_rows == 0:
            raise ValueError(f"a table needs at least one row; {self.source} has 0. Add rows.")
        if self.labels is not None and self.labels.shape != (n_rows,):
            raise ValueError(
                f"labels must have one entry per row; {self.source} has {n_rows} rows and "
                f"labels of shape {self.labels.shape}. Give both from the same rows."
            )

    @property
    def unlabeled(self) -> NDArray[np.bool_]:
        """Mask of the rows without a label, shape (n_rows,); all True without labels."""
        import pandas as pd

        if self.labels is None:
            return np.ones(len(self.features), dtype=bool)
        return np.asarray(pd.isna(self.labels))

    def to_frame(self) -> pd.DataFrame:
        """Return the features with the labels, if any, as the last column."""
        if self.labels is None:
            return self.features
        if self.label_column in self.features:
            raise ValueError(
                f"the label column must not be a feature too; {self.label_column!r} is both. "
                "Rename the feature."
            )
        return self.features.assign(**{self.label_column: self.labels})

    def __repr__(self) -> str:
        size = f"{len(self.features)} rows x {self.features.shape[1]} features"
        if self.labels is None:
            return f"Table({size}, no labels, from {self.source})"
        missing = self.unlabeled
        classes = f"{len(set(self.labels[~missing]))} classes in {self.label_column!r}"
        return f"Table({size}, {classes}, {missing.sum()} rows unlabeled, from {self.source})"


def read_table(
    path: str | os.PathLike[str],
    *,
    label_column: str | None = None,
    text: TextFormat = SNIFFED,
) -> Table:
    r"""Return the table in a file, read as its suffix says.

    Empty label cells, and what else pandas takes for missing (NA, NaN, null), are unlabeled rows.

    Parameters
    ----------
    path : str or path
        A file ending in .csv, .tsv, .jsonl, .ndjson (each also .gz), .xlsx, .parquet, .npz, .svm,
        .svmlight or .libsvm. Of .xlsx the first sheet is read. An .npz holds `X`, of two or more
        dimensions, and optionally `y`.
    label_column : str or None, default=None
        Column of the labels; for .npz the array of the labels, by default `y` when it is there.
        svmlight rows start with their label, so nothing can be chosen there.
    text : TextFormat, optional
        How a .csv or .tsv file is written: separator, decimal mark and encoding. What it leaves
        open is found out from the file.

    Returns
    -------
    table : Table

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "pets.csv")
    ...     _ = path.write_text("weight,kind\n4.1,cat\n9.0,dog\n5.2,\n")
    ...     table = read_table(path, label_column="kind")
    >>> table.labels, table.unlabeled
    (array(['cat', 'dog', None], dtype=object), array([False, False,  True]))
    """
    path = Path(path)
    kind = readable_format(path)
    if kind == "npz":
        return _from_npz(path, label_column)
    if kind == "svmlight":
        if label_column is not None:
            raise TableRequestError(
                f"`label_column` must be None for svmlight files, whose rows start with the label; "
                f"got {label_column!r}. Leave it out."
            )
        label_column = "label"
    return _split(FRAME_READERS[kind](path, text), str(path), label_column)


def as_table(data: Any, label_column: str | int | None = None) -> Table:
    """Return a data frame (pandas, polars, pyarrow) or a 2-D array as a `Table`.

    Parameters
    ----------
    data : data frame or array-like of shape (n_rows, n_columns)
        Columns of arrays are named "0", "1", and so on.
    label_column : str, int or None, default=None
        Column of the labels.

    Returns
    -------
    table : Table

    Examples
    --------
    >>> as_table([[0.5, 1.0], [0.25, 2.0]])
    Table(2 rows x 2 features, no labels, from builtins.list)
    """
    source = f"{type(data).__module__.split('.')[0]}.{type(data).__name__}"
    return _split(_to_pandas(data, source), source, label_column)


def write_table(frame: Any, path: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
    """Write a table as the suffix of `path` says, whole or not at all.

    .npz and svmlight files keep numbers only, and no column names.

    Parameters
    ----------
    frame : Table, data frame or array-like of shape (n_rows, n_columns)
        The labels of a `Table` become the last column, `y` in .npz, the row start in svmlight.
    path : str or path
        Suffixes as in `read_table`.
    overwrite : bool, default=False
        Whether an existing file may be replaced.

    Returns
    -------
    path : Path

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     read_table(write_table([[1, 2], [3, 4]], f"{folder}/numbers.tsv"))
    Table(2 rows x 2 features, no labels, from ...numbers.tsv)
    """
    path = Path(path)
    kind = writable_format(path, overwrite=overwrite)
    table = frame if isinstance(frame, Table) else as_table(frame)
    with replacing(path) as draft:
        WRITERS[kind](table, draft)
    return path


def _from_npz(path: Path, label_array: str | None) -> Table:
    import pandas as pd

    X, y = read_npz(path, label_array=label_array)
    features = pd.DataFrame(X.reshape(len(X), math.prod(X.shape[1:]))).rename(columns=str)
    row_shape = X.shape[1:] if X.ndim > 2 else None
    labels = None if y is None else _labels(y)
    return Table(features, labels, str(path), label_array or "y", row_shape)


def _to_pandas(data: Any, source: str) -> pd.DataFrame:
    import pandas as pd

    if isinstance(data, pd.DataFrame):
        return data
    if hasattr(type(data), "columns"):
        return _frame_to_pandas(data, source)
    try:
        array = np.asarray(data.toarray() if hasattr(data, "toarray") else data)
    except ValueError as error:
        raise ValueError(
            f"rows must have the same length; the rows of this {source} differ. Fill them up."
        ) from error
    if array.ndim != 2:
        raise ValueError(
            f"`data` must be a data frame or a 2-D array; got {source} of shape {array.shape}. "
            "Reshape it to one row per example."
        )
    return pd.DataFrame(array)


def _frame_to_pandas(data: Any, source: str) -> pd.DataFrame:
    """Convert a foreign data frame: by narwhals where scikit-learn brought it, or by itself."""
    import pandas as pd

    try:
        import narwhals
    except ImportError:
        if hasattr(data, "to_pandas"):
            return data.to_pandas()
        raise _not_in_memory(source) from None
    try:
        frame = narwhals.from_native(data, eager_only=True)
    except TypeError as error:
        raise _not_in_memory(source) from error
    return pd.DataFrame({name: frame[name].to_numpy() for name in frame.columns})


def _not_in_memory(source: str) -> ValueError:
    return ValueError(
        f"`data` must be a data frame held in memory; got {source}. Collect it first."
    )


def _split(frame: pd.DataFrame, source: str, label_column: str | int | None) -> Table:
    names = [str(name) for name in frame.columns]
    frame = frame.set_axis(names, axis=1)
    repeated = sorted(set(frame.columns[frame.columns.duplicated()]))
    if "" in names:
        raise ValueError(
            f"every column must have a name; column {names.index('') + 1} of {source} has none. "
            "Name it, or drop it if it only counts the rows."
        )
    if repeated:
        raise ValueError(
            f"column names must differ; {source} repeats {repeated}. Rename the columns, or add a "
            "header line if the first line is data."
        )
    if label_column is None:
        return Table(frame, None, source)
    label = str(label_column)
    if label not in names:
        some = names if len(names) <= 12 else [*names[:6], "...", *names[-3:]]
        raise TableRequestError(
            f"`label_column` must be a column of {source}; got {label_column!r}. "
            f"Columns: {', '.join(some)}.{did_you_mean(label, names)}"
        )
    return Table(frame.drop(columns=label), _labels(frame[label]), source, label)


def _labels(column: Any) -> NDArray[Any]:
    """Whole numbers become integers even beside gaps; text stays objects, of any length."""
    import pandas as pd

    values = pd.Series(np.asarray(column)).convert_dtypes()
    if values.isna().any():
        values = values.astype(object).where(values.notna(), None)
    return np.array(values.to_numpy())  # a copy, because pandas lends its own read-only
