"""Rows of a fit are known again by their values: not by their number, order or container."""

import numpy as np
import pandas as pd
import pytest

from eulac.data.fit_rows import FitRows

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
    assert rows.places(LABELED, unlabeled=True) is None


def test_places_are_those_in_the_fit(rows):
    np.testing.assert_array_equal(rows.places(POOL[::-1], unlabeled=True), [9, 8, 7, 6])
    np.testing.assert_array_equal(rows.places(LABELED[[2, 0]], unlabeled=False), [2, 0])
    assert rows.places(LABELED[[2, 5]], unlabeled=False) is None
    assert rows.places(POOL + 1, unlabeled=True) is None


def test_codes_say_which_rows_are_labeled_and_what(rows):
    np.testing.assert_array_equal(rows.codes, [0, 1, 0, 1] + 6 * [-1])
    np.testing.assert_array_equal(rows.is_unlabeled, [False] * 4 + [True] * 6)


def test_images_and_texts_have_keys_too():
    images = np.arange(24.0).reshape(2, 3, 4)
    assert FitRows.of(images, np.full(2, -1)).is_pool(images.reshape(2, 12))
    texts = pd.DataFrame({"text": ["one", "two", "three"]})
    assert FitRows.of(texts, np.full(3, -1)).is_pool(texts[::-1])
