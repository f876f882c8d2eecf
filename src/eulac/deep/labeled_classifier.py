"""Networks that learn from labeled rows alone, and what makes them doubt: a calibration."""

from collections.abc import Callable
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from eulac.classifier.fit_tasks import FitTasks, fit_tasks
from eulac.classifier.open_set import LabelsMixin, open_rows
from eulac.data import requirements
from eulac.data.folds import draw_folds
from eulac.data.lac_sample import LacSample
from eulac.deep.lac_losses import LacObjective
from eulac.deep.network_classifier import DeepClassifier, DeepParameters, Progress
from eulac.deep.training import ObjectiveOf, Record, Training, warn_of_interrupt

__all__ = [
    "CalibratedClassifier",
    "CalibratedParameters",
    "ClosedSetLoss",
    "LabeledClassifier",
    "fit_closed_set",
    "hold_out_labeled",
]

Array = NDArray[np.float64]
OnRecord = Callable[[Record], Any]

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
    training: Training, on_record: OnRecord, loss: ObjectiveOf | None = None
) -> Training:
    """Train a network on labeled rows, for all epochs of its schedule; return the training."""
    loss = ClosedSetLoss() if loss is None else loss
    while training.epoch < training.n_epochs:
        on_record(training.run_epoch(loss))
    return training


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
    kept, held_out = (
        LacSample(
            sample.X_labeled[rows], sample.y_labeled[rows], sample.X_unlabeled[:0], sample.codec
        )
        for rows in (~is_held_out, is_held_out)
    )
    return kept, held_out


class LabeledClassifier(LabelsMixin, DeepClassifier):
    """Base of deep classifiers that learn from labeled rows only.

    Subclasses write `_learn`, which gets the scaled sample, and `_n_epochs` where they train for
    more than `max_epochs`. Parameters and attributes: see `DeepClassifier`.
    """

    def fit(
        self, X: Any, y: Any, X_unlabeled: Any = None, *, progress: Progress | None = None
    ) -> Self:
        """Learn from labeled rows; unlabeled ones are accepted and change nothing.

        Parameters
        ----------
        X, y, X_unlabeled, progress : see `DeepEulacClassifier.fit`

        Returns
        -------
        self
        """
        self._check_parameters()
        options = {"uses_unlabeled": False, "images": True, "by_name": self._is_ours()}
        sample, seed = open_rows(self, X, y, X_unlabeled, **options)
        if sample.n_known_classes < 2:
            raise ValueError(
                f"{type(self).__name__} needs labeled rows of 2 or more known classes, to set "
                "them against each other; got 1 class. Use DeepEulacClassifier."
            )
        sample = self._with_scaled_rows(sample, uses_unlabeled=False)
        self.proportion_, self.history_ = None, []
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            with fit_tasks(self, self._n_epochs(), "epoch", progress) as tasks:
                self._learn(sample, seed, self._record_keeper(tasks))
        return self

    def _learn(self, sample: LacSample, seed: int, on_record: OnRecord) -> None:
        """Train on the labeled rows of a sample, and keep what came out."""
        raise NotImplementedError

    def _n_epochs(self) -> int:
        return self.max_epochs

    def _record_keeper(self, tasks: FitTasks) -> OnRecord:
        """Return a function that keeps the record of an epoch, and says how many are done."""

        def keep(record: Record) -> None:
            self.history_.append(record)
            tasks.report(len(self.history_), self._n_epochs())

        return keep


class CalibratedParameters(DeepParameters, total=False):
    """Parameters of `CalibratedClassifier` that its subclasses pass on."""

    max_epochs: int
    rejected_share: float


class CalibratedClassifier(LabeledClassifier):
    """Base of classifiers that make a K-way network doubt: they calibrate what it says.

    Subclasses write `_calibrate`, which gets the trained network and both parts of the labeled
    rows.
    With `max_epochs=0` and a trained network of the user's, calibrating is all `fit` does.

    Parameters
    ----------
    rejected_share : float in [0, 1], default=0.05
        Share of held-out labeled rows, all of known classes, that is called augmented.
    network, augmentation, max_epochs, ... : see `DeepClassifier`
        The network has one output per known class.

    Attributes
    ----------
    classes_, known_classes_, network_, history_ : see `DeepClassifier`
    interrupted_ : bool
        Whether training was cut short from the keyboard; the model is usable all the same.
    """

    _fewest_epochs = 0

    def __init__(
        self,
        network: Any = "auto",
        *,
        rejected_share: float = 0.05,
        max_epochs: int = 20,
        **shared: Any,
    ) -> None:
        super().__init__(network, max_epochs=max_epochs, **shared)
        self.rejected_share = rejected_share

    def _check_parameters(self) -> None:
        requirements.require_range("rejected_share", self.rejected_share, 0.0, 1.0)
        super()._check_parameters()
        if self.max_epochs == 0 and isinstance(self.network, str):
            raise ValueError(
                "`max_epochs=0` only calibrates, so `network` must be a trained module; got "
                f"{self.network!r}. Pass one, or train for an epoch or more."
            )

    def _learn(self, sample: LacSample, seed: int, on_record: OnRecord) -> None:
        rows, held_out = hold_out_labeled(sample, seed)
        training = self._training(rows, rows.n_known_classes, seed)
        self.network_, self.interrupted_ = training.network, False
        try:
            fit_closed_set(training, on_record)
        except KeyboardInterrupt:
            warn_of_interrupt(training.epoch)
            self.interrupted_ = True
        self._calibrate(training, rows, held_out)

    def _calibrate(self, training: Training, rows: LacSample, held_out: LacSample) -> None:
        """Keep what turns logits into answers."""
        raise NotImplementedError

    def _augmented_evidence(self, logits: Array) -> Array:
        """Return numbers that are positive where a row is to be called augmented."""
        raise NotImplementedError

    def _known_evidence(self, logits: Array) -> Array:
        """Return a column per known class, the largest being the answer of a row not new."""
        return logits

    def _decision(self, X: Any) -> Array:
        logits = self._logits(X)
        known = self._known_evidence(logits)
        # The best known class has zero, so that the sign of the score decides, to the last bit.
        known = known - known.max(axis=1, keepdims=True)
        return np.column_stack([known, self._augmented_evidence(logits)])
