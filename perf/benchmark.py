"""The runner against bare fits: seconds of the same trials, records and all, over fit and score.

Draws of the paper's sizes from a mixture, EULAC with its default settings, one process on both
sides. A run also draws the rows, which the bare loop has at hand. Beside the time that passes
stands that of the processor, which a busy machine disturbs less; waiting for the disk is not in it.
"""

import tempfile
import time
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from eulac import KernelEulacClassifier
from eulac.benchmark.draws import MIXTURE, OpenDraw
from eulac.benchmark.run import run_trials
from eulac.benchmark.trial import Draw, Trial
from eulac.evaluation.metrics import evaluate
from timing import THREADS, quietly, report

TRIALS = [Trial("table1", Draw(MIXTURE, 0, sample), "kernel") for sample in range(2)]


def bare(opened: list[OpenDraw]) -> None:
    for one in opened:
        classifier = KernelEulacClassifier(scale=None, random_state=one.draw.fit_seed)
        classifier.fit(*one.split.sample.as_masked())
        evaluate(classifier, one.split.X_test, one.split.y_test)


def inside() -> None:
    with tempfile.TemporaryDirectory() as folder:
        run_trials(TRIALS, Path(folder, "runs.jsonl"))


def main() -> None:
    opened = [OpenDraw(trial.draw) for trial in TRIALS]
    for one in opened:
        one.split  # noqa: B018 - drawn now, outside of what is timed
    # In turns, and the best of each: the machine may be busy with other things.
    turns = [(seconds_of(inside), seconds_of(quietly(lambda: bare(opened)))) for _ in range(3)]
    runner, alone = (np.min([turn[i] for turn in turns], axis=0) for i in range(2))
    for kind, ours, theirs in zip(("passed", "processor"), runner, alone, strict=True):
        report(
            f"runner_vs_bare_fit_and_score_{kind}",
            ratio=float(ours / theirs),
            limit=1.2,
            runner_seconds=float(ours / len(TRIALS)),
            bare_seconds=float(theirs / len(TRIALS)),
            sizes=f"{len(TRIALS)} trials of 500+1000 rows, 1000 test rows",
            threads=THREADS,
        )


def seconds_of(work) -> tuple[float, float]:
    """Return the time that passed, and the processor's."""
    with threadpool_limits(THREADS):
        passed, used = time.perf_counter(), time.process_time()
        work()
        return time.perf_counter() - passed, time.process_time() - used


if __name__ == "__main__":
    main()
