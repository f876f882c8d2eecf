"""What a classifier says of the rows of a table, as another table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from eulac.classifier.own_answers import own_answers_of
from eulac.data.preprocessing import CATEGORY, require_columns
from eulac.data.reading.column_watch import ColumnWatch
from eulac.data.reading.formula_cells import quoted_formulas
from eulac.data.reading.text_format import SNIFFED, TextFormat
from eulac.data.row_chunks import read_chunks, writing_table
from eulac.exceptions import TableRequestError, UnfamiliarValuesWarning, warn_caller
from eulac.risk.new_selection import selection_cut
from eulac.tables.labeled_tables import names_of_columns
from eulac.tables.new_row_reasons import new_row_reasons

if TYPE_CHECKING:
    import pandas as pd

    from eulac.tables.table_model import TableModel

__all__ = [
    "WrittenAnswers",
    "answers_frame",
    "largest_selected",
    "write_answers",
]

LABEL, SCORE, PROBABILITY, REASONS = "label", "augmented_score", "p_{}", "reasons"
P_VALUE, SELECTED = "new_p_value", "selected_new"
"""Columns of a table of answers."""


def answers_frame(
    model: TableModel,
    frame: pd.DataFrame,
    source: str,
    keep: Sequence[str] = (),
    *,
    reasons: Counter[str] | None = None,
    largest_p_value: float | None = None,
) -> tuple[pd.DataFrame, int]:
    """Return the answers to rows as a table, after the columns to keep; and how many were known.

    Rows of the pool the model was fitted on are answered by models that have not seen them: the
    number says how many there are.

    Parameters
    ----------
    model : TableModel
    frame : pandas.DataFrame
    source : str
        Where the rows come from, for messages.
    keep : sequence of str, default=()
        Columns to copy over.
    reasons : Counter, optional
        Add a column that says why rows are new, and count here the columns that set them apart.
    largest_p_value : float, optional
        Up to which rows are selected as new, from `largest_selected`; adds two columns.
    """
    import pandas as pd

    X = model.matrix(frame, source)
    answers, is_held_out = own_answers_of(model.classifier, X)
    columns: dict[str, Any] = {LABEL: answers.labels}
    # Seven digits: more would only look more certain.
    if answers.probabilities is not None:
        names = [PROBABILITY.format(label) for label in model.classes_.tolist()]
        columns |= dict(zip(names, answers.probabilities.T.astype(np.float32), strict=True))
    columns[SCORE] = answers.augmented_score.astype(np.float32)
    if reasons is not None:
        found = new_row_reasons(model, frame, X, answers)
        columns[REASONS] = found.texts
        reasons.update(found.by_column)
    if largest_p_value is not None:
        p_values = model.classifier.new_p_values(X)
        columns |= {P_VALUE: p_values, SELECTED: p_values <= largest_p_value}
    clash = [name for name in keep if name in columns]
    if clash:
        raise TableRequestError(
            f"a column to keep must not be named as an answer; {clash[0]!r} is. Rename it."
        )
    table = pd.DataFrame({**{name: frame[name].to_numpy() for name in keep}, **columns})
    return table, int(is_held_out.sum())


class WrittenAnswers(NamedTuple):
    """How often each answer was given, to how many rows by models that have not seen them.

    And how many rows were selected as new, if any were to be.
    """

    counts: Counter[Any]
    n_held_out: int
    n_selected_new: int | None


def write_answers(
    model: TableModel,
    table: Path,
    output: Path,
    *,
    keep: Sequence[str] = (),
    text: TextFormat = SNIFFED,
    overwrite: bool = False,
    alpha: float | None = None,
    progress: Callable[[int, int | None], Any] = lambda done, total: None,
    reasons: Counter[str] | None = None,
    quote_formulas: bool = False,
) -> WrittenAnswers:
    """Write the answers to a table's rows, some at a time; return how often each was given.

    Parameters
    ----------
    model : TableModel
    table, output : Path
        Files to read and to write.
    keep : sequence of str, default=()
        Columns to copy over, after the one that identifies rows.
    text : TextFormat, optional
        As in `read_table`.
    overwrite : bool, default=False
        Whether an existing output may be replaced.
    alpha : float, optional
        Also select new rows, on average at most this share of them wrongly: the table is read
        twice.
    progress : callable
        Called as ``progress(n_rows, None)`` after each piece.
    reasons : Counter, optional
        As in `answers_frame`.
    quote_formulas : bool, default=False
        Whether text that a spreadsheet would take for a formula gets an apostrophe.
    """
    largest = None if alpha is None else largest_selected(model, table, alpha, text=text)
    keep = _with_ids(model, table, keep, text)
    counts: Counter[Any] = Counter()
    n_held_out, n_selected, watch = 0, 0, ColumnWatch(model.columns)
    options: dict[str, Any] = {"reasons": reasons, "largest_p_value": largest}
    with writing_table(output, label_column=LABEL, overwrite=overwrite) as writer:
        for piece in _pieces(model, table, keep, text):
            answered, n_own = answers_frame(model, piece, str(table), keep, **options)
            n_held_out += n_own
            watch.look(piece)
            counts.update(answered[LABEL].tolist())
            n_selected += 0 if largest is None else int(answered[SELECTED].sum())
            writer.write(quoted_formulas(answered) if quote_formulas else answered)
            progress(counts.total(), None)
    for sentence in watch.sentences():
        warn_caller(sentence, UnfamiliarValuesWarning)
    return WrittenAnswers(counts, n_held_out, None if largest is None else n_selected)


def _with_ids(model: TableModel, table: Path, keep: Sequence[str], text: TextFormat) -> list[str]:
    """Return the columns to keep, the one that identifies rows first, where the table has it."""
    name = model.columns.id_column
    if name is None and not keep:
        return []
    names = names_of_columns(table, text)
    require_columns(keep, names, str(table), what="every column to keep", typed=True)
    if name is None or name in keep:
        return list(keep)
    return [name, *keep] if name in names else list(keep)


def largest_selected(
    model: TableModel, table: Path, alpha: float, *, text: TextFormat = SNIFFED
) -> float:
    """Return the largest p-value of a table's rows that is selected as new; see `select_new`."""
    if not hasattr(model.classifier, "new_p_values"):
        raise TableRequestError(
            "rows are selected as new by a model that keeps what it said of held-out rows; "
            f"{type(model.classifier).__name__} does not. Fit with another `--method`, or leave "
            "`--alpha` out."
        )
    found = [
        model.classifier.new_p_values(model.matrix(piece, str(table)))
        for piece in _pieces(model, table, (), text)
    ]
    return selection_cut(np.concatenate(found), alpha, model.classifier.proportion_.interval[1])


def _pieces(
    model: TableModel, table: Path, keep: Sequence[str], text: TextFormat
) -> Iterator[pd.DataFrame]:
    """Return the rows of a table, some at a time, as the model's columns and those to keep."""
    texts = [name for name, kind in model.columns.kinds.items() if kind == CATEGORY]
    wanted = list(dict.fromkeys([*model.columns.names, *keep]))
    return iter(read_chunks(table, wanted, as_text=texts, text=text))
