"""A kernel matrix as a tall thin factor, without ever forming it.

`pivoted_cholesky` finds rows ``v_i`` with ``v_i . v_j = k(x_i, x_j)`` up to a tolerance, in memory
``n * rank``. Nothing here draws random numbers.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dpstrf, dtrtrs

__all__ = ["LowRankFactor", "pivoted_cholesky"]

Array = NDArray[np.float64]
IntArray = NDArray[np.intp]
KernelBlock = Callable[[IntArray | slice, IntArray], Array]

_N_CANDIDATES = 128  # pivots looked at together: enough for matrix products, cheap to factor
_PIVOT_RATIO = 0.01  # a block stops at pivots this much smaller than its largest residual
_CHUNK_ROWS = 4096  # rows of a fresh block worked on at a time, so that they stay in cache


@dataclass(frozen=True)
class LowRankFactor:
    """Points whose inner products reproduce a kernel matrix.

    Attributes
    ----------
    rows : array of shape (n, rank)
        ``rows @ rows.T`` never exceeds the kernel matrix (in the positive semidefinite order).
    pivots : array of shape (rank,)
        Indices of the points that span the rows; the factor is exact on them.
    residual : float
        Largest ``k(x_i, x_i) - rows[i] . rows[i]``; no entry of the matrix is off by more.
    """

    rows: Array = field(repr=False)
    pivots: IntArray = field(repr=False)
    residual: float

    @property
    def rank(self) -> int:
        """Number of columns."""
        return self.rows.shape[1]


def pivoted_cholesky(
    kernel_block: KernelBlock,
    diagonal: Array,
    *,
    tolerance: float = 1e-8,
    max_rank: int = 256,
) -> LowRankFactor:
    """Return rows whose inner products reproduce a kernel matrix that is never formed.

    With ``R = K - V V^T`` the residual of the columns so far, a block of pivots ``P`` adds
    ``R[:, P] L^{-T}`` where ``L L^T = R[P, P]``. The pivots are picked by complete pivoting among
    candidates drawn, evenly spaced, in proportion to the residual diagonal: a deterministic
    relative of block randomly pivoted Cholesky (Epperly, Tropp, Webber, 2024), which unlike plain
    pivoting works in matrix products and is not led astray by outliers.

    Parameters
    ----------
    kernel_block : callable
        ``kernel_block(rows, columns)`` returns a new array ``K[rows][:, columns]``; `rows` is an
        index array or a slice, `columns` an index array.
    diagonal : array of shape (n,)
        ``k(x_i, x_i)``.
    tolerance : float, default=1e-8
        Stop when no residual on the diagonal exceeds `tolerance` times the largest entry.
    max_rank : int, default=256
        Stop at this number of columns whatever the residual.

    Returns
    -------
    LowRankFactor

    Examples
    --------
    >>> import numpy as np
    >>> from eulac.maths.kernels import GaussianKernel
    >>> X, kernel = np.linspace(0, 1, 500)[:, None], GaussianKernel(bandwidth=0.5)
    >>> factor = pivoted_cholesky(lambda i, j: kernel.block(X[i], X[j]), np.ones(500))
    >>> factor.rank
    9
    >>> bool(np.allclose(factor.rows @ factor.rows.T, kernel.block(X, X), atol=1e-8))
    True
    """
    residual = np.array(diagonal, dtype=np.float64)
    floor = tolerance * residual.max()
    blocks: list[Array] = []
    pivots = np.empty(0, dtype=np.intp)

    def residual_block(rows: IntArray | slice, columns: IntArray) -> Array:
        block = kernel_block(rows, columns)
        for known in blocks:
            block -= known[rows] @ known[columns].T
        return block

    while len(pivots) < max_rank and residual.max() > floor:
        candidates = _spread_candidates(residual)
        block = residual_block(candidates, candidates)
        smallest = max(floor, _PIVOT_RATIO * residual.max())
        triangle, order, n_pivots, _ = dpstrf(block, lower=1, tol=smallest)
        if n_pivots == 0:  # what is left is rounding
            break
        n_pivots = min(n_pivots, max_rank - len(pivots))
        fresh = candidates[order[:n_pivots] - 1]
        triangle = triangle[:n_pivots, :n_pivots]
        blocks.append(_solve_by_chunks(residual_block, len(residual), fresh, triangle))
        residual -= np.einsum("ij,ij->i", blocks[-1], blocks[-1])
        residual[fresh] = 0.0
        np.maximum(residual, 0.0, out=residual)
        pivots = np.concatenate([pivots, fresh])
    rows = blocks[0] if len(blocks) == 1 else np.hstack([np.empty((len(residual), 0)), *blocks])
    return LowRankFactor(rows=rows, pivots=pivots, residual=float(residual.max()))


def _spread_candidates(residual: Array) -> IntArray:
    """Pick the indices at evenly spaced quantiles of the residual, and its largest entry."""
    mass = np.cumsum(residual)
    levels = (np.arange(_N_CANDIDATES) + 0.5) * (mass[-1] / _N_CANDIDATES)
    return np.unique(np.append(np.searchsorted(mass, levels), residual.argmax()))


def _solve_by_chunks(
    residual_block: KernelBlock, n_rows: int, pivots: IntArray, triangle: Array
) -> Array:
    """Solve for the rows ``R[:, P] L^{-T}``, a few at a time."""
    out = np.empty((n_rows, len(pivots)))
    for start in range(0, n_rows, _CHUNK_ROWS):
        rows = slice(start, start + _CHUNK_ROWS)
        out[rows] = dtrtrs(triangle, residual_block(rows, pivots).T, lower=1, overwrite_b=1)[0].T
    return out
