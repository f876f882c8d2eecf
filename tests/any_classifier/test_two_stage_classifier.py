"""TwoStageEulacClassifier: the contract with different classifiers inside, and its own claims."""

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.fixes import parse_version

from contract import (
    HELD_OUT,
    Tolerance,
    check_data_frames_are_as_good_as_arrays,
    check_missing_and_infinite_features_are_refused,
    parametrize_with_contract,
    parametrize_with_scikit_learn_checks,
)
from easy_mixture import easy_masked
from eulac import AUGMENTED, TwoStageEulacClassifier

SCALED = make_pipeline(StandardScaler(), LogisticRegression())
GIVEN = {"known_proportion": 0.6, "n_folds": 3, "random_state": 0}
FOREST = TwoStageEulacClassifier(ExtraTreesClassifier(10), **GIVEN)
BAYES = TwoStageEulacClassifier(GaussianNB(), **GIVEN)


@parametrize_with_contract(
    [
        FOREST,
        TwoStageEulacClassifier(KNeighborsClassifier(5), **GIVEN),
        TwoStageEulacClassifier(SCALED, **GIVEN),
    ],
    *HELD_OUT,
    tolerance=Tolerance(places=True),
)
def test_contract(classifier, check):
    if check is check_missing_and_infinite_features_are_refused and classifier is FOREST:
        pytest.skip("trees take missing values: test_two_stage_inputs.py")
    old = parse_version(sklearn.__version__) < parse_version("1.7")
    if check is check_data_frames_are_as_good_as_arrays and classifier.estimator is SCALED and old:
        pytest.skip("scikit-learn 1.6 adds up columns of polars in another order: equal to 1e-14")
    check(classifier)


@parametrize_with_scikit_learn_checks(
    [TwoStageEulacClassifier(ExtraTreesClassifier(10), n_folds=3)],
    check_sample_weight_equivalence_on_dense_data="a row twice falls into other folds",
    check_sample_weight_equivalence_on_sparse_data="a row twice falls into other folds",
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def digits_forest(digits):
    forest = ExtraTreesClassifier(30)
    classifier = TwoStageEulacClassifier(forest, known_proportion=digits.known_proportion)
    return classifier.set_params(random_state=0).fit(*digits.sample.as_masked())


def test_the_risk_is_close_to_the_true_error_and_its_interval_covers_it(digits, digits_forest):
    true_error = np.mean(digits_forest.predict(digits.X_test) != digits.y_test)
    assert true_error < 0.08
    assert abs(digits_forest.risk_.value - true_error) < 0.04
    low, high = digits_forest.risk_.interval
    assert low <= true_error <= high
    assert 0.85 < digits_forest.risk_.diagnostics["macro_f1"] <= 1.0


def test_probabilities_follow_answers_and_are_calibrated(digits, digits_forest):
    probabilities = digits_forest.predict_proba(digits.X_test)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    answers = digits_forest.classes_[probabilities.argmax(axis=1)]
    np.testing.assert_array_equal(answers, digits_forest.predict(digits.X_test))
    right = answers == digits.y_test
    assert abs(probabilities.max(axis=1).mean() - right.mean()) < 0.08
    share = np.mean(answers == AUGMENTED)
    assert abs(share - digits_forest.proportion_.augmented_proportion) < 0.06


def test_held_out_probabilities_come_in_the_order_of_the_rows(digits, digits_forest):
    X, y = digits.sample.as_masked()
    held_out = digits_forest.held_out_probabilities_
    assert held_out.shape == (len(X), 6)
    labeled = y != -1
    answers = digits_forest.classes_[held_out.argmax(axis=1)]
    assert np.mean(answers[labeled] == y[labeled]) > 0.9
    assert np.mean(answers[~labeled] == digits.y_unlabeled) > 0.9


def test_a_classifier_that_knows_its_rows_by_heart_gains_nothing():
    """Nothing can be learned, labels being coin tosses: memory must not pass for knowledge."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(600, 3)), np.repeat([0, 1, -1], [150, 150, 300])
    y[:300] = rng.permutation(y[:300])
    nearest = TwoStageEulacClassifier(
        KNeighborsClassifier(1), known_proportion=1.0, random_state=0
    ).fit(X, y)
    assert abs(nearest.risk_.raw - 0.5) < 4 * nearest.risk_.standard_error
    assert np.mean(nearest.predict(X[:300]) == y[:300]) > 0.95


def test_copies_of_a_row_do_not_score_each_other():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 3)), np.repeat([0, 1, -1], [50, 50, 100])
    y[:100] = rng.permutation(y[:100])
    twice = TwoStageEulacClassifier(
        KNeighborsClassifier(1), known_proportion=1.0, random_state=0
    ).fit(np.vstack([X, X]), np.append(y, y))
    assert abs(twice.risk_.raw - 0.5) < 4 * np.sqrt(2) * twice.risk_.standard_error


def test_one_known_class_is_enough():
    split, X, y = easy_masked(n_known=1, cycle=(0, 1))
    classifier = clone(BAYES).set_params(known_proportion=0.5).fit(X, y)
    assert classifier.decision_function(split.X_test).ndim == 1
    assert np.mean(classifier.predict(split.X_test) == split.y_test) > 0.95


@pytest.mark.filterwarnings("ignore::eulac.exceptions.TrivialPredictorWarning")
@pytest.mark.parametrize("proportion", [0.0, 1.0])
def test_all_or_nothing_new_is_answered_so(proportion):
    split, X, y = easy_masked()
    classifier = clone(BAYES).set_params(known_proportion=proportion).fit(X, y)
    new = classifier.predict(split.X_test) == AUGMENTED
    assert new.mean() == 1.0 - proportion


def test_the_largest_probability_can_decide():
    split, X, y = easy_masked()
    classifier = clone(BAYES).set_params(decision="largest").fit(X, y)
    assert classifier.model_.rule.shift == 0
    assert np.mean(classifier.predict(split.X_test) == split.y_test) > 0.9


def test_moved_priors_are_followed():
    split, X, y = easy_masked(n_labeled=90, n_unlabeled=120, cycle=(0, 0, 0, 1, 2, 3))
    classifier = TwoStageEulacClassifier(
        GaussianNB(), known_proportion=5 / 6, shift=True, n_folds=3
    )
    classifier.set_params(random_state=0).fit(X, y)
    np.testing.assert_allclose(classifier.proportion_.per_class, [1 / 2, 1 / 6, 1 / 6], atol=0.1)
    assert classifier.score(split.X_test, split.y_test) > 0.95


def test_the_number_of_workers_does_not_change_a_bit():
    split, X, y = easy_masked()
    one, two = clone(FOREST).fit(X, y), clone(FOREST).set_params(n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(one.predict_proba(split.X_test), two.predict_proba(split.X_test))


def test_progress_counts_the_stages():
    _, X, y = easy_masked()
    calls = []
    clone(FOREST).fit(X, y, progress=lambda done, total: calls.append((done, total)))
    assert calls == [(1, 2), (2, 2)]


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"shift": "maybe"}, "'maybe'"),
        ({"decision": "mine"}, "'mine'"),
        ({"n_folds": 1}, "got 1"),
        ({"known_proportion": 1.2}, r"must lie in \[0, 1\]; got 1.2"),
    ],
)
def test_wrong_parameters_are_named(parameters, words):
    _, X, y = easy_masked()
    with pytest.raises(ValueError, match=words):
        clone(BAYES).set_params(**parameters).fit(X, y)


@pytest.mark.parametrize("estimator", [Perceptron(), GaussianNB, "forest"])
def test_what_has_no_probabilities_is_refused(estimator):
    _, X, y = easy_masked()
    with pytest.raises(TypeError, match="`estimator` must be a scikit-learn classifier with"):
        TwoStageEulacClassifier(estimator).fit(X, y)


@pytest.mark.filterwarnings("ignore::eulac.exceptions.TrivialPredictorWarning")
def test_with_guesses_known_classes_that_moved_stay_known():
    rng = np.random.default_rng(0)
    centers = np.array([[0.0, 0, 0], [6, 0, 0], [3, 6, 0]])
    y, kinds = np.arange(80) % 2, np.arange(150) % 3
    X, pool = rng.normal(centers[y]), rng.normal(centers[kinds])
    pool[:, 2] += 8.0  # which tells every unlabeled row from every labeled one
    shared = {"known_proportion": 2 / 3, "shift": False, "random_state": 0}
    guessed, plain = (
        TwoStageEulacClassifier(ExtraTreesClassifier(30), **shared).fit(
            X, y, pool, pool_guesses=guesses
        )
        for guesses in (kinds, None)
    )
    fresh = rng.normal(centers[kinds] + np.array([0.0, 0.0, 8.0]))
    truth = np.where(kinds == 2, AUGMENTED, kinds)
    assert (guessed.predict(fresh) == truth).mean() > 0.95
    assert (plain.predict(fresh) == truth).mean() < 0.9
