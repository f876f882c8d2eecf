"""The quick solver finds what scikit-learn's does."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from eulac.maths.softmax_regression import fit_softmax, softmax_probabilities


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    centers = rng.normal(0, 1.5, (4, 6))
    codes = rng.integers(0, 4, 300)
    return rng.normal(centers[codes]), codes, rng.uniform(0.2, 3.0, 300)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("penalty", [0.05, 5.0])
def test_probabilities_are_those_of_scikit_learn(rows, n_classes, penalty):
    X, codes, weights = rows
    codes = np.minimum(codes, n_classes - 1)
    found = fit_softmax(X, codes, weights, penalty=penalty, tolerance=1e-5)
    oracle = LogisticRegression(C=1 / penalty, tol=1e-8, max_iter=5000)
    oracle.fit(X, codes, sample_weight=weights)
    assert np.allclose(softmax_probabilities(X, found), oracle.predict_proba(X), atol=2e-3)


def test_columns_of_different_size_are_no_obstacle(rows):
    X, codes, weights = rows
    scaled = X * np.repeat([0.1, 1.0, 10.0], 2)
    found = fit_softmax(scaled, codes, weights, penalty=0.01, tolerance=1e-5)
    oracle = LogisticRegression(C=100.0, tol=1e-6, max_iter=10_000)
    oracle.fit(scaled, codes, sample_weight=weights)
    apart = softmax_probabilities(scaled, found) - oracle.predict_proba(scaled)
    assert np.abs(apart).max() < 0.02


def test_weights_count_rows(rows):
    X, codes, _ = rows
    twice = np.where(np.arange(300) < 100, 2.0, 1.0)
    weighted = fit_softmax(X, codes, twice, tolerance=1e-5)
    copied = fit_softmax(np.vstack([X, X[:100]]), np.append(codes, codes[:100]), tolerance=1e-5)
    assert np.allclose(
        softmax_probabilities(X, weighted), softmax_probabilities(X, copied), atol=1e-3
    )


def test_separable_rows_and_many_columns_end_with_finite_numbers():
    X = np.random.default_rng(0).normal(size=(40, 200))
    found = fit_softmax(X, np.arange(40) % 2, penalty=1e-6)
    assert np.isfinite(found).all()
    answers = softmax_probabilities(X, found).argmax(axis=1)
    assert np.array_equal(answers, np.arange(40) % 2)


def test_probabilities_of_rows_far_out_sum_to_one(rows):
    X, codes, _ = rows
    found = softmax_probabilities(1e6 * X, fit_softmax(X, codes))
    assert np.allclose(found.sum(axis=1), 1.0)
