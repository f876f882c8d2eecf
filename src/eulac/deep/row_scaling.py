"""Rows for networks: images in either layout or table rows, scaled."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["RowScaling", "as_channels_first"]

CHANNELS = (1, 3, 4)
LARGEST = 1e15
"""Numbers a network is given are not beyond it: their squares still are numbers."""


def as_channels_first(X: NDArray[Any]) -> NDArray[Any]:
    """Return table rows as they are, and images as (n, channels, height, width).

    Takes (n, channels, height, width), (n, height, width) and (n, height, width, channels).

    Examples
    --------
    >>> as_channels_first(np.zeros((5, 28, 28))).shape
    (5, 1, 28, 28)
    >>> as_channels_first(np.zeros((5, 32, 32, 3))).shape
    (5, 3, 32, 32)
    """
    if X.ndim == 2:
        return X
    if X.ndim == 3:
        return X[:, None]
    if X.ndim == 4 and X.shape[1] in CHANNELS:
        return X
    if X.ndim == 4 and X.shape[3] in CHANNELS:
        return np.moveaxis(X, 3, 1)
    raise ValueError(
        "rows must be (n, features), (n, height, width), (n, channels, height, width) or "
        f"(n, height, width, channels) with 1, 3 or 4 channels; got the shape {X.shape}."
    )


@dataclass(frozen=True, eq=False)
class RowScaling:
    """Mean and spread per channel of images, or per feature of table rows."""

    mean: NDArray[np.float32]
    spread: NDArray[np.float32]

    @classmethod
    def of(cls, X: NDArray[Any]) -> "RowScaling":
        """Return the scaling of rows with channels first."""
        axes = (0, 2, 3) if X.ndim == 4 else (0,)
        mean = X.mean(axis=axes, keepdims=True, dtype=np.float64)
        spread = X.std(axis=axes, keepdims=True, dtype=np.float64)
        spread[spread < 1e-12] = 1.0
        return cls(mean.astype(np.float32), spread.astype(np.float32))

    def scaled(self, X: NDArray[Any]) -> NDArray[np.float32]:
        """Return scaled rows; what is beyond the limits of single precision is moved in."""
        rows = np.clip(X, -LARGEST, LARGEST).astype(np.float32)
        scaled = np.clip((rows - self.mean) / self.spread, -LARGEST, LARGEST)
        return np.ascontiguousarray(scaled, dtype=np.float32)
