import numpy as np
import pytest

from eulac.data.labels import LabelCodec
from eulac.evaluation.metrics import evaluate, expected_calibration_error


class Fixed:
    """Answers and scores given in advance."""

    def __init__(self, answers, scores):
        self.codec_ = LabelCodec.from_labels([0, 1])
        self.answers, self.scores = np.asarray(answers), np.asarray(scores)

    def predict(self, X):
        return self.answers

    def augmented_score(self, X):
        return self.scores


def test_perfect_answers_score_one_and_unknown_labels_count_as_augmented():
    metrics = evaluate(Fixed([0, 1, -2, -2], [0, 0, 1, 1]), np.zeros((4, 1)), [0, 1, 7, 9])
    assert (metrics.macro_f1, metrics.accuracy, metrics.auc) == (1.0, 1.0, 1.0)


def test_macro_f1_is_the_mean_over_classes():
    metrics = evaluate(Fixed([0, 0, -2, -2], [0, 0, 1, 1]), np.zeros((4, 1)), [0, 1, -2, -2])
    assert metrics.macro_f1 == pytest.approx((2 / 3 + 0 + 1) / 3)
    assert metrics.accuracy == 0.75


def test_auc_is_not_a_number_without_both_kinds():
    assert np.isnan(evaluate(Fixed([0, 1], [0, 0]), np.zeros((2, 1)), [0, 1]).auc)


def test_auc_is_bigger_when_new_rows_score_bigger():
    backwards = evaluate(Fixed([0, -2], [1.0, 0.0]), np.zeros((2, 1)), [0, -2])
    assert backwards.auc == 0.0


def test_calibration_error_is_zero_for_honest_confidence():
    rng = np.random.default_rng(0)
    confidence = rng.uniform(0.5, 1.0, 20000)
    y = (rng.random(20000) > confidence).astype(int)
    assert expected_calibration_error(np.c_[confidence, 1 - confidence], y) < 0.02


def test_calibration_error_sees_overconfidence():
    y = np.repeat([0, 1], 50)
    assert expected_calibration_error(np.tile([0.95, 0.05], (100, 1)), y) == pytest.approx(0.45)
