"""The first steps of a fit: order, scale and proportion of the rows, and warnings with reason."""

import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.ensemble import ExtraTreesClassifier

from easy_mixture import easy_masked
from eulac import KernelEulacClassifier, TwoStageEulacClassifier
from eulac.classifier import input_rows
from eulac.classifier.known_proportion import estimate_proportion
from eulac.data.lac_sample import LacSample
from eulac.exceptions import SmallClassWarning


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
