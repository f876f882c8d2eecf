"""What all answers follow from: one decision matrix, its largest column and its probabilities."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.special import softmax

from eulac.classifier.answering import AnswersMixin
from eulac.data.labels import LabelCodec
from eulac.exceptions import ScoreAboveOneWarning
from eulac.kernel.kernel_classifier import KernelEulacClassifier


class ByDistance(AnswersMixin):
    """Decides by how near three points are, the last of them new."""

    def __init__(self, known=(0, 1), augmented_label=-2):
        self.codec_ = LabelCodec(np.asarray(known), augmented_label=augmented_label)
        self.known_classes_ = self.codec_.known
        self.classes_ = self.codec_.all_labels
        self.closed_set_ = False
        self.proportion_ = SimpleNamespace(per_class=np.array([0.3, 0.3]))

    def _decision(self, X):
        return -np.abs(np.asarray(X) - np.array([[0.0, 10.0, 20.0]]))

    def _calibrated(self, decision):
        return softmax(decision, axis=1)


X = np.array([[1.0], [9.0], [15.5], [30.0]])


def test_labels_are_those_of_the_largest_column():
    assert ByDistance().predict(X).tolist() == [0, 1, -2, -2]
    words = ByDistance(["owl", "tit"], "augmented")
    assert words.predict(X).tolist() == ["owl", "tit", "augmented", "augmented"]


def test_the_score_is_positive_exactly_where_the_answer_is_new():
    near = np.linspace(-5, 40, 901)[:, None]
    model = ByDistance()
    np.testing.assert_array_equal(model.augmented_score(near) > 0, model.predict(near) == -2)


def test_all_answers_at_once_are_the_answers_one_by_one():
    model = ByDistance()
    answers = model.answers(X)
    np.testing.assert_array_equal(answers.labels, model.predict(X))
    np.testing.assert_array_equal(answers.probabilities, model.predict_proba(X))
    np.testing.assert_array_equal(answers.augmented_score, model.augmented_score(X))


def test_the_decision_is_one_column_where_there_are_two_classes():
    model = ByDistance()
    np.testing.assert_array_equal(model.decision_function(X), model._decision(X))
    alone = ByDistance(known=[0])
    alone._decision = lambda rows: model._decision(rows)[:, [0, 2]]
    expected = model._decision(X)[:, 2] - model._decision(X)[:, 0]
    np.testing.assert_array_equal(alone.decision_function(X), expected)
    np.testing.assert_array_equal(alone.decision_function(X) > 0, alone.predict(X) == -2)


def test_weights_of_rows_count_in_the_score():
    y, weights = [0, 0, -2, -2], [1.0, 2.0, 1.0, 1.0]
    assert ByDistance().score(X, y) == pytest.approx(0.75)
    assert ByDistance().score(X, y, weights) == pytest.approx(0.6)


def test_weights_need_true_labels():
    with pytest.raises(ValueError, match="`y` has unlabeled rows"):
        ByDistance().score(X, [0, 1, -1, -1], np.ones(4))


def test_without_unlabeled_rows_the_score_is_the_lack_of_evidence():
    model = ByDistance()
    model.closed_set_ = True
    np.testing.assert_allclose(model.augmented_score(X), [1.0, 1.0, 4.5, 10.0])


def test_what_fit_takes_can_be_given_to_fit_predict():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)) + 4.0 * (np.arange(60) % 2)[:, None], np.arange(60) % 2
    y[40:] = -1
    weights = np.where(y < 0, 1.0, rng.uniform(0.5, 2.0, 60))
    one, two = (KernelEulacClassifier(known_proportion=0.9, random_state=0) for _ in range(2))
    labels = one.fit_predict(X, y, sample_weight=weights)
    two.fit(X, y, sample_weight=weights)
    np.testing.assert_array_equal(labels, two.held_out_labels_[40:])


def test_with_unlabeled_rows_the_score_is_the_label_free_accuracy():
    # Known rows, 0.6 of all, are answered rightly; 0.4 of the others are called new.
    rows = np.array([[1.0], [9.0], [0.5], [1.0], [9.5], [30.0], [30.0]])
    y = [0, 1, -1, -1, -1, -1, -1]
    assert ByDistance().score(rows, y) == pytest.approx(1.0)
    wrong = rows.copy()
    wrong[1] = 1.0  # half of the known rows, or 0.3 of all
    assert ByDistance().score(wrong, y) == pytest.approx(0.7)


def test_a_warning_of_a_score_above_one_points_to_who_asked_for_it():
    rows = np.array([[1.0], [9.0], *[[30.0]] * 30])
    with pytest.warns(ScoreAboveOneWarning) as caught:
        ByDistance().score(rows, [0, 1, *[-1] * 30])
    assert caught[0].filename == __file__


def test_labels_that_fit_has_not_seen_count_as_new():
    assert ByDistance().score(X, [0, 1, 7, 8]) == 1.0
    assert ByDistance().score(X, [0, 7, 7, 8]) == 0.75
