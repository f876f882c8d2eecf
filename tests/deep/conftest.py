"""The rows that networks of labeled rows alone are tried on, and shorter epochs for all."""

from importlib.util import find_spec

import pytest

from deep.blobs import blob_task


@pytest.fixture(scope="package", autouse=True)
def _few_steps():
    """Let an epoch of few rows have a third of its steps: the rows of these tests are easy."""
    with pytest.MonkeyPatch.context() as patch:
        if find_spec("torch") is not None:
            patch.setattr("eulac.deep.network_classifier.FEWEST_BATCHES", 10)
        yield


@pytest.fixture(scope="session")
def task():
    """Return labeled rows and their labels, then test rows, some of them new."""
    return blob_task()
