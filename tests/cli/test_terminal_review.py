"""Naming in the terminal, run as a shell runs it: names come from a real standard input."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from eulac.report.decision_files import read_decisions

COMMAND = ("review", "birds.eulac", "--data", "pool.csv", "--terminal", "--groups", "2")


def typed(text, *options):
    return subprocess.run(
        [sys.executable, "-m", "eulac", *COMMAND, *options],
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )


def test_names_are_asked_for_until_they_can_be_used_and_saved(birds, run):
    done = typed("augmented\nswan\n?\n")
    assert done.returncode == 0, done.stderr
    assert "Group 1 of 2" in done.stdout
    assert "'augmented' already means" in " ".join(done.stdout.split())
    assert "unsure: 1" in " ".join(done.stdout.split())
    decided = read_decisions("decisions.json")
    assert [group.decision for group in decided.groups] == ["name", "unsure"]
    assert list(decided.named()) == ["swan"]
    code, _, err = run("promote", "birds.eulac", "decisions.json", "--unlabeled", "pool.csv")
    assert (code, err) == (0, "")


def test_json_goes_out_alone_and_a_dash_rejects(birds):
    done = typed("-\n\n", "--json", "--decisions", "mine.json")
    assert json.loads(done.stdout) == {
        "decisions": "mine.json",
        "named": {},
        "rejected": 1,
        "known": 0,
        "unsure": 0,
        "undecided": 1,
    }
    assert "Group 2 of 2" in done.stderr
    assert not Path("review.html").exists()


@pytest.mark.slow
def test_input_that_ends_too_soon_saves_nothing(birds):
    done = typed("swan\n")
    assert (done.returncode, done.stderr) == (130, "Interrupted.\n")
    assert not Path("decisions.json").exists()


@pytest.mark.slow
def test_decisions_that_exist_are_not_replaced_unasked(birds):
    Path("decisions.json").write_text("{}")
    done = typed("swan\nswan\n")
    assert done.returncode == 2
    assert "not replaced unasked" in " ".join(done.stderr.split())
    assert Path("decisions.json").read_text() == "{}"
