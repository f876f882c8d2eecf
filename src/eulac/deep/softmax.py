"""Networks of the known classes alone, and the oldest way to doubt them: a threshold."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.special import logsumexp
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from eulac.data import requirements
from eulac.data.folds import draw_folds
from eulac.data.lac_sample import LacSample
from eulac.deep.lac_losses import LacObjective
from eulac.deep.network_classifier import DeepClassifier
from eulac.deep.training import Training, warn_of_interrupt

__all__ = [
    "ClosedSetClassifier",
    "ClosedSetLoss",
    "SoftmaxThresholdClassifier",
    "fit_closed_set",
    "hold_out_labeled",
    "rejection_threshold",
    "softmax_novelty",
]

Array = NDArray[np.float64]

N_FOLDS = 5
"""One fold of the labeled rows is held out."""


class ClosedSetLoss(nn.Module):
    """Cross entropy of the labeled rows; unlabeled ones are not looked at.

    Examples
    --------
    >>> value = ClosedSetLoss()(torch.zeros(4, 2), torch.tensor([0, 1, 0, 1]), torch.zeros(0, 2))
    >>> round(float(value.objective), 4)  # log(2)
    0.6931
    """

    def forward(
        self, logits_labeled: Tensor, y_labeled: Tensor, logits_unlabeled: Tensor
    ) -> LacObjective:
        """Return the mean over the labeled rows of a batch."""
        value = cross_entropy(logits_labeled, y_labeled)
        return LacObjective(value, value.detach(), value.detach())


def fit_closed_set(
    training: Training,
    on_epoch: Callable[[dict[str, Any]], Any] | None = None,
    loss: nn.Module | None = None,
) -> None:
    """Train a network on labeled rows, for all epochs of its schedule."""
    loss = ClosedSetLoss() if loss is None else loss
    while training.epoch < training.n_epochs:
        record = training.run_epoch(loss)
        if on_epoch is not None:
            on_epoch(record)


def hold_out_labeled(sample: LacSample, seed: int) -> tuple[LacSample, LacSample]:
    """Return the sample without one fold of its labeled rows, and that fold.

    Neither has unlabeled rows. Every class keeps a row to train on, so the only row of a class
    is never held out.

    Examples
    --------
    >>> sample = LacSample.from_masked(np.eye(11), [0] * 5 + [1] * 5 + [2])
    >>> for part in hold_out_labeled(sample, seed=0):
    ...     print(np.bincount(part.y_labeled))
    [4 4 1]
    [1 1]
    """
    counts = np.bincount(sample.y_labeled)
    spare = np.flatnonzero(counts[sample.y_labeled] > 1)
    if not len(spare):
        raise ValueError(
            "a threshold needs labeled rows held out from training; got "
            f"{sample.n_labeled} labeled rows, one of each class. Label more rows."
        )
    # Labeled rows stand in for unlabeled ones, whose number must not change the folds.
    folds = draw_folds(sample.y_labeled[spare], len(spare), N_FOLDS, seed)
    is_held_out = np.zeros(sample.n_labeled, dtype=bool)
    is_held_out[spare[next(iter(folds))[0]]] = True
    kept, held_out = (sample.taken(rows, slice(0)) for rows in (~is_held_out, is_held_out))
    return kept, held_out


def softmax_novelty(logits: Array) -> Array:
    """Return minus the log odds of the likeliest class.

    Orders rows as minus the largest softmax probability does, but without ties where that
    probability rounds to one.

    Examples
    --------
    >>> softmax_novelty(np.array([[0.0, 0.0], [50.0, 0.0], [60.0, 0.0]]))
    array([  0., -50., -60.])
    """
    ordered = np.sort(logits, axis=1)
    return np.asarray(logsumexp(ordered[:, :-1], axis=1) - ordered[:, -1])


def rejection_threshold(novelty: Array, rejected_share: float) -> float:
    """Return the threshold above which lies at most the given share of novelties.

    Examples
    --------
    >>> rejection_threshold(np.arange(100.0), 0.05)
    95.0
    """
    return float(np.quantile(novelty, 1.0 - rejected_share, method="higher"))


class ClosedSetClassifier(DeepClassifier):
    """Base of classifiers that make a K-way network doubt: they calibrate what it says.

    Subclasses write `_calibrate`, told the trained network and both parts of the labeled rows.
    With `max_epochs=0` and a trained network of the user's, calibrating is all `fit` does.
    """

    _fewest_epochs = 0

    def fit(self, X, y, X_unlabeled=None, *, on_epoch: Callable[[dict], Any] | None = None):
        """Learn from labeled rows; unlabeled ones are accepted and change nothing.

        Parameters
        ----------
        X, y, X_unlabeled, on_epoch : see `DeepEulacClassifier.fit`

        Returns
        -------
        self
        """
        self._check_parameters()
        sample, seed = self._open_sample(X, y, X_unlabeled, needs_unlabeled=False)
        if sample.n_known_classes < 2:
            raise ValueError(
                f"{type(self).__name__} needs labeled rows of 2 or more known classes, to set "
                "them against each other; got 1 class. Use DeepEulacClassifier."
            )
        rows, held_out = hold_out_labeled(sample, seed)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            training = self._training(rows, rows.n_known_classes, seed)
            self.network_, self.history_ = training.network, training.history
            self.interrupted_ = self._train(training, on_epoch)
        self._calibrate(training, rows, held_out)
        return self

    def augmented_score(self, X):
        """Return a score per row: bigger means more likely of a class never labeled.

        Positive exactly where `predict` says augmented.
        """
        return self._augmented_score(self._logits(X))

    def _check_parameters(self) -> None:
        requirements.require_range("rejected_share", self.rejected_share, 0.0, 1.0)
        self._check_training_parameters()
        if self.max_epochs == 0 and isinstance(self.network, str):
            raise ValueError(
                "`max_epochs=0` only calibrates, so `network` must be a trained module; got "
                f"{self.network!r}. Pass one, or train for an epoch or more."
            )

    def _train(self, training: Training, on_epoch) -> bool:
        """Train; return whether it was cut short, in which case what was learned is kept."""
        try:
            fit_closed_set(training, on_epoch)
        except KeyboardInterrupt:
            warn_of_interrupt(training.epoch)
            return True
        return False

    def _calibrate(self, training: Training, rows: LacSample, held_out: LacSample) -> None:
        """Keep what turns logits into answers."""
        raise NotImplementedError

    def _augmented_score(self, logits: Array) -> Array:
        """Return scores that are positive where a row is to be called augmented."""
        raise NotImplementedError

    def _known_evidence(self, logits: Array) -> Array:
        """Return a column per known class, the largest being the answer of a row not new."""
        return logits

    def _decision(self, X):
        logits = self._logits(X)
        known = self._known_evidence(logits)
        # The best known class has zero, so that the sign of the score decides, to the last bit.
        known = known - known.max(axis=1, keepdims=True)
        return np.column_stack([known, self._augmented_score(logits)])


class SoftmaxThresholdClassifier(ClosedSetClassifier):
    """A network of the known classes; new where its largest output is too small.

    The plainest deep open-set rule, and a strong one if the network is well trained. Learns from
    labeled rows only, by cross entropy. A fifth of them is held out to set the threshold.

    The EULAC paper takes "a given threshold" without naming one; here it is the one that rejects
    `rejected_share` of the held-out labeled rows. The network's own logits serve as a score as
    well as its probabilities do, often better: softmax forgets how large they all are.

    Parameters
    ----------
    network : str or callable, default="auto"
        See `DeepEulacClassifier`; this network has one output per known class.
    confidence : {"probability", "logit"}, default="probability"
        What must be large for a row to be known: its largest probability or its largest logit.
    rejected_share : float in [0, 1], default=0.05
        Share of held-out labeled rows, all of known classes, that is called augmented.
    augmentation, max_epochs, batch_size, learning_rate, weight_decay, device, mixed_precision, \
random_state : see `DeepEulacClassifier`

    Attributes
    ----------
    classes_, known_classes_ : see `KernelEulacClassifier`
    threshold_ : float
        A row is new where minus its largest logit, or minus the log odds of its likeliest class,
        is larger.
    network_ : nn.Module
    history_ : list of dict
        Per epoch: objective, seconds.

    References
    ----------
    Hendrycks and Gimpel, "A Baseline for Detecting Misclassified and Out-of-Distribution Examples
    in Neural Networks", ICLR 2017. Logits: Vaze et al., "Open-Set Recognition: A Good Closed-Set
    Classifier Is All You Need?", ICLR 2022.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> centers = np.array([[0, 0], [6, 0], [0, 6]])
    >>> y = np.repeat([0, 1, 2], 80)
    >>> X = rng.normal(centers[y], 0.5)
    >>> clf = SoftmaxThresholdClassifier(max_epochs=5, random_state=0).fit(X, y)
    >>> clf.predict([[0.0, 0.0], [6.0, 0.0], [3.0, 3.0]])
    array([ 0,  1, -2])
    """

    def __init__(
        self,
        network="auto",
        *,
        confidence="probability",
        rejected_share=0.05,
        augmentation="auto",
        max_epochs=20,
        batch_size=64,
        learning_rate=2e-3,
        weight_decay=5e-3,
        device="auto",
        mixed_precision=False,
        random_state=None,
    ):
        self.network = network
        self.confidence = confidence
        self.rejected_share = rejected_share
        self.augmentation = augmentation
        self.max_epochs = max_epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.device = device
        self.mixed_precision = mixed_precision
        self.random_state = random_state

    def _check_parameters(self) -> None:
        requirements.require_choice("confidence", self.confidence, ("probability", "logit"))
        super()._check_parameters()

    def _calibrate(self, training, rows, held_out):
        logits = training.logits(torch.from_numpy(held_out.X_labeled))
        self.threshold_ = rejection_threshold(self._novelty(logits), self.rejected_share)

    def _augmented_score(self, logits):
        return self._novelty(logits) - self.threshold_

    def _novelty(self, logits: Array) -> Array:
        return -logits.max(axis=1) if self.confidence == "logit" else softmax_novelty(logits)
