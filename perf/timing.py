"""What every perf script shares: best of several runs with BLAS threads fixed, one JSON a line."""

import json
import time
from collections.abc import Callable

from threadpoolctl import threadpool_limits

THREADS = 1


def best_seconds(work: Callable[[], object], repeats: int = 3) -> float:
    """Return the smallest wall time of several runs: the machine may be busy."""
    seconds = []
    with threadpool_limits(THREADS):
        for _ in range(repeats):
            start = time.perf_counter()
            work()
            seconds.append(time.perf_counter() - start)
    return min(seconds)


def report(name: str, **numbers: object) -> None:
    """Print one JSON object on a line."""
    rounded = {k: round(v, 4) if isinstance(v, float) else v for k, v in numbers.items()}
    print(json.dumps({"name": name, **rounded}), flush=True)
