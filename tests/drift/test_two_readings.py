"""The known share under two assumptions, and which of them the rows speak for."""

import numpy as np
import pytest

from eulac.data.lac_sample import LacSample
from eulac.drift.two_readings import TwoReadingsProportion

QUICK = {"n_resamples": 10, "random_state": 0}


def three_classes(known_proportion, seed=0, n_labeled=200, n_unlabeled=300, moved=0.0):
    """Two known classes and a new one, told apart by two columns; a third one is noise."""
    rng = np.random.default_rng(seed)
    centers = np.array([[0.0, 0.0, 0.0], [5.0, 0.0, 0.0], [2.5, 5.0, 0.0]])
    y = np.arange(n_labeled) % 2
    n_known = round(known_proportion * n_unlabeled)
    kinds = np.append(np.arange(n_known) % 2, np.full(n_unlabeled - n_known, 2))
    labeled = centers[y] + rng.normal(size=(n_labeled, 3))
    unlabeled = centers[kinds] + rng.normal(size=(n_unlabeled, 3))
    unlabeled[:, 2] += moved
    return LacSample.from_masked(labeled, y, X_unlabeled=rng.permutation(unlabeled))


@pytest.mark.parametrize("known_proportion", [0.3, 0.7])
def test_where_known_classes_stay_the_paper_s_reading_is_used(known_proportion):
    estimate = TwoReadingsProportion(**QUICK).estimate(three_classes(known_proportion))
    assert not estimate.diagnostics["drift"]["suspected"]
    assert estimate.total == pytest.approx(known_proportion, abs=0.08)
    low, high = estimate.interval
    assert low <= known_proportion <= high


@pytest.mark.parametrize("known_proportion", [0.6, 1.0])
def test_a_column_in_which_the_domain_moved_does_not_make_known_rows_new(known_proportion):
    sample = three_classes(known_proportion, moved=1.0)
    estimate = TwoReadingsProportion(**QUICK).estimate(sample)
    readings = estimate.diagnostics["readings"]
    assert readings["as_labeled"]["known_proportion"] < known_proportion - 0.3
    assert estimate.diagnostics["drift"]["suspected"]
    assert estimate.total == pytest.approx(known_proportion, abs=0.12)
    low, high = estimate.interval
    assert low <= readings["as_labeled"]["known_proportion"] < known_proportion <= high + 0.02


def test_where_nearly_all_seems_new_the_interval_says_how_little_is_known():
    estimate = TwoReadingsProportion(**QUICK).estimate(three_classes(0.7, moved=4.0))
    assert estimate.diagnostics["readings"]["as_labeled"]["known_proportion"] < 0.1
    assert estimate.diagnostics["drift"]["suspected"]
    low, high = estimate.interval
    assert low < 0.1
    assert high > 0.7


def test_the_user_s_word_decides_which_reading_is_used():
    sample = three_classes(0.6, moved=1.0)
    kept, moved = (
        TwoReadingsProportion(drift=drift, **QUICK).estimate(sample) for drift in (False, True)
    )
    readings = kept.diagnostics["readings"]
    assert kept.total == pytest.approx(readings["as_labeled"]["known_proportion"])
    assert moved.total == pytest.approx(readings["may_have_moved"]["known_proportion"])
    assert kept.interval == moved.interval  # it spans both readings whichever is used


def test_where_known_classes_moved_rows_are_taken_for_one_of_them_or_for_new():
    sample = three_classes(0.6, moved=1.0)
    estimator = TwoReadingsProportion(**QUICK)
    estimate, guesses = estimator.read(sample)
    assert guesses.shape == (sample.n_unlabeled,)
    assert (guesses == 2).mean() == pytest.approx(1.0 - estimate.total, abs=0.01)
    right = sample.X_unlabeled[:, 0] > 2.5  # of the border between both known classes
    known = guesses < 2
    assert (guesses[known] == right[known]).mean() > 0.9
    low = sample.X_unlabeled[:, 1] < 2.5  # and of the one to the new class
    assert (known == low).mean() > 0.85
    wrong = np.where(low, right, 2) != guesses
    assert estimate.diagnostics["drift"]["disagreement"] == pytest.approx(wrong.mean(), abs=0.1)
    assert estimator.read(three_classes(0.6))[1] is None


def test_moved_priors_are_followed():
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    kinds = rng.permutation(np.repeat([0, 1, 2], [160, 40, 100]))
    centers = np.array([[0.0, 0.0], [5.0, 0.0], [2.5, 5.0]])
    labeled, unlabeled = (centers[k] + rng.normal(size=(len(k), 2)) for k in (y, kinds))
    sample = LacSample.from_masked(labeled, y, X_unlabeled=unlabeled)
    estimate = TwoReadingsProportion(**QUICK).estimate(sample)
    np.testing.assert_allclose(estimate.per_class, [160 / 300, 40 / 300], atol=0.06)
    assert estimate.diagnostics["priors_moved"]


def test_a_class_of_few_labeled_rows_that_fills_the_pool_makes_the_share_unsure():
    rng = np.random.default_rng(0)
    centers = np.array([[0.0, 0.0], [5.0, 0.0], [2.5, 5.0]])
    y = np.repeat([0, 1], [190, 10])
    kinds = rng.permutation(np.repeat([0, 1, 2], [60, 180, 60]))
    labeled, unlabeled = (centers[k] + rng.normal(size=(len(k), 2)) for k in (y, kinds))
    sample = LacSample.from_masked(labeled, y, X_unlabeled=unlabeled)
    low, high = TwoReadingsProportion(**QUICK).estimate(sample).interval
    assert low <= 0.8 <= high


@pytest.mark.slow
def test_a_seed_fixes_everything():
    sample = three_classes(0.5)
    one, two = (TwoReadingsProportion(**QUICK).estimate(sample) for _ in range(2))
    assert one.total == two.total
    assert one.interval == two.interval


@pytest.mark.parametrize("generator", [np.random.RandomState, np.random.default_rng])
def test_a_generator_fixes_it_as_well(generator):
    sample, options = three_classes(0.5, n_labeled=40, n_unlabeled=60), {**QUICK, "n_resamples": 5}
    one, two = (
        TwoReadingsProportion(**options | {"random_state": generator(3)}).estimate(sample)
        for _ in range(2)
    )
    assert (one.total, one.interval) == (two.total, two.interval)


def test_one_known_class_has_no_class_view_and_is_no_trouble():
    sample = three_classes(0.5, n_labeled=100, n_unlabeled=150)
    one = LacSample.from_masked(
        sample.X_labeled[sample.y_labeled == 0], np.zeros(50, int), X_unlabeled=sample.X_unlabeled
    )
    estimate = TwoReadingsProportion(**QUICK).estimate(one)
    low, high = estimate.interval
    assert low <= 0.25 <= high  # the other known class is new to it


@pytest.mark.parametrize("kind", [object, str])
def test_what_moved_is_told_by_labels_of_any_kind(kind):
    rng = np.random.default_rng(0)
    codes = np.arange(240) % 3
    X = rng.normal(np.hstack([6.0 * np.eye(3)[codes], np.full((240, 1), 3.0)]))
    labels = np.array(["ant", "bee", "cat"], dtype=kind)[codes]
    pool = X + rng.normal(0, 0.1, X.shape) + np.array([0, 0, 0, 1.5])
    estimator = TwoReadingsProportion(random_state=0).fit(X, labels, pool)
    moved = estimator.estimate_.diagnostics["drift"]["moved"]
    assert {one["known_class"] for one in moved} == {"ant", "bee", "cat"}
    assert {one["column"] for one in moved} == {3}
