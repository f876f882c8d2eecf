import click
import pytest
from click.testing import CliRunner

from eulac.cli.command_options import (
    GuessingChoice,
    Seconds,
    TableCommand,
    refuse_existing,
    was_typed,
)
from eulac.exceptions import TableRequestError


def result_of(work, *arguments):
    """Run a command with two options that does the given work; return code and output."""

    @click.command(cls=TableCommand)
    @click.option("--label-column")
    @click.option("--method", type=GuessingChoice(["kernel", "landmark"]), default="kernel")
    @click.option("--time-budget", type=Seconds())
    def command(**options):
        click.echo(work(**options))

    return CliRunner().invoke(command, arguments)


def test_a_typing_error_gets_a_guess():
    result = result_of(str, "--method", "kernal")
    assert result.exit_code == 2
    assert "Did you mean 'kernel'?" in " ".join(result.output.split())


@pytest.mark.parametrize("value", ["0", "-1", "soon", "nan"])
def test_a_time_span_is_greater_than_zero(value):
    result = result_of(str, f"--time-budget={value}")
    assert result.exit_code == 2
    assert f"greater than 0; got '{value}'" in " ".join(result.output.split())


def test_errors_of_the_library_name_options():
    def work(**options):
        raise ValueError("`label_column` must be one of the columns.")

    result = result_of(work)
    assert str(result.exception) == "`--label-column` must be one of the columns."


def test_to_overwrite_is_to_force():
    def work(**options):
        raise ValueError("a.csv exists. Choose another name, or pass `overwrite=True`.")

    result = result_of(work)
    assert str(result.exception) == "a.csv exists. Choose another name, or `--force`."


def test_what_a_request_leaves_open_is_wrong_usage():
    def work(**options):
        raise TableRequestError("which column? Pass `label_column`.")

    result = result_of(work)
    assert result.exit_code == 2
    assert "Pass `--label-column`" in result.output


def test_other_errors_stay_what_they_are():
    def work(**options):
        raise FileNotFoundError("`label_column` is nowhere")

    assert str(result_of(work).exception) == "`label_column` is nowhere"


@pytest.mark.parametrize(("arguments", "typed"), [((), False), (("--method", "kernel"), True)])
def test_a_default_was_not_typed(arguments, typed):
    assert result_of(lambda **options: was_typed("method"), *arguments).output == f"{typed}\n"


def test_outputs_are_refused_before_the_work_begins(tmp_path):
    path = tmp_path / "answers.csv"
    refuse_existing(path, force=False)
    path.touch()
    refuse_existing(path, force=True)
    with pytest.raises(click.UsageError, match="`--force`"):
        refuse_existing(path, force=False)
    with pytest.raises(click.UsageError, match="Create it first"):
        refuse_existing(tmp_path / "no" / "answers.csv", force=False)


def test_the_beginning_of_an_option_is_answered_with_the_whole():
    result = result_of(str, "--label", "kind")
    assert result.exit_code == 2
    said = " ".join(result.output.split())
    assert "No such option '--label'. Did you mean '--label-column'?" in said
    assert "Did you mean" not in result_of(str, "--x").output
