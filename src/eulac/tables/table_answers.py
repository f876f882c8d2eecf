"""What a classifier says of rows, all at once, and of the rows of a table, as another table."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from eulac.classifier.answering import Answers
from eulac.data.preprocessing import CATEGORY
from eulac.data.reading.column_watch import ColumnWatch
from eulac.data.reading.text_format import SNIFFED, TextFormat
from eulac.data.row_chunks import read_chunks, writing_table
from eulac.data.table_formats import readable_format
from eulac.data.table_scan import LONG_FORMATS, column_names
from eulac.data.tables import read_table
from eulac.exceptions import TableRequestError, UnfamiliarValuesWarning
from eulac.tables.new_row_reasons import new_row_reasons

if TYPE_CHECKING:
    import pandas as pd

    from eulac.tables.table_model import TableModel

__all__ = ["answers_frame", "answers_of", "write_answers"]

LABEL, SCORE, PROBABILITY, REASONS = "label", "augmented_score", "p_{}", "reasons"
"""Columns of a table of answers."""


def answers_of(classifier: Any, X: NDArray[np.float64]) -> Answers:
    """Return what `predict`, `predict_proba` and `augmented_score` say.

    Classifiers that can answer all three at once, in single precision, do: the labels are the
    same, the other two to about three decimals.

    Examples
    --------
    >>> from eulac.contenders.osnn import OsnnClassifier
    >>> clf = OsnnClassifier(ratio=0.5).fit([[0.0], [0.1], [5.0], [5.1]], [0, 0, 1, 1])
    >>> answers_of(clf, np.array([[0.05], [2.6]])).labels
    array([ 0, -2])
    """
    if hasattr(classifier, "answers"):
        return classifier.answers(X, quick=True)
    probabilities = classifier.predict_proba(X) if hasattr(classifier, "predict_proba") else None
    return Answers(classifier.predict(X), probabilities, classifier.augmented_score(X))


def answers_frame(
    model: TableModel,
    frame: pd.DataFrame,
    source: str,
    keep: Sequence[str] = (),
    *,
    reasons: Counter[str] | None = None,
) -> pd.DataFrame:
    """Return the answers to rows as a table, after the columns to keep.

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
    """
    import pandas as pd

    X = model.matrix(frame, source)
    answers = answers_of(model.classifier, X)
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
    clash = [name for name in keep if name in columns]
    if clash:
        raise TableRequestError(
            f"a column to keep must not be named as an answer; {clash[0]!r} is. Rename it."
        )
    return pd.DataFrame({**{name: frame[name].to_numpy() for name in keep}, **columns})


def write_answers(
    model: TableModel,
    table: Path,
    output: Path,
    *,
    keep: Sequence[str] = (),
    text: TextFormat = SNIFFED,
    overwrite: bool = False,
    progress: Callable[[int, int | None], Any] = lambda done, total: None,
    reasons: Counter[str] | None = None,
) -> Counter[Any]:
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
    progress : callable
        Called as ``progress(n_rows, None)`` after each piece.
    reasons : Counter, optional
        As in `answers_frame`.
    """
    texts = [name for name, kind in model.columns.kinds.items() if kind == CATEGORY]
    keep = _with_ids(model, table, keep, text)
    wanted = list(dict.fromkeys([*model.columns.names, *keep]))
    counts: Counter[Any] = Counter()
    watch = ColumnWatch(model.columns)
    with writing_table(output, label_column=LABEL, overwrite=overwrite) as writer:
        for piece in read_chunks(table, wanted, as_text=texts, text=text):
            answered = answers_frame(model, piece, str(table), keep, reasons=reasons)
            watch.look(piece)
            counts.update(answered[LABEL].tolist())
            writer.write(answered)
            progress(counts.total(), None)
    for sentence in watch.sentences():
        warnings.warn(sentence, UnfamiliarValuesWarning, stacklevel=2)
    return counts


def _with_ids(model: TableModel, table: Path, keep: Sequence[str], text: TextFormat) -> list[str]:
    """Return the columns to keep, the one that identifies rows first, where the table has it."""
    name = model.columns.id_column
    if name is None or name in keep:
        return list(keep)
    kind = readable_format(table)
    names = column_names(table, text) if kind in LONG_FORMATS else read_table(table).features
    return [name, *keep] if name in names else list(keep)
