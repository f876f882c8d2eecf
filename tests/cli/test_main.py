import os
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


def test_a_full_terminal_says_nothing_of_files():
    script = "from eulac.cli.main import main; main()"
    with open("/dev/full", "w") as full:
        result = subprocess.run(
            [sys.executable, "-c", script, "data", "list"], stdout=full, stderr=subprocess.PIPE
        )
    assert result.returncode == 1
    assert b"while printing. The work was done; its files are there." in result.stderr


def test_a_reader_that_has_seen_enough_is_no_error():
    reading, writing = os.pipe()
    os.close(reading)
    script = "from eulac.cli.main import main; main()"
    with os.fdopen(writing, "w") as closed:
        result = subprocess.run(
            [sys.executable, "-c", script, "data", "list"], stdout=closed, stderr=subprocess.PIPE
        )
    assert (result.returncode, result.stderr) == (1, b"")


def test_a_request_to_end_removes_drafts(tmp_path):
    script = (
        "import os, signal, sys; from pathlib import Path; from eulac.cli import main as cli_main;"
        "from eulac.data.reading.drafts import replacing\n"
        "def work(**options):\n"
        "    with replacing(Path(sys.argv[1])) as draft:\n"
        "        draft.touch(); os.kill(os.getpid(), signal.SIGTERM); signal.pause()\n"
        "cli_main.cli.main = work; cli_main.main([])"
    )
    result = subprocess.run([sys.executable, "-c", script, str(tmp_path / "note.txt")])
    assert result.returncode == 143
    assert list(tmp_path.iterdir()) == []
