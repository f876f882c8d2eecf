"""What is passed beside rows and labels reaches classifiers inside scikit-learn's tools."""

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.metadata_routing import get_routing_for_object

from easy_mixture import easy_masked, easy_split
from eulac import (
    EulacClassifier,
    FrozenEulacClassifier,
    KernelEulacClassifier,
    LandmarkEulacClassifier,
    LinearEulacClassifier,
    OsnnClassifier,
    StreamEulacClassifier,
    TwoStageEulacClassifier,
)

BAYES = TwoStageEulacClassifier(GaussianNB(), n_folds=3, known_proportion=0.6, random_state=0)
MIXED = EulacClassifier({"bayes": BAYES}, known_proportion=0.6, n_folds=3, random_state=0)
FOLDS = StratifiedKFold(2, shuffle=True, random_state=0)


@pytest.fixture(autouse=True)
def _routed():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def labeled_and_pool():
    sample = easy_split().sample
    return sample.X_labeled, sample.y_labeled, sample.X_unlabeled


@pytest.mark.parametrize(
    ("classifier", "weights"),
    [
        (EulacClassifier(), True),
        (TwoStageEulacClassifier(), True),
        (KernelEulacClassifier(), True),
        (LandmarkEulacClassifier(), True),
        (LinearEulacClassifier(), True),
        (StreamEulacClassifier(), True),
        (FrozenEulacClassifier(), False),
        (OsnnClassifier(), False),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_fit_can_ask_for_what_it_takes(classifier, weights):
    requests = get_routing_for_object(classifier).fit.requests
    assert requests["X_unlabeled"] is None  # nothing is routed that nobody asked for
    assert ("sample_weight" in requests) == weights
    asking = classifier.set_fit_request(X_unlabeled=True)
    assert get_routing_for_object(clone(asking)).fit.requests["X_unlabeled"] is True


@pytest.mark.parametrize("classifier", [BAYES, MIXED], ids=["two stages", "mixture"])
def test_a_pipeline_hands_on_the_pool_and_weights_together(classifier):
    X, y, pool = labeled_and_pool()
    weights = np.where(y == 0, 3.0, 1.0)
    scaler = StandardScaler().fit(X)
    scaled = scaler.transform(X), y, scaler.transform(pool)
    expected = clone(classifier).fit(*scaled, sample_weight=weights)
    asking = clone(classifier).set_fit_request(X_unlabeled=True, sample_weight=True)
    quiet = StandardScaler().set_fit_request(sample_weight=False)
    steps = [("scale", quiet), ("classify", asking)]
    piped = Pipeline(steps, transform_input=["X_unlabeled"])
    piped.fit(X, y, X_unlabeled=pool, sample_weight=weights)
    rows = easy_split().X_test
    np.testing.assert_array_equal(
        piped.predict_proba(rows), expected.predict_proba(scaler.transform(rows))
    )


def test_a_search_hands_the_whole_pool_to_every_fold():
    X, y, pool = labeled_and_pool()
    assert len(pool) != len(X)  # scikit-learn would take it for a value of each row, and divide it
    asking = KernelEulacClassifier(0.6, bandwidth=1.0, random_state=0)
    search = GridSearchCV(
        asking.set_fit_request(X_unlabeled=True), {"penalty": [1e-3, 1e-1]}, cv=FOLDS
    )
    search.fit(X, y, X_unlabeled=pool)
    assert len(search.best_estimator_.held_out_labels_) == len(X) + len(pool)
    expected = clone(search.best_estimator_).fit(X, y, X_unlabeled=pool)
    rows = easy_split().X_test
    np.testing.assert_array_equal(search.predict_proba(rows), expected.predict_proba(rows))


def test_cross_validation_divides_weights_with_their_rows():
    _, X, y = easy_masked()
    weights = np.where(y == 0, 3.0, 1.0)
    asking = clone(BAYES).set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
    scores = cross_validate(
        asking, X, y, cv=FOLDS, params={"sample_weight": weights}, return_estimator=True
    )
    for (train, _), model in zip(FOLDS.split(X, y), scores["estimator"], strict=True):
        expected = clone(BAYES).fit(X[train], y[train], sample_weight=weights[train])
        np.testing.assert_array_equal(model.predict_proba(X), expected.predict_proba(X))


def test_weights_of_a_score_are_routed_apart_from_those_of_a_fit():
    split, X, y = easy_masked()
    weights = np.linspace(0.1, 1.0, len(split.y_test))
    piped = make_pipeline(StandardScaler(), clone(BAYES).set_score_request(sample_weight=True)).fit(
        X, y
    )
    right = piped.predict(split.X_test) == split.y_test
    score = piped.score(split.X_test, split.y_test, sample_weight=weights)
    assert score == pytest.approx(np.average(right, weights=weights))


def test_what_nobody_asked_for_is_refused():
    X, y, pool = labeled_and_pool()
    with pytest.raises(UnsetMetadataPassedError, match="X_unlabeled"):
        make_pipeline(StandardScaler(), clone(BAYES)).fit(X, y, X_unlabeled=pool)
