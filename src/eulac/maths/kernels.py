"""Positive definite kernels on rows, and the median distance that scales them.

A kernel is a small frozen object with ``block(X, Z)`` and, for scoring many rows,
 ``expand(X, Z, coefficients)``; a Gaussian kernel can also be formed from squared distances
that are already there, which is how a search over bandwidths pays for the matrix product once.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["GaussianKernel", "LinearKernel", "median_distance", "squared_distances"]

Array = NDArray[np.float64]

CHUNK_ROWS = 256
"""Rows expanded at once: their kernel values stay in cache and memory does not grow with n."""


def squared_distances(X: Array, Z: Array) -> Array:
    """Return the squared Euclidean distances between the rows of two matrices.

    Parameters
    ----------
    X : array of shape (n, n_features)
    Z : array of shape (m, n_features)

    Returns
    -------
    array of shape (n, m)
        Never negative; exactly zero on the diagonal when ``Z is X``.

    Examples
    --------
    >>> import numpy as np
    >>> squared_distances(np.array([[0.0, 0.0]]), np.array([[3.0, 4.0]]))
    array([[25.]])
    """
    # Centering costs nothing and keeps the cancellation below harmless for data far from zero.
    center = Z.mean(axis=0)
    A, B = X - center, (X if Z is X else Z) - center
    distances = A @ B.T
    distances *= -2.0
    distances += np.einsum("ij,ij->i", A, A)[:, None]
    distances += np.einsum("ij,ij->i", B, B)[None, :]
    np.maximum(distances, 0.0, out=distances)
    if Z is X:
        np.fill_diagonal(distances, 0.0)
    return distances


def median_distance(X: Array, *, max_rows: int = 1000, random_state: Any = None) -> float:
    """Return the median distance between distinct rows, the yardstick for bandwidths.

    More than `max_rows` rows are thinned to a random subset: the median of half a million pairs
    is as good as that of all of them. Where most rows coincide it is the median of the positive
    distances, and 1 where all do.

    Examples
    --------
    >>> import numpy as np
    >>> median_distance(np.array([[0.0], [1.0], [3.0]]))
    2.0
    """
    if len(X) > max_rows:
        rng = np.random.default_rng(random_state)
        X = X[np.sort(rng.choice(len(X), max_rows, replace=False))]
    distances = squared_distances(X, X).ravel()
    distances.sort()
    # The n zeros of the diagonal come first; every pair is there twice, which no median minds.
    pairs = distances[len(X) :]
    # Rows that coincide may be a rounding error apart.
    same = 1e-12 * distances[-1]
    if pairs.size and pairs[pairs.size // 2] <= same:
        pairs = pairs[np.searchsorted(pairs, same, side="right") :]
    return float(np.sqrt(np.median(pairs))) if pairs.size else 1.0


@dataclass(frozen=True)
class GaussianKernel:
    """Gaussian kernel ``exp(-||x - z||^2 / (2 bandwidth^2))``.

    Examples
    --------
    >>> import numpy as np
    >>> GaussianKernel(bandwidth=1.0).block(np.zeros((1, 2)), np.ones((1, 2))).round(3)
    array([[0.368]])
    """

    bandwidth: float

    def block(self, X: Array, Z: Array) -> Array:
        """Return the kernel matrix of shape ``(len(X), len(Z))``."""
        return self.from_squared_distances(squared_distances(X, Z), overwrite=True)

    def from_squared_distances(self, distances: Array, *, overwrite: bool = False) -> Array:
        """Return the kernel matrix of rows whose squared distances are known."""
        # Paper: appendix C.1 prints the exponent without its minus sign.
        out = np.multiply(distances, -0.5 / self.bandwidth**2, out=distances if overwrite else None)
        return np.exp(out, out=out)

    def expand(self, X: Array, Z: Array, coefficients: Array, dtype: Any = np.float64) -> Array:
        """Return ``block(X, Z) @ coefficients`` without ever holding the block.

        The exponent is one matrix product, of rows that carry their own half squared length. In
        single precision it is about as fast as the bare products in double precision;
        `expansion_error` says how far off.

        Examples
        --------
        >>> import numpy as np
        >>> GaussianKernel(bandwidth=1.0).expand(np.zeros((1, 2)), np.ones((1, 2)), np.ones((1, 1)))
        array([[0.36787944]])
        """
        center = Z.mean(axis=0)
        # Distant rows are clipped: their squares would overflow, and their kernel values are zero.
        limit = np.sqrt(np.sqrt(np.finfo(dtype).max))
        lifted = self._lifted(Z - center, limit, last_first=True)
        columns = np.ascontiguousarray(lifted.T, dtype=dtype)
        weights = np.ascontiguousarray(coefficients, dtype=dtype)
        values = np.empty((min(CHUNK_ROWS, len(X)), len(Z)), dtype=dtype)
        out = np.empty((len(X), coefficients.shape[1]))
        for start in range(0, len(X), CHUNK_ROWS):
            rows = self._lifted(X[start : start + CHUNK_ROWS] - center, limit)
            rows = rows.astype(dtype, copy=False)
            chunk = np.matmul(rows, columns, out=values[: len(rows)])
            # Rounding must not push a kernel value above one.
            np.exp(np.minimum(chunk, 0.0, out=chunk), out=chunk)
            out[start : start + CHUNK_ROWS] = chunk @ weights
        return out

    def expansion_error(self, X: Array, Z: Array, coefficients: Array, dtype: Any) -> Array:
        """Return by how much each row of `expand` may be off, of shape ``(len(X),)``.

        Rounding errors of a sum of n products grow like the square root of n with overwhelming
        probability (Higham & Mary, SIAM J. Sci. Comput. 2019), those of kernel values add up in
        squares, and four times the result is allowed.
        """
        center = Z.mean(axis=0)
        reach = np.linalg.norm(X - center, axis=1) + np.linalg.norm(Z - center, axis=1).max()
        exponent = 0.5 * (reach / self.bandwidth) ** 2
        relative = np.sqrt(X.shape[1] + 2.0) * exponent + np.sqrt(len(Z)) + 2.0
        return 4.0 * np.finfo(dtype).eps * relative * np.linalg.norm(coefficients, axis=0).max()

    def _lifted(self, rows: Array, limit: float, *, last_first: bool = False) -> Array:
        """Rows in bandwidths with two columns: inner products of both kinds are exponents."""
        lifted = np.empty((len(rows), rows.shape[1] + 2))
        scaled = np.divide(rows, self.bandwidth, out=lifted[:, :-2])
        np.clip(scaled, -limit, limit, out=scaled)
        length, one = (-1, -2) if last_first else (-2, -1)
        lifted[:, length] = -0.5 * np.einsum("ij,ij->i", scaled, scaled)
        lifted[:, one] = 1.0
        return lifted


@dataclass(frozen=True)
class LinearKernel:
    """Linear kernel ``x . z + 1``; the constant gives every score an intercept.

    Examples
    --------
    >>> import numpy as np
    >>> LinearKernel().block(np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]]))
    array([[12.]])
    """

    def block(self, X: Array, Z: Array) -> Array:
        """Return the kernel matrix of shape ``(len(X), len(Z))``."""
        return X @ Z.T + 1.0

    def expand(self, X: Array, Z: Array, coefficients: Array, dtype: Any = np.float64) -> Array:
        """Return ``block(X, Z) @ coefficients`` by way of the weights of the features.

        Cheap as it is, it is always done in double precision.
        """
        return X @ (Z.T @ coefficients) + coefficients.sum(axis=0)

    def expansion_error(self, X: Array, Z: Array, coefficients: Array, dtype: Any) -> Array:
        """Return by how much each row of `expand` may be off: not at all."""
        return np.zeros(len(X))
