"""The command `eulac`: parse, one library call, print."""

import os
import re
import signal
import sys
import threading
import traceback
from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module
from typing import Any

import click

from eulac.cli.config import with_config
from eulac.exceptions import TableRequestError

__all__ = ["cli", "main"]

COMMANDS = {
    "demo": "eulac.cli.demo:demo",
    "fit": "eulac.cli.fit:fit",
    "predict": "eulac.cli.predict:predict",
    "evaluate": "eulac.cli.evaluate:evaluate",
    "estimate-error": "eulac.cli.estimate_error:estimate_error",
    "audit": "eulac.cli.audit:audit",
    "report": "eulac.cli.report:report",
    "review": "eulac.cli.review:review",
    "promote": "eulac.cli.promote:promote",
    "export": "eulac.cli.export:export",
    "card": "eulac.cli.operations.card:card",
    "monitor": "eulac.cli.operations.monitor_stream:monitor",
    "completion": "eulac.cli.completion:completion",
    "data": "eulac.cli.data:data",
    "proportion": "eulac.cli.proportion:proportion",
    "benchmark": "eulac.cli.benchmark:benchmark",
}

PRINTERS = ("click.utils", "rich.console")
"""Modules that print; what they could not print says nothing of the work before."""


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called, so `--help` is quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order they are offered."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Import and return one command."""
        if name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[name].partition(":")
        command = getattr(import_module(module), attribute)
        return command if isinstance(command, click.Group) else with_config(command)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; of a name that is none, say which it may have been."""
        near = get_close_matches(args[0], COMMANDS, n=1)
        if near and args[0] not in COMMANDS:
            ctx.fail(f"No such command {args[0]!r}. Did you mean {near[0]!r}?")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands with the first line of their docstrings, importing none of them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, _first_line(COMMANDS[name])) for name in COMMANDS])


def _first_line(place: str) -> str:
    """Return the first line of a command's docstring, read from its source."""
    module, _, attribute = place.partition(":")
    # By hand, as all that finds or parses modules takes longer than the rest of `--help`.
    below = module.removeprefix("eulac.cli.").split(".")
    path = os.path.join(os.path.dirname(__file__), *below) + ".py"
    with open(path, encoding="utf-8") as stream:
        source = stream.read()
    found = re.search(rf'^def {attribute}\(.*?\n    """([^\n]*)', source, re.DOTALL | re.MULTILINE)
    return found[1].removesuffix('"""') if found else ""


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="eulac")
@click.option("--debug", is_flag=True, expose_value=False, help="Show the traceback of an error.")
def cli() -> None:
    """Classify into K known classes or 'new', and see how much is new, without new labels."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line: exit 2 for wrong usage, 1 for failed work, a sentence for both."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, _end_in_order)
    try:
        cli.main(args=arguments, prog_name="eulac", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("Interrupted.", err=True)
        sys.exit(130)
    except BrokenPipeError:  # whoever read has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except (ValueError, TypeError, OSError, ImportError, MemoryError) as error:
        if "--debug" in arguments:
            raise
        click.echo(f"Error: {_in_words(error)}", err=True)
        sys.exit(2 if isinstance(error, TableRequestError) else 1)


def _end_in_order(number: int, frame: Any) -> None:
    """Leave as after an error, so that drafts are removed, and say by the code why."""
    sys.exit(128 + number)


def _in_words(error: Exception) -> str:
    """Return what an error says; what the system says without its numbers."""
    if isinstance(error, MemoryError):
        if type(error) is MemoryError and error.args:  # estimated by us, before any work
            return str(error)
        return "the work needs more memory than there is. Give it fewer rows, or another method."
    if isinstance(error, OSError) and error.errno is not None and error.strerror:
        where = f": {str(error.filename)!r}" if error.filename else ""
        if isinstance(error, FileNotFoundError) and error.filename:
            return _not_there(str(error.filename))
        if _was_printing(error):
            return f"{error.strerror} while printing. The work was done; its files are there."
        return f"{error.strerror}{where}. Nothing was written; check the disk and the permissions."
    return str(error) or type(error).__name__


def _not_there(name: str) -> str:
    """Return a sentence on a file that does not exist, with the name that may have been meant."""
    folder, base = os.path.split(name)
    near = os.listdir(folder or ".") if os.path.isdir(folder or ".") else []
    close = get_close_matches(base, near, n=1)
    hint = f"Did you mean {close[0]!r}?" if close else "Check the name and the folder."
    return f"a file must exist to be read; {name!r} does not. {hint}"


def _was_printing(error: Exception) -> bool:
    """Whether an error came from the terminal or pipe that the answers are printed to."""
    frames = (frame for frame, _ in traceback.walk_tb(error.__traceback__))
    return any(frame.f_globals.get("__name__") in PRINTERS for frame in frames)
