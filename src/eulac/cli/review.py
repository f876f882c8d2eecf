"""`eulac review`: the groups of new-looking rows, to be named on a page or in the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from eulac.cli.command_options import PATH, TableCommand, refuse_existing
from eulac.cli.report import PageRequest, page_options, write_page

__all__ = ["review"]


@click.command(
    cls=TableCommand,
    epilog="Example: eulac review birds.eulac --data pool.csv --output review.html",
)
@page_options("review.html")
@click.option("--terminal", is_flag=True, help="Name the groups here; no page is written.")
@click.option(
    "--decisions",
    type=PATH,
    default="decisions.json",
    show_default=True,
    help="With --terminal: the file for `eulac promote`.",
)
def review(terminal: bool, decisions: Path, **options: Any) -> None:
    """Write a page with the groups of new-looking rows, to name, merge and reject them.

    Quicker than `eulac report`, which has the groups too. The page downloads a decisions file for
    `eulac promote`; with --terminal, names are typed here and the file is written at once.
    """
    request = PageRequest(**options)
    if terminal:
        refuse_existing(decisions, request.force)
        from eulac.cli.terminal_review import review_in_terminal

        review_in_terminal(request, decisions)
        return
    refuse_existing(request.output, request.force)
    from eulac.report.findings import Settings
    from eulac.report.page import write_review

    settings = Settings(n_groups=request.groups or "auto", random_state=request.seed)
    write_page(request, settings, write_review)
