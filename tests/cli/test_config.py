import click
import pytest
from click.testing import CliRunner

from eulac.cli.config import with_config


@pytest.fixture
def invoke(tmp_path):
    """Run a small command with a config file of the given text; return code and output."""

    @click.command(name="greet")
    @click.argument("whom", default="nobody")
    @click.option("--how-often", type=int, default=1)
    @click.option("--word", multiple=True)
    def greet(whom, how_often, word):
        click.echo(f"{whom} {how_often} {list(word)}")

    def run_command(text, *arguments):
        path = tmp_path / "eulac.toml"
        path.write_text(text)
        result = CliRunner().invoke(with_config(greet), ["--config", str(path), *arguments])
        return result.exit_code, result.output

    return run_command


def test_the_file_gives_defaults_of_options_and_arguments(invoke):
    text = '[greet]\nwhom = "owl"\nhow-often = 3\nword = ["hu", "hoo"]'
    assert invoke(text) == (0, "owl 3 ['hu', 'hoo']\n")


def test_the_line_wins_over_the_file(invoke):
    assert invoke('[greet]\nhow-often = 3\nwhom = "owl"', "hen", "--how-often", "5") == (
        0,
        "hen 5 []\n",
    )


def test_underscores_are_as_good_as_dashes(invoke):
    assert invoke("[greet]\nhow_often = 2") == (0, "nobody 2 []\n")


def test_tables_of_other_commands_are_left_alone(invoke):
    assert invoke("[fit]\nseed = 7") == (0, "nobody 1 []\n")


@pytest.mark.parametrize(
    ("text", "piece"),
    [
        ("[greet]\nhow-oftn = 2", "got 'how-oftn'. Did you mean 'how-often'?"),
        ("[greet]\nhow-often = [1, 2]", "must be one value; got [1, 2]"),
        ("[greet.whom]\na = 1", "must be one value; got {'a': 1}"),
        ("greet = 3", "must be a table, as [greet]; got 3"),
        ("[greet", "must be a TOML file"),
    ],
)
def test_files_that_do_not_fit_say_so(invoke, text, piece):
    code, output = invoke(text)
    assert code == 2
    assert piece in " ".join(output.split())


def test_a_missing_file_is_said():
    command = with_config(click.Command("greet"))
    result = CliRunner().invoke(command, ["--config", "nowhere.toml"])
    assert result.exit_code == 2
    assert "must name a readable file" in result.output
    assert "nowhere.toml" in result.output


def test_the_option_is_added_once():
    command = with_config(with_config(click.Command("greet")))
    assert [parameter.name for parameter in command.params] == ["config"]
