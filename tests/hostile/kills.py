"""Jobs that write files, ended by SIGKILL at random moments, and what they leave behind.

A job runs in a forked process. Half of the kills come by the clock, at a random share of the time
the job takes; half at a random one of its openings, renamings and removals of files, where half
a file would come from. After each kill every file that is no draft must be whole. The next process
goes on in the same folder; what it makes in the end must be, byte for byte, what a process makes
that nobody killed (records but for their times; of a stream, its answers), with no draft left.
"""

import contextlib
import json
import os
import shutil
import signal
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import eulac
from cli.birds import write_birds
from cli.conftest import review_data
from eulac.benchmark.records import read_records
from eulac.cli.main import main
from eulac.landmark.landmark_classifier import LandmarkEulacClassifier

FILE_EVENTS = ("open", "os.rename", "os.remove", "os.truncate")
FIT = ("fit", "train.csv", "--unlabeled", "pool.csv", "--known-proportion", "0.75")
BENCHMARK = ("run", "table1", "--datasets", "digits", "--methods", "osnn", "--quick", "--draws")
N_UPDATES = 5


@dataclass(frozen=True)
class Job:
    """Something to run in a folder, and the files it makes.

    `compared` turns a file into what must be equal; a file that `grows` may have a beginning of it.
    """

    name: str
    run: Callable[[], None]
    targets: tuple[str, ...]
    compared: Callable[[Path], object] = Path.read_bytes
    grows: bool = False


@dataclass
class Outcome:
    """What a campaign found."""

    name: str
    n_kills: int = 0
    n_finished: int = 0
    n_drafts: int = 0
    damaged: list[str] = field(default_factory=list)


def command(*arguments):
    return lambda: main([*map(str, arguments)])


def records_without_seconds(path):
    kept = ("trial", "status", "metrics", "proportion", "risk", "draw")
    return [[repr(getattr(record, name)) for name in kept] for record in read_records(path)]


def run_stream():
    """Go on from the stored stream, if there is one; store it after every piece of the pool."""
    path, rng = Path("stream.eulac"), np.random.default_rng(0)
    y, centers = np.resize([0, 1, 2], 60), 6.0 * np.eye(4)
    X, pools = rng.normal(centers[y]), [rng.normal(centers[[0, 1, 2, 3] * 15]) for _ in range(6)]
    if path.exists():
        stream = eulac.load(path)
    else:
        inner = LandmarkEulacClassifier(0.7, n_landmarks=20, bandwidth=0.5, penalty=1e-3)
        stream = eulac.StreamEulacClassifier(inner, window=90, random_state=0).fit(X, y, pools[0])
        eulac.save(stream, path)
    n_done = int(Path("n_done").read_text()) if Path("n_done").exists() else 0
    # The stream is stored first: a kill between both repeats an update that is found stored.
    for index in range(n_done, N_UPDATES):
        if not Path(f"stream-{index}.eulac").exists():
            stream.update(pools[index + 1])
            eulac.save(stream, f"stream-{index}.eulac")
        os.replace(shutil.copy(f"stream-{index}.eulac", "stream.part"), path)
        Path("n_done.part").write_text(str(index + 1))
        os.replace("n_done.part", "n_done")
        stream = eulac.load(path)


def answers_of_stream(path):
    """Return what a stored stream says of rows: one that was stored and loaded has other bytes."""
    stream, rows = eulac.load(path), 6.0 * np.eye(4)
    return stream.augmented_score(rows).tobytes(), stream.proportion_.total


JOBS = (
    Job("fit", command(*FIT, "--method", "kernel", "--model", "new.eulac"), ("new.eulac",)),
    Job(
        "landmark fit",
        command(*FIT, "--method", "landmark", "--model", "new.eulac"),
        ("new.eulac",),
    ),
    Job(
        "benchmark",
        command("benchmark", *BENCHMARK, "3"),
        ("runs.jsonl",),
        records_without_seconds,
        grows=True,
    ),
    Job(
        "predict",
        command("predict", "birds.eulac", "pool.csv", "--output", "answers.csv", "--force"),
        ("answers.csv",),
    ),
    Job(
        "promote",
        command("promote", "birds.eulac", "decisions.json", "--unlabeled", "pool.csv", "--force"),
        ("birds-promoted.eulac",),
    ),
    Job(
        "stream",
        run_stream,
        tuple(f"stream-{index}.eulac" for index in range(N_UPDATES)),
        answers_of_stream,
    ),
)


def write_inputs(folder):
    """Write tables of birds, a model of them, and decisions that name its new rows."""
    write_birds(folder, 60, 80)
    with contextlib.chdir(folder), silent():
        main([*FIT, "--method", "kernel", "--model", "birds.eulac"])
        main(["review", "birds.eulac", "--data", "pool.csv", "--groups", "1"])
        data = review_data("review.html")
        Path("review.html").unlink()
        groups = [{"decision": "name", "name": "swan", "rows": rows} for rows in data["groups"]]
        content = {key: data[key] for key in ("format", "version", "fingerprint", "n_rows")}
        Path("decisions.json").write_text(json.dumps({**content, "groups": groups}))


@contextlib.contextmanager
def silent():
    with Path(os.devnull).open("w") as nothing, contextlib.redirect_stdout(nothing):
        yield


def run_in_child(
    job, folder, *, event=None, seconds=None, number=signal.SIGKILL, prepare=lambda: None
):
    """Run a job in a process of its own; return its exit code, negative if it was killed."""
    process = os.fork()
    if process == 0:
        _be_child(job, folder, event, number, prepare)
    if seconds is not None:
        time.sleep(seconds)
        os.kill(process, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def _be_child(job, folder, event, number, prepare):
    code = 1
    try:
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, 1)
        os.dup2(nothing, 2)
        os.chdir(folder)
        prepare()
        sys.addaudithook(_counter(folder, event, number))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            job.run()
        code = 0
    except SystemExit as stopped:
        code = stopped.code or 0
    finally:
        os._exit(code if isinstance(code, int) else 1)


def _counter(folder, kill_at, number):
    """Return a hook that counts what happens to files of a folder, and signals at one of them."""
    seen, here = [0], str(folder)
    tally = Path(folder).with_name("events") if kill_at is None else None

    def hook(name, arguments):
        if name not in FILE_EVENTS or not isinstance(arguments[0], (str, bytes, os.PathLike)):
            return
        if tally is not None and str(arguments[0]) == str(tally):
            return
        path = os.path.abspath(os.fsdecode(arguments[0]))
        if path.startswith(here):
            seen[0] += 1
            if seen[0] == kill_at:
                os.kill(os.getpid(), number)
            if tally is not None:
                tally.write_text(str(seen[0]))

    return hook


def left_drafts(folder):
    return [path.name for path in folder.iterdir() if path.name.startswith(".draft-")]


def damage(job, folder, expected):
    """Return what is wrong with the files a killed process has left."""
    found = []
    for name in job.targets:
        path = folder / name
        if not path.exists():
            continue
        try:
            state = job.compared(path)
        except Exception as error:  # whatever a damaged file makes of its reader
            found.append(f"{job.name}: {name} cannot be read: {error}")
            continue
        whole = expected[name]
        if state != (whole[: len(state)] if job.grows else whole):
            found.append(f"{job.name}: {name} differs from that of a process nobody killed")
    for begun in folder.glob("*.begun"):
        try:
            with np.load(begun, allow_pickle=False) as stored:
                dict(stored)
        except Exception as error:
            found.append(f"{job.name}: {begun.name} cannot be read: {error}")
    return found


def campaign(job, inputs, place, n_kills, *, seed=0, finish_every=4):
    """Kill a job so many times; return what was found. `place` is an empty folder to work in."""
    rng, outcome = np.random.default_rng(seed), Outcome(job.name)
    straight = _fresh(inputs, place / "straight")
    start = time.monotonic()
    code = run_in_child(job, straight)
    seconds, n_events = time.monotonic() - start, int((place / "events").read_text())
    if code != 0:
        raise RuntimeError(f"{job.name} must work when nobody kills it; it ended with {code}")
    expected = {name: job.compared(straight / name) for name in job.targets}
    folder = _fresh(inputs, place / "killed")
    while outcome.n_kills < n_kills:
        if rng.random() < 0.5:
            code = run_in_child(job, folder, event=int(rng.integers(1, n_events + 1)))
        else:
            code = run_in_child(job, folder, event=-1, seconds=seconds * rng.random())
        if code == -signal.SIGKILL:
            outcome.n_kills += 1
            outcome.n_drafts += len(left_drafts(folder)) > 0
        outcome.damaged += damage(job, folder, expected)
        if code == 0 or outcome.n_kills % finish_every == 0:
            outcome.damaged += _finished(job, folder, expected, code)
            outcome.n_finished += 1
            folder = _fresh(inputs, place / "killed")
    return outcome


def _finished(job, folder, expected, code):
    """Run a job to its end; return what is wrong with what it made."""
    if code != 0:
        for name in job.targets if job.name in ("fit", "landmark fit") else ():
            (folder / name).unlink(missing_ok=True)  # they refuse what is there already
        code = run_in_child(job, folder, event=-1)
    found = damage(job, folder, expected)
    if code != 0:
        found.append(f"{job.name}: after kills it ends with code {code}")
    for name in job.targets:
        if not (folder / name).exists():
            found.append(f"{job.name}: {name} is missing in the end")
        elif job.compared(folder / name) != expected[name]:
            found.append(f"{job.name}: {name} differs in the end")
    return found + [f"{job.name}: {name} is left" for name in left_drafts(folder)]


def _fresh(inputs, folder):
    shutil.rmtree(folder, ignore_errors=True)
    return Path(shutil.copytree(inputs, folder))
