"""`eulac report`: one HTML page about what is new in a table, how sure that is, and what to do."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from eulac.cli.output import echo_json, noted_warnings, say
from eulac.cli.sources import PATH, SEED, load_table_model, refuse_existing

if TYPE_CHECKING:
    from eulac.tables.table_model import TableModel

__all__ = ["image_shape_option", "page_options", "pool_of", "report"]

MAPS, METHODS = ("auto", "pca", "tsne"), ("kmeans", "hdbscan")


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


def page_options(command: Any) -> Any:
    """Add the options both pages take."""
    options = [
        click.option("--data", "table", type=PATH, required=True, help="Unlabeled rows."),
        click.option(
            "--image-shape",
            metavar="HxW",
            callback=image_shape_option,
            help="Show rows as images, as 8x8; .npz files of images say it themselves.",
        ),
        click.option("--groups", type=click.IntRange(1), help="Number of groups of new rows."),
        click.option("--grouping", type=click.Choice(METHODS), default="kmeans", show_default=True),
        click.option("--title", help="Heading of the page."),
        click.option(
            "--seed", type=SEED, default=0, show_default=True, help="Of folds and groups."
        ),
        click.option("--force", is_flag=True, help="Replace an existing page."),
        click.option("--json", "as_json", is_flag=True, help="Print one JSON object."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


@click.command(epilog="Example: eulac report birds.eulac --data pool.csv --output report.html")
@click.argument("model", type=PATH)
@click.option("--output", type=PATH, default="report.html", show_default=True, help="The page.")
@click.option("--map", type=click.Choice(MAPS), default="auto", show_default=True)
@click.option(
    "--folds",
    type=click.IntRange(0, 20),
    default=5,
    show_default=True,
    help="Refits behind errors by class; 0 leaves them out.",
)
@page_options
def report(
    model: Path,
    output: Path,
    map: str,
    folds: int,
    table: Path,
    image_shape: tuple[int, ...] | None,
    groups: int | None,
    grouping: str,
    title: str | None,
    seed: int,
    force: bool,
    as_json: bool,
) -> None:
    """Write one HTML page about a table: what is new, how sure, and the rows to look at first.

    The page needs no network. It shows the new share and its interval, the estimated error by
    class, checks that name trouble, a map, and groups of new-looking rows to name; the file it
    downloads goes to `eulac promote`.
    """
    refuse_existing(output, force)
    from eulac.report.findings import Settings
    from eulac.report.page import write_report

    start = time.perf_counter()
    fitted = load_table_model(model)
    settings = Settings(map, grouping, groups or "auto", folds, seed)
    with noted_warnings() as warned:
        X, options = pool_of(fitted, model, table, image_shape, title)
        write_report(
            fitted.classifier,
            X,
            output,
            X_labeled=fitted.X_labeled,
            y_labeled=fitted.y_labeled,
            settings=settings,
            overwrite=force,
            **options,
        )
    announce(output, len(X), time.perf_counter() - start, warned, as_json)


def pool_of(
    model: TableModel, model_path: Path, table: Path, image_shape: Any, title: str | None
) -> tuple[Any, dict[str, Any]]:
    """Return the rows of a table as the model takes them, and how a page shows them."""
    from eulac.data.tables import read_table

    read = read_table(table)
    X = model.matrix(read.features, str(table))
    if image_shape is None and read.row_shape is not None and len(read.row_shape) == 2:
        image_shape = read.row_shape
    options = {
        "shown": read.features,
        "image_shape": image_shape,
        "feature_names": model.columns.feature_names,
        "model": str(model_path),
        "pool": str(table),
    }
    return X, options if title is None else {**options, "title": title}


def announce(output: Path, n_rows: int, seconds: float, warned: list[str], as_json: bool) -> None:
    """Say that a page was written, and what to do with it."""
    result = {
        "output": str(output),
        "n_rows": n_rows,
        "seconds": round(seconds, 2),
        "warnings": warned,
    }
    if as_json:
        echo_json(result)
        return
    say(*(f"Warning: {warning}" for warning in warned))
    say(
        f"A page about {n_rows:,} rows: {output}. Open it in a browser; the decisions it downloads "
        "go to `eulac promote`."
    )
