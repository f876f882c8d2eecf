"""Softmax regression of known classes or *augmented*, straight from the unbiased risk."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eulac.data import requirements
from eulac.data.any_rows import in_given_order_of_columns
from eulac.data.lac_sample import LacSample
from eulac.direct_risk.linear_model import LinearScores, fit_linear_scores
from eulac.direct_risk.path_classifier import DirectRiskClassifier
from eulac.maths.multiclass_losses import get_multiclass_loss

__all__ = ["LinearEulacClassifier"]

Array = NDArray[np.float64]

PENALTIES = (1.0, 1e-1, 1e-2, 1e-3, 1e-4)


class LinearEulacClassifier(DirectRiskClassifier):
    """Linear softmax regression on the generalized risk with the non-negative correction.

    Minimizes the unbiased loss of the test distribution, its augmented part kept above zero, by
    L-BFGS; the penalty is chosen by cross-validated label-free error. Cost and memory are
    linear in rows and features. Features are standardized.

    Parameters
    ----------
    known_proportion, shift, drift, n_folds, unlabeled_label, augmented_label, random_state
        As in `EulacClassifier`.
    loss : {"log", "brier", "gce"} or MulticlassLoss, default="brier"
        Any loss of K + 1 classes. Bounded ones, Brier and the generalized cross entropy ("gce"),
        are not carried away by a few rows; the log loss is convex. A model with a loss that was
        passed as an object cannot be saved by `eulac.save`, which takes no functions.
    penalty : float or sequence of floats, optional
        Weight of the squared norm, or several to choose from; default: five decades from 1.
    n_jobs : int, optional
        Cores the proportion estimate may use.

    Attributes
    ----------
    classes_, known_classes_, proportion_, risk_, held_out_probabilities_, held_out_labels_
        As in `EulacClassifier`.
    coef_ : array of shape (n_features, n_known_classes + 1)
        Of the standardized features, the augmented class last.
    penalty_ : float

    Examples
    --------
    >>> import numpy as np
    >>> from eulac import LinearEulacClassifier
    >>> kinds, centers = np.resize([0, 1, 2], 240), np.array([[0, 0], [4, 0], [2, 4]])
    >>> X = np.random.default_rng(0).normal(centers[kinds], 0.5)
    >>> y = np.where((np.arange(240) < 120) & (kinds < 2), kinds, -1)
    >>> LinearEulacClassifier(0.5, random_state=0).fit(X, y).predict(centers)
    array([ 0,  1, -2])
    """

    def __init__(
        self,
        known_proportion: Any = "auto",
        *,
        shift: Any = "auto",
        drift: Any = "auto",
        n_folds: int = 5,
        loss: Any = "brier",
        penalty: Any = None,
        unlabeled_label: Any = -1,
        augmented_label: Any = "auto",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.penalty = penalty
        self.loss = loss
        self.drift = drift
        markers = unlabeled_label, augmented_label
        super().__init__(known_proportion, shift, n_folds, *markers, n_jobs, random_state)

    def _settings(self) -> list[float]:
        return sorted(requirements.as_candidates("penalty", self.penalty, PENALTIES), reverse=True)

    def _path(
        self, sample: LacSample, weights: Array, settings: Sequence[float], seed: int
    ) -> Iterator[LinearScores]:
        """Give the model of each penalty, from the largest down, each from the one before."""
        scores: LinearScores | None = None
        loss = get_multiclass_loss(self.loss)
        for penalty in settings:
            scores = fit_linear_scores(sample, weights, penalty, loss, start=scores)
            yield scores

    def _keep(self, setting: float) -> None:
        self.penalty_ = setting
        self.coef_ = in_given_order_of_columns(self, self.scores_.coefficients.T).T
