"""All answers at once are the answers one by one."""

import numpy as np
import pytest

import eulac
from easy_mixture import easy_split
from eulac.tables.label_free_error import label_free_error
from eulac.tables.table_answers import answers_of

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


def test_label_free_error_is_near_the_true_one():
    split, fresh = easy_split(90, 150), easy_split(90, 300, random_state=1)
    sample = split.sample
    clf = eulac.OsnnClassifier(ratio=0.8).fit(sample.X_labeled, sample.y_labeled)
    risk, estimate = label_free_error(clf, fresh.sample)
    truth = np.mean(clf.predict(fresh.sample.X_unlabeled) != fresh.y_unlabeled)
    low, high = risk.interval
    assert low - 0.02 <= truth <= high + 0.02
    assert abs(estimate.total - 0.6) < 0.1


def test_a_class_without_labeled_rows_is_named():
    fresh = easy_split().sample
    clf = eulac.OsnnClassifier(ratio=0.8).fit(fresh.X_labeled, fresh.y_labeled)
    kept = fresh.y_labeled != 1
    sample = type(fresh)(
        fresh.X_labeled[kept], fresh.y_labeled[kept], fresh.X_unlabeled, clf.codec_
    )
    with pytest.raises(ValueError, match=r"there are none of \[1\]"):
        label_free_error(clf, sample)
