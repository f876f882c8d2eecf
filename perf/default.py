"""Cost of a default fit: against one forest of 300 trees on the same rows, and against older code.

The forest is fitted to labeled and unlabeled rows with K + 1 targets, which is what using it once
would cost; before and after, because a busy machine slows processors down, and not evenly. How the
time is divided among the families, and how much of it went into the known share, is printed too.

    git worktree add ../before <commit>
    python perf/default.py --against ../before

fits older code to the same rows in a process of its own, right after: the ratio of processor
seconds is printed, and of both the error they claim and the error on as many test rows as there are
unlabeled ones. One draw says little about errors: `--draws 10` compares ten, pair by pair.
"""

import argparse
import json
import os
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier

from eulac import EulacClassifier
from timing import THREADS, drawn_classes, processor_seconds, quietly, report, ten_classes

SIZES = (
    (500, 1000, 16),
    (500, 1000, 64),
    (500, 1000, 256),
    (500, 1000, 784),
    (5000, 20_000, 20),
)


@dataclass(frozen=True)
class Fit:
    """What one draw cost, and the errors of its fit: as it says itself, and on test rows."""

    seconds: float
    claimed: float
    true: float


def fitted(size: tuple[int, int, int], draw: int = 0) -> tuple[EulacClassifier, Fit]:
    split = drawn_classes(*size, draw)
    X, y = split.sample.as_masked()
    classifier = EulacClassifier(random_state=draw)
    seconds = processor_seconds(quietly(lambda: classifier.fit(X, y)))
    true = float(np.mean(classifier.predict(split.X_test) != split.y_test))
    return classifier, Fit(seconds, classifier.risk_.value, true)


def forest_seconds(size: tuple[int, int, int]) -> float:
    sample = ten_classes(*size)
    X, y = sample.as_masked()
    targets = np.where(y == -1, sample.n_known_classes, y)
    return processor_seconds(lambda: ExtraTreesClassifier(300, random_state=0).fit(X, targets))


def before(size: tuple[int, int, int], draws: int, worktree: Path) -> list[Fit]:
    """Return the same of the code in another folder."""
    environment = os.environ | {"PYTHONPATH": str(worktree / "src")}
    command = [sys.executable, __file__, "--draws", str(draws), "--only-fit", *map(str, size)]
    run = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return [Fit(**json.loads(line)) for line in run.stdout.splitlines()[-draws:]]


def cost(size: tuple[int, int, int], draws: int, worktree: Path | None) -> None:
    first = forest_seconds(size)
    found = [fitted(size, draw) for draw in range(draws)]
    classifier, fits = found[0][0], [fit for _, fit in found]
    whole, alone = mean_of(fits, "seconds"), 0.5 * (first + forest_seconds(size))
    numbers = {
        "ratio": whole / alone,
        "fit_seconds": whole,
        "forest_seconds": alone,
        "families": dict(
            zip(classifier.selection_.names, classifier.selection_.seconds, strict=True)
        ),
        "label_free_error": mean_of(fits, "claimed"),
        "test_error": mean_of(fits, "true"),
    }
    if worktree is not None:
        numbers |= beside(fits, before(size, draws, worktree))
    sizes = "{}+{} rows x {} features".format(*size)
    report("default_fit_vs_forest", **numbers, sizes=sizes, draws=draws, threads=THREADS)


def beside(fits: list[Fit], older: list[Fit]) -> dict[str, float]:
    """Return what older code took and erred on the same draws, and the paired differences."""
    numbers = {
        "ratio_to_before": mean_of(fits, "seconds") / mean_of(older, "seconds"),
        "limit": 0.33,
        "fit_seconds_before": mean_of(older, "seconds"),
        "label_free_error_before": mean_of(older, "claimed"),
        "test_error_before": mean_of(older, "true"),
    }
    for name in ("claimed", "true"):
        pairs = zip(fits, older, strict=True)
        gaps = [getattr(one, name) - getattr(other, name) for one, other in pairs]
        numbers[f"{name}_error_more"] = float(np.mean(gaps))
        if len(gaps) > 1:
            numbers[f"{name}_error_more_se"] = float(np.std(gaps, ddof=1) / len(gaps) ** 0.5)
    return numbers


def mean_of(fits: list[Fit], name: str) -> float:
    return float(np.mean([getattr(fit, name) for fit in fits]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--against", type=Path, help="folder with older code, a git worktree")
    parser.add_argument("--first", type=int, default=len(SIZES), help="so many of the sizes")
    parser.add_argument("--draws", type=int, default=1, help="fits of every size")
    parser.add_argument("--only-fit", type=int, nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.only_fit:
        for draw in range(options.draws):
            print(json.dumps(asdict(fitted(tuple(options.only_fit), draw)[1])))
        return
    for size in SIZES[: options.first]:
        cost(size, options.draws, options.against)


if __name__ == "__main__":
    main()
