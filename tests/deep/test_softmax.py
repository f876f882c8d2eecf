"""A K-way network with a threshold: what is rejected, what an interrupt leaves."""

import math

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import roc_auc_score

torch = pytest.importorskip("torch", reason="needs the extra `deep`")

from deep.blobs import blobs  # noqa: E402
from eulac.data.labels import AUGMENTED  # noqa: E402
from eulac.deep.softmax import (  # noqa: E402
    SoftmaxThresholdClassifier,
    rejection_threshold,
    softmax_evidence,
)
from eulac.exceptions import InterruptedFitWarning  # noqa: E402

QUICK = SoftmaxThresholdClassifier(max_epochs=6, batch_size=32, random_state=0)


@pytest.fixture(scope="module")
def fitted(task):
    return clone(QUICK).fit(*task[:2])


def weights_of(classifier):
    return [value.numpy() for value in classifier.network_.state_dict().values()]


def assert_same_model(one, two, X):
    for first, second in zip(weights_of(one), weights_of(two), strict=True):
        np.testing.assert_array_equal(first, second)
    np.testing.assert_array_equal(one.predict(X), two.predict(X))
    np.testing.assert_array_equal(one.augmented_score(X), two.augmented_score(X))


def test_evidence_is_minus_the_log_odds_of_the_largest_probability():
    logits = np.random.default_rng(0).normal(scale=3.0, size=(50, 5))
    largest = []
    for row, evidence in zip(logits, softmax_evidence(logits), strict=True):
        exponentials = [math.exp(value) for value in row]
        p = max(exponentials) / sum(exponentials)
        largest.append(p)
        assert evidence == pytest.approx(math.log((1.0 - p) / p))
    np.testing.assert_array_equal(
        np.argsort(softmax_evidence(logits)), np.argsort(-np.array(largest))
    )


def test_evidence_has_no_ties_where_probabilities_round_to_one():
    logits = np.column_stack([np.linspace(50.0, 900.0, 20), np.zeros((20, 2))])
    assert np.all(np.diff(softmax_evidence(logits)) < 0)


@pytest.mark.parametrize("share", [0.0, 0.05, 0.1, 0.5, 1.0])
@pytest.mark.parametrize("n", [1, 4, 20, 99])
def test_at_most_the_given_share_lies_above_the_threshold(n, share):
    evidence = np.random.default_rng(n).normal(size=n)
    above = np.mean(evidence > rejection_threshold(evidence, share))
    assert share - 1.0 / n <= above + 1e-12
    assert above <= share


@pytest.mark.parametrize("confidence", ["probability", "logit"])
def test_known_classes_are_told_apart_and_rows_between_them_found(task, confidence):
    X, y, X_test, y_test = task
    classifier = clone(QUICK).set_params(confidence=confidence).fit(X, y)
    np.testing.assert_array_equal(classifier.classes_, [0, 1, 2, AUGMENTED])
    np.testing.assert_array_equal(classifier.known_classes_, [0, 1, 2])
    assert classifier.score(X_test, y_test) > 0.9
    score = classifier.augmented_score(X_test)
    assert roc_auc_score(y_test == AUGMENTED, score) > 0.95
    np.testing.assert_array_equal(score > 0, classifier.predict(X_test) == AUGMENTED)


def test_both_confidences_share_the_network_and_the_answers_among_known_classes(task, fitted):
    X, y, X_test, _ = task
    other = clone(QUICK).set_params(confidence="logit").fit(X, y)
    for first, second in zip(weights_of(fitted), weights_of(other), strict=True):
        np.testing.assert_array_equal(first, second)
    one, two = fitted.predict(X_test), other.predict(X_test)
    both_known = (one != AUGMENTED) & (two != AUGMENTED)
    np.testing.assert_array_equal(one[both_known], two[both_known])
    np.testing.assert_allclose(
        other.augmented_score(X_test), -other._logits(X_test).max(axis=1) - other.threshold_
    )


def test_fresh_rows_of_known_classes_are_rejected_as_often_as_was_asked(task):
    X, y = blobs(400, [0, 1, 2])
    fresh, _ = blobs(1000, [0, 1, 2], seed=7)
    rejected = {}
    for share in (0.0, 0.05, 0.3):
        classifier = clone(QUICK).set_params(rejected_share=share, max_epochs=2).fit(X, y)
        rejected[share] = np.mean(classifier.predict(fresh) == AUGMENTED)
        # Four standard errors of a share of 240 held-out and 3000 fresh rows, and of a maximum.
        error = math.sqrt(share * (1.0 - share) * (1 / 240 + 1 / 3000))
        assert abs(rejected[share] - share) < 4.0 * error + 4.0 / 240
    assert rejected[0.0] < rejected[0.05] < rejected[0.3]


def test_images_are_told_apart_by_a_convolutional_network():
    rng = np.random.default_rng(0)
    patterns = rng.normal(size=(2, 8, 8))
    y = np.repeat([0, 1], 40)
    X = patterns[y] + 0.3 * rng.normal(size=(80, 8, 8))
    classifier = SoftmaxThresholdClassifier(
        augmentation=None, rejected_share=0.0, max_epochs=3, batch_size=16, random_state=0
    ).fit(X, y)
    answers = classifier.predict(X)
    is_known = answers != AUGMENTED
    assert is_known.mean() > 0.75
    np.testing.assert_array_equal(answers[is_known], y[is_known])
    assert classifier.network_(torch.zeros(1, 1, 8, 8)).shape == (1, 2)


def test_few_and_coinciding_rows_can_be_learned_from():
    X, y = np.array([[0.0, 1.0], [0.0, 1.0], [3.0, 1.0], [3.0, 1.0]]), np.array([0, 0, 1, 1])
    classifier = clone(QUICK).fit(X, y)
    assert np.isfinite(classifier.augmented_score(X)).all()
    X = np.append(X, [[9.0, 1.0]], axis=0)
    assert np.isfinite(clone(QUICK).fit(X, np.append(y, 2)).augmented_score(X)).all()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"confidence": "energy"}, "`confidence` must be one of .*; got 'energy'"),
        ({"rejected_share": 1.2}, r"`rejected_share` must lie in \[0, 1\]; got 1.2"),
        ({"max_epochs": -1}, "`max_epochs` must be .*; got -1"),
        ({"max_epochs": 0}, "`network` must be a trained module; got 'auto'"),
    ],
)
def test_parameters_out_of_range_are_refused(task, options, words):
    with pytest.raises(ValueError, match=words):
        clone(QUICK).set_params(**options).fit(*task[:2])


def test_one_row_of_each_class_is_refused(task):
    X, y, *_ = task
    with pytest.raises(ValueError, match="held out from training; got 3 labeled rows, one of each"):
        clone(QUICK).fit(X[::60], y[::60])


def test_a_trained_network_can_be_calibrated_without_training(task, fitted):
    X, y, X_test, _ = task
    again = clone(QUICK).set_params(network=fitted.network_, max_epochs=0).fit(X, y)
    assert_same_model(fitted, again, X_test)
    assert again.history_ == []


def test_an_interrupted_fit_leaves_a_usable_model(task):
    X, y, X_test, _ = task

    def stop(n_done, n_epochs):
        if n_done == 2:
            raise KeyboardInterrupt

    classifier = clone(QUICK)
    with pytest.warns(InterruptedFitWarning, match="after 2 epochs"):
        classifier.fit(X, y, progress=stop)
    assert classifier.interrupted_
    assert len(classifier.predict(X_test)) == len(X_test)


def test_progress_sees_the_network_as_it_is(task):
    X, y, X_test, _ = task
    classifier, largest = clone(QUICK), []
    classifier.fit(X, y, progress=lambda *_: largest.append(classifier._logits(X_test).max()))
    assert len(set(largest)) == QUICK.max_epochs
    assert largest[-1] == classifier._logits(X_test).max()
