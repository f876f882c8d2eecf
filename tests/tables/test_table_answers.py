"""All answers at once are the answers one by one."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest

import eulac
from easy_mixture import easy_split
from eulac.exceptions import TableRequestError
from eulac.tables.pool_table import read_pool_table
from eulac.tables.table_answers import answers_frame, answers_of, write_answers

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


def test_answers_are_written_as_they_are_given(fit, files):
    steps = []
    counts, n_held_out = write_answers(
        fit.model,
        files / "test.csv",
        files / "answers.csv",
        keep=["kind"],
        progress=lambda done, total: steps.append(done),
    )
    written = pd.read_csv(files / "answers.csv")
    assert (counts, n_held_out) == (Counter(written["label"]), 0)
    assert steps == [60]
    assert next(iter(written)) == "kind"
    pool = read_pool_table(fit.model, files / "test.csv")
    assert written["label"].tolist() == fit.model.classifier.predict(pool.X).tolist()


def test_a_column_to_keep_must_not_be_named_as_an_answer(fit, files):
    frame = pd.read_csv(files / "test.csv").assign(label=1)
    with pytest.raises(TableRequestError, match="'label' is"):
        answers_frame(fit.model, frame, "test.csv", ["label"])
