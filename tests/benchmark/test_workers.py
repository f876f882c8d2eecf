import os
import signal
import sys
from pathlib import Path

import pytest

from benchmark.tiny import tiny_trials
from eulac.benchmark.trial import group_by_draw
from eulac.benchmark.workers import run_groups

# Read by every worker when it starts: whoever imports EVM from then on is killed.
DEADLY = """
import os, signal, sys

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "eulac.contenders.evm":
            os.kill(os.getpid(), signal.SIGKILL)

sys.meta_path.insert(0, Finder())
"""


@pytest.fixture
def deadly_evm(tmp_path, monkeypatch):
    """Every worker that imports EVM is killed on the spot, as by a machine short of memory."""
    (tmp_path / "sitecustomize.py").write_text(DEADLY)
    paths = [str(tmp_path), str(Path(__file__).parents[1])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])


def test_a_worker_that_dies_leaves_failed_records_and_the_others_go_on(deadly_evm):
    groups = group_by_draw(tiny_trials("osnn", "evm", draws=2))
    records = list(run_groups(groups, {}, jobs=2))
    outcomes = sorted((r.trial.draw.class_draw, r.trial.method, r.status) for r in records)
    assert outcomes == [
        (draw, method, status)
        for draw in range(2)
        for method, status in (("evm", "failed"), ("osnn", "ok"))
    ]
    reasons = {record.reason for record in records if not record.ok}
    assert reasons == {f"its worker process ended with exit code {-signal.SIGKILL}"}


def test_nothing_to_run_starts_no_worker():
    assert list(run_groups([], {}, jobs=4)) == []
