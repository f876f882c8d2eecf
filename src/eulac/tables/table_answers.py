"""What a classifier says of the rows of a table, as another table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from eulac.classifier.own_answers import own_answers_of
from eulac.data.preprocessing import CATEGORY
from eulac.data.row_chunks import read_chunks, writing_table
from eulac.exceptions import TableRequestError
from eulac.risk.new_selection import selection_cut

if TYPE_CHECKING:
    import pandas as pd

    from eulac.tables.table_model import TableModel

__all__ = [
    "WrittenAnswers",
    "answers_frame",
    "largest_selected",
    "write_answers",
]

LABEL, SCORE, PROBABILITY = "label", "augmented_score", "p_{}"
P_VALUE, SELECTED = "new_p_value", "selected_new"
"""Columns of a table of answers."""


def answers_frame(
    model: TableModel,
    frame: pd.DataFrame,
    source: str,
    keep: Sequence[str] = (),
    *,
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
    overwrite: bool = False,
    alpha: float | None = None,
    progress: Callable[[int, int | None], Any] = lambda done, total: None,
) -> WrittenAnswers:
    """Write the answers to a table's rows, some at a time; return how often each was given.

    Parameters
    ----------
    model : TableModel
    table, output : Path
        Files to read and to write.
    keep : sequence of str, default=()
        Columns to copy over.
    overwrite : bool, default=False
        Whether an existing output may be replaced.
    alpha : float, optional
        Also select new rows, on average at most this share of them wrongly: the table is read
        twice.
    progress : callable
        Called as ``progress(n_rows, None)`` after each piece.
    """
    largest = None if alpha is None else largest_selected(model, table, alpha)
    counts: Counter[Any] = Counter()
    n_held_out, n_selected = 0, 0
    with writing_table(output, label_column=LABEL, overwrite=overwrite) as writer:
        for piece in _pieces(model, table, keep):
            answered, n_own = answers_frame(model, piece, str(table), keep, largest_p_value=largest)
            n_held_out += n_own
            counts.update(answered[LABEL].tolist())
            n_selected += 0 if largest is None else int(answered[SELECTED].sum())
            writer.write(answered)
            progress(counts.total(), None)
    return WrittenAnswers(counts, n_held_out, None if largest is None else n_selected)


def largest_selected(model: TableModel, table: Path, alpha: float) -> float:
    """Return the largest p-value of a table's rows that is selected as new; see `select_new`."""
    if not hasattr(model.classifier, "new_p_values"):
        raise TableRequestError(
            "rows are selected as new by a model that keeps what it said of held-out rows; "
            f"{type(model.classifier).__name__} does not. Fit with another `--method`, or leave "
            "`--alpha` out."
        )
    found = [
        model.classifier.new_p_values(model.matrix(piece, str(table)))
        for piece in _pieces(model, table)
    ]
    return selection_cut(np.concatenate(found), alpha, model.classifier.proportion_.interval[1])


def _pieces(model: TableModel, table: Path, keep: Sequence[str] = ()) -> Iterator[pd.DataFrame]:
    """Return the rows of a table, some at a time, as the model's columns and those to keep."""
    texts = [name for name, kind in model.columns.kinds.items() if kind == CATEGORY]
    wanted = list(dict.fromkeys([*model.columns.names, *keep]))
    return iter(read_chunks(table, wanted, as_text=texts))
