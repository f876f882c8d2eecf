"""How far a fit is, told to `progress` and to scikit-learn's callbacks, where it has them."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from eulac.classifier.options import Progress

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # scikit-learn before 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stands in where scikit-learn has no callbacks: there is nothing to set."""

    def with_callbacks(method: Any) -> Any:
        """Return the method as it is."""
        return method


__all__ = ["CallbackSupportMixin", "FitTasks", "fit_tasks"]


@with_callbacks
def _tear_down(classifier: Any) -> None:
    """Let callbacks go: what scikit-learn does after any method it has been told of."""


class FitTasks:
    """The tasks of a fit: steps that are counted, or parts that have names.

    Made by `fit_tasks`. Where nobody listens, nothing happens.

    Parameters
    ----------
    classifier : classifier
    total : int or None
        Tasks at the most; None where that is not known.
    step : str or None
        What counted tasks are called; None where each is begun by its name.
    progress : callable, optional
        Gets what `report` gets.
    """

    def __init__(
        self, classifier: Any, total: int | None, step: str | None, progress: Progress = None
    ) -> None:
        self.classifier, self.total, self.step = classifier, total, step
        self.progress = progress
        self.n_ended = 0
        self._root: Any = None
        self._going_on: Any = None
        if hasattr(classifier, "_skl_callbacks") or hasattr(classifier, "_parent_callback_ctx"):
            self._root = classifier._init_callback_context(max_subtasks=total)
            self._root.call_on_fit_task_begin(estimator=classifier)

    def report(self, done: int, total: int | None) -> None:
        """Note that so many tasks are done: what a fit takes as `progress`."""
        if self.progress is not None:
            self.progress(done, total)
        while self._may_begin() and self.n_ended < done:
            self.begin()
            self.end()
        self.begin()

    def begin(self, name: str | None = None) -> None:
        """Begin the next task, if none is going on."""
        if self._may_begin() and self._going_on is None:
            self._going_on = self._root.subcontext(task_name=name or self.step)
            self._going_on.call_on_fit_task_begin(estimator=self.classifier)

    def end(self) -> None:
        """End the task that is going on, if any."""
        if self._going_on is not None:
            self._going_on.call_on_fit_task_end(estimator=self.classifier)
            self._going_on = None
            self.n_ended += 1

    @contextmanager
    def fitting(self, model: Any, name: str | None = None) -> Iterator[None]:
        """Make the fit of another model a task, whose own tasks are told as well."""
        self.end()
        if not self._may_begin():
            yield
            return
        task = self._root.subcontext(task_name=name or self.step)
        with ExitStack() as stack:
            if hasattr(model, "set_callbacks"):
                stack.enter_context(task.propagate_callback_context(model))
            task.call_on_fit_task_begin(estimator=self.classifier)
            yield
            task.call_on_fit_task_end(estimator=self.classifier)
        self.n_ended += 1

    def close(self) -> None:
        """Note that the fit has ended."""
        self.end()
        if self._root is not None:
            self._root.call_on_fit_task_end(estimator=self.classifier)

    def _may_begin(self) -> bool:
        return self._root is not None and (self.total is None or self.n_ended < self.total)


@contextmanager
def fit_tasks(
    classifier: Any, total: int | None = 0, step: str | None = None, progress: Progress = None
) -> Iterator[FitTasks]:
    """Give the tasks of a fit; its end, or what stopped it, is told to callbacks.

    Parameters
    ----------
    classifier, total, step, progress
        As of `FitTasks`. With a total of 0 the fit is one task.

    Examples
    --------
    >>> from sklearn.base import BaseEstimator
    >>> class Counter(CallbackSupportMixin, BaseEstimator):
    ...     def fit(self, progress=None):
    ...         with fit_tasks(self, 2, "count", progress) as tasks:
    ...             tasks.report(1, 2)
    ...             tasks.report(2, 2)
    ...         return self
    >>> _ = Counter().fit(progress=lambda done, total: print(done, "of", total))
    1 of 2
    2 of 2
    """
    try:
        tasks = FitTasks(classifier, total, step, progress)
        if step is not None:
            tasks.begin()
        yield tasks
        tasks.close()
    finally:
        _tear_down(classifier)
