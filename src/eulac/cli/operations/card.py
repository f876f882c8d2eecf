"""`eulac card`: what a model is and how sure it is, on one page of Markdown."""

from __future__ import annotations

from pathlib import Path

import click

from eulac.cli.command_options import PATH, TableCommand, refuse_existing
from eulac.cli.output import say

__all__ = ["card"]


@click.command(cls=TableCommand, epilog="Example: eulac card birds.eulac --output birds.md")
@click.argument("model", type=PATH)
@click.option("--output", type=PATH, help="Markdown file to write. Default: printed.")
@click.option("--force", is_flag=True, help="Replace an existing output.")
def card(model: Path, output: Path | None, force: bool) -> None:
    """Write a model card of MODEL: data, classes, known share, error, warnings, versions."""
    from eulac.data.reading.drafts import replacing
    from eulac.persistence.files import load, read_manifest
    from eulac.report.model_card import model_card

    if output is not None:
        refuse_existing(output, force)
    text = model_card(load(model), read_manifest(model), model.name)
    if output is None:
        click.echo(text, nl=False)
        return
    with replacing(output) as draft:
        draft.write_text(text, encoding="utf-8")
    say(f"Model card: {output}")
