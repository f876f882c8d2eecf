"""The oldest way to doubt a network of the known classes: a threshold."""

from typing import Any, Unpack

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.special import logsumexp

from eulac.data import requirements
from eulac.data.lac_sample import LacSample
from eulac.deep.labeled_classifier import CalibratedClassifier, CalibratedParameters
from eulac.deep.training import Training

__all__ = ["SoftmaxThresholdClassifier", "rejection_threshold", "softmax_evidence"]

Array = NDArray[np.float64]


def softmax_evidence(logits: Array) -> Array:
    """Return minus the log odds of the likeliest class: bigger for rows that look newer.

    Orders rows as minus the largest softmax probability does, but without ties where that
    probability rounds to one.

    Examples
    --------
    >>> softmax_evidence(np.array([[0.0, 0.0], [50.0, 0.0], [60.0, 0.0]]))
    array([  0., -50., -60.])
    """
    ordered = np.sort(logits, axis=1)
    return np.asarray(logsumexp(ordered[:, :-1], axis=1) - ordered[:, -1])


def rejection_threshold(evidence: Array, rejected_share: float) -> float:
    """Return the threshold above which lies at most the given share of rows.

    Examples
    --------
    >>> rejection_threshold(np.arange(100.0), 0.05)
    95.0
    """
    return float(np.quantile(evidence, 1.0 - rejected_share, method="higher"))


class SoftmaxThresholdClassifier(CalibratedClassifier):
    """A network of the known classes; new where its largest output is too small.

    The plainest deep open-set rule, and a strong one if the network is well trained. Learns from
    labeled rows only, by cross entropy. A fifth of them is held out to set the threshold.

    The EULAC paper takes "a given threshold" without naming one; here it is the one that rejects
    `rejected_share` of the held-out labeled rows. The network's own logits serve as a score as
    well as its probabilities do, often better: softmax forgets how large they all are.

    Parameters
    ----------
    confidence : {"probability", "logit"}, default="probability"
        What must be large for a row to be known: its largest probability or its largest logit.
    network, rejected_share, augmentation, max_epochs, ... : see `CalibratedClassifier`

    Attributes
    ----------
    classes_, known_classes_, network_, history_, interrupted_ : see `CalibratedClassifier`
    threshold_ : float
        A row is new where minus its largest logit, or minus the log odds of its likeliest class,
        is larger.

    References
    ----------
    Hendrycks and Gimpel, "A Baseline for Detecting Misclassified and Out-of-Distribution Examples
    in Neural Networks", ICLR 2017. Logits: Vaze et al., "Open-Set Recognition: A Good Closed-Set
    Classifier Is All You Need?", ICLR 2022.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> X, y = make_blobs(240, centers=[[0, 0], [6, 0], [0, 6]], cluster_std=0.5, random_state=0)
    >>> clf = SoftmaxThresholdClassifier(max_epochs=5, random_state=0).fit(X, y)
    >>> clf.predict([[0.0, 0.0], [6.0, 0.0], [3.0, 3.0]])
    array([ 0,  1, -2])
    """

    def __init__(
        self,
        network: Any = "auto",
        *,
        confidence: str = "probability",
        **shared: Unpack[CalibratedParameters],
    ) -> None:
        super().__init__(network, **shared)
        self.confidence = confidence

    def _check_parameters(self) -> None:
        requirements.require_choice("confidence", self.confidence, ("probability", "logit"))
        super()._check_parameters()

    def _calibrate(self, training: Training, rows: LacSample, held_out: LacSample) -> None:
        logits = training.logits(torch.from_numpy(held_out.X_labeled))
        self.threshold_ = rejection_threshold(self._evidence(logits), self.rejected_share)

    def _augmented_evidence(self, logits: Array) -> Array:
        return self._evidence(logits) - self.threshold_

    def _evidence(self, logits: Array) -> Array:
        if self.confidence == "logit":
            return np.asarray(-logits.max(axis=1))
        return softmax_evidence(logits)
