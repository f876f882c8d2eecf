"""Tests of classes that moved as a whole."""

import numpy as np
import pytest

from eulac.drift.missing_classes import MissingClass, missing_classes, share_of_missing


def draw(rng, per_class, *, n_labeled=60, moved=(), new_of=None, n_new=0):
    """Return scores and given classes; rows of moved classes, and new ones, score far beyond."""
    labeled = np.repeat(np.arange(len(per_class)), n_labeled)
    known = np.repeat(np.arange(len(per_class)), per_class)
    given = np.append(known, np.full(n_new, new_of or 0)).astype(int)
    far = np.append(np.isin(known, moved), np.ones(n_new, dtype=bool))
    return (
        (rng.normal(size=len(labeled)), rng.normal(size=len(given)) + 6.0 * far),
        (labeled, given),
    )


def codes(found):
    return [one.known_class for one in found]


@pytest.mark.parametrize("moved", [(), (1,), (0, 3)])
def test_the_classes_that_moved_are_found_and_no_others(moved):
    found = missing_classes(*draw(np.random.default_rng(0), [100] * 5, moved=moved))
    assert codes(found) == list(moved)


def test_false_alarms_keep_to_their_level():
    rng = np.random.default_rng(1)
    alarms = [len(missing_classes(*draw(rng, rng.poisson(80, 6)))) for _ in range(300)]
    assert np.mean(np.array(alarms) > 0) < 0.03


def test_power_over_classes_of_forty_labeled_rows():
    rng = np.random.default_rng(2)
    found = [
        codes(missing_classes(*draw(rng, rng.poisson(60, 8), n_labeled=40, moved=(3,)))) == [3]
        for _ in range(100)
    ]
    assert np.mean(found) > 0.95


def test_a_class_that_is_gone_has_not_moved():
    assert not missing_classes(*draw(np.random.default_rng(3), [100, 0, 100, 100]))


def test_a_rarer_class_has_not_moved():
    assert not missing_classes(*draw(np.random.default_rng(4), [100, 50, 100, 100]))


def test_a_class_that_is_gone_beside_new_rows_that_look_like_it_is_not_told_from_one_that_moved():
    gone = draw(np.random.default_rng(5), [100, 0, 100, 100], new_of=1, n_new=90)
    assert codes(missing_classes(*gone)) == [1]


@pytest.mark.parametrize("per_class", [[100], [100, 100]])
def test_classes_of_few_rows_and_single_ones_are_not_asked(per_class):
    drawn = draw(np.random.default_rng(6), per_class, n_labeled=10, moved=(0,))
    assert missing_classes(*drawn) == []


def test_rows_are_counted_up_to_what_is_expected_or_given():
    classes = [MissingClass(0, 100.0, 300), MissingClass(1, 100.0, 80), MissingClass(2, 100.0, 60)]
    assert share_of_missing(classes, 1000) == pytest.approx(0.18)  # the last is given too few
    assert share_of_missing([], 1000) == 0.0
    assert share_of_missing([MissingClass(0, 100.0, 100, others_keep=False)], 1000) == 0.0


@pytest.mark.parametrize(
    ("per_class", "keep"),
    [([100, 100, 100, 100], True), ([100, 100, 100, 20], False), ([100, 100], False)],
)
def test_rows_count_as_known_only_beside_classes_that_keep_their_shares(per_class, keep):
    found = missing_classes(*draw(np.random.default_rng(7), per_class, moved=(1,)))
    assert [one.others_keep for one in found if one.known_class == 1] == [keep]


def test_moved_priors_of_two_classes_beside_new_rows_that_look_like_the_rare_one():
    drawn = draw(np.random.default_rng(8), [540, 60], n_labeled=250, new_of=1, n_new=400)
    assert share_of_missing(missing_classes(*drawn), 1000) == 0.0
