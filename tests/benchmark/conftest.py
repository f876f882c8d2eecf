"""A folder in which some datasets seem to be."""

import pytest

from eulac.data.datasets import DATASETS

HERE = ("usps", "satimage", "mnist")


@pytest.fixture
def three_datasets(tmp_path, monkeypatch):
    """Three datasets seem to be at hand; nothing is read here."""
    monkeypatch.setenv("EULAC_DATA", str(tmp_path))
    monkeypatch.setenv("EULAC_CACHE", str(tmp_path / "cache"))
    for name in HERE:
        (tmp_path / DATASETS[name].file_name).touch()
