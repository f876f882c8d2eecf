"""`eulac data`: which named datasets are here, and getting those that are not."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from eulac.data.datasets import DatasetStatus

__all__ = ["data"]


@click.group()
def data() -> None:
    """Named datasets: list them, fetch them.

    They are looked for in the folder EULAC_DATA names, then in the user's cache.
    """


@data.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with all that is known.")
def list_command(as_json: bool) -> None:
    """List the named datasets and where they are."""
    from eulac.data.datasets import list_datasets

    statuses = list_datasets()
    if as_json:
        click.echo(json.dumps([_as_dict(status) for status in statuses], indent=2))
    else:
        _print_table(statuses)


@data.command("fetch")
@click.argument("name")
@click.option("--force", is_flag=True, help="Download again even when a file is found.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def fetch_command(name: str, force: bool, as_json: bool) -> None:
    """Download the dataset NAME from OpenML into the user's cache, and check it."""
    from eulac.data.datasets import DATASETS, DatasetStatus, fetch_dataset

    path = fetch_dataset(name, force=force)
    spec = DATASETS[name]
    if as_json:
        click.echo(json.dumps(_as_dict(DatasetStatus(name, path, spec)), indent=2))
        return
    click.echo(f"{name}: {spec.n_rows} rows x {spec.n_features} features, {spec.n_classes} classes")
    click.echo(f"file: {path}")
    if spec.remark:
        click.echo(f"note: {spec.remark}")


def _as_dict(status: DatasetStatus) -> dict[str, Any]:
    from dataclasses import asdict

    return asdict(status.spec) | {"path": None if status.path is None else str(status.path)}


def _print_table(statuses: list[DatasetStatus]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("name")
    for heading in ("rows", "features", "classes"):
        table.add_column(heading, justify="right")
    table.add_column("where", overflow="fold")
    for status in statuses:
        spec = status.spec
        sizes = [str(number) for number in (spec.n_rows, spec.n_features, spec.n_classes)]
        table.add_row(status.name, *sizes, _where(status))
    console = Console(highlight=False)
    console.print(table)
    for status in statuses:
        if status.spec.remark:
            console.print(f"{status.name}: {status.spec.remark}", markup=False)


def _where(status: DatasetStatus) -> str:
    if status.path is None:
        return "not here; can be fetched" if status.spec.openml else "not here"
    given = os.environ.get("EULAC_DATA")
    folder = "EULAC_DATA" if given and status.path.parent == Path(given) else "cache"
    return f"{folder}: {status.path.name}"
