"""Trees grown without bookkeeping are the trees scikit-learn grows."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.naive_bayes import GaussianNB

from eulac.maths import quick_forest
from eulac.maths.quick_forest import (
    fit_extra_trees,
    fit_quickly,
    forest_probabilities,
    probabilities_of,
    takes_quick_trees,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 5)).round(1)
CODES = RNG.permutation(np.repeat([0, 1, 2], 40))
WEIGHTS = {"weighted": RNG.uniform(0.1, 2.0, 120), "unweighted": None}


@pytest.mark.parametrize("weights", WEIGHTS.values(), ids=WEIGHTS)
@pytest.mark.parametrize("leaf", [1, 3])
def test_trees_equal_those_of_the_forest_itself(weights, leaf):
    def forest():
        return ExtraTreesClassifier(15, min_samples_leaf=leaf, random_state=7)

    usual = forest().fit(X, CODES, sample_weight=weights)
    quick = fit_extra_trees(forest(), X, CODES, weights)
    np.testing.assert_array_equal(quick.apply(X), usual.apply(X))
    np.testing.assert_array_equal(quick.predict_proba(X), usual.predict_proba(X))
    np.testing.assert_allclose(forest_probabilities(quick, X), usual.predict_proba(X), rtol=1e-12)


@pytest.mark.parametrize("n_jobs", [None, 2])
@pytest.mark.parametrize("most", [50, 5000])
def test_labels_of_any_kind_are_learned_as_the_forest_itself_learns_them(n_jobs, most, monkeypatch):
    monkeypatch.setattr(quick_forest, "MANY_ROWS", most)
    labels = np.array([3, 5, 9])[CODES]
    forest = ExtraTreesClassifier(15, min_samples_leaf=2, random_state=7, n_jobs=n_jobs)
    usual, quick = clone(forest).fit(X, labels), fit_quickly(clone(forest), X, labels)
    np.testing.assert_array_equal(quick.classes_, [3, 5, 9])
    np.testing.assert_array_equal(quick.predict(X), usual.predict(X))
    np.testing.assert_allclose(probabilities_of(quick, X), usual.predict_proba(X), rtol=1e-12)


def test_other_classifiers_fit_and_answer_by_themselves():
    usual, quick = GaussianNB().fit(X, CODES), fit_quickly(GaussianNB(), X, CODES)
    np.testing.assert_array_equal(probabilities_of(quick, X), usual.predict_proba(X))


def test_sklearn_answers_from_quick_trees_as_from_its_own():
    forest = fit_extra_trees(ExtraTreesClassifier(5, random_state=0), X, CODES)
    assert forest.score(X, CODES) == 1.0
    assert forest.feature_importances_.shape == (5,)


@pytest.mark.parametrize(
    ("forest", "rows"),
    [
        (ExtraTreesClassifier(random_state=0, max_features=2), X),
        (ExtraTreesClassifier(random_state=0, bootstrap=True), X),
        (ExtraTreesClassifier(), X),
        (RandomForestClassifier(random_state=0), X),
        (ExtraTreesClassifier(random_state=0), X.tolist()),
        (ExtraTreesClassifier(random_state=0), np.full((3, 2), np.nan)),
        (ExtraTreesClassifier(random_state=0), np.full((3, 2), 1e300)),
    ],
    ids=["features", "bootstrap", "no seed", "other", "list", "gaps", "too large"],
)
def test_what_would_differ_is_left_to_the_forest(forest, rows):
    assert not takes_quick_trees(forest, rows)
