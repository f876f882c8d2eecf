"""Groups of trials on several processes: one writer, and no worker that outlives its master.

Each worker is at one end of a pipe. It is sent a group, sends back a record after each trial, and
ends when the pipe is closed, be it because the master was killed. A worker that dies leaves failed
records of the trials it did not finish, and another one takes its place.
"""

import multiprocessing
import signal
from collections.abc import Iterator, Mapping, Sequence
from multiprocessing.connection import Connection, wait
from typing import Any

from eulac.benchmark.draws import TableSource
from eulac.benchmark.measure import failure, run_group
from eulac.benchmark.records import Record
from eulac.benchmark.trial import Trial

__all__ = ["run_groups"]

Group = Sequence[Trial]
Tables = Mapping[str, TableSource]


def run_groups(groups: Sequence[Group], tables: Tables, jobs: int = 1) -> Iterator[Record]:
    """Run groups of trials and yield records as they come, in any order.

    Parameters
    ----------
    groups : sequence of sequences of Trial
    tables : mapping of TableSource
    jobs : int, default=1
        Worker processes, each with one BLAS thread; with 1 everything runs in this process.
    """
    if jobs == 1:
        for group in groups:
            yield from run_group(group, tables)
    elif groups:
        yield from _on_workers(list(groups), tables, min(jobs, len(groups)))


def _on_workers(groups: list[Group], tables: Tables, jobs: int) -> Iterator[Record]:
    waiting = list(reversed(groups))
    workers: dict[Connection, _Worker] = {}
    try:
        for _ in range(jobs):
            _put_to_work(workers, waiting, tables)
        while workers:
            for pipe in [pipe for pipe in wait(list(workers)) if isinstance(pipe, Connection)]:
                worker = workers[pipe]
                try:
                    record = pipe.recv()
                except EOFError:
                    del workers[pipe]
                    yield from worker.bury()
                    _put_to_work(workers, waiting, tables)
                    continue
                yield record
                if worker.has_finished(record) and not worker.take_next(waiting):
                    del workers[pipe]
                    worker.dismiss()
    finally:
        for worker in workers.values():
            worker.process.kill()
            worker.dismiss()


class _Worker:
    """A process, its pipe, and the trials of its group that are still to come."""

    def __init__(self, tables: Tables):
        # Not forked: threads of BLAS and of the progress bar do not survive that.
        context = multiprocessing.get_context("spawn")
        self.pipe, end = context.Pipe()
        self.process = context.Process(target=_work, args=(end, dict(tables)), daemon=True)
        self.process.start()
        end.close()
        self.unfinished: dict[str, Trial] = {}

    def take_next(self, waiting: list[Group]) -> bool:
        """Send the worker its next group, if there is one."""
        if not waiting:
            return False
        group = waiting.pop()
        self.unfinished = {trial.key: trial for trial in group}
        self.pipe.send(tuple(group))
        return True

    def has_finished(self, record: Record) -> bool:
        """Cross the trial off; return whether it was the last of its group."""
        self.unfinished.pop(record.trial.key, None)
        return not self.unfinished

    def bury(self) -> Iterator[Record]:
        """Yield failed records of what a dead worker leaves: the trial it died of is among them."""
        self.dismiss()
        reason = f"its worker process ended with exit code {self.process.exitcode}"
        for trial in self.unfinished.values():
            yield failure(trial, reason)

    def dismiss(self) -> None:
        self.pipe.close()
        self.process.join()


def _put_to_work(workers: dict[Connection, _Worker], waiting: list[Group], tables: Tables) -> None:
    if waiting:
        worker = _Worker(tables)
        worker.take_next(waiting)
        workers[worker.pipe] = worker


def _work(pipe: Any, tables: Tables) -> None:
    """Run groups until the pipe is closed."""
    # Ctrl-C reaches every process of the terminal; the master alone decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        while True:
            for record in run_group(pipe.recv(), tables):
                pipe.send(record)
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return
