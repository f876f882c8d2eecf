"""One fitted model for all commands that need one."""

import contextlib
import io
import json
import re
from pathlib import Path

import pytest

from cli.birds import write_birds
from eulac.cli.main import main


@pytest.fixture(scope="session")
def fitted_birds(tmp_path_factory):
    """Return a folder with the tables of birds and a model of them, and what `fit` printed."""
    folder = tmp_path_factory.mktemp("birds")
    write_birds(folder)
    printed = io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(printed):
        fit = ["fit", "train.csv", "--unlabeled", "pool.csv", "--method", "kernel"]
        main([*fit, "--model", "birds.eulac"])
    return folder, printed.getvalue()


@pytest.fixture
def birds(fitted_birds, tmp_path, monkeypatch):
    """Go to a fresh folder with the tables and the model."""
    for path in fitted_birds[0].iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(capsys):
    """Run a command as the shell would; return its exit code, output and errors."""

    def run_command(*arguments):
        try:
            main([str(argument) for argument in arguments])
            code = 0
        except SystemExit as stopped:
            code = stopped.code
        said = capsys.readouterr()
        return code, said.out, said.err

    return run_command


def review_data(path):
    text = Path(path).read_text()
    return json.loads(re.search(r'id="review-data">(.*?)</script>', text, re.DOTALL)[1])


@pytest.fixture(scope="session")
def decisions(fitted_birds):
    """Return decisions that name the only group of new rows, as the page would write them."""
    with contextlib.chdir(fitted_birds[0]), contextlib.redirect_stdout(io.StringIO()):
        main(["review", "birds.eulac", "--data", "pool.csv", "--groups", "1"])
        data = review_data("review.html")
        Path("review.html").unlink()
    groups = [{"decision": "name", "name": "swan", "rows": rows} for rows in data["groups"]]
    content = {key: data[key] for key in ("format", "version", "fingerprint", "n_rows")}
    return json.dumps({**content, "groups": groups})


@pytest.fixture
def decided(decisions, birds):
    """Go to a fresh folder with the tables, the model and decisions about the new rows."""
    Path("decisions.json").write_text(decisions)
    return birds
