"""Small forests behind the known share: no claim here is about their size."""

import pytest


@pytest.fixture
def small_class_view(monkeypatch):
    monkeypatch.setattr("eulac.drift.class_view.N_TREES", 30)
