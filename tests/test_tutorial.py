"""The tutorial, from an empty folder: every command of the page, in its order."""

import json
import re
import shlex
import sys
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

from eulac.cli.main import cli

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "tutorial.md"
COMMANDS = re.findall(r"^\$ (.+)$", PAGE.read_text(), re.MULTILINE)

pytest.importorskip("jinja2", reason="needs the extra `report`")


def make_tables(folder, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    monkeypatch.setattr(sys, "argv", ["make_birds.py", str(folder)])
    from make_birds import main

    main()


def name_the_groups(page, target):
    """Do what the page does in the browser: give every group a name, download the file."""
    data = re.search(r'id="review-data">(.*?)</script>', page.read_text(), re.DOTALL)
    review = json.loads(data.group(1))
    groups = [
        {"decision": "name", "name": f"new {index}", "rows": rows}
        for index, rows in enumerate(review["groups"])
    ]
    kept = {name: review[name] for name in ("format", "version", "fingerprint", "n_rows")}
    target.write_text(json.dumps({**kept, "groups": groups}))


@pytest.mark.slow  # the default tries several families, in `fit` and again in `promote`
@pytest.mark.filterwarnings("ignore::eulac.exceptions.EulacWarning")
def test_every_command_of_the_tutorial_works_in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runner = CliRunner()
    for command in COMMANDS:
        program, *arguments = shlex.split(command)
        if program == "python":
            make_tables(tmp_path, monkeypatch)
            continue
        if arguments[0] == "promote":
            name_the_groups(tmp_path / "report.html", tmp_path / "decisions.json")
        result = runner.invoke(cli, arguments)
        assert result.exit_code == 0, f"{command}\n{result.output}\n{result.exception!r}"
    answers = pd.read_csv("answers.csv")
    assert len(answers) == 600
    assert "augmented" in set(answers["label"])
