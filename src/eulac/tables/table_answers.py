"""What a classifier says of rows, all at once, and of the rows of a table, as another table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eulac.classifier.answering import Answers
from eulac.classifier.own_rows import augmented_margin, held_out_rows, keeps_pool
from eulac.data.preprocessing import CATEGORY
from eulac.data.row_chunks import read_chunks, writing_table
from eulac.exceptions import TableRequestError

if TYPE_CHECKING:
    import pandas as pd

    from eulac.tables.table_model import TableModel

__all__ = [
    "OwnAnswers",
    "WrittenAnswers",
    "answers_frame",
    "answers_of",
    "own_answers_of",
    "write_answers",
]

LABEL, SCORE, PROBABILITY = "label", "augmented_score", "p_{}"
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


class OwnAnswers(NamedTuple):
    """Answers, and which rows were in the fit's pool: models that have not seen them answered."""

    answers: Answers
    is_held_out: NDArray[np.bool_]


def own_answers_of(classifier: Any, X: NDArray[np.float64]) -> OwnAnswers:
    """Return answers to rows, those of the fit's own pool by models that have not seen them.

    Where the classifier keeps such answers, `augmented_score` is by how much *augmented* is
    likelier than any known class, in logs: on one scale for all rows.
    """
    answers = answers_of(classifier, X)
    if not keeps_pool(classifier) or answers.probabilities is None:
        return OwnAnswers(answers, np.zeros(len(X), dtype=bool))
    found, held_out = held_out_rows(classifier, X)
    labels, probabilities = answers.labels.copy(), answers.probabilities.copy()
    labels[found] = classifier.classes_[held_out.argmax(axis=1)]
    probabilities[found] = held_out
    return OwnAnswers(Answers(labels, probabilities, augmented_margin(probabilities)), found)


def answers_frame(
    model: TableModel, frame: pd.DataFrame, source: str, keep: Sequence[str] = ()
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
    """
    import pandas as pd

    answers, is_held_out = own_answers_of(model.classifier, model.matrix(frame, source))
    columns: dict[str, Any] = {LABEL: answers.labels}
    # Seven digits: more would only look more certain.
    if answers.probabilities is not None:
        names = [PROBABILITY.format(label) for label in model.classes_.tolist()]
        columns |= dict(zip(names, answers.probabilities.T.astype(np.float32), strict=True))
    columns[SCORE] = answers.augmented_score.astype(np.float32)
    clash = [name for name in keep if name in columns]
    if clash:
        raise TableRequestError(
            f"a column to keep must not be named as an answer; {clash[0]!r} is. Rename it."
        )
    table = pd.DataFrame({**{name: frame[name].to_numpy() for name in keep}, **columns})
    return table, int(is_held_out.sum())


class WrittenAnswers(NamedTuple):
    """How often each answer was given, and to how many rows by models that have not seen them."""

    counts: Counter[Any]
    n_held_out: int


def write_answers(
    model: TableModel,
    table: Path,
    output: Path,
    *,
    keep: Sequence[str] = (),
    overwrite: bool = False,
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
    progress : callable
        Called as ``progress(n_rows, None)`` after each piece.
    """
    texts = [name for name, kind in model.columns.kinds.items() if kind == CATEGORY]
    wanted = list(dict.fromkeys([*model.columns.names, *keep]))
    counts: Counter[Any] = Counter()
    n_held_out = 0
    with writing_table(output, label_column=LABEL, overwrite=overwrite) as writer:
        for piece in read_chunks(table, wanted, as_text=texts):
            answered, n_own = answers_frame(model, piece, str(table), keep)
            n_held_out += n_own
            counts.update(answered[LABEL].tolist())
            writer.write(answered)
            progress(counts.total(), None)
    return WrittenAnswers(counts, n_held_out)
