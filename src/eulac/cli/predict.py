"""`eulac predict`: a label, probabilities and a score of newness for every row of a table."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from eulac.cli.output import (
    echo_json,
    noted_warnings,
    percent,
    print_table,
    progress_bar,
    say,
)
from eulac.cli.sources import PATH, load_table_model, refuse_existing

if TYPE_CHECKING:
    import pandas as pd

    from eulac.tables.table_model import TableModel

__all__ = ["predict"]

LABEL, SCORE, PROBABILITY = "label", "augmented_score", "p_{}"


@click.command(epilog="Example: eulac predict birds.eulac pool.csv --output answers.csv")
@click.argument("model", type=PATH)
@click.argument("table", type=PATH)
@click.option("--output", type=PATH, required=True, help="Table to write.")
@click.option("--keep", multiple=True, metavar="COLUMN", help="Copy it over; may be repeated.")
@click.option("--force", is_flag=True, help="Replace an existing output.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object with the counts.")
def predict(
    model: Path, table: Path, output: Path, keep: tuple[str, ...], force: bool, as_json: bool
) -> None:
    """Answer every row of TABLE with a known class or 'new', by the MODEL of `eulac fit`.

    Rows keep their order. The answers are `label`, a probability `p_...` of each class where the
    method has them, and `augmented_score`, bigger for rows that look newer. Tables are read and
    written some rows at a time.
    """
    refuse_existing(output, force)
    start = time.perf_counter()
    fitted = load_table_model(model)
    with noted_warnings() as warned:
        counts = write_answers(fitted, table, output, keep=keep, overwrite=force)
    n_rows = sum(counts.values())
    result = {
        "output": str(output),
        "n_rows": n_rows,
        "counts": {str(label): counts[label] for label in fitted.classes_.tolist()},
        "seconds": round(time.perf_counter() - start, 2),
        "warnings": warned,
    }
    if as_json:
        echo_json(result)
        return
    rows = [(label, f"{n:,}", percent(n / n_rows)) for label, n in result["counts"].items()]
    print_table(("answer", "rows", "share"), rows)
    say(*(f"Warning: {warning}" for warning in warned))
    say(f"{n_rows:,} rows answered in {result['seconds']:.1f} s: {output}")


def write_answers(
    model: TableModel, table: Path, output: Path, *, keep: tuple[str, ...], overwrite: bool
) -> Counter[Any]:
    """Write the answers to a table's rows, some at a time; return how often each was given."""
    from eulac.data.preprocessing import CATEGORY
    from eulac.data.row_chunks import read_chunks, writing_table

    columns = model.columns
    texts = [name for name, kind in columns.kinds.items() if kind == CATEGORY]
    wanted = list(dict.fromkeys([*columns.names, *keep]))
    counts: Counter[Any] = Counter()
    with (
        writing_table(output, label_column=LABEL, overwrite=overwrite) as writer,
        progress_bar("predicting") as show,
    ):
        for piece in read_chunks(table, wanted, as_text=texts):
            answered = answers_frame(model, piece, str(table), keep)
            counts.update(answered[LABEL].tolist())
            writer.write(answered)
            show(counts.total(), None)
    return counts


def answers_frame(
    model: TableModel, piece: pd.DataFrame, source: str, keep: tuple[str, ...]
) -> pd.DataFrame:
    """Return the answers to rows as a table, after the columns to keep."""
    import numpy as np
    import pandas as pd

    from eulac.tables.table_answers import answers_of

    answers = answers_of(model.classifier, model.matrix(piece, source))
    columns: dict[str, Any] = {LABEL: answers.labels}
    # Seven digits: more would only look more certain.
    if answers.probabilities is not None:
        names = [PROBABILITY.format(label) for label in model.classes_.tolist()]
        columns |= dict(zip(names, answers.probabilities.T.astype(np.float32), strict=True))
    columns[SCORE] = answers.augmented_score.astype(np.float32)
    clash = [name for name in keep if name in columns]
    if clash:
        raise click.UsageError(
            f"a column to keep must not be named as an answer; {clash[0]!r} is. Rename it."
        )
    return pd.DataFrame({**{name: piece[name].to_numpy() for name in keep}, **columns})
