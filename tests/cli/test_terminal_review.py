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


@pytest.mark.slow
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


@pytest.mark.slow
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


def test_single_rows_are_asked_about_after_groups_and_correct_them(birds):
    done = typed("swan\nswan\nowl\n?\n.\nn\n", "--rows", "9")
    assert done.returncode == 0, done.stderr
    said = " ".join(done.stdout.split())
    assert "[swan]" in said
    assert "Single rows, the most telling first; 9 at most" in said
    decided = read_decisions("decisions.json")
    assert {name: len(rows) for name, rows in decided.named().items()}["owl"] == 1
    assert len(decided.rows_of("unsure")) == 1


@pytest.mark.slow
def test_what_answers_suggest_is_taken_over_only_if_confirmed(birds):
    sizes = []
    for agreed in "ny":
        text = "swan\n\n" + "owl\n" * 3 + f".\n{agreed}\n"
        done = typed(text, "--rows", "9", "--force")
        assert "more rows are rather owl than" in " ".join(done.stdout.split()), done.stderr
        sizes.append(len(read_decisions("decisions.json").named()["owl"]))
    assert sizes[0] == 3
    assert sizes[1] > 3


@pytest.mark.slow
def test_a_dot_at_the_first_row_leaves_groups_as_they_are(birds):
    done = typed("swan\n?\n.\n", "--rows", "9")
    assert done.returncode == 0, done.stderr
    assert [one.decision for one in read_decisions("decisions.json").groups] == ["name", "unsure"]
