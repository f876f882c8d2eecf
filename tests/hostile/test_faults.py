"""A full disk, and being asked to end: a code that says so, and nothing half done."""

import os
import resource
import signal

import pytest

from hostile.kills import JOBS, left_drafts, run_in_child, write_inputs

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]
FIT, PREDICT = JOBS[0], JOBS[3]
both = pytest.mark.parametrize("job", [FIT, PREDICT], ids=["fit", "predict"])


@pytest.fixture(scope="module")
def given(tmp_path_factory):
    folder = tmp_path_factory.mktemp("inputs")
    write_inputs(folder)
    return folder


@pytest.fixture
def inputs(given, tmp_path):
    folder = tmp_path / "inputs"
    folder.mkdir()
    for path in given.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    return folder


def nothing_new(job, folder):
    return not left_drafts(folder) and not any((folder / name).exists() for name in job.targets)


def disk_of_some_bytes():
    """Let files end after a kilobyte, as on a full disk: the system refuses to write more."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))


@both
def test_a_disk_that_is_full_is_failed_work_and_leaves_nothing(job, inputs):
    assert run_in_child(job, inputs, event=-1, prepare=disk_of_some_bytes) == 1
    assert nothing_new(job, inputs)


def interruptible():
    """Let SIGINT interrupt: processes that a script starts in the background ignore it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@both
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
@pytest.mark.parametrize("event", [1, 3])
def test_whoever_asks_for_the_end_gets_it_in_order(job, number, code, event, inputs):
    found = run_in_child(job, inputs, event=event, number=number, prepare=interruptible)
    assert found == code
    assert nothing_new(job, inputs)
