"""`eulac predict`: a label, probabilities and a score of newness for every row of a table."""

from __future__ import annotations

import contextlib
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from eulac.cli.command_options import (
    PATH,
    QUOTE_HELP,
    TABLE,
    Share,
    TableCommand,
    refuse_existing,
    text_options,
)
from eulac.cli.output import (
    counted,
    echo_json,
    noted_warnings,
    percent,
    print_table,
    progress_bar,
    say,
    say_held_out,
)

if TYPE_CHECKING:
    from eulac.data.reading.text_format import TextFormat

__all__ = ["predict"]

MOST_COLUMNS = 5
"""Columns named as those that set new rows apart."""


@click.command(
    cls=TableCommand, epilog="Example: eulac predict birds.eulac pool.csv --output answers.csv"
)
@click.argument("model", type=PATH)
@click.argument("table", type=TABLE)
@click.option(
    "--output",
    type=click.Path(path_type=Path, allow_dash=True),
    required=True,
    help="Table to write; `-` prints it, and all else goes to stderr.",
)
@click.option("--keep", multiple=True, metavar="COLUMN", help="Copy it over; may be repeated.")
@click.option("--reasons", is_flag=True, help="Say of new rows which columns set them apart.")
@click.option(
    "--alpha",
    type=Share(),
    metavar="SHARE",
    help="Also select new rows, on average at most this share of them wrongly.",
)
@click.option("--quote-formulas", is_flag=True, help=QUOTE_HELP)
@click.option("--force", is_flag=True, help="Replace an existing output.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object with the counts.")
@text_options
def predict(
    model: Path,
    table: Path,
    output: Path,
    keep: tuple[str, ...],
    alpha: float | None,
    reasons: bool,
    quote_formulas: bool,
    force: bool,
    as_json: bool,
    text: TextFormat,
) -> None:
    """Answer every row of TABLE with a known class or 'new', by the MODEL of `eulac fit`.

    Rows keep their order. The answers are `label`, a probability `p_...` of each class where the
    method has them, and `augmented_score`, bigger for rows that look newer. Rows of the pool the
    model was fitted on are known by their values, and answered by models that have not seen them.
    With `--alpha` there are two more columns: `selected_new`, and `new_p_value`, how likely a row
    of a known class looks at least as new. The column that identifies rows (`eulac fit
    --id-column`) is copied. Tables are read and written some rows at a time; TABLE may be `-`,
    standard input.

    TABLE may be a folder of .parquet files: OUTPUT is one, too, with a file of answers for each,
    `new_p_value` among them where the method has it. Files answered by an earlier run are left as
    they are, so that the same command goes on where it was stopped; `--force` answers all anew.
    """
    if table.is_dir():
        asked = {"reasons": reasons, "alpha": alpha is not None, "quote-formulas": quote_formulas}
        _refuse_for_folders(output, asked)
        _predict_folder(model, table, output, keep, force, as_json)
        return
    from eulac.persistence.files import load_table_model
    from eulac.tables.table_answers import write_answers

    start = time.perf_counter()
    by_column: Counter[str] | None = Counter() if reasons else None
    with printed_if_dash(output, force) as target:
        fitted = load_table_model(model)
        with noted_warnings() as warned, progress_bar("predicting") as show:
            counts, n_held_out, n_selected = write_answers(
                fitted,
                table,
                target,
                keep=keep,
                text=text,
                overwrite=force,
                alpha=alpha,
                progress=show,
                reasons=by_column,
                quote_formulas=quote_formulas,
            )
    n_rows, seconds = counts.total(), round(time.perf_counter() - start, 2)
    by_label = {str(label): counts[label] for label in fitted.classes_.tolist()}
    result = {
        "output": str(output),
        "n_rows": n_rows,
        "n_held_out": n_held_out,
        "counts": by_label,
        **({} if by_column is None else {"new_by_column": dict(by_column.most_common())}),
        **({} if alpha is None else {"alpha": alpha, "n_selected_new": n_selected}),
        "seconds": seconds,
        "warnings": warned,
    }
    with contextlib.redirect_stdout(sys.stderr if str(output) == "-" else sys.stdout):
        _print(result, as_json)


def _refuse_for_folders(output: Path, asked: dict[str, bool]) -> None:
    """Refuse what needs all rows of a folder at once, or one table of text to write."""
    for option, is_asked in asked.items():
        if is_asked:
            raise click.UsageError(f"`--{option}` takes one table, not a folder. Leave it out.")
    if str(output) == "-" or output.is_file():
        raise click.UsageError(
            f"the answers to a folder need a folder; `--output` is {str(output)!r}. Name another."
        )


def _predict_folder(
    model: Path, folder: Path, output: Path, keep: tuple[str, ...], force: bool, as_json: bool
) -> None:
    from eulac.distributed.parquet_folder import predict_folder

    start = time.perf_counter()
    with noted_warnings() as warned, progress_bar("predicting") as show:
        counts, n_files, n_skipped = predict_folder(
            model, folder, output, keep=keep, overwrite=force, progress=show
        )
    result: dict[str, Any] = {
        "output": str(output),
        "n_files": n_files,
        "n_skipped": n_skipped,
        "n_rows": counts.total(),
        "counts": {str(label): n for label, n in sorted(counts.items())},
        "seconds": round(time.perf_counter() - start, 2),
        "warnings": warned,
    }
    if as_json:
        echo_json(result)
        return
    rows = [(label, f"{n:,}", percent(n / counts.total())) for label, n in result["counts"].items()]
    print_table(("answer", "rows", "share"), rows)
    say(*(f"Warning: {warning}" for warning in warned))
    if n_skipped:
        say(f"{n_skipped:,} of {n_files:,} files had been answered before.")
    say(f"{counts.total():,} rows of {n_files:,} files answered: {output}")


def _print(result: dict[str, Any], as_json: bool) -> None:
    if as_json:
        echo_json(result)
        return
    n_rows, warned = result["n_rows"], result["warnings"]
    by_label = result["counts"]
    rows = [(label, f"{n:,}", percent(n / n_rows)) for label, n in by_label.items()]
    rows[-1] = (f"{rows[-1][0]} (new)", *rows[-1][1:])
    print_table(("answer", "rows", "share"), rows)
    n_new = [*by_label.values()][-1]
    if result.get("new_by_column") and n_new:
        columns = [(name, n) for name, n in result["new_by_column"].items()][:MOST_COLUMNS]
        shares = ", ".join(f"{name!r} {percent(n / n_new)}" for name, n in columns)
        say(f"Columns that set new rows apart from their likeliest known class: {shares}.")
    if "alpha" in result:
        n_selected, alpha = result["n_selected_new"], result["alpha"]
        say(
            f"{n_selected:,} rows selected as new, on average at most {percent(alpha)} of them "
            "wrongly, if known classes look in deployment as they do in the labels."
        )
    say(*(f"Warning: {warning}" for warning in warned))
    say_held_out(result["n_held_out"], n_rows)
    where = "on standard output" if result["output"] == "-" else result["output"]
    say(f"{counted(n_rows, 'row', 'rows')} answered in {result['seconds']:.1f} s: {where}")


@contextlib.contextmanager
def printed_if_dash(output: Path, force: bool) -> Iterator[Path]:
    """Give the file to write; for `-` one that is printed when the block ends without an error."""
    if str(output) != "-":
        refuse_existing(output, force)
        yield output
        return
    with tempfile.TemporaryDirectory(prefix="eulac-") as folder:
        path = Path(folder, "answers.csv")
        yield path
        with path.open("rb") as stream:
            shutil.copyfileobj(stream, sys.stdout.buffer)
        sys.stdout.buffer.flush()
