"""Cholesky-based work on shifted kernel matrices, without a needless copy."""

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas, lapack

__all__ = ["InverseFactor", "shifted_cholesky", "solve_shifted"]

Array = NDArray[np.float64]


def shifted_cholesky(K: Array, shift: float) -> Array:
    """Return the lower Cholesky factor of ``K + shift * I``, its upper triangle left as it was.

    Raises
    ------
    ValueError
        When the shifted matrix is not positive definite in floating point.
    """
    work = np.array(K.T, order="F")  # K is symmetric: the transpose of a C array is a plain copy.
    work.flat[:: len(K) + 1] += shift
    factor, info = lapack.dpotrf(work, lower=1, clean=0, overwrite_a=1)
    if info != 0:
        raise ValueError(
            f"the kernel matrix plus {shift:.3g} on its diagonal must be positive definite, "
            f"and is not in floating point (row {info}). Use a larger `penalty`, or scale "
            "the features."
        )
    return np.asarray(factor)


def solve_shifted(K: Array, shift: float, right: Array) -> Array:
    """Return the solution a of ``(K + shift * I) a = right``.

    Examples
    --------
    >>> import numpy as np
    >>> solve_shifted(np.eye(2), 1.0, np.array([[2.0], [4.0]])).ravel()
    array([1., 2.])
    """
    solution, _ = lapack.dpotrs(shifted_cholesky(K, shift), right, lower=1)
    return np.asarray(solution)


class InverseFactor:
    """The inverse G of ``K + shift * I``, held as the inverse T of its Cholesky factor.

    ``G = T' T`` with T lower triangular: a product with G costs two triangular products, and a
    diagonal block of G a narrow symmetric one, so the full inverse is never formed.

    Examples
    --------
    >>> import numpy as np
    >>> inverse = InverseFactor(np.array([[3.0, 1.0], [1.0, 3.0]]), shift=1.0)
    >>> (inverse.dot(np.array([[4.0], [1.0]])) * 15).round(12).ravel()
    array([15.,  0.])
    >>> (inverse.diagonal_block(slice(0, 2)) * 15).round(12)
    array([[ 4., -1.],
           [-1.,  4.]])
    """

    def __init__(self, K: Array, shift: float):
        self._factor, _ = lapack.dtrtri(shifted_cholesky(K, shift), lower=1, overwrite_c=1)

    def dot(self, right: Array) -> Array:
        """Return ``G @ right``."""
        half = blas.dtrmm(1.0, self._factor, right, lower=1)
        return np.asarray(blas.dtrmm(1.0, self._factor, half, lower=1, trans_a=1, overwrite_b=1))

    def diagonal_block(self, rows: slice) -> Array:
        """Return ``G[rows, rows]`` for a range of rows."""
        corner = np.tril(self._factor[rows, rows])
        below = self._factor[rows.stop :, rows]
        return np.asarray(corner.T @ corner + below.T @ below)
