"""The command `eulac`: parse, one library call, print."""

import sys
from collections.abc import Sequence
from importlib import import_module

import click

__all__ = ["cli", "main"]

COMMANDS = {
    "demo": "eulac.cli.demo:demo",
    "data": "eulac.cli.data:data",
    "proportion": "eulac.cli.proportion:proportion",
}


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
        return getattr(import_module(module), attribute)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="eulac")
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
@click.pass_context
def cli(ctx: click.Context, debug: bool) -> None:
    """Classify into K known classes or 'new', and see how much is new, without new labels."""
    ctx.obj = {"debug": debug}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line: exit 2 for wrong usage, 1 for failed work, a sentence for both."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    try:
        cli.main(args=arguments, prog_name="eulac", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("Interrupted.", err=True)
        sys.exit(130)
    except (ValueError, TypeError, OSError, ImportError) as error:
        if "--debug" in arguments:
            raise
        click.echo(f"Error: {error}", err=True)
        sys.exit(1)
