"""Commands run with what they print and what they say of it kept apart, by every click."""

from inspect import signature

from click.testing import CliRunner


def runner():
    """Return a runner that keeps stderr apart; click 8.1 must be told so."""
    told = {"mix_stderr": False} if "mix_stderr" in signature(CliRunner).parameters else {}
    return CliRunner(**told)
