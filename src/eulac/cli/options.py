"""What commands read: labeled tables, pools of unlabeled rows, model files."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from eulac.cli.output import listed

if TYPE_CHECKING:
    import pandas as pd

    from eulac.data.tables import Table
    from eulac.tables.table_model import TableModel

__all__ = [
    "LABEL_NAMES",
    "PATH",
    "SEED",
    "GuessingChoice",
    "Seconds",
    "choose_label_column",
    "labels_and_blanks",
    "load_table_model",
    "model_labels",
    "read_labeled",
    "read_pool",
    "refuse_existing",
    "row_number_doubts",
]

LABEL_NAMES = ("label", "y", "class", "target", "species")
PATH, SEED = click.Path(path_type=Path), click.IntRange(0, 2**32 - 1)


class GuessingChoice(click.Choice):
    """One of some names; a typing error gets a guess."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the name, or fail with all of them and the likeliest."""
        from eulac.data.table_formats import did_you_mean

        if value not in self.choices:
            names, guess = ", ".join(map(repr, self.choices)), did_you_mean(value, self.choices)
            self.fail(f"{value!r} is not one of {names}.{guess}", param, ctx)
        return value


class Seconds(click.ParamType):
    """A time span greater than zero."""

    name = "seconds"

    def convert(self, value: Any, param: Any, ctx: Any) -> float:
        """Return the number of seconds, or fail with a sentence."""
        try:
            seconds = float(value)
        except (TypeError, ValueError):
            seconds = 0.0
        if not seconds > 0:
            self.fail(f"must be a number of seconds greater than 0; got {value!r}.", param, ctx)
        return seconds


def read_labeled(path: Path, label_column: str | None) -> tuple[Table, list[str]]:
    """Return a table with labels: of the column named, or of the one with a usual name."""
    from eulac.data.tables import read_table

    table = read_table(path, label_column=label_column)
    if table.labels is not None:  # asked for, or the file's format says which they are
        return table, []
    found, notes = choose_label_column(list(table.features), path, None)
    return read_table(path, label_column=found), notes


def choose_label_column(names: list[str], path: Path, asked: str | None) -> tuple[str, list[str]]:
    """Return the column asked for, or the one with a usual name and a note of it."""
    if asked is not None:
        return asked, []
    matches = [name for name in names if name.lower() in LABEL_NAMES]
    if len(matches) == 1:
        note = f"Labels are taken from the column {matches[0]!r} of {path}, because of its name."
        return matches[0], [note]
    found = f"{len(matches)} columns may be it" if matches else "no column has a usual name"
    raise click.UsageError(
        f"which column of {path} holds the labels must be clear; {found}. Choose one with "
        f"`--label-column`: {listed(matches or names)}."
    )


def labels_and_blanks(table: Table) -> tuple[Any, Any]:
    """Return the labels there are, and which rows have none."""
    blank = table.unlabeled | [isinstance(v, str) and not v.strip() for v in table.labels]
    y = table.labels[~blank]
    where = f"column {table.label_column!r} of {table.source}"
    if not len(y):
        raise ValueError(f"labels are needed; all {len(blank):,} cells of {where} are blank.")
    n_marked = sum(str(label) in ("-1", "-1.0") for label in y)
    if n_marked:
        raise ValueError(
            f"a label must clearly be a class, and -1 may mean 'unlabeled'; {n_marked:,} cells of "
            f"{where} hold it. Leave labels of unlabeled rows blank, or rename the class."
        )
    return y, blank


def read_pool(path: Path, labeled: Table) -> tuple[Any, list[str]]:
    """Return the unlabeled rows of a table, columns as in the labeled one."""
    from eulac.data.tables import read_table

    table = read_table(path)
    names = list(labeled.features)
    missing = [name for name in names if name not in table.features]
    if missing:
        raise ValueError(
            f"{path} must have every feature column of {labeled.source}; it lacks "
            f"{listed(missing)}. Add them, or drop them from {labeled.source}."
        )
    extra = [name for name in table.features if name not in names]
    if table.labels is not None:
        extra.append(table.label_column)
    return table.features[names], [f"Not used of {path}: {listed(extra)}."] if extra else []


def row_number_doubts(frames: dict[str, pd.DataFrame], drop: tuple[str, ...] = ()) -> list[str]:
    """Return warnings of columns that tell samples apart, not classes."""
    first = next(iter(frames.values()))
    return [
        f"Column {name!r} has a different whole number in every row, as row numbers and times do. "
        f"Such a column tells the samples apart, not classes: leave it out with `--drop {name}`."
        for name in first
        if name not in drop and all(_counts_rows(frame[name]) for frame in frames.values())
    ]


def _counts_rows(column: Any) -> bool:
    from pandas.api.types import is_integer_dtype

    return len(column) >= 20 and is_integer_dtype(column) and column.is_unique


def load_table_model(path: Path) -> TableModel:
    """Return the model of a file written by `eulac fit`."""
    from eulac.persistence.files import load
    from eulac.tables.table_model import TableModel

    _import_skops()
    model = load(path)
    if not isinstance(model, TableModel):
        raise ValueError(
            f"{path} must hold a model of a table, as `eulac fit` writes; it holds a bare "
            f"{type(model).__name__}, which does not know its columns. Use eulac.load in Python."
        )
    return model


def _import_skops() -> None:
    """Import skops without PyTorch.

    skops asks scikit-learn for all its estimators, which imports every package there is in it,
    one of which imports PyTorch if it is installed: seconds, for nothing.
    """
    hidden = "torch" not in sys.modules
    if hidden:
        sys.modules["torch"] = None  # type: ignore[assignment]
    try:
        import skops.io  # noqa: F401
    finally:
        if hidden:
            del sys.modules["torch"]


def model_labels(model: TableModel, y: Any, where: str) -> tuple[Any, list[str]]:
    """Return labels of the model's kind, text or numbers, and a note on those it never saw."""
    import numpy as np

    known = model.codec_.known
    if known.dtype.kind in "OUS":
        y = [str(label) for label in y]
    elif any(isinstance(label, str) for label in y):
        bad = next(label for label in y if isinstance(label, str))
        raise ValueError(
            f"labels must be numbers, as those the model learned ({listed(known.tolist())}); "
            f"{where} has {bad!r}. Choose another `--label-column`."
        )
    # Plain values: NumPy's would be quoted with their types.
    given = set(np.asarray(y).tolist())
    unseen = sorted(given - set(known.tolist()), key=str)
    if len(unseen) == len(given):
        raise ValueError(
            f"at least one label must be known to the model ({listed(known.tolist())}); {where} "
            f"has {listed(unseen)}. Choose another `--label-column`."
        )
    return y, [f"Not known to the model, and counted as new: {listed(unseen)}."] if unseen else []


def refuse_existing(path: Path, force: bool) -> None:
    """Refuse an output that is there, or could not be, before the work begins."""
    if path.is_dir():
        raise click.UsageError(f"an output must be a file; {str(path)!r} is a folder.")
    if path.exists() and not force:
        raise click.UsageError(
            f"{str(path)!r} exists and is not replaced unasked. Choose another name, or `--force`."
        )
    if not path.parent.is_dir():
        raise click.UsageError(
            f"the folder of an output must exist; {str(path.parent)!r} does not. Create it first."
        )
