"""OpenMax against the paper's loop over rows and classes, and as a classifier."""

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import weibull_min
from sklearn.base import clone

torch = pytest.importorskip("torch", reason="needs the extra `deep`")

from deep.blobs import assert_known_told_apart_and_rows_between_found, blobs  # noqa: E402
from eulac.data.labels import AUGMENTED  # noqa: E402
from eulac.deep.openmax import OpenMaxClassifier, fit_openmax  # noqa: E402
from eulac.deep.softmax import softmax_evidence  # noqa: E402

QUICK = OpenMaxClassifier(max_epochs=6, batch_size=32, learning_rate=0.003, random_state=0)


def random_logits(n_classes, n_rows=300, seed=0):
    """Return logits around 6 for the own class and -1 for the others, and the classes."""
    rng = np.random.default_rng(seed)
    y = np.resize(np.arange(n_classes), n_rows)
    return rng.normal(7.0 * np.eye(n_classes)[y] - 1.0, 1.5), y


def slow_calibration(logits, y, tail_size):
    """Algorithm 1, class by class: mean of the rows got right, Weibull of the largest distances."""
    means, weibulls = [], []
    for k in range(logits.shape[1]):
        own = [row for row, label in zip(logits, y, strict=True) if label == k == row.argmax()]
        mean = sum(own) / len(own)
        distances = sorted(math.sqrt(sum((row - mean) ** 2)) for row in own)
        n_tail = min(tail_size, max(3, len(own) // 10))
        shape, _, scale = weibull_min.fit(distances[-n_tail:], floc=0.0)
        means.append(mean)
        weibulls.append((shape, scale))
    return means, weibulls


def slow_probabilities(row, means, weibulls, alpha):
    """Algorithm 2 with the weights of the authors' code, on logits that start at zero."""
    n_classes = len(row)
    shifted = [value - min(row) for value in row]
    weight = [1.0] * n_classes
    ranked = sorted(range(n_classes), key=lambda k: -row[k])
    for i, k in enumerate(ranked[:alpha], start=1):
        distance = math.sqrt(sum((a - b) ** 2 for a, b in zip(row, means[k], strict=True)))
        shape, scale = weibulls[k]
        tail = 1.0 - math.exp(-((distance / scale) ** shape))
        weight[k] = 1.0 - (alpha + 1 - i) / alpha * tail
    revised = [v * w for v, w in zip(shifted, weight, strict=True)]
    unknown = sum(v * (1.0 - w) for v, w in zip(shifted, weight, strict=True))
    exponentials = [math.exp(value) for value in [*revised, unknown]]
    return [value / sum(exponentials) for value in exponentials]


@pytest.mark.parametrize("n_classes", [2, 6, 12])
@pytest.mark.parametrize("tail_size", [5, 20])
def test_probabilities_are_those_of_the_papers_loop(n_classes, tail_size):
    logits, y = random_logits(n_classes, 100 * n_classes)
    calibration = fit_openmax(logits, y, tail_size=tail_size)
    means, weibulls = slow_calibration(logits, y, tail_size)
    np.testing.assert_allclose(calibration.means, means)
    np.testing.assert_allclose(np.transpose(calibration.weibull), weibulls, rtol=1e-3)
    assert calibration.alpha == min(10, n_classes)
    new = np.random.default_rng(1).normal(scale=4.0, size=(40, n_classes))
    for row, found in zip(new, calibration.probabilities(new), strict=True):
        expected = slow_probabilities(
            row.tolist(), means, np.transpose(calibration.weibull), calibration.alpha
        )
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-15)


def test_what_known_classes_lose_the_unknown_one_gets():
    logits, y = random_logits(5)
    revised = fit_openmax(logits, y).revised(logits)
    shifted = logits - logits.min(axis=1, keepdims=True)
    assert np.all(revised[:, :-1] <= shifted)
    assert np.all(revised >= 0.0)
    np.testing.assert_allclose(revised.sum(axis=1), shifted.sum(axis=1))


def test_only_the_largest_logits_are_revised():
    logits, y = random_logits(6)
    calibration = fit_openmax(logits, y, alpha=2)
    new = np.random.default_rng(1).normal(scale=4.0, size=(30, 6))
    shifted = new - new.min(axis=1, keepdims=True)
    is_revised = calibration.revised(new)[:, :-1] < shifted
    is_largest = new >= np.sort(new, axis=1)[:, -2:-1]
    np.testing.assert_array_equal(is_revised, is_largest)


def test_the_unknown_class_wins_far_from_all_means_even_where_all_logits_are_negative():
    logits, y = random_logits(4)
    calibration = fit_openmax(logits, y)
    far = np.array([[-9.0, -10.0, -11.0, -12.0], [0.0, 0.0, -1.0, 0.5], [60.0, -9.0, -9.0, -9.0]])
    assert calibration.probabilities(far).argmax(axis=1).tolist() == [4, 4, 4]
    # A threshold would think the last row the surest of all.
    assert softmax_evidence(far)[2] < softmax_evidence(logits).min()
    np.testing.assert_array_equal(
        calibration.probabilities(calibration.means).argmax(axis=1), [0, 1, 2, 3]
    )


def test_the_tail_of_a_small_class_is_a_tenth_of_it_but_three_rows():
    rng = np.random.default_rng(0)
    for n, n_tail in ((12, 3), (50, 5), (400, 20)):
        logits = np.array([[8.0, 0.0]]) + rng.normal(size=(n, 2)) * [1.0, 0.0]
        other = np.array([[0.0, 8.0]]) + rng.normal(size=(30, 2))
        both, y = np.concatenate([logits, other]), np.repeat([0, 1], [n, 30])
        tail = np.sort(np.abs(logits[:, 0] - logits[:, 0].mean()))[-n_tail:]
        shape, _, scale = weibull_min.fit(tail, floc=0.0)
        found = fit_openmax(both, y).weibull
        np.testing.assert_allclose([found.shape[0], found.scale[0]], [shape, scale], rtol=1e-3)


def test_rows_the_network_gets_wrong_do_not_count():
    logits, y = random_logits(3)
    wrong = np.array([[0.0, 40.0, 0.0], [0.0, 30.0, 0.0]])
    clean = fit_openmax(logits, y)
    spoiled = fit_openmax(np.concatenate([logits, wrong]), np.append(y, [0, 0]))
    np.testing.assert_array_equal(spoiled.means, clean.means)
    np.testing.assert_array_equal(spoiled.weibull.scale, clean.weibull.scale)


def test_a_class_the_network_never_gets_right_has_its_mean_all_the_same():
    logits, y = random_logits(3)
    y = np.where(y == 2, 1, y)
    mistaken = np.flatnonzero(logits.argmax(axis=1) == 0)[:5]
    y[mistaken] = 2
    np.testing.assert_allclose(fit_openmax(logits, y).means[2], logits[mistaken].mean(axis=0))


def test_classes_of_one_row_borrow_the_distances_of_all():
    logits, y = random_logits(3)
    kept = np.append(np.flatnonzero(y != 2), np.flatnonzero(y == 2)[0])
    calibration = fit_openmax(logits[kept], y[kept])
    assert 0.5 < calibration.weibull.scale[2] / calibration.weibull.scale[0] < 2.0
    assert calibration.probabilities(logits[kept[-1:]]).argmax() == 2


def test_copies_of_a_row_are_known_and_rounding_is_not_distance():
    logits, y = np.repeat([[9.0, 0.0], [0.0, 9.0]], 10, axis=0), np.repeat([0, 1], 10)
    calibration = fit_openmax(logits, y)
    rounded = logits * (1.0 + 1e-6)
    np.testing.assert_array_equal(calibration.probabilities(rounded).argmax(axis=1), y)
    assert calibration.probabilities(np.array([[9.0, 1.0]])).argmax() == 2


def test_a_class_without_rows_is_refused():
    with pytest.raises(ValueError, match="must have labeled rows; got none of class 1"):
        fit_openmax(np.zeros((4, 3)), np.array([0, 0, 2, 2]))


@pytest.fixture(scope="module")
def fitted(task):
    return clone(QUICK).fit(*task[:2])


def outputs(classifier, X):
    return [classifier.predict(X), classifier.augmented_score(X), classifier.predict_proba(X)]


def assert_same_outputs(one, two, X):
    for first, second in zip(outputs(one, X), outputs(two, X), strict=True):
        np.testing.assert_array_equal(first, second)


def test_known_classes_are_told_apart_and_rows_between_them_found(task, fitted):
    assert_known_told_apart_and_rows_between_found(fitted, *task[2:])


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 0.7, 0.99, "auto"])
def test_a_row_is_rejected_if_unknown_or_no_class_is_likely_enough(task, fitted, epsilon):
    X, y, X_test, _ = task
    classifier = clone(QUICK).set_params(epsilon=epsilon).fit(X, y)
    if epsilon != "auto":
        assert classifier.epsilon_ == pytest.approx(epsilon)
    probabilities = classifier.predict_proba(X_test)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    for row, answer in zip(probabilities.tolist(), classifier.predict(X_test), strict=True):
        best = row.index(max(row))
        is_rejected = best == 3 or row[best] < classifier.epsilon_
        assert answer == (AUGMENTED if is_rejected else best)


def test_a_larger_epsilon_or_share_rejects_more(task):
    X, y, X_test, _ = task
    for name, values in (("epsilon", [0.0, 0.9, 1.0]), ("rejected_share", [0.0, 0.9])):
        answers = [clone(QUICK).set_params(**{name: v}).fit(X, y).predict(X_test) for v in values]
        shares = [np.mean(answer == AUGMENTED) for answer in answers]
        assert shares == sorted(shares)
        assert shares[0] < shares[-1]
        for few, more in pairwise(answers):
            assert np.all(more[few == AUGMENTED] == AUGMENTED)


def test_far_rows_are_new_however_sure_the_network_is(task, fitted):
    # Beyond the blobs, on the side away from the others.
    far = np.array([[-90.0, -90.0], [200.0, -80.0], [-80.0, 200.0]])
    assert (
        softmax_evidence(fitted._logits(far)).max()
        < softmax_evidence(fitted._logits(task[0])).mean()
    )
    np.testing.assert_array_equal(fitted.predict(far), [AUGMENTED] * 3)


def test_small_classes_can_be_learned_from():
    X, y = blobs(60, [0, 1])
    X, y = np.append(X, [[0.0, 6.0]], axis=0), np.append(y, 2)
    classifier = clone(QUICK).fit(X, y)
    assert np.isfinite(classifier.augmented_score(X)).all()
    assert np.mean(classifier.predict(X[:120]) == y[:120]) > 0.75


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"tail_size": 2}, "`tail_size` must be a whole number of at least 3; got 2"),
        ({"alpha": 0}, "`alpha` must be a whole number of at least 1; got 0"),
        ({"epsilon": 1.5}, r"`epsilon` must lie in \[0, 1\]; got 1.5"),
        ({"epsilon": "largest"}, r"`epsilon` must lie in \[0, 1\]; got 'largest'"),
        ({"rejected_share": -0.1}, r"`rejected_share` must lie in \[0, 1\]; got -0.1"),
    ],
)
def test_parameters_out_of_range_are_refused(task, options, words):
    with pytest.raises(ValueError, match=words):
        clone(QUICK).set_params(**options).fit(*task[:2])
