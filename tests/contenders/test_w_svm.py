from itertools import pairwise

import numpy as np
import pytest
from sklearn.svm import OneClassSVM

from contenders.oracles_w_svm import slow_answers, slow_probabilities
from contract import (
    check_unlabeled_rows_change_nothing,
    check_without_unlabeled_rows_it_warns_and_knows_no_new_class,
    parametrize_with_contract,
    parametrize_with_scikit_learn_checks,
)
from eulac import AUGMENTED
from eulac.contenders.ovr_svm import OvrSvmClassifier
from eulac.contenders.w_svm import WSvmClassifier, fit_one_class_machines, fit_tails, openness
from eulac.maths.kernels import GaussianKernel

QUICK = {"bandwidth": 0.3, "cost": 0.3, "random_state": 0}
LABEL_FREE = {"threshold": "label_free", "known_proportion": 0.6}


def instance(seed, n_classes=3, n_rows=45, n_features=2, spread=1.0):
    """Overlapping classes and rows from all over the place."""
    rng = np.random.default_rng(seed)
    y = np.resize(np.arange(n_classes), n_rows)
    centers = rng.normal(scale=3.0, size=(n_classes, n_features))
    X = rng.normal(centers[y], spread)
    return X, y, rng.normal(scale=4.0, size=(60, n_features))


@parametrize_with_contract([WSvmClassifier(**QUICK)], check_unlabeled_rows_change_nothing)
def test_contract(classifier, check):
    check(classifier)


@pytest.mark.slow
@parametrize_with_contract(
    [WSvmClassifier(**QUICK, **LABEL_FREE)],
    check_without_unlabeled_rows_it_warns_and_knows_no_new_class,
)
def test_contract_of_the_label_free_threshold(classifier, check):
    check(classifier)


@pytest.mark.slow
@parametrize_with_scikit_learn_checks([WSvmClassifier(bandwidth=1.0, cost=10.0)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")  # scipy's powers
@pytest.mark.parametrize("seed", range(6))
def test_probabilities_and_answers_are_those_of_slow_loops(seed):
    X, y, X_test = instance(seed, n_classes=2 + seed % 3)
    options = {"one_class_threshold": 0.05, "rejection": 0.2, "nu": (0.5, 0.2)[seed % 2]}
    classifier = WSvmClassifier(bandwidth=2.0, cost=1.0, scale=None, **options).fit(X, y)
    model = classifier.model_
    product, inlying = slow_probabilities(model.machines, model.one_class, X, y, X_test)
    decision = model.machines.decision(X_test)
    fast = model.positive.inclusion(decision) * model.negative.exclusion(-decision)
    np.testing.assert_allclose(fast, product, atol=1e-9)
    fast = model.inlying.inclusion(model.one_class.decision(X_test))
    np.testing.assert_allclose(fast, inlying, atol=1e-9)
    expected = slow_answers(decision, product, inlying, 0.05, 0.2)
    np.testing.assert_array_equal(classifier.predict(X_test), classifier.classes_[expected])
    assert {AUGMENTED} < set(classifier.predict(X_test))


@pytest.mark.parametrize("nu", [0.05, 0.5, 0.9])
def test_one_class_machines_are_those_of_scikit_learn(nu):
    X, y, X_test = instance(0)
    ours = fit_one_class_machines(X, y, GaussianKernel(1.5), nu)
    for k in range(3):
        theirs = OneClassSVM(nu=nu, gamma=1 / (2 * 1.5**2)).fit(X[y == k])
        expected = theirs.decision_function(X_test)
        np.testing.assert_allclose(ours.decision(X_test)[:, k], expected, atol=1e-6)
        assert ours.n_support[k].tolist() == [0, len(theirs.support_)]


@pytest.mark.parametrize("seed", range(6))
def test_with_both_thresholds_zero_the_answer_is_the_class_the_machines_like_best(seed):
    X, y, X_test = instance(seed, n_classes=2 + seed % 4)
    far = 1e3 * X_test[:5]
    X_test = np.vstack([X_test, far])
    searched = {"bandwidth": [0.1, 0.3, 1.0], "cost": [0.1, 10.0], "random_state": seed}
    open_to_all = WSvmClassifier(one_class_threshold=0, rejection=0, **searched).fit(X, y)
    machines = OvrSvmClassifier(**searched).fit(X, y).model_.machines
    best = machines.predict(open_to_all.scaler_.transform(X_test))
    np.testing.assert_array_equal(open_to_all.predict(X_test), best)


def test_classes_that_do_not_pass_are_not_answered():
    X, y, X_test = instance(0)
    classifier = WSvmClassifier(bandwidth=0.3, cost=1.0, one_class_threshold=0.3, rejection=0).fit(
        X, y
    )
    scaled = classifier.scaler_.transform(X_test)
    model = classifier.model_
    passes = model.inlying.inclusion(model.one_class.decision(scaled)) >= 0.3
    some = passes.any(axis=1) & ~passes.all(axis=1)
    assert some.any()
    assert np.all(passes[some, classifier.predict(X_test)[some]])


def test_more_rejection_and_higher_thresholds_only_make_more_rows_new():
    X, y, X_test = instance(1)
    options = {"bandwidth": 0.3, "cost": 1.0}
    new = [
        WSvmClassifier(rejection=rejection, **options).fit(X, y).predict(X_test) == AUGMENTED
        for rejection in (0.0, 0.01, 0.1, 0.5, 1.0)
    ]
    counts = [rows.sum() for rows in new]
    assert counts == sorted(counts)
    assert counts[0] == 0 < counts[1] < counts[-1]
    for fewer, more in pairwise(new):
        assert np.all(more[fewer])
    strict = WSvmClassifier(one_class_threshold=0.5, **options).fit(X, y).predict(X_test)
    loose = WSvmClassifier(one_class_threshold=0.0, **options).fit(X, y).predict(X_test)
    assert np.all(strict[loose == AUGMENTED] == AUGMENTED)


def test_rows_without_any_product_are_ordered_by_their_decision_values():
    X, y, _ = instance(2)
    far = np.linspace(5.0, 60.0, 12)[:, None] * np.ones(2)
    classifier = WSvmClassifier(bandwidth=0.3, cost=1.0, one_class_threshold=1.0).fit(X, y)
    decision = classifier.model_.machines.decision(classifier.scaler_.transform(far))
    evidence = classifier.model_.evidence(classifier.scaler_.transform(far)).augmented
    assert np.all(evidence > 0)
    np.testing.assert_array_equal(np.argsort(-decision.max(axis=1)), np.argsort(evidence))


def test_rejection_by_openness_is_half_of_it():
    X, y, _ = instance(0)
    assert WSvmClassifier(**QUICK).fit(X, y).threshold_ == pytest.approx(-0.0918, abs=1e-4)
    given = WSvmClassifier(n_test_classes=12, **QUICK).fit(X, y)
    assert given.threshold_ == pytest.approx(-0.5 * openness(3, 12))
    closed = WSvmClassifier(n_test_classes=3, **QUICK).fit(X, y)
    assert closed.threshold_ == np.inf


def test_tails_have_three_values_or_all_there_are():
    values = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    np.testing.assert_array_equal(fit_tails([values] * 3, [0, 3, 100]).zeros, [4.0, 5.0, 7.0])
    assert fit_tails([values[:2]], [1]).zeros == 3.0


def test_small_and_doubled_classes_give_finite_answers():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(20, 2)), [[5.0, 5.0]], [[-5.0, 5.0]] * 2])
    y = np.repeat([0, 1, 2], [20, 1, 2])
    for rows, labels in ((X, y), (np.vstack([X, X]), np.append(y, (y + 1) % 3)), (X[19:], y[19:])):
        classifier = WSvmClassifier(bandwidth=[1.0, 0.1]).fit(rows, labels)
        assert np.all(np.isfinite(classifier.augmented_score(10 * X)))
        assert set(classifier.predict(10 * X)) <= {0, 1, 2, AUGMENTED}
    constant = WSvmClassifier(cost=1.0).fit(np.ones((10, 2)), np.arange(10) % 2)
    assert np.all(np.isfinite(constant.augmented_score(X)))


def test_two_unlabeled_rows_are_enough_for_the_label_free_threshold():
    X, y, X_test = instance(0)
    classifier = WSvmClassifier(**QUICK, **LABEL_FREE).fit(X, y, X_unlabeled=X_test[:2])
    assert classifier.predict(X_test).shape == (60,)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"nu": 1.0}, r"`nu` must lie in \(0, 1\); got 1.0"),
        ({"nu": "half"}, r"`nu` must lie in \(0, 1\); got 'half'"),
        ({"one_class_threshold": -0.1}, r"`one_class_threshold` must lie in \[0, 1\]; got -0.1"),
        ({"rejection": 1.5}, r"`rejection` must lie in \[0, 1\]; got 1.5"),
        ({"rejection": "none"}, r"must be 'openness' or lie in \[0, 1\]; got 'none'"),
        ({"n_test_classes": 2}, r"`n_test_classes` must be a whole number of at least 3; got 2"),
        ({"cost": 0.0}, "`cost` must be one or more positive numbers.*got 0.0"),
    ],
)
def test_wrong_parameters_are_refused(options, words):
    X, y, _ = instance(0)
    with pytest.raises(ValueError, match=words):
        WSvmClassifier(**{**QUICK, **options}).fit(X, y)


def test_one_known_class_is_refused_with_advice():
    with pytest.raises(ValueError, match=r"2 or more known classes.*got 1.*NoveltyClassifier"):
        WSvmClassifier().fit(np.eye(4), np.zeros(4))
