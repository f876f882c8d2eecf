"""A run can be stopped anywhere, by the hardest means, and its report comes out the same."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmark.tiny import tiny_trials, without_seconds
from eulac.benchmark.records import read_records
from eulac.benchmark.run import run_trials
from eulac.benchmark.summary import write_summary
from eulac.benchmark.trial import Draw, Trial

TRIALS = tiny_trials("osnn", "evm", draws=2, samples=2)
# The proportion is given: its estimate takes longer than all the rest.
TRIALS += [
    Trial("table1", trial.draw, "kernel", {"known_proportion": 0.5}) for trial in TRIALS[::2]
]

# Runs the trials in a process of its own, which kills itself after a number of records.
SCRIPT = """
import os, signal, sys
from benchmark.test_run import TRIALS
from eulac.benchmark.run import run_trials

def kill_after(limit):
    def on_progress(progress):
        if progress.record is not None:
            on_progress.seen += 1
        if on_progress.seen == limit:
            os.kill(os.getpid(), signal.SIGKILL)
    on_progress.seen = 0
    return on_progress

if __name__ == "__main__":
    run_trials(TRIALS, sys.argv[1], jobs=int(sys.argv[2]), on_progress=kill_after(int(sys.argv[3])))
"""


def run_in_process(script, records, jobs, limit, timeout=None):
    # The same package as here, wherever it is installed.
    places = [str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, places))}
    command = [sys.executable, script, str(records), str(jobs), str(limit)]
    try:
        return subprocess.run(command, env=environment, timeout=timeout, check=False).returncode
    except subprocess.TimeoutExpired:  # it was sent SIGKILL
        return -signal.SIGKILL


def summary_of(records, folder):
    paths = write_summary(read_records(records), folder)
    return {path.name: path.read_bytes() for path in paths if path.name != "origin.md"}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("undisturbed")
    records = run_trials(TRIALS, folder / "runs.jsonl")
    return records, summary_of(folder / "runs.jsonl", folder / "report")


def test_every_trial_leaves_a_record_in_the_order_asked_for(undisturbed):
    records, _ = undisturbed
    assert [record.trial for record in records] == TRIALS
    assert all(record.ok for record in records), [r.reason for r in records if not r.ok]


@pytest.mark.slow
def test_killing_the_run_at_random_points_changes_no_byte_of_the_summary(undisturbed, tmp_path):
    rng = np.random.default_rng(4)
    script, records = tmp_path / "run.py", tmp_path / "runs.jsonl"
    script.write_text(SCRIPT)
    # After a random number of records, and in the midst of the last one's line.
    code = run_in_process(script, records, jobs=1, limit=rng.integers(2, 8))
    assert code == -signal.SIGKILL
    content = records.read_bytes()
    records.write_bytes(content[: -int(rng.integers(1, 300))])
    # At a random time, be it while a worker fits.
    run_in_process(script, records, jobs=2, limit=-1, timeout=rng.uniform(2.0, 5.0))
    assert run_in_process(script, records, jobs=2, limit=-1) == 0
    assert summary_of(records, tmp_path / "report") == undisturbed[1]


@pytest.mark.slow
def test_order_and_workers_change_nothing_but_the_seconds(undisturbed, tmp_path):
    some = slice(6, 10)  # three methods on three draws
    again = run_trials(TRIALS[some][::-1], tmp_path / "runs.jsonl", jobs=2)
    for one, two in zip(undisturbed[0][some], again[::-1], strict=True):
        assert without_seconds(one) == without_seconds(two)


def test_what_is_recorded_is_not_run_again(tmp_path):
    path, seen = tmp_path / "runs.jsonl", []
    run_trials(tiny_trials("osnn"), path)
    before = path.read_bytes()
    run_trials(tiny_trials("osnn", "evm"), path, on_progress=seen.append)
    assert path.read_bytes().startswith(before)
    assert [p.record.trial.method for p in seen if p.record is not None] == ["evm"]
    assert [(p.done, p.total) for p in seen] == [(1, 2), (2, 2)]


def test_failures_stay_unless_they_are_to_be_tried_again(tmp_path):
    path = tmp_path / "runs.jsonl"
    trial = Trial("table1", Draw("digits", conditions={"n_labeled": 60}), "osnn", {"ratio": -1})
    [first] = run_trials([trial], path)
    assert first.status == "failed"
    run_trials([trial], path)
    assert len(path.read_text().splitlines()) == 1
    run_trials([trial], path, retry_failed=True)
    assert len(path.read_text().splitlines()) == 2
    assert len(read_records(path)) == 1


def test_trials_asked_for_twice_run_once(tmp_path):
    records = run_trials(tiny_trials("osnn") * 2, tmp_path / "runs.jsonl")
    assert len(records) == 1


def test_a_number_of_workers_below_one_is_refused(tmp_path):
    with pytest.raises(ValueError, match="got 0"):
        run_trials([], tmp_path / "runs.jsonl", jobs=0)
