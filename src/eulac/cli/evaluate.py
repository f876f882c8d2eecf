"""`eulac evaluate`: what a model's answers are worth where the labels are known."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from eulac.cli.command_options import PATH, TABLE, TableCommand, text_options
from eulac.cli.output import echo_json, noted_warnings, percent, print_table, say, say_held_out

if TYPE_CHECKING:
    from eulac.data.reading.text_format import TextFormat

__all__ = ["evaluate"]

MOST_CLASSES = 8
"""As many fit beside each other; of more, the commonest errors are shown."""


@click.command(
    cls=TableCommand, epilog="Example: eulac evaluate birds.eulac test.csv --label-column species"
)
@click.argument("model", type=PATH)
@click.argument("labeled", type=TABLE)
@click.option("--label-column", help="Default: the one the model learned from.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object with everything.")
@text_options
def evaluate(
    model: Path, labeled: Path, label_column: str | None, as_json: bool, text: TextFormat
) -> None:
    """Compare the MODEL's answers with the true labels of a LABELED table.

    A label the model does not know counts as new. Rows without a label are left out. Rows of the
    pool the model was fitted on are answered by models that have not seen them, as by `eulac
    predict`.
    """
    from eulac.persistence.files import load_table_model
    from eulac.tables.table_evaluation import evaluate_table

    with noted_warnings() as warned:
        found = evaluate_table(load_table_model(model), labeled, label_column, text=text)
    result = {
        "n_rows": found.n_rows,
        "n_held_out": found.n_held_out,
        "accuracy": found.metrics.accuracy,
        "macro_f1": found.metrics.macro_f1,
        "auc": found.metrics.auc,
        "classes": found.classes,
        "confusion": found.confusion,
        "notes": found.notes,
        "warnings": [*found.warnings, *warned],
    }
    if as_json:
        echo_json(result)
    else:
        _print(result)


def _print(result: dict[str, Any]) -> None:
    say(f"{result['n_rows']:,} rows with labels.", *result["notes"])
    print_table(("class", "rows", "precision", "recall", "F1"), _class_rows(result["classes"]))
    _print_confusion(result)
    auc = result["auc"]
    new = f"AUC of new rows {auc:.3f}" if auc == auc else "no AUC: all rows are known, or all new"
    say(f"Accuracy {percent(result['accuracy'])}, macro-F1 {result['macro_f1']:.3f}, {new}.")
    say_held_out(result["n_held_out"], result["n_rows"])
    say(*(f"Warning: {warning}" for warning in result["warnings"]))


def _print_confusion(result: dict[str, Any]) -> None:
    """Print how rows of each class were answered, or of many classes the commonest errors."""
    labels, counts = [str(row["label"]) for row in result["classes"]], result["confusion"]
    if len(labels) <= MOST_CLASSES:
        rows = [
            (label, *(f"{n:,}" if n else "·" for n in row))
            for label, row in zip(labels, counts, strict=True)
        ]
        print_table(("true class", *(f"→ {label}" for label in labels)), rows)
        return
    errors = [
        (n, labels[true], labels[answer])
        for true, row in enumerate(counts)
        for answer, n in enumerate(row)
        if n and true != answer
    ]
    commonest = sorted(errors, reverse=True)[:MOST_CLASSES]
    rows = [(true, answer, f"{n:,}") for n, true, answer in commonest]
    print_table(("true class", "answered", "rows"), rows)


def _class_rows(classes: list[dict[str, Any]]) -> Iterator[tuple[str, ...]]:
    for row in classes:
        numbers = (f"{row[key]:.3f}" for key in ("precision", "recall", "f1"))
        yield str(row["label"]), f"{row['rows']:,}", *numbers
