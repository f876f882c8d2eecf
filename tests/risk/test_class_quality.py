import numpy as np
import pytest

from drawn_answers import LABELS, drawn_answers
from eulac.risk.class_quality import quality_by_class, wilson_interval
from eulac.risk.contingency import contingency_table
from eulac.risk.zero_one import label_free_macro_f1


def quality(seed, **options):
    return quality_by_class(drawn_answers(seed, **options).table(), LABELS)


@pytest.mark.parametrize("seed", range(5))
def test_mean_f1_is_the_label_free_macro_f1(seed):
    drawn = drawn_answers(seed)
    expected = label_free_macro_f1(*drawn.parts, augmented=3)
    assert np.mean([one.f1 for one in quality(seed)]) == pytest.approx(expected, abs=1e-12)


def test_found_and_called_new_are_shares_of_the_labeled_rows_of_the_class():
    drawn = drawn_answers(0)
    for k, one in enumerate(quality(0)[:3]):
        of_class = drawn.answer[drawn.y == k]
        assert one.found == pytest.approx(np.mean(of_class == k), abs=1e-12)
        assert one.called_new == pytest.approx(np.mean(of_class == 3), abs=1e-12)
        assert one.found_interval[0] <= one.found <= one.found_interval[1]


def test_found_and_right_new_rows_are_near_the_truth_on_average():
    new = [quality(seed)[-1] for seed in range(60)]
    assert np.mean([one.found for one in new]) == pytest.approx(0.9, abs=0.03)
    # A quarter is new: 0.225 of all rows are found, and 0.075 are wrongly called new.
    assert np.mean([one.right for one in new]) == pytest.approx(0.75, abs=0.03)


def test_the_interval_of_what_is_found_covers_the_truth():
    intervals = [quality(seed)[-1].found_interval for seed in range(60)]
    assert np.mean([low <= 0.9 <= high for low, high in intervals]) > 0.85


def test_the_error_of_what_is_right_is_its_spread_over_draws():
    new = [quality(seed)[-1] for seed in range(300)]
    spread = np.std([one.right for one in new])
    assert np.mean([one.right_error for one in new]) == pytest.approx(spread, rel=0.15)


def test_nothing_new_has_no_share_to_be_found():
    assert np.isnan(quality(0, per_class=(1 / 3, 1 / 3, 1 / 3))[-1].found)


def test_a_class_that_is_gone_has_nothing_to_be_found_and_no_interval():
    gone = quality(0, per_class=(0.0, 0.4, 0.4))[0]
    assert np.isnan(gone.found)
    assert gone.found_interval == (0.0, 1.0)
    assert gone.right == 0.0


def test_interval_of_no_rows_says_nothing():
    assert wilson_interval(0.5, 0) == (0.0, 1.0)
    low, high = wilson_interval(0.5, 100)
    assert low < 0.5 < high
    assert high - low == pytest.approx(0.192, abs=0.01)


@pytest.mark.parametrize(("share", "n"), [(0.3, 17), (0.9, 40)])
def test_ends_of_a_wilson_interval_are_shares_just_as_far_away_as_chance_goes(share, n):
    for end in wilson_interval(share, n):
        assert (share - end) ** 2 == pytest.approx(1.96**2 * end * (1 - end) / n, rel=1e-3)


def test_errors_of_what_is_right_count_rows_found_and_rows_called():
    # One labeled row of the first class is found, and one of 50 unlabeled rows is called so.
    y, answer = np.repeat([0, 1], [4, 6]), np.repeat([0, 1], [1, 9])
    unlabeled = np.repeat([0, 1, 2], [1, 29, 20])
    table = contingency_table(answer, y, np.full(10, 0.6), unlabeled, augmented=2)
    one = quality_by_class(table, ["a", "b", "new"])[0]
    assert (one.found, one.called) == (0.25, pytest.approx(0.02))
    assert one.right_error == pytest.approx(one.right * np.sqrt(0.75 + 0.98))
    other = quality_by_class(table, ["a", "b", "new"])[1]
    relative = 0.0 / 6 + (1 - 0.58) / (0.58 * 50)
    assert other.right_error == pytest.approx(other.right * np.sqrt(relative))


def test_a_class_that_is_neither_there_nor_called_has_an_f1_of_zero():
    y, answer = np.repeat([0, 1], [4, 6]), np.ones(10, dtype=int)
    weights = np.repeat([0.0, 1.0], [4, 6])
    table = contingency_table(answer, y, weights, np.repeat([1, 2], [30, 20]), augmented=2)
    gone, _, new = quality_by_class(table, ["a", "b", "new"])
    assert (gone.share, gone.called, gone.f1) == (0.0, 0.0, 0.0)
    assert (new.label, new.n_labeled) == ("new", 0)
    nothing_new = quality(0, per_class=(1 / 3, 1 / 3, 1 / 3))[-1]
    assert (nothing_new.n_labeled, nothing_new.share) == (0, 0.0)


def test_an_unsure_proportion_adds_what_wrong_rows_move_with_it():
    sure, unsure = (
        quality_by_class(drawn_answers(0).table(error), LABELS)[-1] for error in (0.0, 0.05)
    )
    wrong, known = sure.called - sure.hits, 1.0 - sure.share
    moved = wrong / known * 0.05 / sure.called
    assert unsure.right_error**2 - sure.right_error**2 == pytest.approx(moved**2)


def test_half_the_interval_of_what_is_found_is_two_standard_deviations():
    new = [quality(seed)[-1] for seed in range(150)]
    half = np.mean([high - low for low, high in (one.found_interval for one in new)]) / 2
    # Cut at one now and then.
    assert half == pytest.approx(1.96 * np.std([one.found for one in new]), rel=0.2)


def test_intervals_of_a_few_rows_stay_within_0_and_1():
    for seed in range(30):
        for one in quality(seed, n_labeled=12, n_unlabeled=12):
            low, high = one.found_interval
            assert low >= 0
            assert high <= 1


def test_where_nothing_is_known_all_that_is_called_new_is_right():
    y, answer = np.array([0, 1, 0, 1]), np.array([0, 1, 2, 1])
    table = contingency_table(answer, y, np.zeros(4), np.array([0, 2, 2, 2]), augmented=2)
    known, _, new = quality_by_class(table, ["a", "b", "new"])
    assert (new.share, new.called, new.found, new.right) == (1.0, 0.75, 0.75, 1.0)
    assert new.right_error == 0.0
    assert (known.share, known.called, known.right) == (0.0, 0.25, 0.0)
    assert np.isnan(known.called_new)


def test_where_nothing_is_new_no_row_called_so_is_right():
    y, answer = np.array([0, 1, 0, 1]), np.array([0, 1, 2, 1])
    table = contingency_table(answer, y, np.ones(4), np.array([0, 1, 1, 2]), augmented=2)
    new = quality_by_class(table, ["a", "b", "new"])[-1]
    assert (new.called, new.right, new.right_error) == (0.25, 0.0, 0.0)
    assert np.isnan(new.called_new)
    assert new.found_interval == (0.0, 1.0)


def test_a_new_row_called_new_is_a_new_row_found():
    for seed in range(3):
        new = quality(seed)[-1]
        assert new.called_new == new.found


def test_chance_carries_no_f1_beyond_0_and_1():
    y = np.zeros(10, dtype=int)
    table = contingency_table(y, y, np.full(10, 0.9), np.repeat([0, 1], 5), augmented=1)
    assert table.error < 0
    assert [one.f1 for one in quality_by_class(table, ["a", "new"])] == [1.0, 1.0]
    half_new = np.repeat([0, 1], 5)  # and none of the unlabeled rows
    table = contingency_table(half_new, y, np.full(10, 0.5), y, augmented=1)
    assert quality_by_class(table, ["a", "new"])[-1].f1 == 0.0


@pytest.mark.parametrize(("n_wrong", "n_called", "weight"), [(5, 0, 0.5), (0, 25, 0.9)])
def test_an_interval_of_what_is_found_lies_within_0_and_1_whatever_chance_does(
    n_wrong, n_called, weight
):
    answer = np.repeat([1, 0], [n_wrong, 10 - n_wrong])
    unlabeled = np.repeat([1, 0], [n_called, 50 - n_called])
    y, weights = np.zeros(10, dtype=int), np.full(10, weight)
    table = contingency_table(answer, y, weights, unlabeled, augmented=1)
    low, high = quality_by_class(table, ["a", "new"])[-1].found_interval
    assert 0.0 <= low < high <= 1.0
