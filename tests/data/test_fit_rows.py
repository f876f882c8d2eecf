"""Rows of a fit are known again by their values: not by their number, order or container."""

import numpy as np
import pandas as pd
import pytest

from eulac.data.any_rows import FitRows

LABELED = np.arange(12.0).reshape(6, 2)
POOL = np.arange(100.0, 108.0).reshape(4, 2)


@pytest.fixture
def rows():
    return FitRows.of(LABELED, np.array([0, 1, 0, 1, -1, -1]), POOL)


def test_the_pool_is_all_unlabeled_rows_in_any_order_and_container(rows):
    pool = np.vstack([LABELED[4:], POOL])
    assert rows.is_pool(pool)
    assert rows.is_pool(pool[::-1])
    assert rows.is_pool(pd.DataFrame(pool, columns=["a", "b"]))
    assert rows.is_pool(pool.astype(np.float32))


def test_other_rows_of_the_same_number_are_no_pool(rows):
    pool = np.vstack([LABELED[4:], POOL])
    assert not rows.is_pool(pool + 1e-3)
    assert not rows.is_pool(LABELED)
    assert not rows.is_pool(pool[[0, 0, 1, 2, 3, 4]])


def test_a_fit_without_unlabeled_rows_has_no_pool():
    rows = FitRows.of(LABELED, np.zeros(6, dtype=int))
    assert not rows.is_pool(LABELED[:0])
    np.testing.assert_array_equal(rows.places(LABELED, unlabeled=True), 6 * [-1])


def test_places_are_those_in_the_fit(rows):
    np.testing.assert_array_equal(rows.places(POOL[::-1], unlabeled=True), [9, 8, 7, 6])
    np.testing.assert_array_equal(rows.places(LABELED[[2, 0]], unlabeled=False), [2, 0])
    np.testing.assert_array_equal(rows.places(LABELED[[2, 5]], unlabeled=False), [2, -1])
    np.testing.assert_array_equal(rows.places(POOL + 1, unlabeled=True), 4 * [-1])


def test_copies_and_other_rows_among_them_are_placed_one_by_one(rows):
    mixed = np.vstack([POOL[1], POOL[1], POOL[1] + 0.5, LABELED[5], LABELED[0]])
    np.testing.assert_array_equal(rows.places(mixed, unlabeled=True), [7, 7, -1, 5, -1])


def test_labeled_rows_can_be_kept_without_the_pool(rows):
    kept = rows.labeled()
    np.testing.assert_array_equal(kept.codes, [0, 1, 0, 1])
    np.testing.assert_array_equal(kept.places(LABELED, unlabeled=False), [0, 1, 2, 3, -1, -1])


def test_codes_say_which_rows_are_labeled_and_what(rows):
    np.testing.assert_array_equal(rows.codes, [0, 1, 0, 1] + 6 * [-1])
    np.testing.assert_array_equal(rows.is_unlabeled, [False] * 4 + [True] * 6)


@pytest.mark.parametrize("unit", [1e-200, 1.0, 1e200])
def test_rows_are_told_apart_in_any_unit_and_last_digits_do_not_matter(unit):
    rows = FitRows.of(unit * LABELED, np.full(6, -1))
    assert rows.is_pool(unit * LABELED * (1 + 1e-15))
    np.testing.assert_array_equal(rows.places(unit * (LABELED + 0.1), unlabeled=True), 6 * [-1])
    single = LABELED.astype(np.float32) / np.float32(3)
    assert FitRows.of(single, np.full(6, -1)).is_pool(single.astype(float) * (1 + 1e-12))


def test_images_and_texts_have_keys_too():
    images = np.arange(24.0).reshape(2, 3, 4)
    assert FitRows.of(images, np.full(2, -1)).is_pool(images.reshape(2, 12))
    texts = pd.DataFrame({"text": ["one", "two", "three"]})
    assert FitRows.of(texts, np.full(3, -1)).is_pool(texts[::-1])


def test_rows_that_were_not_in_the_fit_are_nowhere():
    rows = FitRows.of(np.eye(3), np.array([0, -1, -1]))
    given = np.vstack([np.eye(3), np.zeros((1, 3))])
    assert rows.places(given, unlabeled=True).tolist() == [-1, 1, 2, -1]
    assert rows.places(given, unlabeled=False).tolist() == [0, -1, -1, -1]
    none = FitRows.of(np.eye(3), np.array([0, 0, 0]))
    assert none.places(given, unlabeled=True).tolist() == [-1, -1, -1, -1]
