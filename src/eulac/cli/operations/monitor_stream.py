"""`eulac monitor`: batches of a stream as they come, an alarm, and metrics for Prometheus."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from eulac.cli.command_options import PATH, TABLE, TableCommand, refuse_existing, text_options
from eulac.cli.output import echo_json, percent, percent_range, print_table, say

if TYPE_CHECKING:
    from eulac.data.reading.text_format import TextFormat
    from eulac.landmark.newest_rows import StreamReport
    from eulac.tables.table_model import TableModel

__all__ = ["monitor"]

FIRST_WORDS = "# HELP eulac_"


@click.command(
    cls=TableCommand,
    epilog="Example: eulac monitor birds.eulac monday.csv --metrics birds.prom --output next.eulac",
)
@click.argument("model", type=PATH)
@click.argument("batches", type=TABLE, nargs=-1, required=True)
@click.option("--metrics", type=PATH, help="File for Prometheus, written anew after each batch.")
@click.option("--name", default="", help="Of the stream: a label of all metrics.")
@click.option("--output", type=PATH, help="Model to write, which goes on from the last batch.")
@click.option("--force", is_flag=True, help="Replace an existing output; it may be MODEL.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@text_options
def monitor(
    model: Path,
    batches: tuple[Path, ...],
    metrics: Path | None,
    name: str,
    output: Path | None,
    force: bool,
    as_json: bool,
    text: TextFormat,
) -> None:
    """Show a stream MODEL (`eulac fit --method stream`) the next BATCHES of unlabeled rows.

    After each batch: the new share and the label-free error of the newest rows, and whether rows
    unlike any before have come. An alarm is no error: the exit code stays 0, and stands in the
    metrics and in `--json`.
    """
    from eulac.persistence.files import load_table_model, save
    from eulac.tables.pool_table import read_pool_table

    if output is not None:
        refuse_existing(output, force)
    if metrics is not None:
        _refuse_other_files(metrics)
    fitted = load_table_model(model)
    _require_stream(fitted)
    reports = []
    for path in batches:
        rows = read_pool_table(fitted, path, text=text).X
        reports.append(fitted.classifier.update(rows))
        if metrics is not None:
            _write_metrics(metrics, reports[-1], fitted, name)
    if output is not None:
        save(fitted, output, overwrite=force)
    _tell(list(map(str, batches)), reports, as_json)


def _require_stream(fitted: TableModel) -> None:
    if not hasattr(fitted.classifier, "update"):
        raise click.UsageError(
            f"a monitored model must follow a stream; {type(fitted.classifier).__name__} does not. "
            "Fit one with `eulac fit --method stream`."
        )


def _refuse_other_files(path: Path) -> None:
    """Refuse to replace a file that holds anything but metrics of ours."""
    if path.is_file():
        with path.open("rb") as stream:
            begins = stream.read(len(FIRST_WORDS)) in (FIRST_WORDS.encode(), b"")
        if begins:
            return
    refuse_existing(path, False)


def _write_metrics(path: Path, report: StreamReport, fitted: TableModel, name: str) -> None:
    from eulac.data.reading.drafts import replacing
    from eulac.landmark.stream_metrics import stream_metrics

    lines = stream_metrics(report, fitted.classifier.known_classes_, name)
    with replacing(path) as draft:
        draft.write_text(lines, encoding="utf-8")


def _tell(names: list[str], reports: list[StreamReport], as_json: bool) -> None:
    found = [_plain(name, report) for name, report in zip(names, reports, strict=True)]
    if as_json:
        echo_json({"batches": found, "alarm": found[-1]["alarm"]})
        return
    rows = [
        (
            one["batch"],
            f"{one['n_seen']:,}",
            f"{percent(one['new_share'])} ({percent_range(one['new_share_interval'])})",
            percent(one["estimated_error"]),
            f"{one['p_value']:.2g}",
        )
        for one in found
    ]
    print_table(("batch", "rows so far", "new", "estimated error", "p"), rows)
    if found[-1]["alarm"]:
        first = next(one for one in found if one["alarm"])
        say(
            f"Alarm, since {first['batch']}: rows unlike any before have come. Look at them with "
            "`eulac report`, name new classes, or start anew with a pool of now."
        )


def _plain(name: str, report: StreamReport) -> dict[str, Any]:
    proportion, risk = report.proportion, report.risk
    return {
        "batch": name,
        "n_seen": report.n_seen,
        "n_window": report.n_window,
        "new_share": proportion.augmented_proportion,
        "new_share_interval": list(proportion.augmented_interval),
        "estimated_error": risk.value,
        "estimated_error_interval": list(risk.interval),
        "p_value": report.evidence.p_value,
        "alarm": report.alarm,
    }
