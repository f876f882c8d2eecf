import numpy as np
import pytest
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC

from contract import (
    check_unlabeled_rows_change_nothing,
    check_without_unlabeled_rows_it_warns_and_knows_no_new_class,
    parametrize_with_contract,
    parametrize_with_scikit_learn_checks,
)
from easy_mixture import easy_masked
from eulac import AUGMENTED
from eulac.contenders.ovr_svm import OvrSvmClassifier

QUICK = {"bandwidth": 0.2, "cost": 1.0, "random_state": 0}
LABEL_FREE = {"threshold": "label_free", "known_proportion": 0.6}


@parametrize_with_contract([OvrSvmClassifier(**QUICK)], check_unlabeled_rows_change_nothing)
def test_contract(classifier, check):
    check(classifier)


@parametrize_with_contract(
    [OvrSvmClassifier(**QUICK, **LABEL_FREE)],
    check_without_unlabeled_rows_it_warns_and_knows_no_new_class,
)
def test_contract_of_the_label_free_threshold(classifier, check):
    check(classifier)


@parametrize_with_scikit_learn_checks([OvrSvmClassifier(bandwidth=[1.0, 0.3], cost=[1.0])])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_answers_are_those_of_scikit_learn_and_new_where_no_machine_is_positive():
    split, X, y = easy_masked()
    classifier = OvrSvmClassifier(bandwidth=2.0, cost=1.0, scale=None).fit(X, y)
    labeled = y != -1
    theirs = OneVsRestClassifier(SVC(C=1.0, gamma=1 / 8)).fit(X[labeled], y[labeled])
    decision = theirs.decision_function(split.X_test)
    expected = np.where(decision.max(axis=1) < 0, AUGMENTED, decision.argmax(axis=1))
    # Rows come in another order, so that machines agree to the tolerance of their solver.
    far = np.abs(decision.max(axis=1)) > 1e-2
    np.testing.assert_array_equal(classifier.predict(split.X_test)[far], expected[far])
    np.testing.assert_allclose(
        classifier.augmented_score(split.X_test), -decision.max(axis=1), atol=1e-2
    )
    assert AUGMENTED in expected[far]


def test_the_default_searches_and_finds_the_easy_classes():
    split, X, y = easy_masked()
    classifier = OvrSvmClassifier(random_state=0).fit(X, y)
    known = split.y_test != AUGMENTED
    assert np.mean(classifier.predict(split.X_test[known]) == split.y_test[known]) > 0.9
    assert classifier.threshold_ == 0.0
    assert classifier.proportion_ is None


def test_the_label_free_score_needs_a_proportion():
    _, X, y = easy_masked()
    with pytest.raises(ValueError, match=r"needs the known proportion.*Pass `known_proportion`"):
        OvrSvmClassifier(**QUICK).fit(X, y).score(X, y)
    given = OvrSvmClassifier(**QUICK, known_proportion=0.6).fit(X, y)
    assert 0.8 < given.score(X, y) < 1.2


def test_one_known_class_is_refused_with_advice():
    with pytest.raises(ValueError, match=r"2 or more known classes.*got 1.*NoveltyClassifier"):
        OvrSvmClassifier().fit(np.eye(4), np.zeros(4))
