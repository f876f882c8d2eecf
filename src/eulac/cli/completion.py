"""`eulac completion`: the script that makes a shell complete commands and options."""

import click

__all__ = ["completion"]

SHELLS = ("bash", "zsh", "fish")


@click.command(epilog='Example: eval "$(eulac completion bash)"')
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the completion script of a SHELL: bash, zsh or fish."""
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"`SHELL` must be one of {', '.join(SHELLS)}; got {shell!r}.")
    script = kind(ctx.find_root().command, {}, "eulac", "_EULAC_COMPLETE")
    # Not `source()`: for bash it starts a bash to ask for its version.
    click.echo(script.source_template % script.source_vars())
