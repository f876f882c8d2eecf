"""OSNN: nearest neighbors of two classes, *new* where they are about equally far."""

from dataclasses import dataclass
from functools import partial
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import pairwise_distances_argmin

from eulac.contenders.open_set_classifier import (
    Array,
    OpenSetClassifier,
    OpenSetEvidence,
    OpenSetModel,
    OpenSetParameters,
)
from eulac.contenders.simulated_openness import simulated_openness_threshold
from eulac.data.lac_sample import LacSample
from eulac.data.requirements import require_at_least, require_range

__all__ = ["OsnnClassifier"]

RATIOS = np.arange(50, 101) / 100
RATIO_OF_TWO_CLASSES = 0.8
ROWS_AT_ONCE = 4096


class OsnnClassifier(OpenSetClassifier):
    """Open-set nearest neighbor: the class of the nearest row, unless another class is as near.

    With t the nearest labeled row and u the nearest one of another class, a row is new where the
    ratio of its distances d(x, t) / d(x, u) is above a threshold: it then lies between classes,
    or far from all of them. Learns from labeled rows only.

    The threshold is found as in the method's paper: half of the known classes play new, half of
    the rows of the others are learned from, and the ratio wins that tells the remaining rows
    apart best, by the mean of the accuracies on rows that play known and on rows that play new.
    (By plain accuracy it comes out smaller; the macro-F1 that Zhang et al. report for OSNN on
    digits is reached like that, their accuracy is not.) Departs from its paper in averaging over
    draws of the classes that play new. Two classes leave nothing to play with: the ratio is 0.8.

    A row that equals labeled rows of two classes has ratio 1. Where such a row is not called new
    it gets the first of these classes.

    Parameters
    ----------
    ratio : float in [0, 1], optional
        Largest ratio of a row that is not new; searched if not given.
    n_draws : int, default=10
        Draws of the classes that play new.
    known_proportion, scale, threshold, ... : see `OpenSetClassifier`

    Attributes
    ----------
    classes_, known_classes_, proportion_, risk_ : see `OpenSetClassifier`
    threshold_ : float
        Largest ratio of a row that is not new.
    model_ : OsnnModel

    References
    ----------
    Mendes Júnior et al., "Nearest neighbors distance ratio open-set classifier", Machine Learning
    106, 2017; as a contender: Zhang et al., NeurIPS 2020, appendix C.1.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> X, y = make_blobs(90, centers=[[0, 0], [6, 0], [0, 6]], cluster_std=0.5, random_state=0)
    >>> OsnnClassifier().fit(X, y).predict([[0, 0], [6, 6]])
    array([ 0, -2])
    """

    def __init__(
        self,
        known_proportion: Any = "auto",
        *,
        ratio: float | None = None,
        n_draws: int = 10,
        **shared: Unpack[OpenSetParameters],
    ) -> None:
        super().__init__(known_proportion, **shared)
        self.ratio = ratio
        self.n_draws = n_draws

    def _search(self, sample: LacSample, seed: int) -> float:
        """Return the ratio above which a row is new."""
        require_at_least("n_draws", self.n_draws, 1)
        if self.ratio is not None:
            require_range("ratio", self.ratio, 0.0, 1.0)
            return float(self.ratio)
        if sample.n_known_classes == 2:
            return RATIO_OF_TWO_CLASSES
        return simulated_openness_threshold(
            partial(OsnnModel, threshold=np.nan),
            sample.X_labeled,
            sample.y_labeled,
            RATIOS,
            n_draws=self.n_draws,
            random_state=seed,
        )

    def _fit_model(self, sample: LacSample, settings: float, seed: int) -> OpenSetModel:
        return OsnnModel(sample.X_labeled, sample.y_labeled, settings)


@dataclass(frozen=True, eq=False)
class OsnnModel:
    """Labeled rows with codes 0..K-1, and the ratio above which a row is new."""

    rows: Array
    codes: NDArray[np.intp]
    threshold: float

    def evidence(self, X: Array) -> OpenSetEvidence:
        """Return minus the distance to the nearest row of each class, and the ratio."""
        distance = nearest_by_class(X, self.rows, self.codes)
        return OpenSetEvidence(-distance, distance_ratio(distance))


def distance_ratio(distance: Array) -> Array:
    """Return the smallest distance of each row of a table divided by the second smallest.

    Zero by zero is one: nothing can lie more between two classes.

    Examples
    --------
    >>> distance_ratio(np.array([[4.0, 1.0, 2.0], [0.0, 3.0, 3.0], [0.0, 0.0, 5.0]]))
    array([0.5, 0. , 1. ])
    """
    nearest, second = np.partition(distance, 1, axis=1)[:, :2].T
    return np.divide(nearest, second, out=np.ones(len(distance)), where=second > 0)


def nearest_by_class(X: Array, rows: Array, codes: NDArray[np.intp]) -> Array:
    """Return the distance of each row of `X` to the nearest of `rows`, a column per code.

    Examples
    --------
    >>> X, rows = np.array([[0.0], [2.0]]), np.array([[0.0], [1.0], [5.0]])
    >>> nearest_by_class(X, rows, np.array([0, 0, 1]))
    array([[0., 5.], [1., 3.]])
    """
    members = [rows[codes == code] for code in range(int(codes.max()) + 1)]
    distance = np.empty((len(X), len(members)))
    for start in range(0, len(X), ROWS_AT_ONCE):
        piece = slice(start, start + ROWS_AT_ONCE)
        for code, those in enumerate(members):
            nearest = those[pairwise_distances_argmin(X[piece], those)]
            # Found by inner products, which lose the digits of small distances.
            distance[piece, code] = np.linalg.norm(X[piece] - nearest, axis=1)
    return distance
