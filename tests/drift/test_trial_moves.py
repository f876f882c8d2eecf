"""Rows moved on trial."""

import numpy as np
import pytest

from eulac.drift.trial_moves import trial_moves


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    measured = rng.normal(size=(200, 8)) * np.arange(1, 9)
    return np.hstack([measured, rng.integers(0, 3, (200, 2)).astype(float)])


def test_sizes_are_in_deviations_of_each_column(rows):
    moves = trial_moves(rows, np.arange(200) % 4, 0)
    deviation = rows[:, :8].std(axis=0)
    noise = (moves["noise 0.3"] - rows)[:, :8].std(axis=0) / deviation
    np.testing.assert_allclose(noise, 0.3, rtol=0.25)
    offset = np.abs(moves["offset 0.5"] - rows)[:, :8].max(axis=0) / deviation
    assert sorted(offset.round(6)) == [0.0] * 6 + [0.5] * 2  # a quarter of the columns


def test_a_class_moves_as_a_block(rows):
    y = np.arange(200) % 4
    moved = (trial_moves(rows, y, 0)["classes 0.5"] - rows)[:, :8]
    for k in range(4):
        np.testing.assert_allclose(moved[y == k].std(axis=0), 0.0, atol=1e-12)
    assert len({tuple(np.sign(moved[k])) for k in range(4)}) > 1


def test_categories_are_exchanged_and_nothing_else(rows):
    for name, moved in trial_moves(rows, np.arange(200) % 4, 0).items():
        assert set(np.unique(moved[:, 8:])) <= {0.0, 1.0, 2.0}
        assert name.startswith("exchanged") or (moved[:, 8:] == rows[:, 8:]).all()


def test_exchanging_keeps_what_stands_in_a_column(rows):
    moved = trial_moves(rows, np.arange(200) % 4, 0)["exchanged 0.25"]
    assert np.isin(moved[:, 0], rows[:, 0]).all()
    assert (moved != rows)[:, 0].mean() == pytest.approx(0.25, abs=0.1)


def test_a_table_of_categories_alone_is_no_trouble():
    X = np.random.default_rng(0).integers(0, 2, (50, 3)).astype(float)
    assert set(trial_moves(X, np.arange(50) % 2, 0)) == {"none", "exchanged 0.1", "exchanged 0.25"}
