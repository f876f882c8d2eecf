import numpy as np
import pytest
from sklearn.base import clone

from contract import (
    check_without_unlabeled_rows_it_warns_and_knows_no_new_class,
    parametrize_with_contract,
    parametrize_with_scikit_learn_checks,
)
from eulac import AUGMENTED
from eulac.contenders import ovr_shift
from eulac.contenders.ovr_shift import OvrShiftClassifier
from eulac.data.synthetic import make_gaussian_task
from eulac.evaluation.metrics import evaluate


@pytest.fixture
def quick_grid(monkeypatch):
    monkeypatch.setattr(ovr_shift, "BANDWIDTH_FACTORS", (0.3,))
    monkeypatch.setattr(ovr_shift, "PENALTIES", (0.1,))


# With its own threshold it does not find the new class of the contract: that is its bias.
@pytest.mark.usefixtures("quick_grid")
@parametrize_with_contract(
    [OvrShiftClassifier((0.2, 0.2, 0.2), threshold="label_free", random_state=0)],
    check_without_unlabeled_rows_it_warns_and_knows_no_new_class,
)
def test_contract(classifier, check):
    check(classifier)


@pytest.mark.slow
@pytest.mark.usefixtures("quick_grid")
@parametrize_with_scikit_learn_checks([OvrShiftClassifier(0.6)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def split():
    task = make_gaussian_task(
        n_known_classes=3, n_features=2, separation=6.0, known_proportion=0.6, random_state=0
    )
    return task.draw(150, 300, 300, random_state=0)


@pytest.fixture(scope="module")
def fitted(split):
    return OvrShiftClassifier(random_state=0).fit(*split.sample.as_masked())


def test_known_rows_get_their_class_or_are_called_new(split, fitted):
    known = split.y_test != AUGMENTED
    answers = fitted.predict(split.X_test[known])
    assert np.mean(answers == split.y_test[known]) > 0.8


def test_a_row_is_new_exactly_where_no_score_is_positive(split, fitted):
    X = fitted.scaler_.transform(split.X_test)
    scores = fitted.model_.evidence(X).known
    assert scores.shape == (len(split.X_test), 3)
    new = fitted.predict(split.X_test) == AUGMENTED
    np.testing.assert_array_equal(new, scores.max(axis=1) < 0)


def test_metrics_and_label_free_score_can_be_had(split, fitted):
    assert evaluate(fitted, split.X_test, split.y_test).accuracy > 0.5
    X, y = split.sample.as_masked()
    assert -0.2 < fitted.score(X, y) < 1.2


def test_same_seed_gives_the_same_model(split, fitted):
    again = clone(fitted).fit(*split.sample.as_masked())
    np.testing.assert_array_equal(again.model_.coefficients, fitted.model_.coefficients)
