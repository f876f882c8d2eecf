"""`eulac evaluate`: what a model's answers are worth where the labels are known."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from eulac.cli.command_options import PATH, TableCommand
from eulac.cli.output import echo_json, noted_warnings, percent, print_table, say

__all__ = ["evaluate"]


@click.command(
    cls=TableCommand, epilog="Example: eulac evaluate birds.eulac test.csv --label-column species"
)
@click.argument("model", type=PATH)
@click.argument("labeled", type=PATH)
@click.option("--label-column", help="Default: the one the model learned from.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object with everything.")
def evaluate(model: Path, labeled: Path, label_column: str | None, as_json: bool) -> None:
    """Compare the MODEL's answers with the true labels of a LABELED table.

    A label the model does not know counts as new. Rows without a label are left out.
    """
    from eulac.persistence.files import load_table_model
    from eulac.tables.table_evaluation import evaluate_table

    with noted_warnings() as warned:
        found = evaluate_table(load_table_model(model), labeled, label_column)
    result = {
        "n_rows": found.n_rows,
        "accuracy": found.metrics.accuracy,
        "macro_f1": found.metrics.macro_f1,
        "auc": found.metrics.auc,
        "classes": found.classes,
        "notes": found.notes,
        "warnings": warned,
    }
    if as_json:
        echo_json(result)
    else:
        _print(result)


def _print(result: dict[str, Any]) -> None:
    say(f"{result['n_rows']:,} rows with labels.", *result["notes"])
    print_table(("class", "rows", "precision", "recall", "F1"), _class_rows(result["classes"]))
    auc = result["auc"]
    new = f"AUC of new rows {auc:.3f}" if auc == auc else "no AUC: all rows are known, or all new"
    say(f"Accuracy {percent(result['accuracy'])}, macro-F1 {result['macro_f1']:.3f}, {new}.")
    say(*(f"Warning: {warning}" for warning in result["warnings"]))


def _class_rows(classes: list[dict[str, Any]]) -> Iterator[tuple[str, ...]]:
    for row in classes:
        numbers = (f"{row[key]:.3f}" for key in ("precision", "recall", "f1"))
        yield str(row["label"]), f"{row['rows']:,}", *numbers
