import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from eulac.any_classifier.two_stage_classifier import TwoStageEulacClassifier
from eulac.contenders.osnn import OsnnClassifier
from eulac.discovery.labeled_rows import known_answers, labeled_rows, score_pool, was_fitted_on
from eulac.kernel.kernel_classifier import KernelEulacClassifier
from report.conftest import draw_rows


@pytest.mark.parametrize(
    ("loss", "scale"), [("square", "minmax"), ("logistic", "standard"), ("double_hinge", None)]
)
def test_a_kernel_classifier_carries_its_labeled_rows_and_their_classes(mixture, loss, scale):
    X, y, pool, _ = mixture
    names = [f"column {place}" for place in range(X.shape[1])][::-1]  # not sorted
    X, pool = (pd.DataFrame(rows, columns=names) for rows in (X, pool))
    classifier = KernelEulacClassifier(
        0.5, loss=loss, scale=scale, bandwidth=1.0, penalty=0.01, random_state=0
    )
    carried = labeled_rows(classifier.fit(X, y, X_unlabeled=pool))
    given = labeled_rows(classifier, X, y)
    order, other = np.lexsort(carried.X.round(9).T), np.lexsort(given.X.round(9).T)
    np.testing.assert_allclose(carried.X[order], given.X[other], atol=1e-9)
    np.testing.assert_array_equal(carried.codes[order], given.codes[other])


def test_other_classifiers_carry_none(mixture):
    X, y, _, _ = mixture
    assert labeled_rows(OsnnClassifier(ratio=0.5).fit(X, y)) is None


def test_unlabeled_and_unknown_rows_are_left_out(fitted, mixture):
    X, y, _, _ = mixture
    masked = np.where(np.arange(len(y)) % 2 == 0, "-1", y)
    masked[1] = "yak"
    rows = labeled_rows(fitted, X, masked)
    assert len(rows) == 59


def test_labels_without_a_known_class_are_refused(fitted, mixture):
    X, y, _, _ = mixture
    with pytest.raises(ValueError, match=r"known classes \['ant', 'bee'\]; none of the 120"):
        labeled_rows(fitted, X, np.full(len(y), "yak"))


def test_rows_of_the_fit_are_answered_by_models_that_have_not_seen_them(fitted, mixture):
    pool, truth = mixture[2:]
    scores, new, known, is_held_out = score_pool(fitted, pool)
    assert is_held_out.all()
    held_out = fitted.held_out_probabilities_[-len(pool) :]
    np.testing.assert_array_equal(new, held_out.argmax(axis=1) == 2)
    np.testing.assert_array_equal(new, scores > 0)
    np.testing.assert_array_equal(known, held_out[:, :2].argmax(axis=1))
    low, high = fitted.proportion_.interval
    assert 1 - high <= new.mean() <= 1 - low
    assert np.mean(new == np.isin(truth, ["cow", "dog"])) > 0.9


def test_rows_of_the_fit_among_others_are_answered_so_one_by_one(fitted, mixture):
    pool, (other, _) = mixture[2], draw_rows(np.repeat([0, 1, 2], 10), seed=9)
    mixed = score_pool(fitted, np.vstack([other, pool[5:9]]))
    np.testing.assert_array_equal(mixed.is_held_out, 30 * [False] + 4 * [True])
    np.testing.assert_array_equal(mixed.is_new[30:], score_pool(fitted, pool).is_new[5:9])
    np.testing.assert_array_equal(mixed.is_new[:30], fitted.predict(other) == "augmented")


def test_without_held_out_rows_as_many_look_new_as_the_proportion_says(mixture):
    X, y, pool, _ = mixture
    classifier = OsnnClassifier(ratio=0.5, known_proportion=0.5).fit(X, y, X_unlabeled=pool)
    assert score_pool(classifier, pool).is_new.sum() == len(pool) // 2


def test_a_pool_is_the_one_of_the_fit_by_its_values_alone(fitted, mixture):
    X, _, pool, _ = mixture
    other, _ = draw_rows(np.repeat([0, 1], len(pool) // 2), seed=9)
    assert len(other) == len(pool)
    assert not was_fitted_on(fitted, other)
    assert not score_pool(fitted, other).is_new[5:].all()
    assert score_pool(fitted, other).is_new.mean() < 0.2
    assert was_fitted_on(fitted, pool[::-1])
    assert not was_fitted_on(fitted, pool[:-1])
    assert not was_fitted_on(fitted, X)


def test_of_other_rows_those_answered_so_look_new(fitted):
    X, _ = draw_rows(np.repeat([0, 1, 2, 3], 20), seed=5)
    assert not was_fitted_on(fitted, X)
    np.testing.assert_array_equal(score_pool(fitted, X).is_new, fitted.predict(X) == "augmented")


def test_known_answers_are_those_of_predict_where_nothing_is_new(fitted):
    X, _ = draw_rows(np.repeat([0, 1], 20), seed=5)
    predicted = fitted.codec_.encode(fitted.predict(X))
    known = predicted < 2
    assert known.any()
    np.testing.assert_array_equal(known_answers(fitted, X)[known], predicted[known])
    assert set(known_answers(fitted, X)) <= {0, 1}


def test_sparse_rows_of_one_known_class_have_known_answers():
    X = sparse.csr_matrix(np.vstack([np.eye(2)[[0] * 30 + [1] * 10]]))
    y = np.repeat([0, -1], 20)
    classifier = TwoStageEulacClassifier(LogisticRegression(), known_proportion=0.5).fit(X, y)
    np.testing.assert_array_equal(known_answers(classifier, X), np.zeros(40))


def test_labeled_columns_must_be_those_of_the_fit(mixture):
    X, y, pool, _ = mixture
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    pool = pd.DataFrame(pool, columns=frame.columns)
    clf = KernelEulacClassifier(0.5, bandwidth=1.0, penalty=0.1).fit(frame, y, X_unlabeled=pool)
    with pytest.raises(ValueError, match=r"`X_labeled` must have the columns of the fit .*another"):
        labeled_rows(clf, frame[["c", "a", "b"]], y)
    with pytest.raises(ValueError, match=r"it has no \['a'\] and also \['d'\]"):
        labeled_rows(clf, frame.rename(columns={"a": "d"}), y)
    assert len(labeled_rows(clf, frame, y)) == len(y)
