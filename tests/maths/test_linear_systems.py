"""Shifted kernel systems: what NumPy's inverse says, inputs left alone, refusals in words."""

import numpy as np
import pytest

from eulac.maths.kernels import GaussianKernel
from eulac.maths.linear_systems import InverseFactor, shifted_cholesky, solve_shifted

SHIFTS = [1e-3, 1.0, 50.0]
LAYOUTS = {"C": np.ascontiguousarray, "F": np.asfortranarray}
each_shift = pytest.mark.parametrize("shift", SHIFTS)
each_layout = pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)


def kernel_matrix(n=12):
    X = np.random.default_rng(0).standard_normal((n, 3))
    return GaussianKernel(1.0).block(X, X)


def right_sides(n=12):
    return np.random.default_rng(1).standard_normal((n, 4))


def inverse_of(K, shift):
    return np.linalg.inv(K + shift * np.eye(len(K)))


@each_shift
@each_layout
def test_the_factor_reproduces_the_shifted_matrix(shift, layout):
    K = kernel_matrix()
    triangle = np.tril(shifted_cholesky(layout(K), shift))
    np.testing.assert_allclose(triangle @ triangle.T, K + shift * np.eye(len(K)), atol=1e-12)


@each_shift
@each_layout
def test_solutions_are_those_of_the_inverse(shift, layout):
    K, right = kernel_matrix(), right_sides()
    expected = inverse_of(K, shift) @ right
    np.testing.assert_allclose(solve_shifted(layout(K), shift, layout(right)), expected, rtol=1e-9)


@each_shift
@each_layout
def test_products_with_the_inverse_factor_are_those_of_the_inverse(shift, layout):
    K, right = kernel_matrix(), right_sides()
    expected = inverse_of(K, shift) @ right
    np.testing.assert_allclose(
        InverseFactor(layout(K), shift).dot(layout(right)), expected, rtol=1e-9
    )


@each_shift
@pytest.mark.parametrize("rows", [slice(0, 12), slice(0, 3), slice(4, 9), slice(11, 12)], ids=str)
def test_diagonal_blocks_are_those_of_the_inverse(shift, rows):
    K = kernel_matrix()
    block = InverseFactor(K, shift).diagonal_block(rows)
    np.testing.assert_allclose(block, inverse_of(K, shift)[rows, rows], rtol=1e-9, atol=1e-12)


def test_inputs_stay_as_they_are():
    K, right = kernel_matrix(), right_sides()
    before = K.copy(), right.copy()
    solve_shifted(K, 0.5, right)
    InverseFactor(K, 0.5).dot(right)
    np.testing.assert_array_equal(K, before[0])
    np.testing.assert_array_equal(right, before[1])


@pytest.mark.parametrize("use", [shifted_cholesky, InverseFactor], ids=["factor", "inverse"])
def test_a_matrix_that_is_not_positive_definite_is_refused_in_a_sentence(use):
    K = np.array([[1.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    with pytest.raises(
        ValueError,
        match=r"the kernel matrix plus 0\.25 on its diagonal must be positive definite, and is "
        r"not in floating point \(row 2\)\. Use a larger `penalty`, or scale the features\.",
    ):
        use(K, 0.25)
