"""`eulac estimate-error`: the test error in a pool, without a label there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from eulac.cli.command_options import (
    PATH,
    SEED,
    TABLE,
    TableCommand,
    refuse_existing,
    text_options,
)
from eulac.cli.output import (
    echo_json,
    noted_warnings,
    percent,
    percent_range,
    print_table,
    progress_bar,
    say,
    say_held_out,
)

if TYPE_CHECKING:
    from eulac.data.reading.text_format import TextFormat
    from eulac.tables.table_model import TableModel

__all__ = ["estimate_error"]

INTERVALS = {
    "new": "the rows of the table themselves",
    "estimated_error": "the traffic the rows came from",
}
"""What the intervals of a batch are about."""

PICTURES = (".png", ".svg", ".pdf")

STORED = "The estimate of the fit, from rows held out there; for another pool name its table."


@click.command(
    "estimate-error",
    cls=TableCommand,
    epilog="Example: eulac estimate-error birds.eulac monday.csv tuesday.csv --plot days.png",
)
@click.argument("model", type=PATH)
@click.argument("batches", type=TABLE, nargs=-1)
@click.option("--labeled", type=TABLE, help="Rows of known classes the model did not learn from.")
@click.option("--unlabeled", "pool", type=TABLE, help="Rows from where it is deployed.")
@click.option("--label-column", help="Default: the one the model learned from.")
@click.option("--plot", type=PATH, help="Draw the batches: a .png, .svg or .pdf file to write.")
@click.option("--force", is_flag=True, help="Replace an existing plot.")
@click.option("--seed", type=SEED, default=0, show_default=True, help="Draws folds and resamples.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object with everything.")
@text_options
def estimate_error(
    model: Path,
    batches: tuple[Path, ...],
    labeled: Path | None,
    pool: Path | None,
    label_column: str | None,
    plot: Path | None,
    force: bool,
    seed: int,
    as_json: bool,
    text: TextFormat,
) -> None:
    """Estimate the MODEL's test error in unlabeled rows.

    Without tables: the estimate made when it was fitted. With BATCHES, tables of unlabeled rows:
    the new share and the error in each, by the labeled rows the fit held out; no label of their
    time is needed. With fresh labeled rows of the known classes and a pool: the error there, the
    pool's known share estimated anew.
    """
    if labeled is not None and (pool is None or batches):
        raise click.UsageError(
            "`--labeled` needs `--unlabeled` and no batches: fresh labels belong to one pool. Add "
            "the one, or leave out `--labeled`."
        )
    if labeled is None and pool is not None:
        batches, pool = (*batches, pool), None
    if plot is not None:
        if not batches:
            raise click.UsageError("`--plot` draws batches; got none. Name tables of rows.")
        if plot.suffix.lower() not in PICTURES:
            raise click.UsageError(
                f"`--plot` must end in one of {', '.join(PICTURES)}; got {str(plot)!r}. Name it so."
            )
        refuse_existing(plot, force)
    from eulac.persistence.files import load_table_model

    fitted = load_table_model(model)
    if batches:
        result = _batches(fitted, batches, seed, plot, text)
    elif labeled is not None and pool is not None:
        result = _with_labels(fitted, labeled, pool, label_column, seed, text)
    else:
        result = _stored(fitted, model)
    if as_json:
        echo_json(result)
    elif batches:
        _print_batches(result)
    else:
        _print(result)


def _with_labels(
    fitted: TableModel,
    labeled: Path,
    pool: Path,
    label_column: str | None,
    seed: int,
    text: TextFormat,
) -> dict[str, Any]:
    from eulac.tables.label_free_error import table_error

    with noted_warnings() as warned:
        error = table_error(fitted, labeled, pool, label_column, random_state=seed, text=text)
    names = "n_labeled", "n_unlabeled", "n_held_out"
    result = {name: getattr(error, name) for name in names}
    result |= _numbers(error.risk, error.proportion)
    return result | {"notes": error.notes, "warnings": [*error.warnings, *warned]}


def _batches(
    fitted: TableModel, tables: tuple[Path, ...], seed: int, plot: Path | None, text: TextFormat
) -> dict[str, Any]:
    from eulac.tables.batch_tables import estimate_tables

    with noted_warnings() as warned, progress_bar("estimating", len(tables)) as show:
        found = estimate_tables(fitted, tables, random_state=seed, progress=show, text=text)
    if plot is not None:
        _drawing()(found, plot, overwrite=True)
    labels = list(map(str, fitted.codec_.all_labels.tolist()))
    rows = []
    for name, one in found:
        shares = [*one.proportion.per_class.tolist(), one.proportion.augmented_proportion]
        rows.append(
            {
                "table": name,
                "n_rows": one.n_rows,
                "n_held_out": one.n_held_out,
                **_numbers(one.risk, one.proportion),
                "shares": dict(zip(labels, shares, strict=True)),
                "answer_shares": dict(zip(labels, one.answer_shares.tolist(), strict=True)),
            }
        )
    return {
        "batches": rows,
        "intervals_are_of": INTERVALS,
        "plot": None if plot is None else str(plot),
        "warnings": [*_doubts_of_fit(fitted), *warned],
    }


def _doubts_of_fit(fitted: TableModel) -> list[str]:
    """Return what makes estimates of later rows doubtful, as far as the fit has found it out."""
    estimate = fitted.proportion_
    if estimate is None or not estimate.doubts_condition:
        return []
    return [
        "already in the pool of the fit known classes may have looked other than in the labels: "
        "intervals allow for as much here, but not for what moved since. Label some of these rows "
        "(`--labeled`)."
    ]


def _drawing() -> Any:
    try:
        from eulac.report.batch_figure import draw_batches
    except ModuleNotFoundError as error:
        if not str(error.name).startswith("matplotlib"):
            raise
        raise ImportError(
            "`--plot` needs matplotlib, which is not installed. Install it with: "
            "pip install 'eulac[report]'."
        ) from error
    return draw_batches


def _print_batches(result: dict[str, Any]) -> None:
    rows = []
    for one in result["batches"]:
        low, high = one["known_proportion_interval"]
        new = f"{percent(1 - one['known_proportion'])} ({percent_range((1 - high, 1 - low))})"
        interval = percent_range(one["estimated_error_interval"])
        error = f"{percent(one['estimated_error'])} ({interval})"
        rows.append((Path(one["table"]).name, f"{one['n_rows']:,}", new, error))
    print_table(("batch", "rows", "new", "estimated error"), rows)
    say(
        f"95 % intervals: what is new, of {INTERVALS['new']}; the error, of "
        f"{INTERVALS['estimated_error']}, which of them came being chance."
    )
    counts = [sum(one[name] for one in result["batches"]) for name in ("n_held_out", "n_rows")]
    say_held_out(*counts)
    say(*(f"Warning: {warning}" for warning in result["warnings"]))
    if result["plot"]:
        say(f"Drawn: {result['plot']}")


def _stored(model: TableModel, path: Path) -> dict[str, Any]:
    if model.risk_ is None or model.proportion_ is None:
        raise ValueError(
            f"{type(model.classifier).__name__} does not estimate its error when fitted, so "
            f"{path} holds none. Give `--labeled` and `--unlabeled` tables."
        )
    return _numbers(model.risk_, model.proportion_) | {"notes": [STORED], "warnings": []}


def _numbers(risk: Any, estimate: Any) -> dict[str, Any]:
    return {
        "estimated_error": risk.value,
        "estimated_error_interval": list(risk.interval),
        "known_proportion": estimate.total,
        "known_proportion_interval": list(estimate.interval),
    }


def _print(result: dict[str, Any]) -> None:
    say(
        f"Estimated error: {percent(result['estimated_error'])} "
        f"({percent_range(result['estimated_error_interval'])}).",
        f"Known share of the pool: {percent(result['known_proportion'])} "
        f"({percent_range(result['known_proportion_interval'])}).",
        *result["notes"],
    )
    say_held_out(result.get("n_held_out", 0), result.get("n_unlabeled", 0))
    say(*(f"Warning: {warning}" for warning in result["warnings"]))
