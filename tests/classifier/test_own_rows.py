"""Rows of a fit are known again, answered by models that have not seen them, or forgotten."""

import warnings

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import eulac
from easy_mixture import easy_masked, easy_split
from eulac.classifier.own_rows import (
    augmented_margin,
    held_out_rows,
    keeps_pool,
    pool_bytes,
    warn_of_own_pool,
    without_pool,
)
from eulac.exceptions import EulacWarning, OwnPoolWarning

KERNEL = {"bandwidth": 1.0, "penalty": 0.01, "known_proportion": 0.6, "random_state": 0}


@pytest.fixture(scope="module", params=["kernel", "linear"])
def fitted(request):
    split, X, y = easy_masked()
    if request.param == "kernel":
        return split, X, y, eulac.KernelEulacClassifier(**KERNEL).fit(X, y)
    return split, X, y, eulac.LinearEulacClassifier(known_proportion=0.6, random_state=0).fit(X, y)


def test_each_row_of_the_fit_is_found_whatever_is_beside_it(fitted):
    split, X, y, classifier = fitted
    pool, order = X[y == -1], np.random.default_rng(0).permutation(40)
    found, probabilities = held_out_rows(classifier, np.vstack([pool[order], split.X_test[:5]]))
    np.testing.assert_array_equal(found, 40 * [True] + 5 * [False])
    expected = classifier.held_out_probabilities_[y == -1][order]
    np.testing.assert_array_equal(probabilities, expected)
    found, probabilities = held_out_rows(classifier, X, unlabeled=False)
    np.testing.assert_array_equal(found, y != -1)
    np.testing.assert_array_equal(probabilities, classifier.held_out_probabilities_[y != -1])


def test_predict_warns_of_the_own_pool_and_stays_what_it_was(fitted):
    split, X, y, classifier = fitted
    pool = X[y == -1]
    with pytest.warns(OwnPoolWarning, match="100% of the rows were unlabeled rows of the fit"):
        labels = classifier.predict(pool)
    np.testing.assert_array_equal(
        labels, classifier.classes_[classifier.predict_proba(pool).argmax(axis=1)]
    )
    # Fewer than half of these are from the pool; labeled rows do not count.
    classifier.predict(np.vstack([pool[:20], split.X_test[:30]]))
    warn_of_own_pool(classifier, X[y != -1])


def test_the_pool_can_be_forgotten_and_labeled_rows_stay(fitted):
    split, X, y, classifier = fitted
    small = without_pool(classifier)
    assert keeps_pool(classifier)
    assert not keeps_pool(small)
    n_pool = np.sum(y == -1)
    assert pool_bytes(classifier) == n_pool * (16 + 8 * len(classifier.classes_))
    assert pool_bytes(small) == 0
    np.testing.assert_array_equal(small.held_out_codes_, y[y != -1])
    np.testing.assert_array_equal(
        small.held_out_probabilities_, classifier.held_out_probabilities_[y != -1]
    )
    np.testing.assert_array_equal(small.predict(split.X_test), classifier.predict(split.X_test))
    assert not held_out_rows(small, X).found.any()


def test_classifiers_without_held_out_answers_find_no_row():
    _, X, y = easy_masked()
    contender = eulac.OsnnClassifier(ratio=0.8).fit(X, y)
    assert not keeps_pool(contender)
    found, probabilities = held_out_rows(contender, X)
    np.testing.assert_array_equal(found, np.zeros(len(X), dtype=bool))
    assert probabilities.shape == (0, 0)
    assert contender.fit_rows_.is_unlabeled.any()
    assert not without_pool(contender).fit_rows_.is_unlabeled.any()


def kept_of_single_rows(value):
    """Return how many rows each array in a model speaks of that has a line for each row."""
    if isinstance(value, dict):
        return [n for one in value.values() for n in kept_of_single_rows(one)]
    if isinstance(value, list | tuple):
        return [n for one in value for n in kept_of_single_rows(one)]
    own = getattr(value, "__dict__", {})
    said = [own[name] for name in ("fit_rows_", "held_out_probabilities_") if name in own]
    sizes = [len(one.keys) if hasattr(one, "keys") else len(one) for one in said]
    held_out = getattr(own.get("model_"), "held_out", None)
    if held_out is not None:
        sizes.append(
            len(getattr(held_out, "unlabeled", ())) or len(getattr(held_out, "labeled", held_out))
        )
    return sizes + [
        n for name in ("candidates_", "steps") for n in kept_of_single_rows(own.get(name, ()))
    ]


@pytest.mark.filterwarnings("ignore::eulac.exceptions.EulacWarning")
def test_candidates_forget_the_pool_with_the_classifier_that_keeps_them():
    split, X, y = easy_masked()
    piped = make_pipeline(StandardScaler(), eulac.TwoStageEulacClassifier(GaussianNB()))
    candidates = {"bayes": eulac.TwoStageEulacClassifier(GaussianNB()), "piped": piped}
    whole = eulac.EulacClassifier(candidates, known_proportion=0.6, random_state=0).fit(X, y)
    small, n_labeled = without_pool(whole), int(np.sum(y != -1))
    assert set(kept_of_single_rows(whole)) == {len(X), len(X) - n_labeled}
    assert set(kept_of_single_rows(small)) == {n_labeled}
    np.testing.assert_array_equal(
        small.predict_proba(split.X_test), whole.predict_proba(split.X_test)
    )


def test_a_frozen_classifier_keeps_what_was_said_of_labeled_rows_alone():
    _, X, y = easy_masked()
    order = np.random.default_rng(0).permutation(len(y))
    scores = np.exp(-np.abs(X[order][:, [0]] - np.array([[0.0, 3.0, 6.0]])))
    scores /= scores.sum(axis=1, keepdims=True)
    clf = eulac.FrozenEulacClassifier(known_proportion=0.6, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EulacWarning)
        clf.fit(scores, y[order])
    kept = clf.model_.held_out[y[order] != -1]
    np.testing.assert_array_equal(without_pool(clf).model_.held_out, kept)
    np.testing.assert_array_equal(clf.model_.held_out_probabilities(), clf.held_out_probabilities_)


def test_the_margin_is_positive_where_new_is_the_answer():
    probabilities = np.random.default_rng(0).dirichlet([1, 1, 1], 200)
    is_new = probabilities.argmax(axis=1) == 2
    np.testing.assert_array_equal(augmented_margin(probabilities) > 0, is_new)
    assert np.isfinite(augmented_margin(np.array([[1.0, 0.0, 0.0]]))).all()


def test_even_the_first_row_of_the_pool_is_known_again():
    sample = easy_split().sample
    X = np.vstack([sample.X_unlabeled, sample.X_labeled])
    y = np.append(np.full(sample.n_unlabeled, -1), sample.y_labeled)
    clf = eulac.KernelEulacClassifier(**KERNEL).fit(X, y)
    with pytest.warns(OwnPoolWarning, match="100% of the rows were unlabeled rows of the fit"):
        clf.predict(X[:1])


def test_half_of_the_rows_may_be_of_the_pool_without_a_word(fitted):
    split, X, y, classifier = fitted
    pool = X[y == -1]
    classifier.predict(np.vstack([pool[:20], split.X_test[:20]]))  # warnings are errors here
    with pytest.warns(OwnPoolWarning, match="51% of the rows") as caught:
        classifier.predict(np.vstack([pool[:21], split.X_test[:20]]))
    assert caught[0].filename == __file__


def test_the_margin_is_the_log_of_how_much_likelier_new_is():
    rows = np.array([[0.1, 0.3, 0.6], [0.5, 0.3, 0.2], [1.0, 0.0, 0.0]])
    found = augmented_margin(rows)
    np.testing.assert_allclose(np.exp(found[:2]), [2.0, 0.4])
    assert found[2] < np.log(1e-9)


@pytest.mark.filterwarnings("ignore::eulac.exceptions.EulacWarning")
def test_without_unlabeled_rows_there_is_no_pool_to_keep():
    _, X, y = easy_masked()
    closed = eulac.KernelEulacClassifier(**KERNEL).fit(X[y >= 0], y[y >= 0])
    assert not keeps_pool(closed)
    assert pool_bytes(closed) == 0
    np.testing.assert_array_equal(without_pool(closed).fit_rows_.keys, closed.fit_rows_.keys)
    assert not held_out_rows(closed, X).found.any()
