"""How far a run is, and an honest guess of how long it still takes."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from eulac.benchmark.records import Record
from eulac.benchmark.trial import Trial

__all__ = ["Progress", "TimeToGo"]


@dataclass(frozen=True)
class Progress:
    """Where a run stands after a record.

    `seconds_to_go` is None until a first trial has been timed.
    """

    done: int
    total: int
    failed: int
    seconds_to_go: float | None
    record: Record | None = None


class TimeToGo:
    """Seconds that missing trials will take, from those that ended.

    A trial is expected to take what its method took on the same dataset under the same
    conditions, else on the same dataset, else anywhere, else what trials take on the whole. The
    sum is divided by how fast the run itself has been: seconds of work done per second passed,
    which counts workers, loading, and whoever else keeps the machine busy.

    Parameters
    ----------
    missing : iterable of Trial
    timed : iterable of Record, default=()
        Records of earlier runs.
    jobs : int, default=1
    clock : callable
        Returns the seconds now.

    Examples
    --------
    >>> from eulac.benchmark.trial import Draw
    >>> trials = [Trial("table1", Draw("usps", i), "osnn") for i in range(5)]
    >>> now = iter([0.0, 4.0])
    >>> to_go = TimeToGo(trials, jobs=2, clock=lambda: next(now))
    >>> to_go.seconds() is None
    True
    >>> to_go.add(Record(trials[0], seconds={"wall": 2.0}))
    >>> to_go.seconds()
    4.0
    """

    def __init__(
        self,
        missing: Iterable[Trial],
        timed: Iterable[Record] = (),
        *,
        jobs: int = 1,
        clock: Callable[[], float],
    ):
        self.missing = {trial.key: trial for trial in missing}
        self.jobs, self.clock, self.start = jobs, clock, clock()
        self.worked = 0.0
        self.n_ended = 0
        self._seconds: dict[tuple[object, ...], list[float]] = {}
        for record in timed:
            self._learn(record)

    def add(self, record: Record) -> None:
        """Take a trial that ended now into account."""
        self.missing.pop(record.trial.key, None)
        self.worked += record.seconds.get("wall", 0.0)
        self.n_ended += 1
        self._learn(record)

    def seconds(self) -> float | None:
        """Return the seconds to go, or None while nothing is known."""
        if not self._seconds:
            return None
        work = sum(self._expected(trial) for trial in self.missing.values())
        return work / self._speed()

    def _speed(self) -> float:
        # The first groups are under way, unseen: only trust the measured speed a little later.
        passed = self.clock() - self.start
        if self.n_ended < 4 * self.jobs or passed <= 0:
            return float(self.jobs)
        return min(max(self.worked / passed, 0.05 * self.jobs), float(self.jobs))

    def _learn(self, record: Record) -> None:
        if "wall" in record.seconds:
            for name in _kinds(record.trial):
                self._seconds.setdefault(name, []).append(record.seconds["wall"])

    def _expected(self, trial: Trial) -> float:
        known = next(name for name in _kinds(trial) if name in self._seconds)
        return fmean(self._seconds[known])


def _kinds(trial: Trial) -> Sequence[tuple[object, ...]]:
    """Return what to look a trial's seconds up by, the most telling first."""
    draw = trial.draw
    return (
        (trial.method, draw.dataset, draw.conditions),
        (trial.method, draw.dataset),
        (trial.method,),
        (),
    )
