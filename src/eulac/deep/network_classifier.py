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
from eulac.data.any_rows import in_name_order
from eulac.data.lac_sample import LacSample
from eulac.data.validation import checked_rows
from eulac.deep.batches import AUGMENTATIONS, Augmentation, Batches, PairedBatches
from eulac.deep.network_features import network_features
from eulac.deep.networks import build_network
from eulac.deep.row_scaling import RowScaling, as_channels_first
from eulac.deep.runs.run_plan import may_be_mirrored, planned_rate
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
    learning_rate: Any
    weight_decay: float
    device: str
    mixed_precision: bool | str
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
        Of images while training: moved by up to a fourteenth of their side, mirrored too, or not
        at all. "auto" moves them, and mirrors them where mirrored images look like the others:
        photographs, but no digits.
    max_epochs : int, default=20
    batch_size : int, default=64
        Labeled rows in a batch, and as many unlabeled ones where they are learned from.
    learning_rate : float, default="auto"
        Largest rate of the schedule. "auto": 0.002 for networks that normalize, else 0.0005.
    weight_decay : float, default=0.005
    device : str, default="auto"
    mixed_precision : {"auto", True, False}, default="auto"
        Half precision in the layers while training, on devices that have instructions for it.
        "auto": on processors, for networks of ours on images, which train in some three
        quarters of the time and are as good.
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
    _plans_epochs = False

    network_: nn.Module
    history_: list[Record]
    closed_set_: bool

    def __init__(
        self,
        network: Network = "auto",
        *,
        augmentation: str | None = "auto",
        max_epochs: Any = 20,
        batch_size: int = 64,
        learning_rate: Any = "auto",
        weight_decay: float = 5e-3,
        device: str = "auto",
        mixed_precision: bool | str = "auto",
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
        requirements.require_at_least(
            "max_epochs", self.max_epochs, self._fewest_epochs, or_auto=self._plans_epochs
        )
        requirements.require_at_least("batch_size", self.batch_size, 2)
        requirements.require_choice("mixed_precision", self.mixed_precision, ("auto", True, False))
        if not _is_auto(self.learning_rate):
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
        network = build_network(self._network_name(shape), shape, n_outputs)
        return self._training_of(network, shape, self._batches(rows, seed), self.max_epochs)

    def _batches(self, rows: LacSample, seed: int) -> PairedBatches:
        return PairedBatches(
            torch.from_numpy(rows.X_labeled),
            torch.from_numpy(rows.y_labeled),
            torch.from_numpy(rows.X_unlabeled),
            min(self.batch_size, rows.n_labeled),
            min(self.batch_size, rows.n_unlabeled),
            torch.Generator().manual_seed(seed),
            self._augmentation(rows.X_labeled, seed),
            FEWEST_BATCHES,
        )

    def _training_of(
        self,
        network: nn.Module,
        shape: tuple[int, ...],
        batches: Batches,
        n_epochs: int,
        *,
        averages: bool = False,
    ) -> Training:
        """Return a network for rows of a shape, for so many epochs of the batches."""
        device = choose_device(self.device)
        return Training(
            network,
            batches,
            n_epochs,
            planned_rate(network) if _is_auto(self.learning_rate) else self.learning_rate,
            self.weight_decay,
            device,
            self._in_half(shape, device),
            averages,
        )

    def _in_half(self, shape: tuple[int, ...], device: torch.device) -> bool:
        """Return whether to train in half precision, where the device has it."""
        if not _is_auto(self.mixed_precision):
            return bool(self.mixed_precision)
        return device.type == "cpu" and self._is_ours() and len(shape) == 3

    def _is_ours(self) -> bool:
        """Whether the network is one of ours: a user's may mean columns by place."""
        return isinstance(self.network, str)

    def _network_name(self, shape: tuple[int, ...]) -> Network:
        if not _is_auto(self.network):
            return self.network
        return "compact_resnet" if len(shape) == 3 else "mlp"

    def _augmentation(self, X: NDArray[Any], seed: int) -> Augmentation:
        if X.ndim != 4:
            return AUGMENTATIONS[None]
        if self.augmentation != "auto":
            return AUGMENTATIONS[self.augmentation]
        return AUGMENTATIONS["flips" if may_be_mirrored(X, seed) else "shifts"]

    def _tensor(self, X: Any) -> torch.Tensor:
        """Return rows of the user as the network takes them."""
        check_is_fitted(self)
        X = in_name_order(self, checked_rows(self, X, dtype=np.float32, allow_nd=True))
        rows = as_channels_first(X)
        if rows.shape[1:] != self.row_shape_:
            raise ValueError(
                f"rows must have the shape {self.row_shape_} they had in `fit`, channels first; "
                f"got {rows.shape[1:]}."
            )
        return torch.from_numpy(self.scaling_.scaled(rows))

    def features(self, X: Any) -> NDArray[np.float64]:
        """Return what enters the network's last linear layer, a row for each row of `X`."""
        return self._features_of_scaled(self._tensor(X))

    def _features_of_scaled(self, rows: torch.Tensor) -> NDArray[np.float64]:
        return network_features(self.network_, rows, choose_device(self.device))

    def _logits(self, X: Any) -> NDArray[np.float64]:
        return self._logits_of_scaled(self._tensor(X))

    def _logits_of_scaled(self, rows: torch.Tensor) -> NDArray[np.float64]:
        return logits_of(self.network_, rows, choose_device(self.device))


def _is_auto(value: Any) -> bool:
    return isinstance(value, str) and value == "auto"
