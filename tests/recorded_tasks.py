"""A callback of scikit-learn that writes down which tasks of a fit began and ended."""


class RecordedTasks:
    """Follows scikit-learn's protocol; passed on to models inside others, however deep."""

    max_propagation_depth = None

    def __init__(self):
        self.calls = []

    def setup(self, estimator, context):
        self.calls.append(("setup", ()))

    def teardown(self, estimator, context):
        self.calls.append(("teardown", ()))

    def on_fit_task_begin(self, estimator, context):
        self.calls.append(("begin", _path(context)))

    def on_fit_task_end(self, estimator, context):
        self.calls.append(("end", _path(context)))

    def ended(self, depth=1):
        """Return the names of tasks at a depth, in the order they ended."""
        return [
            path[depth] for what, path in self.calls if what == "end" and len(path) == depth + 1
        ]

    def assert_whole(self, name):
        """Assert that a fit was told from beginning to end, and each task in it."""
        assert [what for what, _ in self.calls[:2]] == ["setup", "begin"]
        assert self.calls[1][1] == self.calls[-2][1] == (f"{name} fit 0",)
        assert self.calls[-2][0] == "end"
        assert self.calls[-1] == ("teardown", ())
        going_on = []
        for what, path in self.calls[1:-1]:
            if what == "begin":
                assert path[:-1] == (going_on[-1] if going_on else ())
                going_on.append(path)
            else:
                assert path == going_on.pop()
        assert not going_on


def _path(context):
    """Return estimator, name and number of a task and of those it is in, outermost first."""
    own = f"{context.estimator_name} {context.task_name} {context.task_id}"
    return (*(() if context.parent is None else _path(context.parent)), own)
