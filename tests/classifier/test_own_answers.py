"""All answers at once are the answers one by one; those of the own pool are held out."""

import numpy as np
import pytest

import eulac
from easy_mixture import easy_split
from eulac.classifier.own_answers import answers_of, own_answers_of

pytestmark = pytest.mark.filterwarnings("ignore::eulac.exceptions.EulacWarning")
KERNEL = {"bandwidth": 1.0, "penalty": 0.01, "known_proportion": 0.6, "random_state": 0}


@pytest.mark.parametrize("pool", [True, False], ids=["open", "closed"])
@pytest.mark.parametrize("n_known", [1, 2, 3])
def test_answers_of_a_kernel_classifier_to_three_decimals(pool, n_known):
    split = easy_split(n_known=n_known, cycle=(*range(n_known + 1),))
    sample = split.sample
    clf = eulac.KernelEulacClassifier(**KERNEL)
    clf.fit(sample.X_labeled, sample.y_labeled, X_unlabeled=sample.X_unlabeled if pool else None)
    answers = answers_of(clf, split.X_test)
    np.testing.assert_array_equal(answers.labels, clf.predict(split.X_test))
    probabilities, scores = clf.predict_proba(split.X_test), clf.augmented_score(split.X_test)
    np.testing.assert_allclose(answers.probabilities, probabilities, atol=1e-3)
    np.testing.assert_allclose(answers.augmented_score, scores, atol=1e-3)
    precise = clf.answers(split.X_test)
    np.testing.assert_array_equal(precise.labels, clf.predict(split.X_test))
    np.testing.assert_array_equal(precise.probabilities, probabilities)
    np.testing.assert_array_equal(precise.augmented_score, scores)


def test_methods_without_probabilities_have_none():
    split = easy_split()
    clf = eulac.OsnnClassifier(ratio=0.8).fit(split.sample.X_labeled, split.sample.y_labeled)
    assert answers_of(clf, split.X_test).probabilities is None


def test_rows_of_the_own_pool_are_told_from_fresh_ones():
    split = easy_split()
    sample = split.sample
    clf = eulac.KernelEulacClassifier(**KERNEL)
    clf.fit(sample.X_labeled, sample.y_labeled, X_unlabeled=sample.X_unlabeled)
    assert not own_answers_of(clf, split.X_test).is_held_out.any()
    own = own_answers_of(clf, sample.X_unlabeled)
    assert own.is_held_out.all()
    best = clf.classes_[own.answers.probabilities.argmax(axis=1)]
    np.testing.assert_array_equal(own.answers.labels[own.is_held_out], best[own.is_held_out])


def test_many_rows_are_answered_in_single_precision_where_a_classifier_can():
    sample = easy_split().sample
    clf = eulac.KernelEulacClassifier(**{**KERNEL, "penalty": 0.1})
    clf.fit(sample.X_labeled, sample.y_labeled, X_unlabeled=sample.X_unlabeled)
    X = np.vstack([sample.X_labeled + shift for shift in np.linspace(0.0, 0.1, 12)])
    scores = answers_of(clf, X).augmented_score
    np.testing.assert_array_equal(scores, clf.answers(X, quick=True).augmented_score)
    assert np.any(scores != clf.augmented_score(X))
