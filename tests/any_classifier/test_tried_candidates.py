import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from any_classifier.easy_table import easy_table
from easy_mixture import easy_masked
from eulac import EulacClassifier, OsnnClassifier, TwoStageEulacClassifier
from eulac.any_classifier.stages import table_folds
from eulac.any_classifier.tried_candidates import (
    fitted_candidate,
    held_out_rows,
    named_candidates,
    require_candidates,
    require_seconds,
)
from eulac.proportion.given import GivenProportion

BAYES = TwoStageEulacClassifier(GaussianNB(), known_proportion=0.6, n_folds=3, random_state=0)


def test_a_classifier_that_would_take_unlabeled_for_a_class_is_refused():
    _, X, y = easy_masked()
    for candidate in (GaussianNB(), make_pipeline(StandardScaler(), GaussianNB())):
        with pytest.raises(TypeError, match=r"'plain' is a GaussianNB.*TwoStageEulacClassifier"):
            EulacClassifier({"plain": candidate}).fit(X, y)


def test_candidates_without_a_name_are_called_by_class_and_place():
    assert list(named_candidates([BAYES, BAYES])) == [
        "TwoStageEulacClassifier_0",
        "TwoStageEulacClassifier_1",
    ]
    assert named_candidates({"bayes": BAYES}) == {"bayes": BAYES}


@pytest.mark.parametrize("value", [0, -1.0, "60", np.nan])
def test_a_budget_is_a_number_of_seconds(value):
    require_seconds("time_budget", None)
    require_seconds("time_budget", 1)
    with pytest.raises(ValueError, match="`time_budget` must be a number of seconds"):
        require_seconds("time_budget", value)


@pytest.mark.parametrize("candidates", ["best", 3, [], {}])
def test_candidates_are_classifiers(candidates):
    with pytest.raises(ValueError, match="`candidates` must"):
        require_candidates(candidates)


def test_parameters_are_set_inside_a_pipeline_and_where_there_are_any():
    _, table = easy_table()
    parameters = {"known_proportion": 0.5, "refine_proportion": False}
    piped = fitted_candidate(
        make_pipeline(StandardScaler(), BAYES), table, parameters, seed=0, n_jobs=None
    )
    assert piped[-1].proportion_.total == pytest.approx(0.5)
    other = OsnnClassifier(ratio=0.8)
    fitted_candidate(other, table, parameters, seed=0, n_jobs=None)
    assert other.known_proportion != 0.5  # a clone was fitted


def test_workers_go_to_the_candidate_and_not_to_what_is_in_it():
    _, table = easy_table()
    forest = TwoStageEulacClassifier(RandomForestClassifier(3), known_proportion=0.6, n_folds=3)
    model = fitted_candidate(forest, table, {}, seed=0, n_jobs=1)
    assert (model.n_jobs, model.estimator.n_jobs) == (1, None)


def test_held_out_rows_are_the_candidate_s_own_or_of_fits_without_them():
    _, table = easy_table()
    fold, estimate = table_folds(table, 3, 0), GivenProportion(0.6).estimate(table.sample())
    for candidate in (BAYES, make_pipeline(StandardScaler(), BAYES)):
        model = fitted_candidate(candidate, table, {}, seed=0, n_jobs=None)
        found = held_out_rows(model, table, fold, estimate)
        assert found.labeled.shape == (table.n_labeled, 4)
        assert np.mean(found.labeled.argmax(axis=1) == table.y_labeled) > 0.95
        assert found.interval == estimate.interval
