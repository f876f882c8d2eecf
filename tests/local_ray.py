"""Ray on this machine, bound to it alone."""

from contextlib import contextmanager

import pytest

NEEDS_RAY = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),  # of Ray's own
]


@contextmanager
def running_ray():
    """Start Ray with two workers, and end it."""
    import ray

    ray.init(
        num_cpus=2,
        include_dashboard=False,
        configure_logging=False,
        _node_ip_address="127.0.0.1",
    )
    yield
    ray.shutdown()
