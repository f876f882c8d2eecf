"""What a fit by engines sends: bytes of partial results, whatever the number of rows in them.

    python perf/fit_cost.py --rows 100000 10000000 --landmarks 50 1000

Rows are those of `perf/scale.py`. From measured bytes follows what a large fit shuffles, and what
its driver holds. Memory and processor time are those of the process so far, which is worker and
driver in one.
"""

import argparse
import resource
import time

import pyarrow as pa

from eulac.distributed.batch_sums import SPLIT_EVERY, fit_by_parts, merged_parts, packed
from scale import CHUNK_ROWS, N_FEATURES, chunk, classifier
from timing import report

NAMES = [f"x{place}" for place in range(N_FEATURES)]
PARTS = 10
"""Partitions of each table here."""


def table_of(X, y) -> pa.Table:
    columns = dict(zip(NAMES, X.T, strict=True))
    return pa.table({**columns, "kind": y})


def partitions(n_rows: int):
    """Return iterators of batches, as many as there are partitions."""
    for part in range(PARTS):
        share = n_rows // PARTS
        yield (
            batch
            for start in range(0, share, CHUNK_ROWS)
            for batch in table_of(
                *chunk(part * share + start, min(CHUNK_ROWS, share - start))
            ).to_batches()
        )


def fit_in_parts(n_rows: int, n_landmarks: int) -> list[int]:
    """Return the bytes of the largest survey and of the largest sums of a partition."""
    sizes = []

    def merged(tasks):
        [task] = tasks
        parts = [packed(task.of(batches)) for batches in partitions(n_rows)]
        sizes.append(max(map(len, parts)))
        return merged_parts(task, parts)

    fit_by_parts(classifier(n_landmarks), NAMES, ["kind"], merged)
    return sizes


def extrapolated(survey: int, sums: int, n_partitions: int) -> dict[str, float]:
    """Return gigabytes shuffled in all, and held by the driver at once."""
    # Each level of the tree has an eighth of the results of the one before.
    levels = sum(n_partitions // SPLIT_EVERY**level for level in range(8))
    return {
        "shuffled_gigabytes": levels * (survey + sums) / 1e9,
        "driver_gigabytes": 2 * SPLIT_EVERY * sums / 1e9,
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, nargs="+", default=[20_000, 100_000])
    parser.add_argument("--landmarks", type=int, nargs="+", default=[50])
    parser.add_argument("--partitions", type=int, default=1000)
    arguments = parser.parse_args()
    for n_landmarks in arguments.landmarks:
        for n_rows in arguments.rows:
            survey, sums = fit_in_parts(n_rows, n_landmarks)
            report(
                "fit_cost",
                n_rows=n_rows,
                n_landmarks=n_landmarks,
                survey_bytes=survey,
                sum_bytes=sums,
                peak_megabytes=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
                cpu_seconds=time.process_time(),
                n_partitions=arguments.partitions,
                **extrapolated(survey, sums, arguments.partitions),
            )
