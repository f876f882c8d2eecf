"""Wrong labels are found where held-out models say so, and right ones are left alone."""

import numpy as np
from sklearn.naive_bayes import GaussianNB

from eulac.any_classifier.two_stage_classifier import TwoStageEulacClassifier
from eulac.evaluation.label_errors import suspected_label_errors, suspected_rows


def fitted(y, X):
    return TwoStageEulacClassifier(GaussianNB(), known_proportion=0.5, random_state=0).fit(X, y)


def test_exchanged_labels_are_found_and_no_others():
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1, 2, 0, 1], [60, 60, 40, 20, 20])
    X = rng.normal(6.0 * np.eye(3)[codes], 0.5)
    y = np.array(["ant", "bee", "cow"])[codes]
    y[120:] = "-1"
    wrong = [3, 30, 70, 111]
    y[wrong] = np.where(y[wrong] == "ant", "bee", "ant")
    order = rng.permutation(len(y))
    found = suspected_label_errors(fitted(y[order], X[order]), y[order])
    assert sorted(order[found["row"]]) == wrong
    assert set(zip(found["label"], found["looks_like"], strict=True)) == {
        ("ant", "bee"),
        ("bee", "ant"),
    }
    gap = found["p_looks_like"] - found["p_label"]
    assert (gap > 0).all()
    assert gap.is_monotonic_decreasing


def test_classes_that_overlap_do_not_take_in_their_neighbors():
    # Of rows that carry label 1, half look like 0: that is what the class is like, and no error.
    p = np.array([[0.9, 0.1]] * 10 + [[0.45, 0.55]] * 5 + [[0.55, 0.45]] * 5)
    codes = np.repeat([0, 1], 10)
    np.testing.assert_array_equal(suspected_rows(p, codes), codes)


def test_the_share_of_the_new_class_has_no_say():
    p = np.array([[0.9, 0.1], [0.1, 0.9], [0.005, 0.095]])
    np.testing.assert_array_equal(suspected_rows(p, np.array([0, 1, 0])), [0, 1, 1])


def test_a_class_without_rows_attracts_nobody():
    p = np.array([[0.6, 0.1, 0.3], [0.2, 0.5, 0.3]])
    np.testing.assert_array_equal(suspected_rows(p, np.array([0, 1])), [0, 1])
