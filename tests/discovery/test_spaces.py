import numpy as np
import pytest

from discovery.conftest import clouds
from eulac.discovery.spaces import (
    SPACES,
    KnownRows,
    balanced_columns,
    flag_weights,
    main_directions,
)


def distances(X):
    return np.linalg.norm(X[:, None] - X, axis=2)


@pytest.mark.parametrize("shape", [(30, 5), (8, 20)])
def test_main_directions_keep_distances_and_come_strongest_first(shape):
    X = np.random.default_rng(0).normal(size=shape) * np.arange(1, shape[1] + 1)
    values = main_directions(X)
    np.testing.assert_allclose(distances(values), distances(X), atol=1e-8)
    assert np.all(np.diff(values.std(axis=0)) <= 1e-9)


def test_main_directions_do_not_depend_on_the_order_of_rows():
    X = np.random.default_rng(0).normal(size=(30, 4))
    np.testing.assert_allclose(main_directions(X)[::-1], main_directions(X[::-1]), atol=1e-9)


@pytest.mark.parametrize("space", SPACES)
def test_spaces_do_not_care_for_origin_and_unit_of_all_columns(space, known):
    X, _ = clouds([[0, 0], [5, 0]], [20, 20])
    moved = SPACES[space](KnownRows(10 * known.X + 3, known.codes), 10 * X + 3)
    np.testing.assert_allclose(
        distances(moved), distances(SPACES[space](known, X)), rtol=1e-6, atol=1e-9
    )


def test_whitening_shrinks_directions_in_which_known_classes_are_wide():
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1], 200)
    wide = rng.normal(size=(400, 2)) * [10.0, 0.1] + codes[:, None] * [0.0, 2.0]
    X = rng.normal(size=(50, 2)) * [10.0, 0.1]
    plain = SPACES["one_scale"](KnownRows(wide, codes), X).std(axis=0)
    white = SPACES["whitened_one_scale"](KnownRows(wide, codes), X).std(axis=0)
    assert white.max() / white.min() < 0.8 * plain.max() / plain.min()


@pytest.mark.parametrize("space", SPACES)
def test_spaces_work_without_known_rows_and_with_constant_columns(space):
    nobody = KnownRows(np.empty((0, 3)), np.empty(0, dtype=np.intp))
    X = np.column_stack([np.arange(6.0), np.ones(6), np.arange(6.0) ** 2])
    assert np.isfinite(SPACES[space](nobody, X)).all()


def test_flags_that_vary_within_classes_are_toned_down_and_others_not():
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1], 100)
    X = np.column_stack([rng.normal(codes, 0.1), rng.integers(0, 2, 200), codes.astype(float)])
    weights = flag_weights(X, codes, X.std(axis=0))
    assert weights[0] == weights[2] == 1.0
    assert weights[1] < 0.5


def test_columns_that_never_change_count_nothing(known):
    X = np.column_stack([clouds([[0, 0], [5, 0]], [20, 20])[0], np.full(40, 7.0)])
    wider = KnownRows(np.column_stack([known.X, np.full(len(known.X), 7.0)]), known.codes)
    assert np.all(balanced_columns(wider, X)[1][:, 2] == 0)


def test_telling_spaces_shrink_directions_in_which_classes_do_not_differ():
    rng = np.random.default_rng(0)
    codes = np.repeat(np.arange(4), 100)
    known = KnownRows(rng.normal(size=(400, 2)) + codes[:, None] * [5.0, 0.0], codes)
    X = rng.normal(size=(60, 2)) + np.repeat([[2.0, 0], [9.0, 0]], 30, axis=0)
    told = SPACES["telling_one_scale"](known, X)
    white = SPACES["whitened_one_scale"](known, X)
    assert told.std(axis=0).min() < 0.3 * white.std(axis=0).min()
    np.testing.assert_allclose(told.std(axis=0).max(), white.std(axis=0).max(), rtol=0.2)


def test_profiles_do_not_care_how_large_a_row_is_where_there_are_many_columns():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.uniform(size=(20, 12)), np.zeros((1, 12))])
    nobody = KnownRows(np.empty((0, 12)), np.empty(0, dtype=np.intp))
    grown = X * rng.uniform(1, 5, size=(21, 1))
    np.testing.assert_allclose(
        distances(SPACES["profile"](nobody, grown)),
        distances(SPACES["profile"](nobody, X)),
        atol=1e-9,
    )


def test_unevenness_is_none_for_equal_classes_and_unknown_for_one():
    assert KnownRows(np.zeros((4, 1)), np.array([0, 0, 3, 3])).unevenness() == 0.0
    assert KnownRows(np.zeros((4, 1)), np.zeros(4, dtype=np.intp)).unevenness() == np.inf
