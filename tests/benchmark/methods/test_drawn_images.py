import numpy as np
import pytest

from eulac.benchmark.methods.drawn_images import NEW_CLASSES, image_rows
from eulac.benchmark.trial import Draw

DRAW = Draw("digits", 1, conditions={"epochs": 2})
MOVED = Draw("digits", 2, conditions={"epochs": 2, "moved_shares": 1})


def flat(rows):
    parts = [rows.X, rows.X_unlabeled, rows.X_test]
    return np.concatenate([part.reshape(len(part), -1) for part in parts])


def test_no_image_is_drawn_twice_and_new_classes_are_never_labeled():
    rows = image_rows(DRAW)
    images = flat(rows)
    assert len(np.unique(images, axis=0)) >= len(images) - 2  # the digits hold a few twins
    assert not set(rows.y) & set(NEW_CLASSES[1])
    assert set(rows.y_test) == set(range(10))
    assert rows.X.max() <= 1


def test_where_shares_moved_one_class_is_new_and_each_row_is_in_one_part():
    rows = image_rows(MOVED)
    images = flat(rows)
    assert len(np.unique(images, axis=0)) >= len(images) - 2
    [new] = rows.new
    assert set(rows.y) == set(range(10)) - {new}
    of_digits = np.bincount(image_rows(DRAW).y_test)
    assert of_digits.sum() > 0
    counts = np.bincount(rows.y, minlength=10), np.bincount(rows.y_unlabeled, minlength=10)
    together = counts[0] + counts[1]
    known = np.arange(10) != new
    labeled = counts[0][known] / together[known]
    assert labeled.min() >= 0.19
    assert np.ptp(labeled) > 0.3  # shares of the classes differ between both samples
    assert np.mean(rows.y_test == new) == pytest.approx(counts[1][new] / counts[1].sum(), abs=0.04)


def test_other_draws_have_other_new_classes_and_the_same_draw_the_same_rows():
    draws = [Draw("digits", i, conditions={"epochs": 2, "moved_shares": 1}) for i in range(6)]
    assert len({image_rows(draw).new for draw in draws}) > 1
    np.testing.assert_array_equal(image_rows(MOVED).y_unlabeled, image_rows(MOVED).y_unlabeled)
