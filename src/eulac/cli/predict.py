"""`eulac predict`: a label, probabilities and a score of newness for every row of a table."""

from __future__ import annotations

import time
from pathlib import Path

import click

from eulac.cli.command_options import PATH, TableCommand, refuse_existing
from eulac.cli.output import (
    echo_json,
    noted_warnings,
    percent,
    print_table,
    progress_bar,
    say,
    say_held_out,
)

__all__ = ["predict"]


@click.command(
    cls=TableCommand, epilog="Example: eulac predict birds.eulac pool.csv --output answers.csv"
)
@click.argument("model", type=PATH)
@click.argument("table", type=PATH)
@click.option("--output", type=PATH, required=True, help="Table to write.")
@click.option("--keep", multiple=True, metavar="COLUMN", help="Copy it over; may be repeated.")
@click.option(
    "--alpha",
    type=click.FloatRange(0.0, 1.0),
    metavar="SHARE",
    help="Also select new rows, on average at most this share of them wrongly.",
)
@click.option("--force", is_flag=True, help="Replace an existing output.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object with the counts.")
def predict(
    model: Path,
    table: Path,
    output: Path,
    keep: tuple[str, ...],
    alpha: float | None,
    force: bool,
    as_json: bool,
) -> None:
    """Answer every row of TABLE with a known class or 'new', by the MODEL of `eulac fit`.

    Rows keep their order. The answers are `label`, a probability `p_...` of each class where the
    method has them, and `augmented_score`, bigger for rows that look newer. Rows of the pool the
    model was fitted on are known by their values, and answered by models that have not seen them.
    Tables are read and written some rows at a time. With `--alpha` there are two more columns:
    `selected_new`, and `new_p_value`, how likely a row of a known class looks at least as new.
    """
    from eulac.persistence.files import load_table_model
    from eulac.tables.table_answers import write_answers

    refuse_existing(output, force)
    start = time.perf_counter()
    fitted = load_table_model(model)
    with noted_warnings() as warned, progress_bar("predicting") as show:
        counts, n_held_out, n_selected = write_answers(
            fitted, table, output, keep=keep, overwrite=force, alpha=alpha, progress=show
        )
    n_rows, seconds = counts.total(), round(time.perf_counter() - start, 2)
    by_label = {str(label): counts[label] for label in fitted.classes_.tolist()}
    result = {
        "output": str(output),
        "n_rows": n_rows,
        "n_held_out": n_held_out,
        "counts": by_label,
        **({} if alpha is None else {"alpha": alpha, "n_selected_new": n_selected}),
        "seconds": seconds,
        "warnings": warned,
    }
    if as_json:
        echo_json(result)
        return
    rows = [(label, f"{n:,}", percent(n / n_rows)) for label, n in by_label.items()]
    print_table(("answer", "rows", "share"), rows)
    if alpha is not None:
        say(f"{n_selected:,} rows selected as new, on average at most {alpha:.0%} of them wrongly.")
    say(*(f"Warning: {warning}" for warning in warned))
    say_held_out(n_held_out, n_rows)
    say(f"{n_rows:,} rows answered in {seconds:.1f} s: {output}")
