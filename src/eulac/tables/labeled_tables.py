"""Tables with labels: the column they stand in, the rows with one, and the rows without."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eulac.data.reading.text_format import SNIFFED, TextFormat
from eulac.data.table_formats import listed, readable_format, reading_notes
from eulac.data.table_scan import LONG_FORMATS, column_names
from eulac.data.tables import read_table
from eulac.exceptions import TableRequestError

if TYPE_CHECKING:
    import pandas as pd

    from eulac.tables.table_model import TableModel

__all__ = [
    "LABEL_NAMES",
    "LabeledTable",
    "blank_note",
    "choose_label_column",
    "labels_known_to",
    "names_of_columns",
    "read_labeled_table",
    "read_table_for",
    "refuse_doubtful_labels",
    "unused_notes",
]

LABEL_NAMES = ("label", "y", "class", "target", "species")
"""Usual names of a column of labels."""

DOUBTFUL_LABELS = ("-1", "-1.0")
"""Labels that may mean 'unlabeled' to somebody."""


class LabeledTable(NamedTuple):
    """A table with a label in some or all of its rows.

    Attributes
    ----------
    features : pandas.DataFrame
        Of the rows with a label.
    y : array
        Their labels.
    unlabeled : pandas.DataFrame
        Features of the rows whose label is blank.
    source : str
    label_column : str
    row_shape : tuple of int or None
        Shape of one row, for images.
    notes : list of str
        What was noticed while reading.
    rows : array of int
        Where the rows with a label stand in the file, from 0.
    """

    features: pd.DataFrame
    y: NDArray[Any]
    unlabeled: pd.DataFrame
    source: str
    label_column: str
    row_shape: tuple[int, ...] | None
    notes: list[str]
    rows: NDArray[np.intp]


def read_labeled_table(
    path: Path,
    label_column: str | None = None,
    *,
    pool: Path | None = None,
    text: TextFormat = SNIFFED,
) -> LabeledTable:
    """Return a table with labels: of the column named, or of the one that must be meant.

    Parameters
    ----------
    path : Path
        As in `read_table`.
    label_column : str, optional
        By default the one with a usual name, or the only one the pool lacks.
    pool : Path, optional
        Table of unlabeled rows with the same features.
    text : TextFormat, optional
        As in `read_table`.
    """
    notes = reading_notes(path, text)
    table = read_table(path, label_column=label_column, text=text)
    if table.labels is None:  # not asked for, and the format does not say which they are
        found, why = choose_label_column(list(table.features), path, pool, text)
        notes += why
        table = read_table(path, label_column=found, text=text)
    labels = np.asarray(table.labels)
    blank = table.unlabeled | [isinstance(v, str) and not v.strip() for v in labels]
    y = labels[~blank]
    where = f"column {table.label_column!r} of {table.source}"
    refuse_doubtful_labels(y, where, n_blank=int(blank.sum()))
    return LabeledTable(
        table.features[~blank].reset_index(drop=True),
        y,
        table.features[blank].reset_index(drop=True),
        str(path),
        table.label_column,
        table.row_shape,
        notes,
        np.flatnonzero(~blank),
    )


def names_of_columns(path: Path, text: TextFormat = SNIFFED) -> list[str]:
    """Return the names of a table's columns; of long formats nothing else is read."""
    if readable_format(path) in LONG_FORMATS:
        return column_names(path, text)
    return list(read_table(path, text=text).features)


def choose_label_column(
    names: Sequence[str], path: Path, pool: Path | None = None, text: TextFormat = SNIFFED
) -> tuple[str, list[str]]:
    """Return the column with a usual name, or the only one the pool lacks, and a note on why."""
    in_pool = [] if pool is None else names_of_columns(pool, text)
    lacking = [name for name in names if pool is not None and name not in in_pool]
    usual = [name for name in names if name.lower() in LABEL_NAMES]
    # Of two usual names, the one that the pool has too is a feature.
    matches = [name for name in usual if name in lacking] or usual
    note = f"Labels are taken from the column {{!r}} of {path}, {{}}."
    if lacking and len(matches) == 1 and matches[0] not in lacking:
        matches.append(lacking[0])  # a feature by this name, or a pool that lacks a feature?
    if len(matches) == 1:
        return matches[0], [note.format(matches[0], "because of its name")]
    if len(lacking) == 1 and not usual:
        return lacking[0], [note.format(lacking[0], f"the only one that {pool} lacks")]
    how_many = f"{len(matches)} columns may be it" if matches else "no column has a usual name"
    raise TableRequestError(
        f"which column of {path} holds the labels must be clear; {how_many}. Choose one with "
        f"`label_column`: {listed(matches or names)}."
    )


def blank_note(n_blank: int, path: Path) -> str:
    """Say that rows with blank labels are unlabeled."""
    return f"{n_blank:,} rows of {path} have a blank label: unlabeled."


def unused_notes(path: Path | None, names: Sequence[str]) -> list[str]:
    """Say which columns of a table are not used, if there are any."""
    return [f"Not used of {path}: {listed(names)}."] if names else []


def refuse_doubtful_labels(
    labels: Sequence[Any] | NDArray[Any], where: str, *, n_blank: int
) -> None:
    """Refuse labels that are all blank, or that may mean 'unlabeled'."""
    if not len(labels):
        raise ValueError(f"labels are needed; all {n_blank:,} cells of {where} are blank.")
    if any(str(label) in DOUBTFUL_LABELS for label in labels):
        raise ValueError(
            "a label must clearly be a class, and -1 may mean 'unlabeled'; cells of "
            f"{where} hold it. Leave labels of unlabeled rows blank, or rename the class."
        )


def read_table_for(
    model: TableModel,
    path: Path,
    label_column: str | None = None,
    *,
    text: TextFormat = SNIFFED,
) -> tuple[LabeledTable, list[Any]]:
    """Return a labeled table, and those of its labels that the model never saw.

    Parameters
    ----------
    model : TableModel
    path : Path
    label_column : str, optional
        By default the one the model learned from; .npz and svmlight files know their own.
    text : TextFormat, optional
        As in `read_table`.
    """
    if label_column is None and readable_format(path) not in ("npz", "svmlight"):
        label_column = model.label_column
    table = read_labeled_table(path, label_column, text=text)
    where = f"column {table.label_column!r} of {path}"
    y, unseen = labels_known_to(model, table.y, where)
    return table._replace(y=y), unseen


def labels_known_to(model: Any, y: Any, where: str) -> tuple[NDArray[Any], list[Any]]:
    """Return labels of the model's kind, text or numbers, and those it never saw.

    Parameters
    ----------
    model : TableModel or classifier
    y : sequence
        Labels.
    where : str
        Where they stand, for messages.
    """
    known = model.codec_.known
    if known.dtype.kind in "OUS":
        y = [str(label) for label in y]
    elif any(isinstance(label, str) for label in y):
        bad = next(label for label in y if isinstance(label, str))
        raise ValueError(
            f"labels must be numbers, as those the model learned ({listed(known.tolist())}); "
            f"{where} has {bad!r}. Choose another `label_column`."
        )
    # Plain values: NumPy's would be quoted with their types.
    given = set(np.asarray(y).tolist())
    unseen = sorted(given - set(known.tolist()), key=str)
    if len(unseen) == len(given):
        raise ValueError(
            f"at least one label must be known to the model ({listed(known.tolist())}); {where} "
            f"has {listed(unseen)}. Choose another `label_column`."
        )
    return np.asarray(y), unseen
