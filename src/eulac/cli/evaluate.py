"""`eulac evaluate`: what a model's answers are worth where the labels are known."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from eulac.cli.output import echo_json, noted_warnings, percent, print_table, say
from eulac.cli.sources import PATH, labels_and_blanks, load_table_model, model_labels
from eulac.cli.sources import read_labeled as read_labels

if TYPE_CHECKING:
    from eulac.tables.table_model import TableModel

__all__ = ["evaluate"]


@click.command(epilog="Example: eulac evaluate birds.eulac test.csv --label-column species")
@click.argument("model", type=PATH)
@click.argument("labeled", type=PATH)
@click.option("--label-column", help="Default: the one the model learned from.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object with everything.")
def evaluate(model: Path, labeled: Path, label_column: str | None, as_json: bool) -> None:
    """Compare the MODEL's answers with the true labels of a LABELED table.

    A label the model does not know counts as new. Rows without a label are left out.
    """
    fitted = load_table_model(model)
    table, notes = read_labels(labeled, label_column or _learned_from(fitted, labeled))
    y, blank = labels_and_blanks(table)
    y, more = model_labels(fitted, y, f"column {table.label_column!r} of {labeled}")
    if blank.any():
        more.append(f"{blank.sum():,} rows of {labeled} have a blank label: left out.")
    frame = table.features[~blank].reset_index(drop=True)
    with noted_warnings() as warned:
        result = {"n_rows": len(frame), **measure(fitted, frame, y, str(labeled))}
    result |= {"notes": [*notes, *more], "warnings": warned}
    if as_json:
        echo_json(result)
    else:
        _print(result)


def _learned_from(model: TableModel, path: Path) -> str | None:
    """Return the model's label column; formats that know their labels need no name."""
    from eulac.data.table_formats import readable_format

    return None if readable_format(path) in ("npz", "svmlight") else model.label_column


def measure(model: TableModel, frame: Any, y: Any, source: str) -> dict[str, Any]:
    """Return the metrics of the paper, and precision and recall of every class."""
    import numpy as np
    from sklearn.metrics import precision_recall_fscore_support

    from eulac.evaluation.metrics import evaluate as lac_metrics

    X = model.matrix(frame, source)
    metrics = lac_metrics(model.classifier, X, y)
    codec = model.codec_
    true, predicted = codec.encode(y), codec.encode(model.classifier.predict(X))
    codes = np.arange(codec.n_known_classes + 1)
    numbers = precision_recall_fscore_support(true, predicted, labels=codes, zero_division=0.0)
    keys = ("precision", "recall", "f1", "rows")
    labels = codec.all_labels.tolist()
    by_class = [
        {"label": label, **dict(zip(keys, values, strict=True))}
        for label, *values in zip(labels, *(n.tolist() for n in numbers), strict=True)
    ]
    return {
        "accuracy": metrics.accuracy,
        "macro_f1": metrics.macro_f1,
        "auc": metrics.auc,
        "classes": by_class,
    }


def _print(result: dict[str, Any]) -> None:
    say(f"{result['n_rows']:,} rows with labels.", *result["notes"])
    print_table(("class", "rows", "precision", "recall", "F1"), _class_rows(result["classes"]))
    auc = result["auc"]
    new = f"AUC of new rows {auc:.3f}" if auc == auc else "no AUC: all rows are known, or all new"
    say(f"Accuracy {percent(result['accuracy'])}, macro-F1 {result['macro_f1']:.3f}, {new}.")
    say(*(f"Warning: {warning}" for warning in result["warnings"]))


def _class_rows(classes: list[dict[str, Any]]) -> Iterator[tuple[str, ...]]:
    for row in classes:
        shown = (f"{row[key]:.3f}" for key in ("precision", "recall", "f1"))
        yield str(row["label"]), f"{row['rows']:,}", *shown
