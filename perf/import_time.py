"""`import eulac` against `import sklearn.svm`, each in a fresh interpreter."""

import subprocess
import sys
import time

from timing import report

REPEATS = 7


def seconds(module: str) -> float:
    best = float("inf")
    for _ in range(REPEATS):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", f"import {module}"], check=True)
        best = min(best, time.perf_counter() - start)
    return best


def main() -> None:
    ours, theirs = seconds("eulac"), seconds("sklearn.svm")
    report("import_time", ratio=ours / theirs, limit=1.2, seconds=ours, sklearn_svm_seconds=theirs)


if __name__ == "__main__":
    main()
