"""The reading that lets known rows move."""

from dataclasses import replace

import numpy as np
import pytest

from eulac.drift.hidden_classes import MOST_HIDDEN, HiddenClassScores
from eulac.drift.readings import (
    SATURATED,
    after_trials,
    down_to_view,
    may_have_moved,
    reading,
    share_by_ratio,
    spread_of,
    with_moved_classes,
)
from eulac.drift.share_trials import NO_TRIALS, ShareTrials
from eulac.drift.within_labeled import NewWithin


def scores(n_known, n_new, moved=0.0, seed=0):
    rng = np.random.default_rng(seed)
    pool = np.append(rng.normal(moved, 1, n_known), rng.normal(moved + 5, 1, n_new))
    return rng.normal(size=400), pool


def hidden_scores(n_known, n_new, seed=1):
    labeled, pool = scores(n_known, n_new, seed=seed)
    return HiddenClassScores(pool, (labeled,), (np.random.default_rng(seed).normal(5, 1, 200),))


def test_three_estimates_have_a_say_and_the_middle_one_is_taken():
    found = may_have_moved(scores(300, 300, 0.5), scores(300, 300), hidden_scores(300, 300), 0.4)
    assert sorted(found.estimates) == ["class_view", "hidden_classes", "within_labeled"]
    assert found.known_proportion == np.median(list(found.estimates.values()))
    assert found.known_proportion == pytest.approx(0.5, abs=0.05)


def test_where_columns_tell_all_rows_apart_only_their_order_counts():
    far = scores(300, 300, moved=100.0)
    found = may_have_moved(far, scores(300, 300), hidden_scores(300, 300), SATURATED / 2)
    assert "within_labeled" not in found.estimates
    assert found.estimates["both_scores"] == pytest.approx(0.5, abs=0.06)


def test_a_class_view_that_tells_all_rows_apart_has_no_vote_but_makes_the_reading_unsure():
    far, near = scores(300, 300, moved=100.0), scores(300, 300)
    found = may_have_moved(near, far, hidden_scores(300, 300), 0.4)
    assert found.estimates["class_view"] < SATURATED
    others = [value for name, value in found.estimates.items() if name != "class_view"]
    assert len(others) == 3
    assert found.known_proportion == np.median(others)
    seen = may_have_moved(near, near, hidden_scores(300, 300), 0.4)
    assert found.standard_error > 2 * seen.standard_error


def test_where_many_classes_can_be_hidden_they_have_a_second_vote():
    many = replace(hidden_scores(300, 300), n_hidden=MOST_HIDDEN)
    found = may_have_moved(scores(300, 300, 0.5), scores(300, 300), many, 0.4)
    assert sorted(found.estimates) == [
        "both_scores",
        "class_view",
        "hidden_classes",
        "within_labeled",
    ]
    assert found.known_proportion == np.median(list(found.estimates.values()))


def test_where_known_rows_left_the_labeled_scores_what_lies_within_counts_only_if_it_is_more():
    left, stayed = (
        scores(300, 300, moved=100.0),
        (np.arange(400.0), np.arange(0.0, 400.0, 0.8)[:500]),
    )
    for columns, kept in ((left, "both_scores"), (stayed, "within_labeled")):
        pool = hidden_scores(200, len(columns[1]) - 200)
        found = may_have_moved(columns, scores(300, 300), pool, SATURATED / 2)
        assert sorted(found.estimates) == sorted(["class_view", "hidden_classes", kept])


@pytest.mark.parametrize(("n_seen", "share"), [(60, 0.36), (540, 0.9)])
def test_where_no_class_can_be_hidden_what_lies_within_can_only_add(n_seen, share):
    columns, view = scores(360, 240), scores(n_seen, 600 - n_seen)
    found = may_have_moved(columns, view, None, 0.3)
    assert found.estimates["within_labeled"] == pytest.approx(0.61, abs=0.03)
    assert found.known_proportion == pytest.approx(share, abs=0.06)


def test_new_rows_expected_within_the_labeled_scores_come_off():
    columns, view = scores(300, 300), scores(300, 300)
    expected = NewWithin(0.4, 0.1)
    found = [
        may_have_moved(columns, view, hidden_scores(300, 300), 0.4, *some).estimates
        for some in ((), (expected,))
    ]
    before, after = (one["within_labeled"] for one in found)
    assert after == pytest.approx((before - expected.least) / (1.0 - expected.least))


def test_estimates_that_disagree_make_the_reading_unsure():
    agree = may_have_moved(scores(300, 300), scores(300, 300), hidden_scores(300, 300), 0.5)
    differ = may_have_moved(scores(300, 300), scores(600, 0), hidden_scores(60, 540), 0.5)
    assert differ.standard_error > 3 * agree.standard_error
    assert spread_of(differ) > 0.5


def test_scores_that_are_all_the_same_have_no_ratio():
    assert share_by_ratio((np.zeros(5), np.zeros(9)), otherwise=0.7) == 0.7


def test_classes_that_moved_are_added_to_the_first_reading():
    second = reading(0.8, 0.03, "", {"class_view": 0.8})
    assert with_moved_classes(second, 0.75, 0.0) is second
    found = with_moved_classes(second, 0.7, 0.2)
    assert found.known_proportion == pytest.approx(0.9)
    assert found.estimates == {"class_view": 0.8, "moved_classes": pytest.approx(0.9)}
    assert found.standard_error > second.standard_error
    assert with_moved_classes(second, 0.95, 0.2).known_proportion == 1.0
    assert with_moved_classes(second, 0.3, 0.2) is second  # which counts them already


@pytest.mark.parametrize("lost", [0.0, 0.3, 0.6])
def test_what_trials_lost_is_taken_back_and_only_the_lower_end_moves(lost):
    first = reading(0.7, 0.03, "", {"tilt": 0.7})
    trials = ShareTrials(lost, 0.02, 1.0, 4)
    found = after_trials(first, trials, trials)
    assert found.estimates == first.estimates
    assert found.interval[1] == first.interval[1]
    assert found.known_proportion <= 0.7
    assert (found.known_proportion < 0.65) == (lost > 0)
    assert found.interval[0] <= found.known_proportion - (0.7 - first.interval[0]) + 1e-12


def test_trials_that_differ_a_lot_leave_more_open():
    first = reading(0.7, 0.03, "", {})
    trials = [ShareTrials(0.3, error, 1.0, 4) for error in (0.02, 0.1)]
    lower = [after_trials(first, one, one).interval[0] for one in trials]
    assert lower[1] < lower[0] < first.interval[0]


def test_fewer_trials_that_lose_as_much_leave_more_open():
    first = reading(0.7, 0.03, "", {})
    deviation = 0.05
    trials = [ShareTrials(0.3, deviation / n**0.5, 1.0, n, undecided=0.4) for n in (2, 4, 8)]
    lower = [after_trials(first, one, one).interval[0] for one in trials]
    assert lower == sorted(lower)
    assert lower[0] < lower[2] - 0.05
    surer = after_trials(first, *[replace(trials[0], undecided=0.1)] * 2)
    assert surer.interval[0] > lower[0]  # scores that decide leave less room for trials to differ


@pytest.mark.parametrize("power", [0.0, 0.5, 1.0])
def test_where_no_row_looks_new_all_may_be_known_or_as_few_as_trials_do_not_notice(power):
    nearly_all = reading(0.97, 0.02, "", {})
    trials = ShareTrials(0.4, 0.05, 1.0, 8, power=power)
    decided = trials.of_pool(0.0)  # scores are sure of every row: known
    found = after_trials(nearly_all, trials, decided, something_new=False)
    assert found.known_proportion == 0.97
    assert found.interval[1] == 1.0
    assert found.interval[0] == pytest.approx(trials.unnoticed(nearly_all.interval[0]))
    assert found.interval[0] <= trials.lowest(nearly_all.interval[0])


def test_without_trials_silence_leaves_open_what_the_pool_s_scores_leave_undecided():
    first = reading(0.97, 0.02, "", {})
    for undecided in (0.0, 0.3):
        in_pool = NO_TRIALS.of_pool(undecided)
        found = after_trials(first, NO_TRIALS, in_pool, something_new=False)
        assert found.interval == (in_pool.lowest(first.interval[0]), 1.0)


def test_where_some_rows_look_new_silence_of_the_test_changes_nothing():
    some_new, trials = reading(0.7, 0.03, "", {}), ShareTrials(0.4, 0.05, 1.0, 8, power=0.0)
    silent = after_trials(some_new, trials, trials, something_new=False)
    assert silent.interval == after_trials(some_new, trials, trials).interval


def test_classes_far_apart_leave_nothing_open_whatever_the_test_notices():
    trials = ShareTrials(0.0, 0.005, 1.0, 8, power=0.0)
    first = reading(0.97, 0.02, "", {})
    found = after_trials(first, trials, trials, something_new=False)
    assert found.interval == (first.interval[0], 1.0)


def test_the_interval_reaches_down_to_a_lower_share_of_the_class_view_only():
    first, second = reading(0.6, 0.03, "", {"tilt": 0.6}), reading(0.8, 0.03, "", {})
    for view, low in ((0.3, 0.3 - 1.96 * 0.03), (0.9, first.interval[0])):
        found = down_to_view(first, replace(second, estimates={"class_view": view}))
        assert found.interval == pytest.approx((low, first.interval[1]))
        assert found.known_proportion == 0.6
    assert down_to_view(first, second) == first  # no class view
