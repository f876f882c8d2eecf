"""Answers to Arrow batches: rows a second, and peak memory for ten times the rows.

Each size runs in a process of its own, which makes its batches as it goes.
"""

import json
import subprocess
import sys

from timing import report

SIZES = (100_000, 1_000_000)
CODE = """
import json, resource, sys, time
import numpy as np, pyarrow as pa
from eulac import KernelEulacClassifier, predict_batches

rng = np.random.default_rng(0)
X, pool = rng.normal(size=(300, 10)), rng.normal(size=(300, 10))
pool[200:] += 5
clf = KernelEulacClassifier(0.7, bandwidth=3.0, penalty=0.1, random_state=0)
clf.fit(X, np.arange(300) % 3, pool)
n_rows, size = int(sys.argv[1]), 10_000

def batches():
    for _ in range(n_rows // size):
        yield pa.record_batch({f"x{i}": rng.normal(size=size) for i in range(10)})

start = time.process_time()
answered = sum(batch.num_rows for batch in predict_batches(clf, batches()))
seconds = time.process_time() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({"rows": answered, "seconds": seconds, "peak": peak}))
"""


def measured(n_rows: int) -> dict[str, float]:
    command = [sys.executable, "-c", CODE, str(n_rows)]
    run = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(run.stdout)


def main() -> None:
    few, many = map(measured, SIZES)
    assert (few["rows"], many["rows"]) == SIZES
    report(
        "batches_memory",
        ratio=many["peak"] / few["peak"],
        limit=1.1,
        peak_mb=round(many["peak"]),
        peak_mb_of_a_tenth=round(few["peak"]),
        rows_per_second=round(many["rows"] / many["seconds"]),
    )


if __name__ == "__main__":
    main()
