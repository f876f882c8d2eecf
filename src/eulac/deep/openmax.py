"""OpenMax: a K-way network whose logits give way to an unknown class far from the class means."""

from dataclasses import dataclass
from typing import Any, Protocol, Unpack

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from scipy.special import expit, logit, logsumexp, softmax

from eulac.data import requirements
from eulac.data.lac_sample import LacSample
from eulac.deep.labeled_classifier import CalibratedClassifier, CalibratedParameters
from eulac.deep.softmax import rejection_threshold
from eulac.deep.training import Training
from eulac.maths.weibull import Weibull, fit_weibull
from eulac.risk.evidence import augmented_log_odds

__all__ = ["OpenMaxCalibration", "OpenMaxClassifier", "OpenMaxParameters", "fit_openmax"]

Array = NDArray[np.float64]

FEWEST_DISTANCES = 3
"""Classes with fewer borrow the distances of all classes."""

LARGEST_TAIL_SHARE = 0.1
"""A tail is a small part of a class, or the usual row of it would count as extreme."""

SMALLEST_DISTANCE = 1e-3
"""Logits of copies of a row differ by rounding, which must not look like distance."""


@dataclass(frozen=True, eq=False)
class OpenMaxCalibration:
    """Class means of logits, how far from them rows of the class lie, and how it counts.

    Attributes
    ----------
    means : array of shape (n_classes, n_classes)
        Mean logits of the rows of each class, a class per row.
    weibull : Weibull
        Of the largest distances to the mean of each class.
    alpha : int
        Number of largest logits that are revised.

    Examples
    --------
    >>> logits = np.array([[8.0, 0.0], [7.0, 1.0], [9.0, 0.0], [0.0, 8.0], [0.0, 9.0], [1.0, 7.0]])
    >>> calibration = fit_openmax(logits, np.array([0, 0, 0, 1, 1, 1]))
    >>> calibration.probabilities(np.array([[8.0, 0.0], [0.0, 8.0], [2.0, 1.0]])).argmax(axis=1)
    array([0, 1, 2])
    """

    means: Array
    weibull: Weibull
    alpha: int

    def revised(self, logits: Array) -> Array:
        """Return revised logits of all classes, then that of the unknown one.

        Each of the `alpha` largest logits loses a share, and the unknown class gets what they
        lose: the probability that a row of the class lies nearer to its mean, times a weight
        that falls from 1 for the largest logit, as in the authors' code.
        """
        far = self.weibull.cdf(cdist(logits, self.means))
        lost_share = far * _rank_weights(logits, self.alpha)
        # Losing a share must lower a logit, so none may be negative. Softmax does not see what
        # is added to all logits of a row.
        shifted = logits - logits.min(axis=1, keepdims=True)
        lost = lost_share * shifted
        return np.column_stack([shifted - lost, lost.sum(axis=1)])

    def probabilities(self, logits: Array) -> Array:
        """Return the probabilities of all classes, then that of the unknown one."""
        return np.asarray(softmax(self.revised(logits), axis=1))


def fit_openmax(
    logits: Array, y: NDArray[np.intp], *, tail_size: int = 20, alpha: int = 10
) -> OpenMaxCalibration:
    """Return the calibration of a network from its logits for labeled rows.

    Only rows that the network gets right count, unless there is none of a class.

    Parameters
    ----------
    logits : array of shape (n, n_classes)
    y : int array of shape (n,)
        Class codes; every class must occur.
    tail_size : int, default=20
        Number of largest distances per class. At most a tenth of them are used, but three anyway;
        classes of fewer than three rows borrow the distances of all.
    alpha : int, default=10
        Number of largest logits that are revised, at most all.
    """
    missing = np.setdiff1d(np.arange(logits.shape[1]), y)
    if len(missing):
        raise ValueError(
            f"every class of the logits must have labeled rows; got none of class {missing[0]}. "
            "Leave its column out."
        )
    classes = [_rows_of_class(logits, y, k) for k in range(logits.shape[1])]
    means = np.stack([rows.mean(axis=0) for rows in classes])
    distances = [np.linalg.norm(rows - rows.mean(axis=0), axis=1) for rows in classes]
    everyone = np.concatenate(distances)
    tails = [_tail(d if len(d) >= FEWEST_DISTANCES else everyone, tail_size) for d in distances]
    fits = [fit_weibull(tail) for tail in tails]
    weibull = Weibull(*(np.array(values, dtype=float) for values in zip(*fits, strict=True)))
    return OpenMaxCalibration(means, weibull, min(alpha, logits.shape[1]))


def _rows_of_class(logits: Array, y: NDArray[np.intp], k: int) -> Array:
    own = logits[y == k]
    is_right = own.argmax(axis=1) == k
    return own[is_right] if is_right.any() else own


def _tail(distances: Array, tail_size: int) -> Array:
    n_tail = min(tail_size, max(FEWEST_DISTANCES, int(LARGEST_TAIL_SHARE * len(distances))))
    return np.maximum(np.sort(distances)[-n_tail:], SMALLEST_DISTANCE)


def _rank_weights(logits: Array, alpha: int) -> Array:
    """Return (alpha + 1 - i) / alpha for the i-th largest logit of a row, 0 beyond alpha."""
    order = np.argsort(-logits, axis=1, kind="stable")
    weights = np.maximum(alpha - np.arange(logits.shape[1]), 0) / alpha
    ranked = np.empty_like(logits)
    np.put_along_axis(ranked, order, np.broadcast_to(weights, logits.shape), axis=1)
    return ranked


class Calibration(Protocol):
    """What turns logits into those of the known classes and the augmented one."""

    def revised(self, logits: Array) -> Array:
        """Return revised logits, that of the augmented class last."""

    def probabilities(self, logits: Array) -> Array:
        """Return their softmax."""


class OpenMaxParameters(CalibratedParameters, total=False):
    """Parameters of `OpenMaxClassifier` that its subclasses pass on."""

    tail_size: int
    alpha: int
    epsilon: Any


class OpenMaxClassifier(CalibratedClassifier):
    """A K-way network whose softmax is replaced by one with an unknown class.

    For each known class the mean logits of its correctly classified rows are kept, and a Weibull
    distribution of the largest distances to it. Where a new row lies far from the means of the
    classes it seems to belong to, their logits are passed on to the unknown class. A row is new
    if that class wins, or if no class has a probability of `epsilon`. Learns from labeled rows
    only; a fifth of them is held out to set `epsilon`.

    Departs from its paper, whose authors had 1000 classes of a thousand images:

    - Logits are shifted so that the smallest of a row is zero. A negative one would grow instead
      of giving way, and draw on the unknown class: on MNIST with six known classes (3, 6, 7, 8
      new) the likeliest class alone is right for 92 % of the rows with the shift, 68 % without,
      73 % if all rows are shifted alike.
    - The authors' code leaves `epsilon` open; here it is such that `rejected_share` of the
      held-out rows is rejected. Where the unknown class wins more often, it changes nothing.
    - Distances are Euclidean and have a Weibull distribution as they are; the authors' code adds
      the cosine distance and moves the tail to start at 1, which depends on the scale of logits.
    - In classes of fewer than 200 rows the tail is shorter than 20: a tenth of them.

    Parameters
    ----------
    tail_size : int, default=20
        Number of largest distances per class that the Weibull distributions are fitted to.
    alpha : int, default=10
        Number of largest logits that are revised, at most all.
    epsilon : "auto" or float in [0, 1], default="auto"
        Least probability of the likeliest known class.
    rejected_share : float in [0, 1], default=0.05
        What `epsilon="auto"` goes by.
    network, augmentation, max_epochs, ... : see `CalibratedClassifier`

    Attributes
    ----------
    classes_, known_classes_, network_, history_, interrupted_ : see `CalibratedClassifier`
    calibration_ : OpenMaxCalibration
    epsilon_ : float
    threshold_ : float
        Minus the log odds of `epsilon_`.

    References
    ----------
    Bendale and Boult, "Towards Open Set Deep Networks", CVPR 2016.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> X, y = make_blobs(240, centers=[[0, 0], [6, 0], [0, 6]], cluster_std=0.5, random_state=0)
    >>> clf = OpenMaxClassifier(max_epochs=5, random_state=0).fit(X, y)
    >>> clf.predict([[6.0, 0.0], [3.0, 3.0]])
    array([ 1, -2])
    """

    def __init__(
        self,
        network: Any = "auto",
        *,
        tail_size: int = 20,
        alpha: int = 10,
        epsilon: Any = "auto",
        **shared: Unpack[CalibratedParameters],
    ) -> None:
        super().__init__(network, **shared)
        self.tail_size = tail_size
        self.alpha = alpha
        self.epsilon = epsilon

    def predict_proba(self, X: Any) -> Array:
        """Return OpenMax probabilities, following `classes_`.

        The answer is the likeliest class, except where the largest probability is below
        `epsilon_`.
        """
        logits = self._logits(X)
        return self.calibration_.probabilities(logits)

    def _check_parameters(self) -> None:
        requirements.require_at_least("tail_size", self.tail_size, FEWEST_DISTANCES)
        requirements.require_at_least("alpha", self.alpha, 1)
        if not self._chooses_epsilon():
            requirements.require_range("epsilon", self.epsilon, 0.0, 1.0)
        super()._check_parameters()

    def _chooses_epsilon(self) -> bool:
        return isinstance(self.epsilon, str) and self.epsilon == "auto"

    def _calibrate(self, training: Training, rows: LacSample, held_out: LacSample) -> None:
        trained, unseen = (
            training.logits(torch.from_numpy(part.X_labeled)) for part in (rows, held_out)
        )
        self.calibration_ = self._calibration(
            fit_openmax(trained, rows.y_labeled, tail_size=self.tail_size, alpha=self.alpha)
        )
        if self._chooses_epsilon():
            evidence = _evidence_against_known(self.calibration_.revised(unseen))
            self.threshold_ = rejection_threshold(evidence, self.rejected_share)
        else:
            self.threshold_ = -float(logit(self.epsilon))
        self.epsilon_ = float(expit(-self.threshold_))

    def _calibration(self, openmax: OpenMaxCalibration) -> Calibration:
        """Return what turns logits into those of the known classes and the augmented one."""
        return openmax

    def _known_evidence(self, logits: Array) -> Array:
        return self.calibration_.revised(logits)[:, :-1]

    def _augmented_evidence(self, logits: Array) -> Array:
        """Return by how much the known classes' log odds fall short of those they must reach."""
        revised = self.calibration_.revised(logits)
        required = np.maximum(augmented_log_odds(revised), -self.threshold_)
        return np.asarray(required + _evidence_against_known(revised))


def _evidence_against_known(revised: Array) -> Array:
    """Return minus the log odds of the likeliest known class against all others."""
    known = np.sort(revised[:, :-1], axis=1)
    others = np.column_stack([known[:, :-1], revised[:, -1]])
    return np.asarray(logsumexp(others, axis=1) - known[:, -1])
