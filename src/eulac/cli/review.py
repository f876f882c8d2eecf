"""`eulac review`: a page with nothing but the groups of new-looking rows, to be named."""

from __future__ import annotations

from typing import Any

import click

from eulac.cli.command_options import TableCommand, refuse_existing
from eulac.cli.report import PageRequest, page_options, write_page

__all__ = ["review"]


@click.command(
    cls=TableCommand,
    epilog="Example: eulac review birds.eulac --data pool.csv --output review.html",
)
@page_options("review.html")
def review(**options: Any) -> None:
    """Write a page with the groups of new-looking rows, to name, merge and reject them.

    Quicker than `eulac report`, which has the groups too. The page downloads a decisions file for
    `eulac promote`.
    """
    request = PageRequest(**options)
    refuse_existing(request.output, request.force)
    from eulac.report.findings import Settings
    from eulac.report.page import write_review

    settings = Settings(n_groups=request.groups or "auto", random_state=request.seed)
    write_page(request, settings, write_review)
