"""How much of the library a fit goes through: files touched, and hops between modules.

A hop is a pair of modules of `eulac` of which one calls a function of the other; a pair counts
once, however often it is called. Fewer of both means that a reader follows a fit more easily.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import eulac
from eulac import EulacClassifier, KernelEulacClassifier
from eulac.data.synthetic import make_gaussian_task
from timing import quietly, report

ROOT = str(Path(eulac.__file__).parent)

GIVEN = 0.7
"""Known share of the drawn rows: a fit that is told it does not look for drift."""


class Trace:
    """Files of `eulac` in which functions were called, and who called whom."""

    def __init__(self) -> None:
        self.files: set[str] = set()
        self.hops: set[tuple[str, str]] = set()

    def __call__(self, frame: FrameType, event: str, argument: object) -> None:
        """Take note of a call, as `sys.setprofile` tells it."""
        callee = frame.f_code.co_filename
        if event != "call" or not callee.startswith(ROOT):
            return
        self.files.add(callee)
        caller = "" if frame.f_back is None else frame.f_back.f_code.co_filename
        if caller.startswith(ROOT) and caller != callee:
            self.hops.add((caller, callee))


def traced(work: Callable[[], object]) -> Trace:
    """Return what the work goes through."""
    trace = Trace()
    sys.setprofile(trace)
    try:
        work()
    finally:
        sys.setprofile(None)
    return trace


def main() -> None:
    task = make_gaussian_task(random_state=0)
    X, y = task.draw(60, 120, random_state=0).sample.as_masked()
    limits = {EulacClassifier: (37, 88), KernelEulacClassifier: (31, 65)}
    cases = [(kind, share) for kind in limits for share in ("auto", GIVEN)]
    for kind, share in cases:
        n_files, n_hops = limits[kind]
        classifier = kind(known_proportion=share, random_state=0)
        trace = traced(quietly(lambda one=classifier: one.fit(X, y)))
        report(
            f"fit_trace_of_{kind.__name__}",
            known_proportion=share,
            files=len(trace.files),
            files_before=n_files,
            hops=len(trace.hops),
            hops_before=n_hops,
        )


if __name__ == "__main__":
    main()
