import subprocess
import sys

import pytest

from eulac.cli.completion import SHELLS


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_asks_eulac_itself_for_completions(shell, run):
    code, out, err = run("completion", shell)
    assert (code, err) == (0, "")
    assert "_EULAC_COMPLETE" in out
    assert f"{shell}_complete" in out


def test_another_shell_is_refused_and_the_known_ones_named(run):
    code, out, err = run("completion", "csh")
    assert (code, out) == (2, "")
    assert "'csh' is not one of 'bash', 'zsh', 'fish'" in err


def test_completion_offers_commands():
    code = "from eulac.cli.main import main; main()"
    result = subprocess.run(
        [sys.executable, "-c", code],
        env={"_EULAC_COMPLETE": "bash_complete", "COMP_WORDS": "eulac pre", "COMP_CWORD": "1"},
        capture_output=True,
        text=True,
    )
    assert result.stdout.split() == ["plain,predict"]
