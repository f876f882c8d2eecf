"""`eulac demo`: hide half of the bundled digits, train, and compare estimates with the truth."""

import json
import time
import warnings
from typing import Any

import click

__all__ = ["demo"]

NEXT_STEPS = """\
Try next on your own data:
  eulac proportion labeled.csv --unlabeled pool.csv --label-column y
  python -c "import eulac; help(eulac.EulacClassifier)"
  eulac data list
"""


@click.command()
@click.option("--seed", default=0, show_default=True, help="Draws the hidden classes and rows.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of a table.")
def demo(seed: int, as_json: bool) -> None:
    """Train on bundled digits with half of the classes hidden, and check every estimate."""
    result = run_demo(seed)
    if as_json:
        click.echo(json.dumps(result))
    else:
        _print_table(result)


def run_demo(seed: int) -> dict[str, Any]:
    """Return what the demo measures, as plain numbers."""
    from sklearn.datasets import load_digits

    from eulac import EulacClassifier
    from eulac.data.splits import draw_split
    from eulac.evaluation.metrics import evaluate

    X, y = load_digits(return_X_y=True)
    split = draw_split(X, y, n_labeled=300, n_unlabeled=700, n_test=500, random_state=seed)
    X_masked, y_masked = split.sample.as_masked()
    start = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        classifier = EulacClassifier(random_state=seed).fit(X_masked, y_masked)
    seconds = time.perf_counter() - start
    metrics = evaluate(classifier, split.X_test, split.y_test)
    low, high = classifier.proportion_.interval
    return {
        "known_classes": [int(label) for label in split.known_classes],
        "n_labeled": split.sample.n_labeled,
        "n_unlabeled": split.sample.n_unlabeled,
        "n_test": len(split.y_test),
        "known_proportion": classifier.proportion_.total,
        "known_proportion_interval": [low, high],
        "true_known_proportion": split.known_proportion,
        "estimated_error": classifier.risk_.value,
        "estimated_error_interval": list(classifier.risk_.interval),
        "true_error": 1 - metrics.accuracy,
        "macro_f1": metrics.macro_f1,
        "accuracy": metrics.accuracy,
        "auc": metrics.auc,
        "seconds": seconds,
        "warnings": [str(warning.message) for warning in caught],
    }


def _print_table(result: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console()
    known = ", ".join(map(str, result["known_classes"]))
    console.print(
        f"Digits {known} were labeled ({result['n_labeled']} rows); the others were hidden in "
        f"{result['n_unlabeled']} unlabeled rows.",
        highlight=False,
    )
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("", "estimated without labels", "true"):
        table.add_column(column, justify="left" if not column else "right")
    table.add_row(
        "known proportion",
        _with_interval(result["known_proportion"], result["known_proportion_interval"]),
        f"{result['true_known_proportion']:.3f}",
    )
    table.add_row(
        "test error",
        _with_interval(result["estimated_error"], result["estimated_error_interval"]),
        f"{result['true_error']:.3f}",
    )
    for name in ("macro_f1", "accuracy", "auc"):
        label = {"macro_f1": "macro-F1", "accuracy": "accuracy", "auc": "AUC of new rows"}[name]
        table.add_row(label, "", f"{result[name]:.3f}")
    table.add_row("seconds to fit", "", f"{result['seconds']:.1f}")
    console.print(table)
    for warning in result["warnings"]:
        console.print(f"Warning: {warning}", highlight=False)
    console.print()
    console.print(NEXT_STEPS, highlight=False, markup=False, end="", soft_wrap=True)


def _with_interval(value: float, interval: list[float]) -> str:
    return f"{value:.3f} ({interval[0]:.3f} to {interval[1]:.3f})"
