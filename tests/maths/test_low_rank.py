import numpy as np
import pytest

from eulac.maths.kernels import GaussianKernel
from eulac.maths.low_rank import pivoted_cholesky


def factored(X, bandwidth=1.0, **options):
    kernel = GaussianKernel(bandwidth=bandwidth)
    factor = pivoted_cholesky(lambda i, j: kernel.block(X[i], X[j]), np.ones(len(X)), **options)
    return factor, kernel.block(X, X)


@pytest.fixture
def rows():
    return np.random.default_rng(0).normal(size=(300, 3))


def test_no_entry_is_off_by_more_than_the_residual(rows):
    factor, K = factored(rows, max_rank=40)
    assert factor.rank == 40
    assert np.abs(K - factor.rows @ factor.rows.T).max() <= factor.residual + 1e-12


def test_the_factor_stays_below_the_matrix(rows):
    factor, K = factored(rows, max_rank=25)
    assert np.linalg.eigvalsh(K - factor.rows @ factor.rows.T).min() > -1e-10


def test_the_factor_is_exact_on_its_pivots(rows):
    factor, K = factored(rows, max_rank=30)
    assert len(set(factor.pivots.tolist())) == factor.rank
    approximate = factor.rows @ factor.rows[factor.pivots].T
    np.testing.assert_allclose(approximate, K[:, factor.pivots], atol=1e-10)


def test_tolerance_bounds_the_residual(rows):
    factor, _ = factored(rows, bandwidth=3.0, tolerance=1e-4)
    assert factor.residual <= 1e-4
    assert factor.rank < 256


def test_copies_of_rows_add_no_rank(rows):
    once, _ = factored(rows[:20])
    twice, K = factored(np.vstack([rows[:20], rows[:20]]))
    assert once.rank == twice.rank == 20
    np.testing.assert_allclose(twice.rows @ twice.rows.T, K, atol=1e-8)


def test_a_matrix_of_zeros_has_rank_zero():
    factor = pivoted_cholesky(lambda i, j: np.zeros((5, len(j))), np.zeros(5))
    assert factor.rank == 0
    assert factor.residual == 0


def test_nothing_is_drawn_at_random(rows):
    one, two = factored(rows)[0], factored(rows)[0]
    np.testing.assert_array_equal(one.rows, two.rows)
