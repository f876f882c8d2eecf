"""Shares that must be non-negative and sum to at most one."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["project_shares"]

Array = NDArray[np.float64]


def project_shares(shares: Array) -> tuple[Array, bool]:
    """Return the nearest shares that are non-negative and sum to at most 1, and if that moved any.

    Examples
    --------
    >>> import numpy as np
    >>> project_shares(np.array([0.8, 0.6]))
    (array([0.6, 0.4]), True)
    >>> project_shares(np.array([0.2, 0.3]))
    (array([0.2, 0.3]), False)
    """
    # Paper: class priors estimated one by one may sum above 1; no rule is given for that.
    positive = np.maximum(shares, 0.0)
    if positive.sum() > 1.0:
        # Projection on the simplex: lower all by the same amount, clip, repeat on those left.
        falling = np.sort(shares)[::-1]
        cuts = (np.cumsum(falling) - 1.0) / np.arange(1, len(shares) + 1)
        n_left = np.flatnonzero(falling > cuts)[-1]
        positive = np.maximum(shares - cuts[n_left], 0.0)
    return positive, not np.allclose(positive, shares)
