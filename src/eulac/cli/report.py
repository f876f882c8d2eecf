"""`eulac report`: one HTML page about what is new in a table, how sure that is, and what to do."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
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
from eulac.cli.output import echo_json, noted_warnings, say, say_held_out

if TYPE_CHECKING:
    from eulac.data.reading.text_format import TextFormat
    from eulac.report.findings import Settings
    from eulac.tables.pool_table import PoolTable
    from eulac.tables.table_model import TableModel

__all__ = [
    "PageRequest",
    "display_options",
    "image_shape_option",
    "page_options",
    "report",
    "write_page",
]

MAPS = ("auto", "pca", "tsne")


@dataclass(frozen=True)
class PageRequest:
    """What the options of both pages ask for."""

    model: Path
    table: Path
    id_column: str | None
    output: Path
    image_shape: tuple[int, ...] | None
    groups: int | None
    title: str | None
    seed: int
    force: bool
    as_json: bool
    text: TextFormat


def image_shape_option(
    ctx: click.Context, parameter: click.Parameter, value: str | None
) -> tuple[int, ...] | None:
    """Return the sides of '8x8' or '32x32x3'."""
    if value is None:
        return None
    sides = value.lower().split("x")
    if len(sides) not in (2, 3) or not all(side.isdecimal() and int(side) for side in sides):
        raise click.BadParameter(f"must be HEIGHTxWIDTH, as 8x8, or HEIGHTxWIDTHx3; got {value!r}.")
    return tuple(map(int, sides))


def page_options(output: str) -> Callable[[Any], Any]:
    """Return a decorator that adds the options both pages take."""
    options = [
        click.argument("model", type=PATH),
        click.option("--output", type=PATH, default=output, show_default=True, help="The page."),
        click.option("--data", "table", type=TABLE, required=True, help="Unlabeled rows."),
        click.option("--id-column", help="Names rows. Default: the one `eulac fit` was told."),
        click.option(
            "--image-shape",
            metavar="HxW",
            callback=image_shape_option,
            help="Show rows as images, as 8x8; .npz files of images say it themselves.",
        ),
        click.option("--groups", type=click.IntRange(1), help="Number of groups of new rows."),
        click.option("--title", help="Heading of the page."),
        click.option(
            "--seed", type=SEED, default=0, show_default=True, help="Of folds and groups."
        ),
        click.option("--force", is_flag=True, help="Replace an existing page."),
        click.option("--json", "as_json", is_flag=True, help="Print one JSON object."),
        text_options,
    ]

    def with_options(command: Any) -> Any:
        for option in reversed(options):
            command = option(command)
        return command

    return with_options


@click.command(
    cls=TableCommand,
    epilog="Example: eulac report birds.eulac --data pool.csv --output report.html",
)
@page_options("report.html")
@click.option("--map", type=click.Choice(MAPS), default="auto", show_default=True)
@click.option(
    "--folds",
    type=click.IntRange(0, 20),
    default=5,
    show_default=True,
    help="Refits behind errors by class, where the fit has none; 0 leaves them out.",
)
def report(map: str, folds: int, **options: Any) -> None:
    """Write one HTML page about a table: what is new, how sure, and the rows to look at first.

    The page needs no network. It shows the new share and its interval, the estimated error by
    class, checks that name trouble, a map, and groups of new-looking rows to name; the file it
    downloads goes to `eulac promote`.
    """
    request = PageRequest(**options)
    refuse_existing(request.output, request.force)
    from eulac.report.findings import Settings
    from eulac.report.page import write_report

    settings = Settings(map, request.groups or "auto", folds, request.seed)
    write_page(request, settings, write_report)


def write_page(request: PageRequest, settings: Settings, write: Callable[..., Path]) -> None:
    """Write the page about a table, and say what to do with it."""
    from eulac.classifier.own_rows import held_out_rows
    from eulac.persistence.files import load_table_model
    from eulac.tables.pool_table import read_pool_table

    start = time.perf_counter()
    model = load_table_model(request.model)
    with noted_warnings() as warned:
        pool = read_pool_table(model, request.table, text=request.text)
        options = display_options(request, model, pool)
        options |= {"X_labeled": model.X_labeled, "y_labeled": model.y_labeled}
        n_held_out = int(held_out_rows(model.classifier, pool.X).found.sum())
        write(
            model.classifier,
            pool.X,
            request.output,
            settings=settings,
            overwrite=request.force,
            **options,
        )
    numbers = {"n_rows": len(pool.X), "n_held_out": n_held_out}
    _announce(request, numbers, time.perf_counter() - start, warned)


def display_options(request: PageRequest, model: TableModel, pool: PoolTable) -> dict[str, Any]:
    """Return how a page shows rows and calls files."""
    image_shape = request.image_shape
    if image_shape is None and pool.row_shape is not None and len(pool.row_shape) == 2:
        image_shape = pool.row_shape
    options = {
        "display": _named_rows(pool, request.id_column, model.columns.id_column, request.table),
        "image_shape": image_shape,
        "feature_names": model.columns.feature_names,
        "model": str(request.model),
        "pool": str(request.table),
    }
    return options if request.title is None else {**options, "title": request.title}


def _named_rows(pool: PoolTable, wanted: str | None, learned: str | None, table: Path) -> Any:
    """Return the rows under the names a column gives them, where there is such a column."""
    if wanted is not None:
        from eulac.data.preprocessing import require_columns

        require_columns(
            [wanted], list(pool.features), str(table), what="the column of ids", asked=True
        )
    name = wanted or learned
    return pool.features if name not in pool.features else pool.features.set_index(name)


def _announce(
    request: PageRequest, numbers: dict[str, int], seconds: float, warned: list[str]
) -> None:
    result = {
        "output": str(request.output),
        **numbers,
        "seconds": round(seconds, 2),
        "warnings": warned,
    }
    if request.as_json:
        echo_json(result)
        return
    say(*(f"Warning: {warning}" for warning in warned))
    say_held_out(numbers["n_held_out"], numbers["n_rows"])
    say(
        f"A page about {numbers['n_rows']:,} rows: {request.output}. Open it in a browser; the "
        "decisions it downloads go to `eulac promote`."
    )
