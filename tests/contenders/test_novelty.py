import numpy as np
import pytest
from sklearn.covariance import EllipticEnvelope
from sklearn.ensemble import IsolationForest, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import KernelDensity, LocalOutlierFactor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import OneClassSVM
from sklearn.utils.estimator_checks import parametrize_with_checks

from contract import (
    STRICTLY,
    Tolerance,
    check_unlabeled_rows_change_nothing,
    check_without_unlabeled_rows_it_warns_and_knows_no_new_class,
    parametrize_with_contract,
)
from easy_mixture import easy_masked, easy_split
from eulac import AUGMENTED
from eulac.contenders.novelty import NoveltyClassifier, with_seed

FOREST = IsolationForest(n_estimators=20, contamination=0.1)
DETECTORS = [
    OneClassSVM(nu=0.05, gamma=1.0),
    KernelDensity(bandwidth=0.2),
    FOREST,
    LocalOutlierFactor(novelty=True, contamination=0.1),
    GaussianMixture(n_components=3),
    EllipticEnvelope(contamination=0.1, support_fraction=0.9),
    make_pipeline(StandardScaler(), KernelDensity(bandwidth=0.5)),
]
QUICK = {"estimator": LogisticRegression(), "random_state": 0}
LABEL_FREE = {"threshold": "label_free", "known_proportion": 0.6}
EXPECTED = {
    "check_classifiers_classes": "-1 is a class there; here it marks an unlabeled row",
}
STRICT = {
    **EXPECTED,
    "check_classifiers_one_label": "ten labeled rows of one class, and ten others that must not be "
    "called new: a detector that leaves out a share of its rows cannot promise that",
}


@parametrize_with_contract(
    [
        NoveltyClassifier(KernelDensity(bandwidth=0.2), **QUICK),
        NoveltyClassifier(LocalOutlierFactor(novelty=True), RandomForestClassifier(3)),
    ],
    check_unlabeled_rows_change_nothing,
    tolerance=Tolerance(places=True),
)
def test_contract(classifier, check):
    check(classifier.set_params(random_state=0))


@pytest.mark.slow
@parametrize_with_contract(
    [NoveltyClassifier(OneClassSVM(nu=0.05, gamma=1.0), **QUICK, **LABEL_FREE)],
    check_without_unlabeled_rows_it_warns_and_knows_no_new_class,
    tolerance=Tolerance(places=True),
)
def test_contract_of_the_label_free_threshold(classifier, check):
    check(classifier)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::eulac.exceptions.EulacWarning")
@parametrize_with_checks(
    [
        NoveltyClassifier(estimator=LogisticRegression()),
        NoveltyClassifier(KernelDensity(), LogisticRegression(), rejected_share=0.0),
    ],
    expected_failed_checks=lambda estimator: EXPECTED if estimator.detector else STRICT,
    **STRICTLY,
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("detector", DETECTORS, ids=lambda detector: type(detector).__name__)
@pytest.mark.parametrize("threshold", ["paper", "label_free"])
def test_any_detector_finds_an_easy_new_class(detector, threshold):
    split, X, y = easy_masked()
    options = {**LABEL_FREE, "threshold": threshold}
    classifier = NoveltyClassifier(detector, **QUICK, **options).fit(X, y)
    answers = classifier.predict(split.X_test)
    new = split.y_test == AUGMENTED
    assert np.mean(answers[new] == AUGMENTED) > 0.9
    assert np.mean(answers[~new] == split.y_test[~new]) > 0.7
    assert (classifier.risk_ is None) == (threshold == "paper")


def test_the_default_is_a_one_class_machine_and_the_machines_of_ovr_svm():
    split, X, y = easy_masked()
    classifier = NoveltyClassifier(random_state=0).fit(X, y)
    labeled = classifier.scaler_.transform(X[y != -1])
    theirs = OneClassSVM(nu=0.05).fit(labeled)
    expected = theirs.decision_function(classifier.scaler_.transform(split.X_test))
    np.testing.assert_allclose(classifier.augmented_score(split.X_test), -expected, atol=1e-3)
    known = split.y_test != AUGMENTED
    accepted = classifier.predict(split.X_test) != AUGMENTED
    right = classifier.predict(split.X_test) == split.y_test
    assert np.all(right[known & accepted])


@pytest.mark.parametrize("detector", [None, *DETECTORS], ids=lambda one: type(one).__name__)
def test_one_known_class_is_enough(detector):
    split = easy_split(40, 60, n_known=1, cycle=(0, 1))
    X, y = split.sample.as_masked()
    classifier = NoveltyClassifier(detector, random_state=0).fit(X, y)
    np.testing.assert_array_equal(classifier.classes_, [0, AUGMENTED])
    assert np.mean(classifier.predict(split.X_test) == split.y_test) > 0.8
    assert classifier.model_.estimator is None


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 1.0])
def test_densities_reject_the_given_share_of_held_out_labeled_rows(share):
    X = np.random.default_rng(0).normal(size=(400, 2))
    options = {"rejected_share": share, "scale": None, **QUICK}
    classifier = NoveltyClassifier(KernelDensity(bandwidth=0.5), **options)
    classifier.fit(X[:200], np.arange(200) % 2)
    assert np.mean(classifier.predict(X[200:]) == AUGMENTED) == pytest.approx(share, abs=0.08)


def test_the_cut_of_a_density_is_a_quantile_of_scores_by_others():
    X = np.random.default_rng(1).normal(size=(60, 2))
    options = {"rejected_share": 0.25, "scale": None, **QUICK}
    classifier = NoveltyClassifier(KernelDensity(bandwidth=0.3), **options)
    cut = classifier.fit(X, np.arange(60) % 2).threshold_
    in_sample = -KernelDensity(bandwidth=0.3).fit(X).score_samples(X)
    assert cut > np.quantile(in_sample, 0.75)


def test_zero_densities_are_new_and_their_scores_finite():
    X = np.random.default_rng(0).uniform(size=(200, 2))
    detector = KernelDensity(kernel="tophat", bandwidth=0.3)
    classifier = NoveltyClassifier(detector, **QUICK).fit(X, np.arange(200) % 2)
    far = np.array([[5.0, 5.0], [1e60, -1e60]])
    assert np.all(classifier.predict(far) == AUGMENTED)
    assert np.all(np.isfinite(classifier.augmented_score(far)))
    assert np.mean(classifier.predict(X) == AUGMENTED) < 0.1


def test_to_trees_far_is_far_however_far():
    split, X, y = easy_masked()
    classifier = NoveltyClassifier(FOREST, RandomForestClassifier(5), random_state=0).fit(X, y)
    far, farther = 1e6 * split.X_test, 1e60 * split.X_test
    np.testing.assert_array_equal(classifier.predict(far), classifier.predict(farther))
    np.testing.assert_array_equal(
        classifier.augmented_score(far), classifier.augmented_score(farther)
    )


def test_what_is_given_is_left_alone_and_gets_its_seed_in_a_copy():
    _, X, y = easy_masked()
    detector, classifier = IsolationForest(n_estimators=5), make_pipeline(RandomForestClassifier(2))
    fitted = NoveltyClassifier(detector, classifier, random_state=0).fit(X, y)
    assert detector.random_state is None
    assert not hasattr(detector, "estimators_")
    assert fitted.model_.detector.random_state is not None
    assert fitted.model_.estimator[-1].random_state is not None
    assert with_seed(IsolationForest(random_state=3), 7).random_state == 3
    assert with_seed(make_pipeline(OneClassSVM()), 7)[-1].random_state == 7


def test_a_detector_that_cannot_judge_new_rows_is_refused_with_advice():
    _, X, y = easy_masked()
    with pytest.raises(ValueError, match=r"got LocalOutlierFactor\(\).*novelty=True"):
        NoveltyClassifier(LocalOutlierFactor(), **QUICK).fit(X, y)


def test_a_share_outside_its_range_is_refused():
    _, X, y = easy_masked()
    with pytest.raises(ValueError, match=r"`rejected_share` must lie in \[0, 1\]; got 1.2"):
        NoveltyClassifier(rejected_share=1.2).fit(X, y)


def test_two_labeled_rows_are_enough():
    classifier = NoveltyClassifier(KernelDensity(), random_state=0).fit(np.eye(2), [0, 1])
    np.testing.assert_array_equal(classifier.predict(np.eye(2)), [0, 1])
