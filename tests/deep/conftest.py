"""The rows that networks of labeled rows alone are tried on."""

import pytest

from deep.blobs import blob_task


@pytest.fixture(scope="session")
def task():
    """Return labeled rows and their labels, then test rows, some of them new."""
    return blob_task()
