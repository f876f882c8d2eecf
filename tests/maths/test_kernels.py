"""Kernels: what the loops say, positive semidefinite, and accurate far from the origin."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from eulac.maths.kernels import (
    CHUNK_ROWS,
    GaussianKernel,
    LinearKernel,
    median_distance,
    squared_distances,
)

KERNELS = {
    "gaussian-0.3": GaussianKernel(0.3),
    "gaussian-2": GaussianKernel(2.0),
    "linear": LinearKernel(),
}
each_kernel = pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)


def rows(n, n_features=4, seed=0):
    return np.random.default_rng(seed).standard_normal((n, n_features))


def slow_squared_distances(X, Z):
    return np.array([[sum((a - b) ** 2 for a, b in zip(x, z, strict=True)) for z in Z] for x in X])


def slow_block(kernel, X, Z):
    if isinstance(kernel, LinearKernel):
        return np.array([[sum(x * z) + 1.0 for z in Z] for x in X])
    return np.exp(-slow_squared_distances(X, Z) / (2 * kernel.bandwidth**2))


def test_squared_distances_are_what_the_loops_say():
    X, Z = rows(7), rows(5, seed=1)
    expected = slow_squared_distances(X, Z)
    np.testing.assert_allclose(squared_distances(X, Z), expected, rtol=1e-12)


@pytest.mark.parametrize("distance", [0.0, 1e4, 1e8], ids=str)
def test_squared_distances_are_accurate_far_from_the_origin(distance):
    # A power of two keeps the shifted rows exact, so that the loops are a fair judge.
    X = np.round(rows(30) * 1024) / 1024 + distance
    Z = np.round(rows(20, seed=1) * 1024) / 1024 + distance
    np.testing.assert_allclose(
        squared_distances(X, Z), slow_squared_distances(X, Z), rtol=1e-10, atol=1e-10
    )


@pytest.mark.parametrize("make", [np.zeros, np.ones], ids=["zeros", "ones"])
def test_constant_rows_are_at_no_distance(make):
    X = 0.1 * make((6, 3))
    assert not squared_distances(X, X).any()
    assert not squared_distances(X, X.copy()).any()


def test_distances_are_never_negative_and_zero_on_the_diagonal():
    X = np.repeat(rows(10, n_features=50), 3, axis=0)
    distances = squared_distances(X, X)
    assert distances.min() >= 0
    assert not distances.diagonal().any()
    np.testing.assert_allclose(distances, distances.T, atol=1e-12)


@each_kernel
def test_blocks_are_what_the_loops_say(kernel):
    X, Z = rows(7), rows(5, seed=1)
    np.testing.assert_allclose(kernel.block(X, Z), slow_block(kernel, X, Z), rtol=1e-12)


@each_kernel
@pytest.mark.parametrize("repeats", [1, 3], ids=["distinct", "duplicates"])
def test_kernel_matrices_are_symmetric_and_positive_semidefinite(kernel, repeats):
    X = np.repeat(rows(15), repeats, axis=0)
    K = kernel.block(X, X)
    np.testing.assert_allclose(K, K.T, rtol=1e-12)
    assert np.linalg.eigvalsh(K).min() >= -1e-12 * np.linalg.eigvalsh(K).max()


@each_kernel
@pytest.mark.parametrize("n_rows", [0, 1, CHUNK_ROWS, 2 * CHUNK_ROWS + 3])
def test_expansions_are_blocks_times_coefficients(kernel, n_rows):
    X, Z, coefficients = rows(n_rows) + 100.0, rows(60, seed=1) + 100.0, rows(60, 3, seed=2)
    expected = kernel.block(X, Z) @ coefficients
    np.testing.assert_allclose(kernel.expand(X, Z, coefficients), expected, atol=1e-9)
    single = kernel.expand(X, Z, coefficients, np.float32)
    error = kernel.expansion_error(X, Z, coefficients, np.float32)
    assert single.shape == (n_rows, 3)
    assert error.shape == (n_rows,)
    assert np.all(np.abs(single - expected) <= error[:, None] + 1e-9)


def test_single_precision_is_off_by_less_than_it_says_and_not_by_nothing():
    X, Z, coefficients = rows(500, 30), rows(400, 30, seed=1), rows(400, 2, seed=2)
    kernel = GaussianKernel(4.0)
    difference = kernel.expand(X, Z, coefficients, np.float32) - kernel.expand(X, Z, coefficients)
    error = kernel.expansion_error(X, Z, coefficients, np.float32)[:, None]
    assert np.all(np.abs(difference) <= error)
    assert 0 < np.abs(difference).max() < 1e-4
    assert error.max() < 0.05


def test_the_gaussian_kernel_falls_with_distance():
    # Paper: appendix C.1 prints the exponent without its minus sign.
    K = GaussianKernel(1.0).block(np.array([[0.0]]), np.array([[0.0], [1.0], [2.0], [9.0]]))
    np.testing.assert_allclose(K[0], np.exp([0.0, -0.5, -2.0, -40.5]), rtol=1e-12)


def test_known_distances_give_the_same_kernel_and_stay_as_they_are():
    X, kernel = rows(8), GaussianKernel(0.7)
    distances = squared_distances(X, X)
    before = distances.copy()
    np.testing.assert_array_equal(kernel.from_squared_distances(distances), kernel.block(X, X))
    np.testing.assert_array_equal(distances, before)
    assert kernel.from_squared_distances(distances, overwrite=True) is distances


def test_blocks_leave_their_rows_alone():
    X, Z = rows(6), rows(4, seed=1)
    before = X.copy(), Z.copy()
    for kernel in KERNELS.values():
        kernel.block(X, Z)
    np.testing.assert_array_equal(X, before[0])
    np.testing.assert_array_equal(Z, before[1])


def test_the_median_distance_is_that_of_all_pairs():
    X = rows(42)  # an odd number of pairs, so that their median is one of them
    assert median_distance(X) == pytest.approx(np.median(pdist(X)), rel=1e-12)


def test_the_median_distance_follows_the_scale_of_the_rows():
    X = rows(40)
    assert median_distance(3 * X - 5) == pytest.approx(3 * median_distance(X), rel=1e-12)


def test_thinning_many_rows_keeps_the_median_and_follows_the_seed():
    X = rows(3000)
    thinned = median_distance(X, max_rows=300, random_state=0)
    assert thinned == pytest.approx(median_distance(X, max_rows=3000), rel=0.05)
    assert thinned == median_distance(X, max_rows=300, random_state=0)
    assert thinned != median_distance(X, max_rows=300, random_state=1)


@pytest.mark.parametrize(
    "X", [np.full((5, 3), 0.1), np.zeros((1, 2))], ids=["all rows equal", "one row"]
)
def test_rows_without_a_distance_have_the_yardstick_1(X):
    assert median_distance(X) == 1.0


def test_where_most_pairs_are_duplicates_the_others_are_the_yardstick():
    for seed in range(5):
        rng = np.random.default_rng(seed)
        others = rng.random((20, 13 + seed))
        X = np.vstack([np.tile(rng.random((1, 13 + seed)), (80, 1)), others])
        pairs = pdist(X)
        assert median_distance(X) == pytest.approx(np.median(pairs[pairs > 0]), rel=1e-6)
