"""How commands speak: wrapped sentences, narrow tables, JSON, progress where somebody watches."""

from __future__ import annotations

import json
import shutil
import sys
import textwrap
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import click

from eulac.cli.command_options import named

__all__ = [
    "ProgressBar",
    "counted",
    "echo_json",
    "noted_warnings",
    "percent",
    "percent_range",
    "print_table",
    "progress_bar",
    "say",
    "say_held_out",
]


def echo_json(result: dict[str, Any]) -> None:
    """Print one JSON object; a number that is not one becomes null."""
    text = named(json.dumps(result, default=_plain))
    if "NaN" in text or "Infinity" in text:
        text = json.dumps(json.loads(text, parse_constant=lambda name: None))
    click.echo(text)


def _plain(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else str(value)


def say(*texts: str, err: bool = False) -> None:
    """Print each text wrapped, numbers and their percent signs together; on stderr if asked."""
    for text in texts:
        lines = textwrap.wrap(
            named(text).replace(" %", "\u00a0%"), _width(), break_on_hyphens=False
        )
        click.echo("\n".join(lines).replace("\u00a0", " "), err=err)


def counted(n: int, one: str, more: str) -> str:
    """Return how many there are of what, as a table would say it.

    Examples
    --------
    >>> counted(1, "class", "classes"), counted(2000, "feature", "features")
    ('1 class', '2,000 features')
    """
    return f"{n:,} {one if n == 1 else more}"


def say_held_out(n_held_out: int, n_rows: int) -> None:
    """Say how many rows are of the fit, and who answered them."""
    if n_held_out:
        say(
            f"{n_held_out:,} of {n_rows:,} rows are unlabeled rows of the fit, or equal to some: "
            "answered by models that have not seen them."
        )


def print_table(columns: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> None:
    """Print a table of at most 80 columns, the first column flush left."""
    from rich import box
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for index, column in enumerate(columns):
        table.add_column(column, justify="right" if index else "left", overflow="fold")
    for row in rows:
        table.add_row(*map(escape, row))
    Console(highlight=False, width=_width()).print(table)


def percent(share: float) -> str:
    """Return a share in percent."""
    return f"{100 * share:.1f} %"


def percent_range(interval: Iterable[float]) -> str:
    """Return an interval of shares in percent."""
    return " to ".join(map(percent, interval))


@contextmanager
def noted_warnings() -> Iterator[list[str]]:
    """Give a list that holds, after the block, the warnings raised in it, each once."""
    notes: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield notes
    texts = (str(warning.message).partition("\n")[0] for warning in caught)
    notes += dict.fromkeys(texts)


class ProgressBar:
    """A bar with a percentage and the time to go: called with what is done, and the total."""

    def __init__(self, progress: Any, task: str, total: int | None = None) -> None:
        self.progress, self.total = progress, total
        self.bar = progress.add_task(task, total=total)

    def __call__(self, done: int, total: int | None = None) -> None:
        """Show how much is done."""
        self.progress.update(self.bar, completed=done, total=total or self.total)

    def begin(self, task: str) -> None:
        """Begin another task at zero: how long it takes does not follow from the one before."""
        self.progress.reset(self.bar, description=task)


@contextmanager
def progress_bar(task: str, total: int | None = None) -> Iterator[ProgressBar]:
    """Give a function of what is done and the total; shown on stderr if it is a terminal."""
    from rich.console import Console
    from rich.progress import Progress

    shown = sys.stderr.isatty()
    progress = Progress(console=Console(stderr=True), transient=True, disable=not shown)
    # A bar that nobody sees is not begun: rich 13.0 ends it with an empty line.
    with progress if shown else nullcontext():
        yield ProgressBar(progress, task, total)


def _width() -> int:
    return min(shutil.get_terminal_size().columns, 80)
