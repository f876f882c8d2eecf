"""What every perf script shares: rows, clocks with BLAS threads fixed, and one JSON a line."""

import json
import time
import warnings
from collections.abc import Callable

from threadpoolctl import threadpool_limits

from eulac.data.lac_sample import LacSample
from eulac.data.splits import LacSplit
from eulac.data.synthetic import make_gaussian_task
from eulac.exceptions import EulacWarning

THREADS = 1


def ten_classes(n_labeled: int, n_unlabeled: int, n_features: int, draw: int = 0) -> LacSample:
    """Return rows of ten Gaussian classes, five of them known, and half of the rows of those."""
    return drawn_classes(n_labeled, n_unlabeled, n_features, draw).sample


def drawn_classes(n_labeled: int, n_unlabeled: int, n_features: int, draw: int = 0) -> LacSplit:
    """Return such rows with as many test rows as unlabeled ones, and the true classes of these."""
    task = make_gaussian_task(
        n_known_classes=5,
        n_augmented_classes=5,
        n_features=n_features,
        separation=6.0,
        known_proportion=0.5,
        random_state=0,
    )
    return task.draw(n_labeled, n_unlabeled, n_unlabeled, random_state=draw)


def quietly(work: Callable[[], object]) -> Callable[[], object]:
    """Return the work without the warnings of eulac: what they say is not what is timed."""

    def quiet() -> object:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", EulacWarning)
            return work()

    return quiet


def processor_seconds(work: Callable[[], object]) -> float:
    """Return the processor time of one run: machines may be busy, and fits run for seconds."""
    start = time.process_time()
    with threadpool_limits(THREADS):
        work()
    return time.process_time() - start


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
