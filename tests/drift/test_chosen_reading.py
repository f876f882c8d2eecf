"""Which reading is used, and what its interval spans."""

from dataclasses import replace

import numpy as np
import pytest

from eulac.drift.chosen_reading import chosen_share, drift_of, with_votes
from eulac.drift.readings import reading

EVEN, UNEVEN = 0.0, 5.0


def two_readings(first=0.3, second=0.6, errors=(0.03, 0.03)):
    moved = reading(second, errors[1], "moved", {"hidden_classes": second})
    return reading(first, errors[0], "as labeled", {}), moved


def chosen(*readings, uneven, wanted="auto"):
    drift = drift_of(*readings, uneven, wanted)
    options = {"priors": np.array([0.5, 0.5]), "sizes": (100, 200), "diagnostics": {}}
    return chosen_share(*readings, drift, **options)


def test_drift_must_show_in_the_gap_and_among_rows_that_look_labeled():
    assert drift_of(*two_readings(), UNEVEN, "auto")["suspected"]
    assert not drift_of(*two_readings(), EVEN, "auto")["suspected"]
    assert not drift_of(*two_readings(second=0.31), UNEVEN, "auto")["suspected"]
    assert not drift_of(*two_readings(second=0.1), UNEVEN, "auto")["suspected"]


@pytest.mark.parametrize(
    ("lowest", "n_hidden", "suspected"), [(0.5, 5, True), (0.31, 5, False), (0.5, 3, False)]
)
def test_estimates_that_agree_need_less_unevenness(lowest, n_hidden, suspected):
    first, second = two_readings()
    estimates = {"class_view": 0.6, "hidden_classes": 0.7}
    three = replace(second, estimates={**estimates, "within_labeled": lowest})
    found = drift_of(first, three, 0.5, "auto", n_hidden=n_hidden)
    assert found["suspected"] is suspected
    assert not drift_of(first, three, -1.0, "auto", n_hidden=n_hidden)["suspected"]
    two = replace(second, estimates={**estimates, "both_scores": lowest})  # of the same scores
    assert not drift_of(first, two, 0.5, "auto", n_hidden=n_hidden)["suspected"]


def test_readings_that_are_unsure_must_lie_further_apart():
    sure, unsure = (two_readings(0.3, 0.42, (0.03, error)) for error in (0.03, 0.3))
    assert drift_of(*sure, UNEVEN, "auto")["suspected"]
    assert not drift_of(*unsure, UNEVEN, "auto")["suspected"]


def test_where_drift_is_suspected_the_interval_spans_both_readings():
    first, second = two_readings()
    estimate = chosen(first, second, uneven=UNEVEN)
    assert estimate.total == pytest.approx(0.6)
    assert estimate.interval == (first.interval[0], second.interval[1])


def test_the_more_evenly_rows_lie_the_less_the_second_reading_widens_the_interval():
    widths = [
        np.ptp(chosen(*two_readings(0.5, 0.7), uneven=uneven).interval)
        for uneven in (-1.0, 0.7, 0.95)
    ]
    assert widths[0] < widths[1] < widths[2]


def test_the_share_moves_from_one_reading_to_the_other_without_a_jump():
    shares = [chosen(*two_readings(), uneven=uneven).total for uneven in np.linspace(0.9, 1.8, 60)]
    assert shares[0] == pytest.approx(0.3)
    assert shares[-1] == pytest.approx(0.6)
    assert np.abs(np.diff(shares)).max() < 0.02


@pytest.mark.parametrize(("wanted", "share"), [(True, 0.6), (False, 0.3)])
def test_the_user_s_word_decides_which_reading_is_used(wanted, share):
    assert chosen(*two_readings(), uneven=EVEN, wanted=wanted).total == pytest.approx(share)


@pytest.mark.parametrize(("share", "used"), [(0.05, False), (0.2, True)])
def test_classes_that_moved_are_used_where_they_account_for_most_of_what_would_be_new(share, used):
    two = reading(0.75, 0.02, "", {}), reading(0.8, 0.02, "", {})
    drift = drift_of(*two, 0.0, "auto", moved_classes=[2], share_of_missing=share)
    assert drift["suspected"]
    assert drift["used"] is used
    assert drift["moved_classes"] == [2]


def test_where_columns_and_class_view_agree_drift_must_show_beyond_all_chance():
    first, second = two_readings(0.1, 0.6)
    for view, suspected in ((0.15, False), (0.4, True), (0.01, True)):
        both = replace(second, estimates={"class_view": view, "hidden_classes": 0.6})
        assert drift_of(first, both, 2.0, "auto")["suspected"] is suspected
        classes = drift_of(first, both, 2.0, "auto", moved_classes=[0], share_of_missing=0.8)
        assert classes["used"]  # a class that moved as a whole shows by itself
    agreed = replace(second, estimates={"class_view": 0.15, "hidden_classes": 0.6})
    assert drift_of(first, agreed, 3.5, "auto")["used"]


def test_views_that_agree_while_rows_lie_unevenly_leave_both_readings_in_the_interval():
    first, second = two_readings(0.2, 0.7)
    agreed = replace(second, estimates={"class_view": 0.25, "hidden_classes": 0.7})
    estimate = chosen(first, agreed, uneven=2.5)
    assert not estimate.diagnostics["drift"]["used"]
    assert estimate.interval[0] <= first.interval[0]
    assert estimate.interval[1] >= agreed.interval[1]
    assert chosen(first, agreed, uneven=2.0).interval[1] < agreed.interval[1]


def test_where_nothing_looks_labeled_drift_is_believed_if_every_estimate_finds_it():
    first, second = two_readings(0.02, 0.8)
    for view, used in ((0.02, False), (0.1, False), (0.5, True)):
        both = replace(second, estimates={"class_view": view, "hidden_classes": 0.8})
        assert drift_of(first, both, EVEN, "auto")["used"] is used
    alone = replace(second, estimates={"class_view": 0.8})
    assert not drift_of(first, alone, EVEN, "auto")["used"]


def test_where_nothing_looks_labeled_everything_is_possible():
    for moved in (0.01, 0.5, 1.0):
        estimate = chosen(*two_readings(0.02, moved), uneven=EVEN)
        assert estimate.interval == (0.0, 1.0)
        assert estimate.diagnostics["drift"]["nothing_looks_labeled"]
    assert not drift_of(*two_readings(0.06, 0.5), EVEN, "auto")["suspected"]


def test_what_the_class_view_finds_more_widens_the_interval_unless_priors_moved():
    first, second = two_readings(0.7, 0.75)
    widths = {}
    for view in (0.7, 1.0):
        both = replace(second, estimates={"class_view": view})
        drift = drift_of(first, both, EVEN, "auto")
        for priors_moved in (False, True):
            options = {"priors": np.ones(1), "sizes": (100, 200)}
            said = {"priors_moved": priors_moved}
            estimate = chosen_share(first, both, drift, diagnostics=said, **options)
            assert estimate.total == pytest.approx(0.7)
            widths[view, priors_moved] = np.ptp(estimate.interval)
    assert widths[1.0, False] > 1.5 * widths[1.0, True]
    assert widths[0.7, False] == widths[0.7, True] == widths[1.0, True]


def test_where_no_class_can_be_hidden_more_unevenness_is_asked_for():
    first = reading(0.3, 0.03, "", {})
    alone = reading(0.6, 0.03, "", {"class_view": 0.6, "within_labeled": 0.6})
    agreed = reading(0.6, 0.03, "", {"class_view": 0.6, "hidden_classes": 0.6})
    assert drift_of(first, agreed, 1.7, "auto")["used"]
    assert not drift_of(first, alone, 1.7, "auto")["used"]
    assert drift_of(first, alone, 2.4, "auto")["used"]


def test_more_rows_among_the_labeled_than_new_classes_account_for_are_a_sign_of_their_own():
    for view in (0.31, 0.6):  # whether columns and class view agree or not
        first, second = two_readings()
        second = replace(second, estimates={"class_view": view, "hidden_classes": 0.6})
        shares = [
            drift_of(first, second, EVEN, "auto", crowded=crowded)["share_used"]
            for crowded in (1.6, 2.0, 2.4)
        ]
        assert shares[0] == 0.0 < shares[1] < shares[2] == 1.0
    near = two_readings(second=0.31)
    assert not drift_of(*near, EVEN, "auto", crowded=9.0)["suspected"]


def test_a_second_reading_far_above_is_within_the_interval_however_evenly_rows_lie():
    for second in (0.5, 0.7, 0.95):
        estimate = chosen(*two_readings(second=second), uneven=-1.0)
        assert estimate.total == pytest.approx(0.3)
        assert estimate.interval[1] >= second
        assert estimate.standard_error >= (second - 0.3) / 1.96 - 1e-9
    assert chosen(*two_readings(second=0.33), uneven=-1.0).interval[1] < 0.4


@pytest.mark.parametrize("votes", [(0.3, 0.32), (0.42, 0.9), (0.1, 0.9), (0.6, 0.7)])
def test_votes_change_the_first_reading_and_all_that_follows_from_it(votes):
    first, second = two_readings(0.4, 0.8, errors=(0.1, 0.03))
    found = with_votes(chosen(first, second, uneven=0.0), dict(zip("ab", votes, strict=True)))
    share = np.clip(np.median([0.4, *votes]), *first.interval)
    anew = chosen(replace(first, known_proportion=share), second, uneven=0.0)
    assert found.total == pytest.approx(share)
    assert found.interval == pytest.approx(anew.interval)
    assert found.standard_error == pytest.approx(anew.standard_error)
    for key in ("reach", "readings", "at_bound"):
        assert found.diagnostics[key] == anew.diagnostics[key]
    assert found.diagnostics["drift"]["gap"] == pytest.approx(0.8 - share)
    assert found.diagnostics["by_rows"] == 0.4


def test_a_share_between_both_readings_keeps_its_part_of_the_second():
    first, second = two_readings(0.4, 0.47)
    between = chosen(first, second, uneven=9.0)
    part = between.diagnostics["drift"]["share_used"]
    assert 0.0 < part < 1.0
    found = with_votes(between, {"a": 0.43, "b": 0.43})
    assert found.total == pytest.approx((1.0 - part) * 0.43 + part * 0.47)
