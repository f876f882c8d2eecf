"""What options and commands have in common: types of values, outputs, and names in messages."""

from __future__ import annotations

import functools
import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from eulac.exceptions import TableRequestError

__all__ = [
    "LABEL_COLUMN_HELP",
    "PATH",
    "QUOTE_HELP",
    "SEED",
    "TABLE",
    "GuessingChoice",
    "Seconds",
    "Share",
    "TableCommand",
    "TableFile",
    "in_options",
    "named",
    "refuse_existing",
    "text_options",
    "was_typed",
]

PATH, SEED = click.Path(path_type=Path), click.IntRange(0, 2**32 - 1)
QUOTE_HELP = "Put ' before text that a spreadsheet would take for a formula."
LABEL_COLUMN_HELP = (
    "Default: the one named label/y/class/target/species, or the only one that the unlabeled "
    "table lacks."
)


if TYPE_CHECKING:  # older versions of click take no types
    from typing import TypeAlias

    _Choice: TypeAlias = click.Choice[str]
    _Number: TypeAlias = click.ParamType[float]
else:
    _Choice, _Number = click.Choice, click.ParamType


class GuessingChoice(_Choice):
    """One of some names; a typing error gets a guess."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the name, or fail with all of them and the likeliest."""
        from eulac.data.table_formats import did_you_mean

        if value not in self.choices:
            names, guess = ", ".join(map(repr, self.choices)), did_you_mean(value, self.choices)
            self.fail(f"{value!r} is not one of {names}.{guess}", param, ctx)
        return value


class TableFile(click.Path):
    """A table by its path; `-` is standard input, put into a file as long as the command runs."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the path of the table."""
        path = super().convert(value, param, ctx)
        if str(path) != "-":
            return path
        content = sys.stdin.buffer.read()
        if not content.strip():
            self.fail("`-` reads standard input, which is empty.", param, ctx)
        folder = tempfile.mkdtemp(prefix="eulac-")
        ctx.call_on_close(functools.partial(shutil.rmtree, folder, ignore_errors=True))
        path = _spooled(content, Path(folder))
        ctx.meta[SPOOLED] = str(path)
        return path


SPOOLED = f"{__name__}.standard_input"
"""Where a running command keeps the name of the file that holds standard input."""


def named(text: str) -> str:
    """Return a text in which the file that holds standard input is called by that name."""
    ctx = click.get_current_context(silent=True)
    spooled = None if ctx is None else ctx.meta.get(SPOOLED)
    return text if spooled is None else text.replace(spooled, "standard input")


MAGIC = {b"PAR1": ".parquet", b"PK\x03\x04": ".xlsx", b"\x1f\x8b": ".csv.gz", b"{": ".jsonl"}
"""How formats begin; all else is text with separators."""


def _spooled(content: bytes, folder: Path) -> Path:
    suffix = next((end for mark, end in MAGIC.items() if content.startswith(mark)), ".csv")
    if suffix == ".xlsx" and b".npy" in content[:100]:
        suffix = ".npz"
    path = folder / f"standard_input{suffix}"
    path.write_bytes(content)
    return path


TABLE = TableFile(path_type=Path, allow_dash=True)


def text_options(command: Any) -> Any:
    """Add the options that say how text files are written, as one parameter `text`."""

    @functools.wraps(command)
    def with_text(
        *args: Any, sep: str | None, decimal: str | None, encoding: str | None, **options: Any
    ) -> Any:
        from eulac.data.reading.text_format import TextFormat

        separator = {"tab": "\t", "\\t": "\t"}.get(sep or "", sep)
        try:
            text = TextFormat(separator, decimal, encoding)
        except ValueError as error:
            raise click.UsageError(str(error).replace("`separator`", "`--sep`")) from error
        return command(*args, text=text, **options)

    found: Any = with_text
    for name, meta, what in (
        ("--encoding", "NAME", "Encoding of text files, as latin-1."),
        ("--decimal", "MARK", "Decimal mark of text files, . or ,"),
        ("--sep", "CHAR", "What separates cells of text files, as ';' or tab."),
    ):
        found = click.option(name, metavar=meta, help=f"{what} Default: found out.")(found)
    return found


class Share(_Number):
    """A part of a whole, from 0 to 1."""

    name = "share"

    def convert(self, value: Any, param: Any, ctx: Any) -> float:
        """Return the share, or fail with a sentence."""
        try:
            share = float(value)
        except (TypeError, ValueError):
            share = -1.0
        if not 0 <= share <= 1:
            percent = f" For {share:g} % write {share / 100:g}." if 1 < share <= 100 else ""
            self.fail(f"must be a share from 0 to 1; got {value!r}.{percent}", param, ctx)
        return share


class Seconds(_Number):
    """A time span greater than zero."""

    name = "seconds"

    def convert(self, value: Any, param: Any, ctx: Any) -> float:
        """Return the number of seconds, or fail with a sentence."""
        try:
            seconds = float(value)
        except (TypeError, ValueError):
            seconds = 0.0
        if not seconds > 0:
            self.fail(f"must be a number of seconds greater than 0; got {value!r}.", param, ctx)
        return seconds


class TableCommand(click.Command):
    """A command whose errors name its options, where the library names its parameters.

    A request that leaves something open is wrong usage, exit code 2; other errors stay what they
    are.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the options; of one that is none, name those it is the beginning of."""
        try:
            return self._parsed(ctx, args)
        except click.NoSuchOption as error:
            begun = error.option_name
            every = [option for parameter in self.params for option in parameter.opts]
            longer = [option for option in every if option.startswith(begun) and len(begun) > 3]
            if not longer:
                raise
            meant = " or ".join(map(repr, longer))
            raise click.UsageError(
                f"No such option {begun!r}. Did you mean {meant}?", ctx
            ) from None

    def _parsed(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the options; where one is wrong, nothing of standard input is left behind."""
        try:
            return super().parse_args(ctx, args)
        except BaseException:
            ctx.close()
            raise

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except TableRequestError as error:
            raise click.UsageError(in_options(str(error))) from error
        except ValueError as error:
            if type(error) is not ValueError:
                raise
            raise ValueError(in_options(str(error))) from error


WORDS = {"True": "yes", "False": "no"}

FORCE = ("pass `overwrite=True`", "`--force`")


def in_options(text: str) -> str:
    """Return a text with parameters of the library called as the options of this command.

    Standard input is called by that name, too.
    """
    parameters = click.get_current_context().command.params
    names = {p.name: max(p.opts, key=len) for p in parameters if isinstance(p, click.Option)}
    text = named(text).replace(*FORCE)
    text = re.sub(r"`(\w+)", lambda found: f"`{names.get(found[1], found[1])}", text)
    return re.sub(r"`(--[\w-]+)=(True|False)`", lambda f: f"`{f[1]} {WORDS[f[2]]}`", text)


def was_typed(parameter: str) -> bool:
    """Whether an option stands on the command line, and not in a file or nowhere."""
    source = click.get_current_context().get_parameter_source(parameter)
    return source is click.core.ParameterSource.COMMANDLINE


def refuse_existing(path: Path, force: bool) -> None:
    """Refuse an output that is there, or could not be, before the work begins."""
    from eulac.data.reading.drafts import require_new_file

    try:
        require_new_file(path, overwrite=force)
    except (ValueError, FileExistsError, FileNotFoundError, PermissionError) as error:
        message = str(error).replace(*FORCE)
        raise click.UsageError(message.replace("`path`", "an output")) from error
