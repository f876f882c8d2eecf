"""Clouds of rows: two or more known classes, and some that nobody labeled."""

import numpy as np
import pytest

from eulac.discovery.spaces import KnownRows
from report.conftest import fitted as fitted
from report.conftest import mixture as mixture


def clouds(centers, sizes, seed=0, spread=0.4):
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(len(sizes)), sizes)
    return rng.normal(np.asarray(centers, dtype=float)[truth], spread), truth


@pytest.fixture(scope="session")
def known():
    """Three known classes on a line, apart from where new ones are drawn."""
    return KnownRows(*clouds([[0, -9], [7, -9], [14, -9]], [40, 40, 40], seed=5))
