"""Parts of pipelines that scikit-learn's own fall short of by a little.

Both adapt to the rows they are fitted to, which in stages and folds may be few, or spread otherwise
than all rows are.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.kernel_approximation import Nystroem
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils.validation import validate_data

from eulac.data import requirements
from eulac.maths.kernels import median_distance

__all__ = ["KernelLandmarks", "NearRows"]

Array = NDArray[np.float64]


class KernelLandmarks(TransformerMixin, BaseEstimator):
    """Nystroem features of a Gaussian kernel as wide as the rows are apart.

    Parameters
    ----------
    width : float, default=0.4
        Of the kernel, in median distances between rows.
    n_landmarks : int, default=500
        At most; all rows where there are fewer.
    random_state : int, RandomState instance or None, default=None

    Examples
    --------
    >>> rows = np.arange(30.0)[:, None]
    >>> KernelLandmarks(random_state=0).fit_transform(rows).shape
    (30, 30)
    """

    def __init__(self, width=0.4, n_landmarks=500, random_state=None):
        self.width = width
        self.n_landmarks = n_landmarks
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> "KernelLandmarks":
        """Choose the landmarks among the rows, and the width by their distances."""
        X = validate_data(self, X, dtype=np.float64)
        # Bounded below: squares of much smaller distances cannot be divided by.
        bandwidth = self.width * max(median_distance(X, random_state=0), requirements.SMALLEST)
        self.map_ = Nystroem(
            gamma=0.5 / bandwidth**2,
            n_components=min(self.n_landmarks, len(X)),
            random_state=self.random_state,
        ).fit(X)
        return self

    def transform(self, X: Any) -> Array:
        """Return the features of rows."""
        return np.asarray(self.map_.transform(validate_data(self, X, reset=False)))


class NearRows(KNeighborsClassifier):
    """Nearest neighbors; where there are fewer rows than asked for, all of them."""

    def kneighbors(self, X=None, n_neighbors=None, return_distance=True):
        """Return the nearest rows, as in `KNeighborsClassifier`."""
        n_neighbors = min(n_neighbors or self.n_neighbors, self.n_samples_fit_)
        return super().kneighbors(X, n_neighbors, return_distance)
