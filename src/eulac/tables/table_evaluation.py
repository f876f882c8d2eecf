"""What a model's answers to a table are worth where the labels are known."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import confusion_matrix, precision_recall_fscore_support

from eulac.classifier.own_answers import own_answers_of
from eulac.data.reading.text_format import SNIFFED, TextFormat
from eulac.data.table_formats import listed
from eulac.evaluation.metrics import LacMetrics, evaluate_answers
from eulac.tables.label_free_error import seen_rows_warnings
from eulac.tables.labeled_tables import read_table_for
from eulac.tables.table_model import TableModel

__all__ = ["TableEvaluation", "evaluate_table"]

Codes = NDArray[np.intp]


@dataclass(frozen=True)
class TableEvaluation:
    """Metrics over all rows, and precision, recall, F1 and number of rows of each class.

    `confusion` counts the rows of each true class, from top to bottom, by their answers, from left
    to right; classes are in the order of `classes`, new rows last.
    """

    n_rows: int
    metrics: LacMetrics
    classes: list[dict[str, Any]]
    confusion: list[list[int]]
    notes: list[str]
    warnings: list[str]
    n_held_out: int = 0
    """Rows of the pool the model was fitted on: models that have not seen them answered."""


def evaluate_table(
    model: TableModel,
    labeled: Path,
    label_column: str | None = None,
    *,
    text: TextFormat = SNIFFED,
) -> TableEvaluation:
    """Compare a model's answers with the true labels of a table.

    A label the model does not know counts as new. Rows without a label are left out. Rows of the
    pool the model was fitted on are answered as `write_answers` does: by models that have not seen
    them.

    Parameters
    ----------
    model : TableModel
    labeled : Path
    label_column : str, optional
        By default the one the model learned from.
    text : TextFormat, optional
        As in `read_table`.
    """
    table, unseen = read_table_for(model, labeled, label_column, text=text)
    notes = [*table.notes]
    if unseen:
        notes.append(f"Not known to the model, and counted as new: {listed(unseen)}.")
    if len(table.unlabeled):
        notes.append(f"{len(table.unlabeled):,} rows of {labeled} have a blank label: left out.")
    X = model.matrix(table.features, str(labeled))
    answers, is_held_out = own_answers_of(model.classifier, X)
    codec = model.codec_
    metrics = evaluate_answers(codec, table.y, answers.labels, answers.augmented_score)
    true, answered = codec.encode(table.y), codec.encode(answers.labels)
    codes = np.arange(codec.n_known_classes + 1)
    matrix = confusion_matrix(true, answered, labels=codes).tolist()
    by_class = _by_class(model, true, answered)
    warnings = seen_rows_warnings(model, X)
    return TableEvaluation(
        len(X), metrics, by_class, matrix, notes, warnings, int(is_held_out.sum())
    )


def _by_class(model: TableModel, true: Codes, predicted: Codes) -> list[dict[str, Any]]:
    codec = model.codec_
    codes = np.arange(codec.n_known_classes + 1)
    numbers = precision_recall_fscore_support(true, predicted, labels=codes, zero_division=0.0)
    keys = ("precision", "recall", "f1", "rows")
    labels = codec.all_labels.tolist()
    return [
        {"label": label, **dict(zip(keys, values, strict=True))}
        for label, *values in zip(labels, *(n.tolist() for n in numbers), strict=True)
    ]
