import subprocess
import sys

import pytest

from eulac.cli import main as cli_main


def run(*arguments):
    return subprocess.run(
        [sys.executable, "-c", "from eulac.cli.main import main; main()", *arguments],
        capture_output=True,
        text=True,
    )


def test_help_lists_every_command():
    result = run("--help")
    assert result.returncode == 0
    for name in cli_main.COMMANDS:
        assert name in result.stdout


def test_version_is_printed():
    assert "version" in run("--version").stdout


def test_wrong_usage_exits_with_2_and_names_the_command():
    result = run("nonsense")
    assert result.returncode == 2
    assert "'nonsense'" in result.stderr
    assert "Traceback" not in result.stderr


def test_failed_work_exits_with_1_and_a_sentence():
    result = run("data", "fetch", "mnits")
    assert result.returncode == 1
    assert "Did you mean 'mnist'?" in result.stderr
    assert "Traceback" not in result.stderr


def test_debug_shows_the_traceback():
    result = run("--debug", "data", "fetch", "mnits")
    assert result.returncode == 1
    assert "Traceback" in result.stderr


def test_interrupt_is_said_and_exits_with_130(monkeypatch, capsys):
    def interrupted(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(cli_main.cli, "main", interrupted)
    with pytest.raises(SystemExit) as stopped:
        cli_main.main([])
    assert stopped.value.code == 130
    assert "Interrupted" in capsys.readouterr().err


def test_a_misspelled_command_is_guessed(capsys):
    with pytest.raises(SystemExit) as stop:
        cli_main.main(["fti"])
    assert stop.value.code == 2
    assert "No such command 'fti'. Did you mean 'fit'?" in capsys.readouterr().err


def test_help_imports_neither_scikit_learn_nor_pandas():
    code = (
        "import sys\nfrom eulac.cli.main import main\ntry:\n    main(['--help'])\n"
        "except SystemExit:\n    pass\n"
        "print(sorted({'sklearn', 'pandas', 'numpy', 'skops', 'rich'} & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.stdout.splitlines()[-1] == "[]"
