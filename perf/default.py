"""Cost of a default fit: against one forest of 300 trees on the same rows, and against older code.

The forest is fitted to labeled and unlabeled rows with K + 1 targets, which is what using it once
would cost; before and after, because a busy machine slows processors down, and not evenly. How the
time is divided among the families, and how much of it went into the known share, is printed too.

    git worktree add ../before <commit>
    python perf/default.py --against ../before

fits older code to the same rows in a process of its own, right after: the ratio of processor
seconds and the label-free error of both are printed.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier

from eulac import EulacClassifier
from timing import THREADS, processor_seconds, quietly, report, ten_classes

SIZES = (
    (500, 1000, 16),
    (500, 1000, 64),
    (500, 1000, 256),
    (500, 1000, 784),
    (5000, 20_000, 20),
)


def fitted(size: tuple[int, int, int]) -> tuple[EulacClassifier, float]:
    X, y = ten_classes(*size).as_masked()
    classifier = EulacClassifier(random_state=0)
    return classifier, processor_seconds(quietly(lambda: classifier.fit(X, y)))


def forest_seconds(size: tuple[int, int, int]) -> float:
    sample = ten_classes(*size)
    X, y = sample.as_masked()
    targets = np.where(y == -1, sample.n_known_classes, y)
    return processor_seconds(lambda: ExtraTreesClassifier(300, random_state=0).fit(X, targets))


def before(size: tuple[int, int, int], worktree: Path) -> dict[str, float]:
    """Return seconds and label-free error of the code in another folder."""
    environment = os.environ | {"PYTHONPATH": str(worktree / "src")}
    command = [sys.executable, __file__, "--only-fit", *map(str, size)]
    run = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return json.loads(run.stdout.splitlines()[-1])


def cost(size: tuple[int, int, int], worktree: Path | None) -> None:
    first = forest_seconds(size)
    classifier, whole = fitted(size)
    alone = 0.5 * (first + forest_seconds(size))
    numbers = {
        "ratio": whole / alone,
        "fit_seconds": whole,
        "forest_seconds": alone,
        "families": dict(
            zip(classifier.selection_.names, classifier.selection_.seconds, strict=True)
        ),
        "label_free_error": classifier.risk_.value,
    }
    if worktree is not None:
        older = before(size, worktree)
        numbers |= {
            "ratio_to_before": whole / older["fit_seconds"],
            "limit": 0.33,
            "fit_seconds_before": older["fit_seconds"],
            "label_free_error_before": older["label_free_error"],
        }
    sizes = "{}+{} rows x {} features".format(*size)
    report("default_fit_vs_forest", **numbers, sizes=sizes, threads=THREADS)


def only_fit(size: tuple[int, int, int]) -> None:
    classifier, seconds = fitted(size)
    print(json.dumps({"fit_seconds": seconds, "label_free_error": classifier.risk_.value}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--against", type=Path, help="folder with older code, a git worktree")
    parser.add_argument("--first", type=int, default=len(SIZES), help="so many of the sizes")
    parser.add_argument("--only-fit", type=int, nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.only_fit:
        only_fit(tuple(options.only_fit))
        return
    for size in SIZES[: options.first]:
        cost(size, options.against)


if __name__ == "__main__":
    main()
