"""Explicit features whose inner products approximate a Gaussian kernel.

Nystroem features are kernel values with landmarks, whitened by a triangular solve: inner products
are exact wherever one of the rows is a landmark. Random Fourier features need no rows at all. Both
are frozen: the same row has the same features whatever chunk it comes in.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas
from scipy.linalg.lapack import dpstrf

from eulac.maths.kernels import GaussianKernel
from eulac.maths.low_rank import pivoted_cholesky

__all__ = ["LANDMARK_CHOICES", "FourierMap", "NystroemMap", "choose_landmarks"]

Array = NDArray[Any]

BLOCK_ROWS = 1024
"""Rows mapped at a time."""

LARGEST_SINGLE = 1e18
"""Its square is still a number in single precision."""

RELATIVE_CUT = 1e-7
"""A landmark whose kernel the others explain up to this residual is left out."""


@dataclass(frozen=True, eq=False)
class NystroemMap:
    """Features ``L^-1 k(landmarks, x)`` where ``L L'`` is the landmarks' kernel matrix.

    Attributes
    ----------
    landmarks : array of shape (n_features, n_columns)
        Those of the given ones that are not explained by others.
    factor : array of shape (n_features, n_features)
        Lower Cholesky factor of their kernel matrix.
    bandwidth : float
    dtype : str
        "float64", or "float32": half the time, seven digits less.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.linspace(0, 1, 5)[:, None]
    >>> features = NystroemMap.of(X, bandwidth=0.3).transform(X)
    >>> bool(np.allclose(features @ features.T, GaussianKernel(0.3).block(X, X)))
    True
    """

    landmarks: Array
    factor: Array
    bandwidth: float
    dtype: str = "float64"

    @classmethod
    def of(
        cls,
        landmarks: Array,
        bandwidth: float,
        *,
        dtype: str = "float64",
        cut: float = RELATIVE_CUT,
    ) -> "NystroemMap":
        """Return the map of landmarks, those left out that add next to nothing."""
        K = GaussianKernel(bandwidth).block(landmarks, landmarks)
        factor, order, rank, _ = dpstrf(K, lower=1, tol=cut)
        factor = np.asfortranarray(np.tril(factor[:rank, :rank]), dtype=dtype)
        kept = np.ascontiguousarray(landmarks[order[:rank] - 1], dtype=dtype)
        return cls(kept, factor, float(bandwidth), dtype)

    @property
    def n_features(self) -> int:
        """Number of columns of what `transform` returns."""
        return len(self.landmarks)

    def transform(self, X: Array) -> Array:
        """Return the features of rows, shape ``(len(X), n_features)``."""
        out = np.empty((len(X), self.n_features), dtype=self.dtype)
        kernel = GaussianKernel(self.bandwidth)
        solve = blas.dtrsm if self.dtype == "float64" else blas.strsm
        for start in range(0, len(X), BLOCK_ROWS):
            piece = _as_type(X[start : start + BLOCK_ROWS], self.dtype)
            block = kernel.block(piece, self.landmarks)
            # The transpose of a C array is what Fortran wants: solved in place, not copied.
            out[start : start + BLOCK_ROWS] = solve(
                1.0, self.factor, block.T, lower=1, overwrite_b=1
            ).T
        return out


@dataclass(frozen=True, eq=False)
class FourierMap:
    """Random features ``cos(w . x), sin(w . x)`` with frequencies of a Gaussian kernel.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.linspace(0, 1, 5)[:, None]
    >>> features = FourierMap.draw(1, 4000, bandwidth=0.3, random_state=0).transform(X)
    >>> error = features @ features.T - GaussianKernel(0.3).block(X, X)
    >>> bool(np.abs(error).max() < 0.1)
    True
    """

    frequencies: Array
    dtype: str = "float64"

    @classmethod
    def draw(
        cls,
        n_columns: int,
        n_features: int,
        bandwidth: float,
        *,
        random_state: Any = None,
        dtype: str = "float64",
    ) -> "FourierMap":
        """Return a map with at least `n_features` features, an even number of them."""
        rng = np.random.default_rng(random_state)
        frequencies = rng.standard_normal((n_columns, (n_features + 1) // 2)) / bandwidth
        return cls(frequencies.astype(dtype), dtype)

    @property
    def n_features(self) -> int:
        """Number of columns of what `transform` returns."""
        return 2 * self.frequencies.shape[1]

    def transform(self, X: Array) -> Array:
        """Return the features of rows, shape ``(len(X), n_features)``."""
        out = np.empty((len(X), self.n_features), dtype=self.dtype)
        half = self.frequencies.shape[1]
        for start in range(0, len(X), BLOCK_ROWS):
            piece = slice(start, start + BLOCK_ROWS)
            phase = _as_type(X[piece], self.dtype) @ self.frequencies
            np.cos(phase, out=out[piece, :half])
            np.sin(phase, out=out[piece, half:])
        out *= np.sqrt(1.0 / half)
        return out


def _as_type(X: Array, dtype: str) -> Array:
    """Rows of a type, clipped where their squares would overflow in it."""
    if dtype == "float32":
        X = np.clip(X, -LARGEST_SINGLE, LARGEST_SINGLE)
    return np.asarray(X, dtype=dtype)


def choose_landmarks(
    X: Array, n_landmarks: int, bandwidth: float, choice: str = "kmeans++", random_state: Any = None
) -> Array:
    """Return landmarks out of some rows in random order.

    Parameters
    ----------
    X : array of shape (n_rows, n_columns)
    n_landmarks : int
    bandwidth : float
    choice : {"kmeans++", "leverage", "uniform"}
        Rows far from those chosen before are the likelier; rows the kernel's features of those
        chosen before explain least; or the first rows.
    random_state : int, optional

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> choose_landmarks(X, 5, bandwidth=1.0, choice="leverage").shape
    (5, 2)
    """
    if choice not in LANDMARK_CHOICES:
        known = ", ".join(map(repr, LANDMARK_CHOICES))
        raise ValueError(f"`landmarks` must be one of {known}; got {choice!r}.")
    if len(X) <= n_landmarks:
        return X
    return LANDMARK_CHOICES[choice](X, n_landmarks, bandwidth, random_state)


def _uniform(X: Array, n_landmarks: int, bandwidth: float, random_state: Any) -> Array:
    return X[:n_landmarks]


def _kmeans_pp(X: Array, n_landmarks: int, bandwidth: float, random_state: Any) -> Array:
    # Imported here: `import eulac` stays quick.
    from sklearn.cluster import kmeans_plusplus

    # One candidate a step: greedier versions cost several times as much and gain nothing here.
    _, index = kmeans_plusplus(X, n_landmarks, random_state=random_state, n_local_trials=1)
    return X[np.sort(index)]


def _leverage(X: Array, n_landmarks: int, bandwidth: float, random_state: Any) -> Array:
    kernel = GaussianKernel(bandwidth)
    factor = pivoted_cholesky(
        lambda i, j: kernel.block(X[i], X[j]),
        np.ones(len(X)),
        tolerance=RELATIVE_CUT,
        max_rank=n_landmarks,
    )
    return X[factor.pivots]


LANDMARK_CHOICES = {"kmeans++": _kmeans_pp, "leverage": _leverage, "uniform": _uniform}
