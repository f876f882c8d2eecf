"""Columns that moved within a known class."""

import numpy as np
import pytest
from scipy.stats import mannwhitneyu

from eulac.drift.class_view import SeenRows
from eulac.drift.moved_columns import _holm, _rank_tests, classes_by_column, moved_columns


def seen_as(codes, n_classes=3):
    return SeenRows(np.eye(n_classes)[codes], np.ones(len(codes)), np.ones(len(codes)))


def drawn(seed, move=lambda rows, codes: rows):
    rng = np.random.default_rng(seed)
    codes = np.arange(300) % 3, np.arange(300) % 3
    labeled, unlabeled = rng.normal(size=(2, 300, 6))
    seen = tuple(seen_as(part) for part in codes)
    return labeled, move(unlabeled, codes[1]), seen, np.ones(300, bool)


def test_the_rank_test_is_the_usual_one_ties_included():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(40, 2)).round(1), rng.normal(0.3, 1, (60, 2)).round(1)
    chance, p_values = _rank_tests(a, b)
    for column in range(2):
        usual = mannwhitneyu(b[:, column], a[:, column], use_continuity=False, method="asymptotic")
        assert chance[column] == pytest.approx(usual.statistic / 2400)
        assert p_values[column] == pytest.approx(usual.pvalue)


def test_a_column_that_is_constant_never_moved():
    chance, p_values = _rank_tests(np.ones((9, 1)), np.ones((9, 1)))
    assert (chance[0], p_values[0]) == (0.5, 1.0)


def test_where_nothing_moved_columns_are_seldom_named():
    named = [bool(moved_columns(*drawn(seed))) for seed in range(200)]
    assert np.mean(named) < 0.05 + 4 * np.sqrt(0.05 * 0.95 / 200)


def test_half_a_deviation_in_a_class_of_a_hundred_rows_is_found_and_named():
    def move(rows, codes):
        return rows + 0.5 * (codes == 1)[:, None]

    found = [moved_columns(*drawn(seed, move)) for seed in range(50)]
    assert np.mean([bool(one) for one in found]) >= 0.8
    assert {(one.known_class, one.change) for each in found for one in each[:1]} == {(1, "larger")}


def test_noise_is_told_from_a_move():
    def move(rows, codes):
        rows = rows.copy()
        rows[:, 2] *= 3.0
        return rows

    found = moved_columns(*drawn(0, move))
    assert {(one.column, one.change) for one in found} == {(2, "more spread out")}


def test_rows_taken_for_new_have_no_say():
    labeled, unlabeled, seen, _ = drawn(0)
    new = np.arange(300) < 90
    assert moved_columns(labeled, unlabeled + 9.0 * new[:, None], seen, ~new) == []


def test_p_values_are_corrected_step_by_step():
    np.testing.assert_allclose(_holm(np.array([0.04, 0.01, 0.03])), [0.06, 0.03, 0.06])


def test_a_column_that_moved_in_every_class_is_counted_in_all_of_them():
    rng = np.random.default_rng(0)
    codes = np.arange(480) % 24
    labeled, unlabeled = rng.normal(size=(2, 480, 2))
    seen = seen_as(codes, 24)
    unlabeled[:, 0] += 4.0
    found = moved_columns(labeled, unlabeled, (seen, seen), np.ones(480, bool))
    assert classes_by_column(found)[0] == 24
