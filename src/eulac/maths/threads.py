"""Holding BLAS to a number of threads, so that workers times threads never exceed the cores."""

from contextlib import AbstractContextManager
from functools import cache

from joblib import effective_n_jobs
from threadpoolctl import ThreadpoolController

__all__ = ["MAX_ROWS_PER_WORKER", "blas_threads", "share_cores"]

MAX_ROWS_PER_WORKER = 3000
"""Above this many rows one factorization keeps several cores busy by itself."""


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


def blas_threads(n_threads: int) -> AbstractContextManager[object]:
    """Return a context in which BLAS uses that many threads.

    Examples
    --------
    >>> with blas_threads(1):
    ...     pass
    """
    return _controller().limit(limits=n_threads)


def share_cores(n_jobs: int | None, n_rows: int) -> tuple[int, int]:
    """Return ``(workers, BLAS threads per worker)`` for work on matrices of `n_rows` rows.

    Small matrices are handled side by side with one thread each, which is faster and gives the
    same bits whatever `n_jobs` is; large ones one after the other with all the cores.

    Examples
    --------
    >>> share_cores(1, n_rows=1000)
    (1, 1)
    """
    n_cores = effective_n_jobs(n_jobs)
    return (n_cores, 1) if n_rows <= MAX_ROWS_PER_WORKER else (1, n_cores)
