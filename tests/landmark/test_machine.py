"""Survey, freeze, add up, solve: each step by hand gives what `fit` gives."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from easy_mixture import easy_masked
from eulac import LandmarkEulacClassifier
from eulac.data.row_sketch import RowSurvey

OPTIONS = {"n_landmarks": 40, "bandwidth": 0.5, "random_state": 0}


def by_hand(X, y, n_parts=3, known_proportion=0.6):
    machine = LandmarkEulacClassifier(known_proportion, **OPTIONS).begin(X[:1])
    pieces = np.array_split(np.arange(len(X)), n_parts)
    plan = machine.survey_plan()
    machine.freeze(RowSurvey.merged([plan.survey(X[rows], y[rows]) for rows in pieces]))
    codes = machine.codec_.encode(y)
    first, *others = (machine.plan_.moments(X[rows], codes[rows]) for rows in pieces)
    return machine.finish(sum(others, first))


@pytest.fixture(scope="module")
def easy():
    return easy_masked()


@pytest.mark.parametrize("known_proportion", [0.6, pytest.param("moments", marks=pytest.mark.slow)])
def test_steps_by_hand_give_what_fit_gives(easy, known_proportion):
    split, X, y = easy
    whole = LandmarkEulacClassifier(known_proportion, **OPTIONS).fit(X, y)
    parts = by_hand(X, y, known_proportion=known_proportion)
    np.testing.assert_array_equal(parts.predict(split.X_test), whole.predict(split.X_test))
    assert parts.proportion_.total == pytest.approx(whole.proportion_.total)
    assert parts.model_.penalty == whole.model_.penalty


def test_the_survey_keeps_rows_enough_for_the_landmarks(easy):
    _, X, _ = easy
    few = LandmarkEulacClassifier(0.6, pilot_rows=90, n_landmarks=20).begin(X)
    many = LandmarkEulacClassifier(0.6, pilot_rows=90, n_landmarks=50).begin(X)
    assert (few.survey_plan().n_kept, many.survey_plan().n_kept) == (90, 150)


def test_rows_that_are_all_unlabeled_are_refused_by_their_number(easy):
    _, X, _ = easy
    machine = LandmarkEulacClassifier(0.6, **OPTIONS).begin(X)
    survey = machine.survey_plan().survey(X, None)
    with pytest.raises(ValueError, match=rf"all unlabeled \({len(X)}\)"):
        machine.freeze(survey)


def test_a_frozen_machine_has_no_answers_yet(easy):
    _, X, y = easy
    machine = LandmarkEulacClassifier(0.6, **OPTIONS).begin(X)
    machine.freeze(machine.survey_plan().survey(X, y))
    with pytest.raises(NotFittedError):
        machine.predict(X)


def test_the_pool_is_answered_by_models_without_its_folds(easy):
    split, X, y = easy
    machine = LandmarkEulacClassifier(0.6, **OPTIONS)
    labels = machine.fit_predict(X, y)
    assert len(labels) == np.sum(y == -1)
    assert np.mean(labels == split.y_unlabeled) > 0.95
    is_labeled = y != -1
    apart = LandmarkEulacClassifier(0.6, **OPTIONS)
    again = apart.fit_predict(X[is_labeled], y[is_labeled], X_unlabeled=X[~is_labeled])
    np.testing.assert_array_equal(again, labels)


def test_features_too_large_to_square_are_refused_by_their_size(easy):
    _, X, _ = easy
    with pytest.raises(ValueError, match=r"got one of size 1e\+80"):
        LandmarkEulacClassifier(0.6, **OPTIONS).begin(np.full((1, X.shape[1]), 1e80))
