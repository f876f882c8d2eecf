"""What deep classifiers share: parameters, scaling, training on any network, its outputs."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypedDict

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted
from torch import nn

from eulac.classifier.inherited_parameters import InheritsParameters
from eulac.data import requirements
from eulac.data.lac_sample import LacSample
from eulac.data.validation import checked_rows
from eulac.deep.batches import AUGMENTATIONS, Augmentation, PairedBatches
from eulac.deep.networks import build_network
from eulac.deep.row_scaling import RowScaling, as_channels_first
from eulac.deep.training import Record, Training, choose_device, logits_of

__all__ = ["DeepClassifier", "DeepParameters", "Progress"]

Network = str | nn.Module | Callable[..., nn.Module]
Progress = Callable[[int, int], Any]

FEWEST_BATCHES = 30
"""Batches in an epoch at the least, so that small samples are learned from too."""


class DeepParameters(TypedDict, total=False):
    """Parameters of `DeepClassifier` that its subclasses pass on."""

    augmentation: str | None
    batch_size: int
    learning_rate: float
    weight_decay: float
    device: str
    mixed_precision: bool
    unlabeled_label: Any
    augmented_label: Any
    random_state: Any


class DeepClassifier(InheritsParameters, ClassifierMixin, BaseEstimator):
    """Base of the deep classifiers.

    Subclasses set `network_` and `history_` in `fit`, before training, so that `progress` can look
    at them, and write `_decision`, one column per entry of `classes_`. There is no `fit_predict`:
    one network is trained, and a fifth of the rows held out; answers of networks that have not seen
    a row would cost five trainings. Train on a part of the pool to answer the rest.

    Parameters
    ----------
    network : str or callable, default="auto"
        "compact_resnet" (images), "mlp" (tables), "paper_cnn", "vgg13", "vgg16_bn", an `nn.Module`
        (a copy is trained), or a function of input shape and number of outputs that returns one.
    augmentation : {"auto", "shifts", "flips", None}, default="auto"
        Of images while training: moved by up to a fourteenth of their side ("auto"), mirrored
        too, or not at all.
    max_epochs : int, default=20
    batch_size : int, default=64
        Labeled rows in a batch, and as many unlabeled ones where they are learned from.
    learning_rate, weight_decay : float
    device : str, default="auto"
    mixed_precision : bool, default=False
        Half precision on CUDA devices.
    unlabeled_label, augmented_label : see `KernelEulacClassifier`
    random_state : int, RandomState instance or None

    Attributes
    ----------
    classes_, known_classes_ : see `KernelEulacClassifier`
    network_ : nn.Module
    history_ : list of dict
        Per epoch: objective, seconds.
    """

    _fewest_epochs = 1

    network_: nn.Module
    history_: list[Record]
    closed_set_: bool

    def __init__(
        self,
        network: Network = "auto",
        *,
        augmentation: str | None = "auto",
        max_epochs: int = 20,
        batch_size: int = 64,
        learning_rate: float = 2e-3,
        weight_decay: float = 5e-3,
        device: str = "auto",
        mixed_precision: bool = False,
        unlabeled_label: Any = -1,
        augmented_label: Any = "auto",
        random_state: Any = None,
    ) -> None:
        self.network = network
        self.augmentation = augmentation
        self.max_epochs = max_epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.device = device
        self.mixed_precision = mixed_precision
        self.unlabeled_label = unlabeled_label
        self.augmented_label = augmented_label
        self.random_state = random_state

    def _check_parameters(self) -> None:
        requirements.require_choice("augmentation", self.augmentation, ("auto", *AUGMENTATIONS))
        requirements.require_at_least("max_epochs", self.max_epochs, self._fewest_epochs)
        requirements.require_at_least("batch_size", self.batch_size, 2)
        requirements.as_candidates("learning_rate", self.learning_rate, ())

    def _with_scaled_rows(self, sample: LacSample, *, uses_unlabeled: bool) -> LacSample:
        """Learn the scale; return rows on it, as (channels, height, width) or features."""
        labeled, unlabeled = map(as_channels_first, (sample.X_labeled, sample.X_unlabeled))
        # Unlabeled rows must change nothing for methods that do not see them.
        seen = [labeled, unlabeled] if uses_unlabeled else [labeled]
        self.scaling_ = RowScaling.of(np.concatenate(seen))
        self.row_shape_ = labeled.shape[1:]
        scaled: Any = map(self.scaling_.scaled, (labeled, unlabeled))
        return replace(sample, **dict(zip(("X_labeled", "X_unlabeled"), scaled, strict=True)))

    def _training(self, rows: LacSample, n_outputs: int, seed: int) -> Training:
        """Return a fresh network with its optimizer and batches of the rows."""
        shape = rows.X_labeled.shape[1:]
        batches = PairedBatches(
            torch.from_numpy(rows.X_labeled),
            torch.from_numpy(rows.y_labeled),
            torch.from_numpy(rows.X_unlabeled),
            min(self.batch_size, rows.n_labeled),
            min(self.batch_size, rows.n_unlabeled),
            torch.Generator().manual_seed(seed),
            self._augmentation(shape),
            FEWEST_BATCHES,
        )
        return Training(
            build_network(self._network_name(shape), shape, n_outputs),
            batches,
            self.max_epochs,
            self.learning_rate,
            self.weight_decay,
            choose_device(self.device),
            self.mixed_precision,
        )

    def _network_name(self, shape: tuple[int, ...]) -> Network:
        if not (isinstance(self.network, str) and self.network == "auto"):
            return self.network
        return "compact_resnet" if len(shape) == 3 else "mlp"

    def _augmentation(self, shape: tuple[int, ...]) -> Augmentation:
        name = "shifts" if self.augmentation == "auto" else self.augmentation
        return AUGMENTATIONS[name if len(shape) == 3 else None]

    def _tensor(self, X: Any) -> torch.Tensor:
        """Return rows of the user as the network takes them."""
        check_is_fitted(self)
        X = checked_rows(self, X, dtype=np.float32, allow_nd=True)
        rows = as_channels_first(X)
        if rows.shape[1:] != self.row_shape_:
            raise ValueError(
                f"rows must have the shape {self.row_shape_} they had in `fit`, channels first; "
                f"got {rows.shape[1:]}."
            )
        return torch.from_numpy(self.scaling_.scaled(rows))

    def _logits(self, X: Any) -> NDArray[np.float64]:
        rows = self._tensor(X)
        return logits_of(self.network_, rows, choose_device(self.device))
