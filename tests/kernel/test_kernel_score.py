"""`score`: right with true labels, and as right without those of new rows."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score

from easy_mixture import easy_masked, easy_split
from eulac import AUGMENTED, UNLABELED, KernelEulacClassifier

QUICK = KernelEulacClassifier(0.6, bandwidth=0.5, penalty=1e-3, random_state=0)


def masked(split, seed):
    """Return test rows, half of them unlabeled, of the others only those of known classes."""
    hidden = np.random.default_rng(seed).random(len(split.y_test)) < 0.5
    kept = hidden | (split.y_test != AUGMENTED)
    return split.X_test[kept], np.where(hidden, UNLABELED, split.y_test)[kept]


def test_masked_labels_give_the_true_accuracy_on_average(digits):
    model = KernelEulacClassifier(0.5, random_state=0).fit(*digits.sample.as_masked())
    true_accuracy = model.score(digits.X_test, digits.y_test)
    estimates = [model.score(*masked(digits, seed)) for seed in range(40)]
    error = np.std(estimates, ddof=1) / np.sqrt(len(estimates))
    assert abs(np.mean(estimates) - true_accuracy) < max(4 * error, 0.01)
    assert error < 0.01
    assert 0.8 < true_accuracy < 1  # else there is nothing to estimate


@pytest.mark.slow
def test_an_estimated_proportion_hardly_biases_the_masked_accuracy(digits, digits_model):
    true_accuracy = digits_model.score(digits.X_test, digits.y_test)
    estimates = [digits_model.score(*masked(digits, seed)) for seed in range(20)]
    assert abs(np.mean(estimates) - true_accuracy) < 0.06


def test_true_labels_give_plain_accuracy():
    split, X, y = easy_masked()
    model = clone(QUICK).fit(X, y)
    is_right = model.predict(split.X_test) == split.y_test
    assert model.score(split.X_test, split.y_test) == np.mean(is_right)
    weights = np.random.default_rng(0).random(len(is_right))
    expected = np.average(is_right, weights=weights)
    assert model.score(split.X_test, split.y_test, sample_weight=weights) == pytest.approx(expected)


def test_labels_never_seen_count_as_augmented():
    split, X, y = easy_masked()
    model = clone(QUICK).fit(X, y)
    new = np.flatnonzero(split.y_test == AUGMENTED)
    several = split.y_test.copy()
    several[new[::2]], several[new[1::2]] = 77, 99
    assert model.score(split.X_test, several) == model.score(split.X_test, split.y_test)


def test_what_cannot_be_scored_is_refused():
    split, X, y = easy_masked()
    model = clone(QUICK).fit(X, y)
    with pytest.raises(ValueError, match="no labeled row of a known class"):
        model.score(split.X_test, np.full(len(split.X_test), UNLABELED))
    with pytest.raises(ValueError, match=r"`sample_weight` needs true labels; `y` has unlabeled"):
        model.score(X, y, sample_weight=np.ones(len(y)))
    with pytest.raises(ValueError, match=r"a label for each row of `X`.* got 1\."):
        model.score(split.X_test, [0])  # would be broadcast
    with pytest.raises(ValueError, match="same kind, text or numbers"):
        model.score(split.X_test, np.full(len(split.X_test), "ant"))


@pytest.mark.filterwarnings("ignore::eulac.exceptions.TrivialPredictorWarning")
def test_grid_search_on_masked_labels_finds_a_bandwidth_that_works():
    split, X, y = easy_masked()
    order = np.random.default_rng(0).permutation(len(y))
    grid = {"bandwidth": [1e-3, 0.5, 1e3]}
    search = GridSearchCV(clone(QUICK), grid, cv=3).fit(X[order], y[order])
    assert search.best_params_ == {"bandwidth": 0.5}
    assert search.best_score_ > 0.9
    assert search.score(split.X_test, split.y_test) > 0.9


def test_cross_validation_on_masked_labels_estimates_test_accuracy():
    split, X, y = easy_masked(n_labeled=90, n_unlabeled=180)
    order = np.random.default_rng(0).permutation(len(y))
    scores = cross_val_score(clone(QUICK), X[order], y[order], cv=3)
    accuracy = clone(QUICK).fit(X, y).score(split.X_test, split.y_test)
    assert abs(scores.mean() - accuracy) < 0.08


@pytest.mark.parametrize("cycle", [(0, 1, 2), (0, 1, 1, 2, 2, 2), (2, 2, 2, 2, 1, 0)])
def test_the_score_does_not_depend_on_how_often_a_class_was_labeled(cycle):
    """A model that is wrong on one class shows whether the class gets its due weight."""
    split, X, y = easy_masked()
    model = clone(QUICK).fit(X, y)
    spoiled = split.X_test.copy()
    spoiled[split.y_test == 2] = split.X_test[split.y_test == 1][0]
    true_accuracy = model.score(spoiled, split.y_test)
    labeled = [np.flatnonzero(split.y_test == k) for k in range(3)]
    rows = np.concatenate([labeled[k][: 5 * cycle.count(k)] for k in range(3)])
    everything = np.vstack([spoiled[rows], spoiled])
    labels = np.append(split.y_test[rows], np.full(len(spoiled), UNLABELED))
    assert abs(model.score(everything, labels) - true_accuracy) < 0.03


def test_a_class_that_is_missing_where_it_is_scored_is_stood_in_for_by_the_others():
    split, X, y = easy_masked()
    model = clone(QUICK).fit(X, y)
    rows = np.flatnonzero(np.isin(split.y_test, [0, 1]))
    everything = np.vstack([split.X_test[rows], split.X_test])
    labels = np.append(split.y_test[rows], np.full(len(split.X_test), UNLABELED))
    accuracy = model.score(split.X_test, split.y_test)
    assert abs(model.score(everything, labels) - accuracy) < 0.05


def test_per_class_shares_are_used_where_they_shift():
    cycle = (0, 1, 1, 2, 2, 2, 3, 3, 3, 3)
    split = easy_split(n_labeled=90, n_unlabeled=200, cycle=cycle)
    model = clone(QUICK).set_params(known_proportion=[0.1, 0.2, 0.3])
    model.fit(*split.sample.as_masked())
    np.testing.assert_allclose(model.proportion_.per_class, [0.1, 0.2, 0.3])
    assert model.score(split.X_test, split.y_test) > 0.9
