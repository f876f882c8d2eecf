"""Tests run side by side: one BLAS thread each, or they wait for one another."""

from threadpoolctl import threadpool_limits

threadpool_limits(limits=1, user_api="blas")
