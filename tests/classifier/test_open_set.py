"""The door for labeled rows alone and for images, and answers without probabilities."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from eulac.classifier.open_set import LabelsMixin, open_rows
from eulac.exceptions import NoUnlabeledRowsWarning

X = np.arange(12.0).reshape(6, 2)


class Signs(LabelsMixin, ClassifierMixin, BaseEstimator):
    """Calls a row augmented where its first feature is above six."""

    def __init__(self, unlabeled_label=-1, augmented_label="auto", random_state=0):
        self.unlabeled_label = unlabeled_label
        self.augmented_label = augmented_label
        self.random_state = random_state

    def fit(self, X, y):
        open_rows(self, X, y, None, uses_unlabeled=False)
        self.proportion_ = None
        return self

    def _decision(self, X):
        zero = np.zeros(len(X))
        return np.column_stack([zero, zero - 1.0, np.asarray(X)[:, 0] - 6.0])


def test_without_unlabeled_rows_a_method_that_needs_none_still_knows_the_augmented_class():
    classifier = Signs()
    sample, _ = open_rows(classifier, X, [0, 0, 0, 1, 1, 1], None, uses_unlabeled=False)
    assert sample.n_unlabeled == 0
    assert not classifier.closed_set_
    np.testing.assert_array_equal(classifier.classes_, [0, 1, -2])


def test_a_method_that_needs_unlabeled_rows_gets_labeled_ones_in_their_place_and_a_warning():
    classifier = Signs()
    with pytest.warns(NoUnlabeledRowsWarning):
        sample, _ = open_rows(classifier, X, [0, 0, 0, 1, 1, 1], None, uses_unlabeled=True)
    assert sample.n_unlabeled == 6
    assert classifier.closed_set_
    np.testing.assert_array_equal(classifier.classes_, [0, 1])


def test_images_keep_their_shape_in_single_precision():
    images = X.reshape(6, 2, 1)
    sample, _ = open_rows(
        Signs(), images, [0, 0, 1, 1, -1, -1], None, uses_unlabeled=True, images=True
    )
    assert sample.X_labeled.shape == (4, 2, 1)
    assert sample.X_labeled.dtype == np.float32
    with pytest.raises(ValueError, match="dim 3"):
        open_rows(Signs(), images, [0, 0, 1, 1, -1, -1], None, uses_unlabeled=True)


def test_labels_and_scores_are_offered_and_probabilities_are_not():
    classifier = Signs().fit(X, [0, 0, 0, 1, 1, 1])
    np.testing.assert_array_equal(classifier.predict(X), [0, 0, 0, 0, -2, -2])
    np.testing.assert_array_equal(classifier.augmented_score(X), X[:, 0] - 6.0)
    for name in ("answers", "decision_function", "predict_proba"):
        assert not hasattr(classifier, name)


def test_accuracy_needs_no_proportion_where_all_labels_are_true():
    classifier = Signs().fit(X, [0, 0, 0, 1, 1, 1])
    assert classifier.score(X, [0, 0, 1, 1, 7, 7]) == 4 / 6
    assert classifier.score(X, [0, 0, 1, 1, 7, 7], [1, 1, 1, 1, 0, 0]) == 0.5
    with pytest.raises(ValueError, match="known proportion, which Signs was fitted without"):
        classifier.score(X, [0, 0, 0, 1, -1, -1])


def test_minus_zero_is_zero_for_the_order_of_rows():
    rows = np.array([[0.0, 3.0], [0.0, 2.0], [0.0, 1.0], [0.0, 4.0], [0.0, 5.0], [0.0, 0.0]])
    minus = np.where((rows == 0) & (np.arange(6) % 2 == 0)[:, None], -0.0, rows)
    y = [0, 0, 1, 1, -1, -1]
    one, two = (open_rows(Signs(), part, y, None, uses_unlabeled=True)[0] for part in (rows, minus))
    for name in ("X_labeled", "y_labeled", "X_unlabeled"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))
    assert not np.signbit(two.X_labeled).any()
    np.testing.assert_array_equal(np.sort(one.X_labeled, axis=0), np.sort(rows[:4], axis=0))


def test_rows_are_kept_in_double_precision_and_columns_in_place_unless_told_otherwise():
    frame = pd.DataFrame(X, columns=["west", "east"])
    y = [0, 0, 1, 1, -1, -1]
    by_place, _ = open_rows(Signs(), frame, y, None, uses_unlabeled=True)
    by_name, _ = open_rows(Signs(), frame, y, None, uses_unlabeled=True, by_name=True)
    assert by_place.X_labeled.dtype == np.float64
    np.testing.assert_array_equal(by_name.X_unlabeled, by_place.X_unlabeled[:, ::-1])
    np.testing.assert_array_equal(np.sort(by_place.X_unlabeled, axis=0), X[4:])


def test_rows_too_large_to_square_are_refused():
    rows = np.where(X == 3.0, 1e200, X)
    with pytest.raises(ValueError, match=r"features must lie within .* got one of size 1e\+200"):
        open_rows(Signs(), rows, [0, 0, 1, 1, -1, -1], None, uses_unlabeled=True)
