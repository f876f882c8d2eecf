"""Listed first, run second, recorded third: what is missing in a file of records is run."""

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence

from eulac.benchmark.draws import TableSource
from eulac.benchmark.records import Record, append_records, read_records
from eulac.benchmark.run_progress import Progress, TimeToGo
from eulac.benchmark.trial import Trial, group_by_draw
from eulac.benchmark.workers import run_groups

__all__ = ["missing_trials", "run_trials"]


def run_trials(
    trials: Iterable[Trial],
    records: str | os.PathLike[str],
    *,
    jobs: int = 1,
    tables: Mapping[str, TableSource] | None = None,
    retry_failed: bool = False,
    on_progress: Callable[[Progress], object] = lambda progress: None,
) -> list[Record]:
    """Run the trials that the file of records does not hold yet, and append their records.

    May be interrupted at any point and called again. Records do not depend on the order of the
    trials nor on `jobs`, but for the seconds.

    Parameters
    ----------
    trials : iterable of Trial
    records : path
        File of JSON lines; made if need be.
    jobs : int, default=1
        Worker processes, one BLAS thread each.
    tables : mapping of TableSource, optional
        The user's own tables, by the name their trials have for them.
    retry_failed : bool, default=False
        Whether trials recorded as failed run again.
    on_progress : callable, optional
        Called with a `Progress` at the start and after each record.

    Returns
    -------
    records : list of Record
        Of all the trials asked for, old and new, in the order of the trials.

    Examples
    --------
    >>> import tempfile
    >>> from eulac.benchmark.trial import Draw
    >>> sizes = {"n_labeled": 60, "n_unlabeled": 90, "n_test": 90}
    >>> trial = Trial("table1", Draw("digits", conditions=sizes), "osnn")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     first = run_trials([trial], f"{folder}/runs.jsonl")
    ...     again = run_trials([trial], f"{folder}/runs.jsonl")
    >>> first == again
    True
    """
    if jobs < 1:
        raise ValueError(f"`jobs` must be at least 1; got {jobs!r}.")
    trials = list(dict.fromkeys(trials))
    with append_records(records) as append:
        found = {record.trial.key: record for record in read_records(records)}
        missing = missing_trials(trials, found.values(), retry_failed=retry_failed)
        to_go = TimeToGo(missing, found.values(), jobs=jobs, clock=time.monotonic)
        failed, done = 0, len(trials) - len(missing)
        on_progress(Progress(done, len(trials), failed, to_go.seconds()))
        for record in run_groups(group_by_draw(missing), tables or {}, jobs):
            append(record)
            found[record.trial.key] = Record.from_line(record.to_line())
            to_go.add(record)
            done, failed = done + 1, failed + (not record.ok)
            on_progress(Progress(done, len(trials), failed, to_go.seconds(), record))
    return [found[trial.key] for trial in trials]


def missing_trials(
    trials: Sequence[Trial], records: Iterable[Record], *, retry_failed: bool = False
) -> list[Trial]:
    """Return the trials without a record, or with a failed one that is to be tried again."""
    held = {record.trial.key for record in records if record.ok or not retry_failed}
    return [trial for trial in trials if trial.key not in held]
