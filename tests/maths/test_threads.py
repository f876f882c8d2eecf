"""Threads: workers times BLAS threads never exceed the cores, and limits end with their context."""

import pytest
from joblib import effective_n_jobs
from threadpoolctl import threadpool_info

from eulac.maths.threads import MAX_ROWS_PER_WORKER, blas_threads, share_cores

N_JOBS = [None, 1, 2, 3, -1]


def thread_counts():
    return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]


@pytest.mark.parametrize("n_jobs", N_JOBS, ids=str)
@pytest.mark.parametrize("n_rows", [10, MAX_ROWS_PER_WORKER, MAX_ROWS_PER_WORKER + 1, 10**6])
def test_workers_times_threads_are_the_cores(n_jobs, n_rows):
    workers, threads = share_cores(n_jobs, n_rows)
    assert workers * threads == effective_n_jobs(n_jobs)
    assert min(workers, threads) == 1


def test_small_matrices_go_side_by_side_and_large_ones_one_after_the_other():
    assert share_cores(4, MAX_ROWS_PER_WORKER) == (4, 1)
    assert share_cores(4, MAX_ROWS_PER_WORKER + 1) == (1, 4)


def test_no_number_of_jobs_means_one():
    assert share_cores(None, 10) == (1, 1)


def test_blas_is_held_to_the_threads_within_the_context_only():
    before = thread_counts()
    assert before, "no BLAS found to hold"
    with blas_threads(2):
        outer = thread_counts()
        with blas_threads(1):
            assert set(thread_counts()) == {1}
        assert thread_counts() == outer
    assert thread_counts() == before


def test_an_error_in_the_context_gives_the_threads_back():
    before = thread_counts()
    with pytest.raises(ZeroDivisionError), blas_threads(1):
        1 / 0  # noqa: B018
    assert thread_counts() == before
