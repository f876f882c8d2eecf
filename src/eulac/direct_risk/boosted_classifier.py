"""Boosted trees of known classes or *augmented*, straight from the unbiased risk."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eulac.data import requirements
from eulac.data.lac_sample import LacSample
from eulac.direct_risk.boosted_model import BoostedScores, boost
from eulac.direct_risk.path_classifier import DirectRiskClassifier
from eulac.maths.multiclass_losses import get_multiclass_loss

__all__ = ["BoostedEulacClassifier"]

Array = NDArray[np.float64]

STOPS = 10
"""Numbers of trees to choose from."""


class BoostedEulacClassifier(DirectRiskClassifier):
    """Gradient boosting on the generalized risk with the non-negative correction.

    Every tree steps down the unbiased loss of the test distribution, its augmented part kept
    above zero; how many of them are kept is chosen by cross-validated label-free error. No row is
    ever given a label it may not have.

    Parameters
    ----------
    known_proportion, shift, drift, loss, n_folds, unlabeled_label, augmented_label, n_jobs,
    random_state
        As in `LinearEulacClassifier`.
    n_trees : int, default=100
        At most so many; each has a value for every class in its leaves.
    learning_rate : float, default=0.1
    max_leaf_nodes : int, default=16
    max_features : "sqrt", "log2", int, float or None, default="sqrt"
        Features looked at for each split.
    l2_regularization : float, default=1.0
        Rows worth of doubt in every leaf.

    Attributes
    ----------
    classes_, known_classes_, proportion_, risk_, held_out_probabilities_, held_out_labels_
        As in `LinearEulacClassifier`.
    n_trees_ : int
        How many were kept.

    Examples
    --------
    >>> import numpy as np
    >>> from eulac import BoostedEulacClassifier
    >>> kinds, centers = np.resize([0, 1, 2], 240), np.array([[0, 0], [4, 0], [2, 4]])
    >>> X = np.random.default_rng(0).normal(centers[kinds], 0.5)
    >>> y = np.where((np.arange(240) < 120) & (kinds < 2), kinds, -1)
    >>> BoostedEulacClassifier(0.5, n_trees=20, random_state=0).fit(X, y).predict(centers)
    array([ 0,  1, -2])
    """

    def __init__(
        self,
        known_proportion: Any = "auto",
        *,
        loss: Any = "brier",
        shift: Any = "auto",
        drift: Any = "auto",
        n_folds: int = 5,
        n_trees: int = 100,
        learning_rate: float = 0.1,
        max_leaf_nodes: int = 16,
        max_features: Any = "sqrt",
        l2_regularization: float = 1.0,
        unlabeled_label: Any = -1,
        augmented_label: Any = "auto",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_trees = n_trees
        self.loss = loss
        self.learning_rate = learning_rate
        self.max_leaf_nodes = max_leaf_nodes
        self.max_features = max_features
        self.l2_regularization = l2_regularization
        self.drift = drift
        markers = unlabeled_label, augmented_label
        super().__init__(known_proportion, shift, n_folds, *markers, n_jobs, random_state)

    def _settings(self) -> list[float]:
        requirements.require_at_least("n_trees", self.n_trees, 1)
        requirements.require_at_least("max_leaf_nodes", self.max_leaf_nodes, 2)
        requirements.require_range("learning_rate", self.learning_rate, 1e-6, 1.0)
        requirements.require_range("l2_regularization", self.l2_regularization, 0.0, np.inf)
        stops = np.linspace(0, self.n_trees, STOPS + 1)[1:]
        return sorted({max(1, round(stop)) for stop in stops})

    def _path(
        self, sample: LacSample, weights: Array, settings: Sequence[float], seed: int
    ) -> Iterator[BoostedScores]:
        """Give the model at each number of trees."""
        return boost(
            sample,
            weights,
            settings,
            get_multiclass_loss(self.loss),
            learning_rate=self.learning_rate,
            doubt=self.l2_regularization,
            seed=seed,
            max_leaf_nodes=self.max_leaf_nodes,
            max_features=self.max_features,
        )

    def _keep(self, setting: float) -> None:
        self.n_trees_ = int(setting)
