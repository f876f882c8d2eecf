"""Whatever moment a process is killed at, no file is damaged, and the next run goes on."""

import os
from pathlib import Path

import pytest

from hostile.kills import JOBS, Job, campaign, write_inputs

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]
on_all = pytest.mark.parametrize("job", JOBS, ids=lambda job: job.name.replace(" ", "_"))


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("inputs")
    write_inputs(folder)
    return folder


@pytest.fixture(autouse=True)
def _short_pieces(monkeypatch):
    monkeypatch.setattr("eulac.data.row_chunks.CHUNK_ROWS", 20)


@pytest.mark.parametrize("job", [JOBS[0], JOBS[3]], ids=["fit", "predict"])
def test_a_killed_process_leaves_whole_files_and_the_next_goes_on(job, inputs, tmp_path):
    outcome = campaign(job, inputs, tmp_path, n_kills=2, finish_every=2)
    assert outcome.n_kills == 2
    assert outcome.n_finished >= 1
    assert outcome.damaged == []


def write_half_then_all():
    Path("note.txt").write_text("half")
    Path("note.txt").write_text("half and half")


def stop_where_another_stopped():
    if Path("lock").exists():
        raise SystemExit(1)
    Path("lock").touch()
    Path("note.txt").write_text("whole")
    Path("lock").unlink()


@pytest.mark.parametrize(
    ("run", "words"),
    [
        (write_half_then_all, "note.txt differs"),
        pytest.param(stop_where_another_stopped, "ends with code 1", marks=pytest.mark.slow),
    ],
)
def test_work_that_leaves_half_of_it_is_noticed(run, words, tmp_path):
    (tmp_path / "empty").mkdir()
    outcome = campaign(Job("note", run, ("note.txt",)), tmp_path / "empty", tmp_path, n_kills=20)
    assert any(words in sentence for sentence in outcome.damaged)


@pytest.mark.slow
@on_all
def test_forty_kills_of_each_kind_of_work_damage_nothing(job, inputs, tmp_path):
    outcome = campaign(job, inputs, tmp_path, n_kills=40, seed=1)
    assert outcome.n_kills == 40
    assert outcome.damaged == []
