"""How far a fit of several families is: each part counts by the time it is expected to take."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from eulac.classifier.fit_tasks import FitTasks, fit_tasks
from eulac.classifier.options import Progress

__all__ = ["ANSWERING", "READING", "FitProgress", "expected_seconds", "fit_progress"]

READING, ANSWERING = "reading", "answering"
"""What is done besides fitting families: the known share, and rows no family was fitted to."""

STEPS = 1000

SECONDS = {
    READING: (2.0, 0.8),
    "extra_trees": (0.2, 0.7),
    "kernel_logistic": (0.2, 0.3),
    "boosting": (0.3, 0.4),
    "neighbors": (0.1, 0.1),
    ANSWERING: (0.0, 0.1),
}
"""At least, and for each thousand rows; about, on one core. Only their ratios matter."""

OTHERS = (0.3, 0.5)
"""The same of families of the user."""

MOST_READ = 6_000
"""Rows the known share is read off; more are not looked at."""


def expected_seconds(part: str, n_rows: int) -> float:
    """Return about how long a part of a fit takes.

    Examples
    --------
    >>> expected_seconds("extra_trees", 2000)
    1.6
    >>> expected_seconds("reading", 10**6) == expected_seconds("reading", 10**5)
    True
    """
    least, per_thousand = SECONDS.get(part, OTHERS)
    n_rows = min(n_rows, MOST_READ) if part == READING else n_rows
    return round((least + per_thousand * n_rows / 1000) * bool(n_rows), 6)


class FitProgress:
    """Reports ``progress(done, total)`` as parts of a fit begin and end.

    Parameters
    ----------
    progress : callable or None
    families : iterable of str
        Names of the families to be fitted.
    n_fitted, n_rest : int
        Rows they are fitted to, and other rows to be answered.
    tasks : FitTasks, optional
        Gets the same parts as tasks, for callbacks.

    Examples
    --------
    >>> calls = []
    >>> steps = FitProgress(lambda *call: calls.append(call), ["neighbors"], 2000, 0)
    >>> steps.finished("reading")
    >>> steps.within("neighbors")(1, 2)
    >>> steps.finished("neighbors")
    >>> calls
    [(923, 1000), (962, 1000), (1000, 1000)]
    """

    def __init__(
        self,
        progress: Progress,
        families: Iterable[str],
        n_fitted: int,
        n_rest: int,
        tasks: FitTasks | None = None,
    ) -> None:
        self.progress, self.tasks = progress, tasks
        rows = {READING: n_fitted, **dict.fromkeys(families, n_fitted), ANSWERING: n_rest}
        self.seconds = {part: expected_seconds(part, n) for part, n in rows.items()}
        self.done = 0.0

    def within(self, part: str) -> Callable[[int, int | None], None]:
        """Return what takes ``(done, total)`` of a part that is going on."""

        def show(done: int, total: int | None) -> None:
            self._report(self.done + self.seconds.get(part, 0.0) * done / max(total or 1, 1))

        return show

    def begun(self, part: str) -> Callable[[int, int | None], None]:
        """Note that a part which is no family begins; return what `within` returns."""
        if self.tasks is not None:
            self.tasks.begin(part)
        return self.within(part)

    def fitting(self, part: str, model: Any) -> AbstractContextManager[None]:
        """Return what goes around the fit of a family, so that its steps are told as well."""
        return nullcontext() if self.tasks is None else self.tasks.fitting(model, part)

    def finished(self, part: str) -> None:
        """Note that a part has ended."""
        if self.tasks is not None:
            self.tasks.end()
        self.done += self.seconds.get(part, 0.0)
        self._report(self.done)

    def ended(self) -> None:
        """Note that all is done, also where there was no time for some families."""
        self._report(sum(self.seconds.values()))

    def _report(self, seconds: float) -> None:
        if self.progress is not None:
            whole = max(sum(self.seconds.values()), 1e-9)
            self.progress(min(round(STEPS * seconds / whole), STEPS), STEPS)


@contextmanager
def fit_progress(
    classifier: Any, progress: Progress, families: Iterable[str], n_fitted: int, n_rest: int
) -> Iterator[FitProgress]:
    """Give what a fit reports its parts to, the known share being the first.

    Parameters
    ----------
    classifier : classifier
        Whose callbacks are told.
    progress, families, n_fitted, n_rest
        As of `FitProgress`.
    """
    families = list(families)
    with fit_tasks(classifier, len(families) + 2) as tasks:
        steps = FitProgress(progress, families, n_fitted, n_rest, tasks)
        steps.begun(READING)
        yield steps
        steps.ended()
