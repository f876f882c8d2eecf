"""`eulac benchmark`: run experiments; turn their records into tables, figures and the README."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from eulac.benchmark.experiments import EXPERIMENTS
from eulac.cli.command_options import GuessingChoice
from eulac.cli.output import echo_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from eulac.benchmark.experiment import Plan, Scope
    from eulac.benchmark.run_progress import Progress

__all__ = ["benchmark"]

SECONDS_BETWEEN_LINES = 60.0
"""How often a run says where it is when nobody watches."""


def _names(ctx: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> list[str]:
    """Split `--methods a,b --methods c` into names."""
    return [name.strip() for value in values for name in value.split(",") if name.strip()]


@click.group()
def benchmark() -> None:
    """Run the paper's experiments, and report what came out."""


def _list_of_experiments() -> str:
    return " ".join(f"{name}: {entry.about}." for name, entry in EXPERIMENTS.items())


@benchmark.command("run", epilog=_list_of_experiments())
@click.argument("experiment", type=GuessingChoice(tuple(EXPERIMENTS)))
@click.option("--datasets", multiple=True, callback=_names, help="Names, separated by commas.")
@click.option("--methods", multiple=True, callback=_names, help="Names, separated by commas.")
@click.option("--draws", type=click.IntRange(1), help="Draws of known classes (paper: 10).")
@click.option("--samples", type=click.IntRange(1), help="Draws of rows for each (paper: 10).")
@click.option("--seed", default=0, show_default=True, help="Another one is another experiment.")
@click.option("--jobs", type=click.IntRange(1), default=1, show_default=True, help="Processes.")
@click.option(
    "--records",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("runs.jsonl"),
    show_default=True,
    help="Where records are appended; what it holds already is not run again.",
)
@click.option("--quick", is_flag=True, help="Few draws of few rows: minutes, not comparable.")
@click.option("--retry-failed", is_flag=True, help="Run trials again that were recorded as failed.")
@click.option("--table", help="For `mine`: your table (.csv, .parquet, .npz, ...).")
@click.option("--label-column", help="For `mine`: the column of the labels.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def run_command(
    experiment: str,
    datasets: list[str],
    methods: list[str],
    draws: int | None,
    samples: int | None,
    seed: int,
    jobs: int,
    records: Path,
    quick: bool,
    retry_failed: bool,
    table: str | None,
    label_column: str | None,
    as_json: bool,
) -> None:
    """Run EXPERIMENT; stop it whenever you like, the same command goes on.

    Exits with 1 if a trial failed; `--retry-failed` runs such trials again.
    """
    from eulac.benchmark.draws import TableSource
    from eulac.benchmark.experiment import Scope
    from eulac.benchmark.run import run_trials

    if table is not None and experiment != "mine":
        raise click.UsageError("`--table` is for the experiment `mine`.")
    source = None if table is None else TableSource(table, label_column)
    plan = _plan(
        experiment,
        Scope(datasets or None, methods or None, draws, samples, quick, seed, source),
    )
    for remark in plan.remarks:
        click.echo(remark, err=True)
    with _shown_progress(experiment) as on_progress:
        done = run_trials(
            plan.trials,
            records,
            jobs=jobs,
            tables=plan.tables,
            retry_failed=retry_failed,
            on_progress=on_progress,
        )
    failed = [record for record in done if not record.ok]
    for record in failed[:5]:
        click.echo(f"failed: {record.trial!r}: {record.reason}", err=True)
    if as_json:
        echo_json({"records": str(records), "n_records": len(done), "n_failed": len(failed)})
    else:
        click.echo(f"{len(done)} records in {records}, {len(failed)} of them failed.")
        click.echo(f"Next: eulac benchmark report {records}")
    if failed:
        sys.exit(1)


def _plan(experiment: str, scope: Scope) -> Plan:
    from eulac.benchmark.draws import load_rows
    from eulac.benchmark.experiments import plan_experiment

    try:
        plan = plan_experiment(experiment, scope)
    except ValueError as error:  # a name that is none: wrong usage, and nothing has run
        raise click.UsageError(str(error)) from error
    for name, source in (plan.tables or {}).items():
        load_rows(name, source)  # a table that cannot be read is said once, not by every trial
    return plan


@contextmanager
def _shown_progress(name: str) -> Iterator[Callable[[Progress], Any]]:
    """Give a callback that draws a bar on a terminal, and prints a line a minute elsewhere."""
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        yield _Lines()
        return
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[to_go]}"),
        TextColumn("{task.fields[last]}"),
    )
    with Bar(*columns, console=console) as bar:
        task = bar.add_task(name, total=None, to_go="", last="")

        def draw(progress: Progress) -> None:
            bar.update(
                task,
                completed=progress.done,
                total=progress.total,
                to_go=_to_go(progress),
                last=_last(progress),
            )

        yield draw


class _Lines:
    """Says where the run is: at the start, once a minute, and at the end."""

    def __init__(self) -> None:
        self.last_line = float("-inf")

    def __call__(self, progress: Progress) -> None:
        now = time.monotonic()
        if now - self.last_line >= SECONDS_BETWEEN_LINES or progress.done == progress.total:
            self.last_line = now
            text = f"{progress.done} of {progress.total} trials, {_to_go(progress)}"
            click.echo(f"{text} {_last(progress)}".rstrip(), err=True)


def _to_go(progress: Progress) -> str:
    failed = f", {progress.failed} failed" if progress.failed else ""
    if progress.seconds_to_go is None:
        return f"time to go unknown{failed}"
    minutes = progress.seconds_to_go / 60
    text = f"{minutes:.1f} min" if minutes < 90 else f"{minutes / 60:.1f} h"
    return f"about {text} to go{failed}"


def _last(progress: Progress) -> str:
    if progress.record is None:
        return ""
    trial = progress.record.trial
    return f"({trial.method} on {trial.draw.dataset})"


@benchmark.command("report")
@click.argument(
    "records", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@click.option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder to write to; by default beside the records.",
)
@click.option("--no-figures", is_flag=True, help="Tables only; matplotlib is not needed then.")
@click.option("--force", is_flag=True, help="Replace an existing report.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def report_command(
    records: tuple[Path, ...], output: Path | None, no_figures: bool, force: bool, as_json: bool
) -> None:
    """Turn RECORDS (.jsonl, .jsonl.gz) into Markdown, CSV, LaTeX and figures."""
    from eulac.benchmark.records import latest, read_records
    from eulac.benchmark.summary import write_summary

    first = records[0]
    folder = output or first.with_name(f"{first.name.split('.')[0]}_report")
    if (folder / "report.md").exists() and not force:
        raise click.UsageError(f"{folder / 'report.md'} exists already. Use --force to replace it.")
    found = latest(record for path in records for record in read_records(path))
    if not found:
        raise click.ClickException(f"{first} holds no record. Run `eulac benchmark run` first.")
    written = write_summary(found, folder, figures=not no_figures)
    if as_json:
        echo_json({"n_records": len(found), "files": [str(path) for path in written]})
        return
    for path in written:
        click.echo(path)


@benchmark.command("readme")
@click.argument(
    "records", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@click.option(
    "--readme",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    default=Path("README.md"),
    show_default=True,
    help="File whose table is rewritten.",
)
@click.option("--check", is_flag=True, help="Write nothing; fail where the table is not theirs.")
def readme_command(records: tuple[Path, ...], readme: Path, check: bool) -> None:
    """Rewrite the table of numbers in the README from RECORDS of table1 and families."""
    from eulac.benchmark.readme_table import readme_table, rewrite_readme
    from eulac.benchmark.records import read_records

    found = [record for path in records for record in read_records(path)]
    if check:
        if readme_table(found) not in readme.read_text(encoding="utf-8"):
            raise click.ClickException(f"{readme} shows other numbers. Run without --check.")
        click.echo(f"{readme} shows what the records say.")
        return
    changed = rewrite_readme(readme, found)
    click.echo(f"{readme} {'rewritten' if changed else 'shows what the records say already'}.")
