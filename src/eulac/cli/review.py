"""`eulac review`: a page with nothing but the groups of new-looking rows, to be named."""

from __future__ import annotations

import time
from pathlib import Path

import click

from eulac.cli.output import noted_warnings
from eulac.cli.report import announce, page_options, pool_of
from eulac.cli.sources import PATH, load_table_model, refuse_existing

__all__ = ["review"]


@click.command(epilog="Example: eulac review birds.eulac --data pool.csv --output review.html")
@click.argument("model", type=PATH)
@click.option("--output", type=PATH, default="review.html", show_default=True, help="The page.")
@page_options
def review(
    model: Path,
    output: Path,
    table: Path,
    image_shape: tuple[int, ...] | None,
    groups: int | None,
    grouping: str,
    title: str | None,
    seed: int,
    force: bool,
    as_json: bool,
) -> None:
    """Write a page with the groups of new-looking rows, to name, merge and reject them.

    Quicker than `eulac report`, which has the groups too. The page downloads a decisions file for
    `eulac promote`.
    """
    refuse_existing(output, force)
    from eulac.report.findings import Settings
    from eulac.report.page import write_review

    start = time.perf_counter()
    fitted = load_table_model(model)
    settings = Settings(grouping=grouping, n_groups=groups or "auto", random_state=seed)
    with noted_warnings() as warned:
        X, options = pool_of(fitted, model, table, image_shape, title)
        write_review(fitted.classifier, X, output, settings=settings, overwrite=force, **options)
    announce(output, len(X), time.perf_counter() - start, warned, as_json)
