"""Which of several classifiers suits the rows, as one call."""

import pytest
from sklearn.naive_bayes import GaussianNB

from easy_mixture import easy_masked
from eulac import TwoStageEulacClassifier, select_classifier

pytestmark = pytest.mark.usefixtures("small_class_view")
BAYES = TwoStageEulacClassifier(GaussianNB(), n_folds=3)
GIVEN = {"known_proportion": 0.6, "n_folds": 2, "random_state": 0}


def test_selection_is_a_function_too():
    _, X, y = easy_masked()
    selection = select_classifier({"bayes": BAYES}, X, y, **GIVEN)
    assert selection.best == "bayes"
    assert len(selection.seconds) == 1
    assert 0 <= selection.risk.value <= 0.1
