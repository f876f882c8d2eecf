"""The first steps of a fit: order, scale and proportion of the rows, and warnings with reason."""

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.naive_bayes import GaussianNB

from easy_mixture import easy_masked
from eulac import KernelEulacClassifier, TwoStageEulacClassifier
from eulac.classifier import input_rows
from eulac.classifier.known_proportion import estimate_proportion
from eulac.data.lac_sample import LacSample
from eulac.exceptions import ProportionAtBoundWarning, SmallClassWarning
from eulac.proportion.estimate import ProportionEstimate, ProportionEstimator


def sample_of(counts, n_unlabeled=10):
    y = np.append(np.repeat(list(counts), list(counts.values())), np.full(n_unlabeled, "-1"))
    return LacSample.from_masked(np.arange(2.0 * len(y)).reshape(-1, 2), y)


def test_steps_are_reported_from_one():
    calls = []
    step = input_rows.step_counter(lambda done, total: calls.append((done, total)), 2)
    step(0)
    step(1)
    assert calls == [(1, 2), (2, 2)]
    assert input_rows.step_counter(None, 2)(0) is None


def test_small_classes_are_named_with_their_counts():
    with pytest.warns(SmallClassWarning, match=r"the 5 folds: 'bee' \(2\), 'cow' \(4\)\. What"):
        input_rows.warn_of_small_classes(sample_of({"ant": 5, "bee": 2, "cow": 4}), 5)
    many = {f"class{k}": 1 for k in range(8)}
    with pytest.warns(SmallClassWarning, match=r"'class4' \(1\) and 3 others\. What"):
        input_rows.warn_of_small_classes(sample_of(many), 5)


def test_what_is_usual_gives_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        input_rows.warn_of_small_classes(sample_of({"ant": 5, "bee": 5}), 5)


def test_rows_of_a_fit_find_their_places_again():
    _, X, y = easy_masked()
    X, y, more = X[::-1], y[::-1], X[y == -1][:9] + 0.5
    classifier = KernelEulacClassifier(random_state=0)
    opened = input_rows.open_sample(classifier, X, y, more, n_folds=2)
    rows = np.vstack([opened.sample.X_labeled, opened.sample.X_unlabeled])
    assert_array_equal(input_rows.in_given_order(rows, opened.places), np.vstack([X, more]))


@pytest.mark.parametrize("scale", ["minmax", "standard", None])
def test_a_sample_and_new_rows_share_one_scale(scale):
    sample = sample_of({"ant": 5, "bee": 5})
    scaler, scaled = input_rows.scaled_sample(scale, sample)
    assert_array_equal(input_rows.scaled_rows(scaler, sample.X_unlabeled), scaled.X_unlabeled)
    assert scaled.codec is sample.codec
    assert np.isfinite(input_rows.scaled_rows(scaler, np.full((1, 2), 1e300)) ** 2).all()


def test_the_proportion_is_the_one_asked_for_and_one_without_unlabeled_rows():
    sample = sample_of({"ant": 5, "bee": 5})
    classifier = KernelEulacClassifier(0.7, shift="base++")
    input_rows.take_labels(classifier, sample.codec, closed_set=False)
    estimate = estimate_proportion(classifier, sample, 0, shift=False)
    assert estimate.total == pytest.approx(0.7)
    instead = {"known_proportion": 0.4, "shift": False}
    estimate = estimate_proportion(classifier, sample, 0, **instead)
    assert estimate.total == pytest.approx(0.4)
    input_rows.take_labels(classifier, sample.codec, closed_set=True)
    assert_array_equal(classifier.classes_, ["ant", "bee"])
    assert estimate_proportion(classifier, sample, 0).total == 1.0


@pytest.mark.parametrize("n_unlabeled", [0, 2])
@pytest.mark.filterwarnings("ignore::eulac.exceptions.NoUnlabeledRowsWarning")
def test_without_unlabeled_rows_a_table_has_no_augmented_class(n_unlabeled):
    y = np.append(np.repeat(["ant", "bee"], 10), np.full(n_unlabeled, "-1"))
    classifier = TwoStageEulacClassifier()
    input_rows.open_table(classifier, np.ones((len(y), 2)), y, None, inner=ExtraTreesClassifier())
    assert classifier.closed_set_ == (n_unlabeled == 0)
    assert len(classifier.classes_) == 2 + (n_unlabeled > 0)


def test_columns_of_frames_are_sorted_by_name_unless_places_count():
    _, X, y = easy_masked()
    frame = pd.DataFrame(X, columns=["west", "north", "south", "east"])
    clf = KernelEulacClassifier(random_state=0)
    by_name = input_rows.open_sample(clf, frame, y, None, n_folds=5).sample
    by_place = input_rows.open_sample(clf, frame, y, None, n_folds=5, by_name=False).sample
    places = np.argsort(frame.columns)
    assert_array_equal(
        np.sort(by_name.X_unlabeled, axis=0), np.sort(by_place.X_unlabeled, axis=0)[:, places]
    )
    assert_array_equal(np.sort(by_place.X_labeled, axis=0), np.sort(X[y != -1], axis=0))


def test_five_small_classes_are_all_named():
    few = {f"class{k}": 1 for k in range(5)}
    with pytest.warns(SmallClassWarning, match=r"'class3' \(1\), 'class4' \(1\)\. What"):
        input_rows.warn_of_small_classes(sample_of(few), 5)


def test_rows_that_weigh_nothing_do_not_make_a_class_larger():
    sample = sample_of({"ant": 5, "bee": 6})
    importance = np.where(np.arange(11) < 9, 1.0, 0.0)
    with pytest.warns(SmallClassWarning, match=r"folds: 'bee' \(4\)\. What"):
        input_rows.warn_of_small_classes(replace(sample, importance=importance), 5)


@pytest.mark.filterwarnings("ignore::eulac.exceptions.ProportionAtBoundWarning")
def test_a_warning_of_small_classes_points_to_who_called_fit():
    _, X, y = easy_masked()
    kept = np.append(np.flatnonzero(y == 0)[:2], np.flatnonzero(y != 0))
    classifier = KernelEulacClassifier(0.6, bandwidth=1.0, penalty=0.1, random_state=0)
    for clf in (classifier, TwoStageEulacClassifier(GaussianNB(), known_proportion=0.6)):
        with pytest.warns(SmallClassWarning) as caught:
            clf.fit(X[kept], y[kept])
        [told] = [one for one in caught if one.category is SmallClassWarning]
        assert told.filename == __file__


def test_minus_zero_is_zero_for_the_order_of_rows():
    _, X, y = easy_masked()
    X[::2, 0] = 0.0
    minus = np.where(X == 0, -0.0, X)
    one, two = (
        input_rows.open_sample(KernelEulacClassifier(random_state=0), rows, y, None, n_folds=5)
        for rows in (X, minus)
    )
    assert_array_equal(one.places, two.places)
    assert_array_equal(np.signbit(two.sample.X_labeled), np.signbit(one.sample.X_labeled))
    assert_array_equal(two.sample.X_unlabeled, one.sample.X_unlabeled)


@pytest.mark.filterwarnings("ignore::eulac.exceptions.NoUnlabeledRowsWarning")
def test_without_unlabeled_rows_those_that_count_stand_in_for_them():
    _, X, y = easy_masked()
    X, y = X[y >= 0], y[y >= 0]
    weights = np.where(np.arange(len(y)) % 4 == 0, 3.0, 0.0)
    clf = KernelEulacClassifier(random_state=0)
    opened = input_rows.open_sample(clf, X, y, None, weights, n_folds=2)
    counted = {tuple(row) for row in X[weights > 0]}
    assert {tuple(row) for row in opened.sample.X_unlabeled} <= counted
    assert_array_equal(input_rows.in_given_order(opened.sample.X_labeled, opened.places), X)


def test_no_rows_have_a_scale_too():
    scaler = input_rows.fit_scaler("minmax", np.array([[0.0], [10.0]]))
    assert input_rows.scaled_rows(scaler, np.empty((0, 1))).shape == (0, 1)
    assert_array_equal(input_rows.scaled_rows(None, np.array([[3.0]])), [[3.0]])
    assert input_rows.fit_scaler(None, np.ones((2, 1))) is None


@pytest.mark.parametrize("scale", ["minmax", "standard"])
def test_the_scale_is_that_of_rows_as_often_as_they_count(scale):
    rng = np.random.default_rng(0)
    rows, times = rng.normal(size=(30, 2)), rng.integers(0, 3, 30)
    rows[times == 0] += 50.0
    weighted = input_rows.fit_scaler(scale, rows, times.astype(float))
    repeated = input_rows.fit_scaler(scale, np.repeat(rows, times, axis=0))
    np.testing.assert_allclose(
        input_rows.scaled_rows(weighted, rows), input_rows.scaled_rows(repeated, rows)
    )


def test_unlabeled_rows_count_once_in_the_scale_of_a_weighted_sample():
    sample = sample_of({"ant": 5, "bee": 5})
    weighted = replace(sample, importance=np.repeat([2.0, 0.0], 5))
    scaler, _ = input_rows.scaled_sample("standard", weighted)
    counted = np.vstack([np.repeat(sample.X_labeled[:5], 2, axis=0), sample.X_unlabeled])
    np.testing.assert_allclose(scaler.mean_, counted.mean(axis=0))


def test_a_table_needs_labels():
    with pytest.raises(ValueError, match="requires y to be passed, but the target y is None"):
        input_rows.open_table(
            TwoStageEulacClassifier(), np.ones((4, 2)), None, None, inner=ExtraTreesClassifier()
        )


def test_columns_of_a_table_keep_their_places_unless_asked_for_by_name():
    _, X, y = easy_masked()
    frame = pd.DataFrame(X, columns=["west", "north", "south", "east"])
    forest, tables = ExtraTreesClassifier(), []
    for options in ({}, {"by_name": True}):
        clf = TwoStageEulacClassifier(random_state=0)
        table, _ = input_rows.open_table(clf, frame, y, None, inner=forest, **options)
        tables.append(list(table.X.columns))
    assert tables == [list(frame.columns), sorted(frame.columns)]


@pytest.mark.filterwarnings("ignore::eulac.exceptions.EulacWarning")
def test_doubts_about_the_proportion_are_told_unless_they_are_not_asked_for():
    sample = sample_of({"ant": 5, "bee": 5})
    classifier = KernelEulacClassifier(_Always(1.0))
    input_rows.take_labels(classifier, sample.codec, closed_set=False)
    with pytest.warns(ProportionAtBoundWarning):
        estimate_proportion(classifier, sample, 0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert estimate_proportion(classifier, sample, 0, warn=False).total == 1.0


class _Always(ProportionEstimator):
    def __init__(self, value):
        self.value = value

    def estimate(self, sample):
        per_class = self.value * sample.labeled_frequency
        sizes = sample.n_labeled, sample.n_unlabeled
        return ProportionEstimate(per_class, (self.value, self.value), "always", *sizes)
