"""Imports of eulac against `import sklearn.svm`, each in a fresh interpreter."""

import subprocess
import sys
import time

from timing import report

REPEATS = 7


def seconds(statement: str) -> float:
    best = float("inf")
    for _ in range(REPEATS):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", statement], check=True)
        best = min(best, time.perf_counter() - start)
    return best


def main() -> None:
    theirs = seconds("import sklearn.svm")
    for name, statement in {
        "import_time": "import eulac",
        "import_time_of_the_classifier": "from eulac import KernelEulacClassifier",
    }.items():
        ours = seconds(statement)
        report(name, ratio=ours / theirs, limit=1.2, seconds=ours, sklearn_svm_seconds=theirs)


if __name__ == "__main__":
    main()
