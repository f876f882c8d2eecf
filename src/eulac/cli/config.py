"""`--config file.toml` on every command: what the file says is the default, the line wins.

A file has a table per command, named as it is; keys are the long names of options, and the names
of arguments::

    [fit]
    label-column = "species"
    unlabeled = "pool.csv"
    seed = 7
"""

from __future__ import annotations

from typing import Any

import click

__all__ = ["with_config"]


def with_config(command: click.Command) -> click.Command:
    """Return the command with the option `--config`."""
    if not any(parameter.name == "config" for parameter in command.params):
        option = click.Option(
            ["--config"],
            type=click.Path(),
            is_eager=True,
            expose_value=False,
            callback=_read_defaults,
            help="TOML file with a table of options for each command.",
        )
        command.params.append(option)
    return command


def _read_defaults(ctx: click.Context, parameter: click.Parameter, path: str | None) -> None:
    if path is None:
        return
    section = _section(path, ctx.command.name or "")
    known = {_key(parameter): parameter for parameter in ctx.command.params}
    unknown = [key for key in section if key.replace("_", "-") not in known]
    if unknown:
        from eulac.data.table_formats import did_you_mean

        raise click.UsageError(
            f"keys of [{ctx.command.name}] in {path} must be options of the command; got "
            f"{unknown[0]!r}.{did_you_mean(unknown[0], known)}"
        )
    defaults: dict[str, Any] = {}
    for key, value in section.items():
        option = known[key.replace("_", "-")]
        if isinstance(value, dict) or (isinstance(value, list) and not option.multiple):
            raise click.UsageError(
                f"{key!r} of [{ctx.command.name}] in {path} must be one value; got {value!r}."
            )
        defaults[str(option.name)] = value
    ctx.default_map = {**(ctx.default_map or {}), **defaults}


def _key(parameter: click.Parameter) -> str:
    """Return the long name of an option without its dashes, or the name of an argument."""
    if isinstance(parameter, click.Argument):
        return str(parameter.name)
    return max(parameter.opts, key=len).lstrip("-")


def _section(path: str, name: str) -> dict[str, Any]:
    import tomllib

    try:
        with open(path, "rb") as stream:
            content = tomllib.load(stream)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise click.UsageError(f"{path} must be a TOML file; {error}.") from error
    except OSError as error:
        raise click.UsageError(f"`--config` must name a readable file; {error}.") from error
    section = content.get(name, {})
    if not isinstance(section, dict):
        raise click.UsageError(f"{name!r} in {path} must be a table, as [{name}]; got {section!r}.")
    return section
