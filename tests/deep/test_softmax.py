"""A K-way network with a threshold: what is held out, what is rejected, what changes nothing."""

import math
import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import roc_auc_score

torch = pytest.importorskip("torch", reason="needs the extra `deep`")

from eulac.data.labels import AUGMENTED, LabelCodec  # noqa: E402
from eulac.data.lac_sample import LacSample  # noqa: E402
from eulac.deep.softmax import (  # noqa: E402
    ClosedSetLoss,
    SoftmaxThresholdClassifier,
    hold_out_labeled,
    rejection_threshold,
    softmax_novelty,
)
from eulac.exceptions import InterruptedFitWarning  # noqa: E402

CENTERS = np.array([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0], [2.0, 2.0]])
QUICK = SoftmaxThresholdClassifier(max_epochs=6, batch_size=32, random_state=0)


def blobs(n_per_class, classes, seed=0):
    """Return rows around some of the centers and their classes; the last is between the others."""
    y = np.repeat(classes, n_per_class)
    return np.random.default_rng(seed).normal(CENTERS[y], 0.5), np.where(y == 3, AUGMENTED, y)


@pytest.fixture(scope="module")
def task():
    return *blobs(60, [0, 1, 2]), *blobs(100, [0, 1, 2, 3], seed=1)


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


def test_the_loss_is_the_mean_of_minus_log_probabilities_of_labeled_rows():
    rng = np.random.default_rng(0)
    logits, y = rng.normal(size=(7, 4)), rng.integers(4, size=7)
    expected = 0.0
    for row, k in zip(logits, y, strict=True):
        expected -= math.log(math.exp(row[k]) / sum(map(math.exp, row))) / 7
    value = ClosedSetLoss()(torch.tensor(logits), torch.tensor(y), torch.zeros(0, 4))
    assert float(value.objective) == pytest.approx(expected)
    assert float(value.risk) == float(value.bracket) == float(value.objective)
    assert not value.risk.requires_grad


def test_the_loss_does_not_look_at_unlabeled_rows():
    logits = torch.zeros(3, 2, requires_grad=True)
    value = ClosedSetLoss()(logits[:2], torch.tensor([0, 1]), logits[2:])
    value.objective.backward()
    assert float(logits.grad[2].abs().sum()) == 0.0
    assert float(logits.grad[:2].abs().sum()) > 0.0


def sample_of(y, n_unlabeled=0):
    X, U = np.arange(len(y), dtype=float)[:, None], np.zeros((n_unlabeled, 1))
    return LacSample(X, np.asarray(y), U, LabelCodec.from_labels(y))


@pytest.mark.parametrize("counts", [(50, 50), (2, 2), (1, 2), (3, 1, 1), (40, 7, 1)])
def test_held_out_rows_leave_every_class_a_row_to_train_on(counts):
    sample = sample_of(np.repeat(np.arange(len(counts)), counts))
    for seed in range(10):
        kept, held_out = hold_out_labeled(sample, seed)
        rows = np.concatenate([kept.X_labeled, held_out.X_labeled]).ravel()
        np.testing.assert_array_equal(np.sort(rows), sample.X_labeled.ravel())
        np.testing.assert_array_equal(np.unique(kept.y_labeled), np.arange(len(counts)))
        assert held_out.n_labeled >= 1
        assert kept.n_unlabeled == held_out.n_unlabeled == 0
        for part in (kept, held_out):
            own = sample.y_labeled[part.X_labeled.ravel().astype(int)]
            np.testing.assert_array_equal(part.y_labeled, own)


def test_a_fifth_is_held_out_however_many_unlabeled_rows_there_are():
    y = np.repeat([0, 1], 50)
    parts = [hold_out_labeled(sample_of(y, n), seed=0)[1] for n in (0, 1, 3, 1000)]
    for part in parts:
        np.testing.assert_array_equal(np.bincount(part.y_labeled), [10, 10])
        np.testing.assert_array_equal(part.X_labeled, parts[0].X_labeled)


def test_novelty_is_minus_the_log_odds_of_the_largest_probability():
    logits = np.random.default_rng(0).normal(scale=3.0, size=(50, 5))
    largest = []
    for row, novelty in zip(logits, softmax_novelty(logits), strict=True):
        exponentials = [math.exp(value) for value in row]
        p = max(exponentials) / sum(exponentials)
        largest.append(p)
        assert novelty == pytest.approx(math.log((1.0 - p) / p))
    np.testing.assert_array_equal(
        np.argsort(softmax_novelty(logits)), np.argsort(-np.array(largest))
    )


def test_novelty_has_no_ties_where_probabilities_round_to_one():
    logits = np.column_stack([np.linspace(50.0, 900.0, 20), np.zeros((20, 2))])
    assert np.all(np.diff(softmax_novelty(logits)) < 0)


@pytest.mark.parametrize("share", [0.0, 0.05, 0.1, 0.5, 1.0])
@pytest.mark.parametrize("n", [1, 4, 20, 99])
def test_at_most_the_given_share_lies_above_the_threshold(n, share):
    novelty = np.random.default_rng(n).normal(size=n)
    above = np.mean(novelty > rejection_threshold(novelty, share))
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


def test_unlabeled_rows_change_nothing(task, fitted):
    X, y, X_test, _ = task
    for n in (1, 3, 200):
        separate = clone(QUICK).fit(X, y, X_unlabeled=X_test[:n] + 50.0)
        masked = clone(QUICK).fit(
            np.concatenate([X_test[:n] + 50.0, X]), np.concatenate([np.full(n, -1), y])
        )
        assert_same_model(fitted, separate, X_test)
        assert_same_model(fitted, masked, X_test)


def test_the_order_of_rows_and_the_kind_of_labels_do_not_matter(task, fitted):
    X, y, X_test, _ = task
    order = np.random.default_rng(1).permutation(len(y))
    assert_same_model(fitted, clone(QUICK).fit(X[order], y[order]), X_test)
    names = np.array(["ant", "bee", "cow"])
    text = clone(QUICK).fit(X, names[y])
    assert text.classes_.tolist() == ["ant", "bee", "cow", "augmented"]
    codes = np.where(fitted.predict(X_test) == AUGMENTED, 3, fitted.predict(X_test))
    np.testing.assert_array_equal(text.predict(X_test), text.classes_[codes])


def test_global_randomness_is_neither_used_nor_changed(task, fitted):
    torch.manual_seed(5)
    before = torch.get_rng_state()
    again = clone(QUICK).fit(*task[:2])
    assert torch.equal(torch.get_rng_state(), before)
    assert_same_model(fitted, again, task[2])


def test_a_pickle_keeps_every_bit(task, fitted):
    assert_same_model(fitted, pickle.loads(pickle.dumps(fitted)), task[2])


def test_every_epoch_is_reported(task):
    records = []
    classifier = clone(QUICK).fit(*task[:2], on_epoch=records.append)
    assert [record["epoch"] for record in records] == [1, 2, 3, 4, 5, 6]
    assert records == classifier.history_
    assert records[-1]["objective"] < records[0]["objective"]


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


def test_what_cannot_be_learned_is_refused(task, fitted):
    X, y, X_test, _ = task
    with pytest.raises(ValueError, match="got 1 class"):
        clone(QUICK).fit(X[y == 0], y[y == 0])
    with pytest.raises(ValueError, match="held out from training; got 3 labeled rows, one of each"):
        clone(QUICK).fit(X[::60], y[::60])
    with pytest.raises(NotFittedError):
        clone(QUICK).augmented_score(X_test)
    with pytest.raises(ValueError, match="does not estimate the known proportion"):
        fitted.score(X_test, np.full(len(X_test), -1))


def test_a_trained_network_can_be_calibrated_without_training(task, fitted):
    X, y, X_test, _ = task
    again = clone(QUICK).set_params(network=fitted.network_, max_epochs=0).fit(X, y)
    assert_same_model(fitted, again, X_test)
    assert again.history_ == []


def test_an_interrupted_fit_leaves_a_usable_model(task):
    X, y, X_test, _ = task

    def stop(record):
        if record["epoch"] == 2:
            raise KeyboardInterrupt

    classifier = clone(QUICK)
    with pytest.warns(InterruptedFitWarning, match="after 2 epochs"):
        classifier.fit(X, y, on_epoch=stop)
    assert classifier.interrupted_
    assert len(classifier.predict(X_test)) == len(X_test)


def test_on_epoch_sees_the_network_as_it_is(task):
    X, y, X_test, _ = task
    classifier, largest = clone(QUICK), []
    classifier.fit(X, y, on_epoch=lambda r: largest.append(classifier._logits(X_test).max()))
    assert len(set(largest)) == QUICK.max_epochs
    assert largest[-1] == classifier._logits(X_test).max()
