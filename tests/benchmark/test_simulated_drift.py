"""Known classes moved by hand: labeled rows stay, unlabeled and test rows move alike."""

import numpy as np
import pytest

from eulac.benchmark.simulated_drift import MOVES, OTHER_MIX, moved_split
from eulac.data.splits import draw_split


@pytest.fixture(name="split")
def drawn():
    rng = np.random.default_rng(0)
    X, y = rng.uniform(size=(400, 8)), np.arange(400) % 4
    return draw_split(X, y, n_labeled=60, n_unlabeled=90, n_test=90, random_state=0)


@pytest.mark.parametrize("kind", MOVES)
def test_only_deployment_moves_and_a_seed_says_how(split, kind):
    one, two, other = (moved_split(split, kind, seed) for seed in (0, 0, 1))
    np.testing.assert_array_equal(one.sample.X_labeled, split.sample.X_labeled)
    np.testing.assert_array_equal(one.X_test, two.X_test)
    assert not np.array_equal(one.X_test, split.X_test)
    assert not np.array_equal(one.sample.X_unlabeled, split.sample.X_unlabeled)
    assert not np.array_equal(one.X_test, other.X_test)


def test_one_class_moves_by_half_a_deviation_and_the_others_stay(split):
    moved = moved_split(split, "one class", 0)
    steps = np.abs(moved.X_test - split.X_test) / split.sample.X_labeled.std(axis=0)
    of_class = steps.max(axis=1) > 0
    assert len(set(split.y_test[of_class])) == 1
    np.testing.assert_allclose(steps[of_class], 0.5)
    assert not set(split.y_test[of_class]) & set(split.y_test[~of_class])


def test_new_rows_move_with_the_known_ones_where_a_sensor_is_off(split):
    steps = moved_split(split, "offset", 0).X_test - split.X_test
    np.testing.assert_allclose(steps, np.broadcast_to(steps[0], steps.shape), atol=1e-12)
    assert np.count_nonzero(steps[0]) == 2


def test_another_mix_changes_no_row_and_keeps_the_share_of_new_ones():
    rng = np.random.default_rng(0)
    y = np.arange(1600) % 4
    kind = rng.random(1600) < 0.4
    X = np.column_stack([4.0 * y, 20.0 * kind]) + rng.normal(size=(1600, 2))
    split = draw_split(X, y, n_labeled=200, n_unlabeled=500, n_test=500, random_state=0)
    moved = moved_split(split, OTHER_MIX, 0)
    rows = set(map(tuple, split.X_test))
    assert all(tuple(row) in rows for row in moved.X_test)
    assert moved.known_proportion == pytest.approx(split.known_proportion, abs=0.02)
    codes = split.sample.codec.encode
    for code in range(split.sample.n_known_classes):
        labeled = moved.sample.X_labeled[moved.sample.y_labeled == code]
        pool = moved.sample.X_unlabeled[codes(moved.y_unlabeled) == code]
        shares = [np.mean(part[:, 1] > 10.0) for part in (labeled, pool)]
        assert abs(shares[1] - shares[0]) == pytest.approx(0.5, abs=0.08)
    assert len(moved.y_test) == len(moved.X_test)
    again = moved_split(split, OTHER_MIX, 0)
    np.testing.assert_array_equal(again.X_test, moved.X_test)


def test_a_class_of_a_single_row_has_one_kind():
    y = np.append(np.arange(400) % 3, 3)
    X = np.random.default_rng(0).normal(size=(401, 2)) + y[:, None]
    options = {"known_classes": [0, 1, 3], "n_labeled": 120, "n_unlabeled": 80, "n_test": 80}
    split = draw_split(X, y, **options, random_state=0)
    assert (split.sample.y_labeled == 2).sum() == 1
    moved = moved_split(split, OTHER_MIX, 0)
    assert (moved.sample.y_labeled == 2).sum() == 1
