"""What deep classifiers share: opening samples, scaling, training on any network, answers."""

import numpy as np
import torch
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from eulac.data import requirements
from eulac.data.folds import in_canonical_order
from eulac.data.lac_sample import LacSample
from eulac.data.validation import validated_sample, with_deployment_rows
from eulac.deep.batches import AUGMENTATIONS, PairedBatches
from eulac.deep.networks import build_network
from eulac.deep.row_scaling import RowScaling, as_channels_first
from eulac.deep.training import Training, choose_device, logits_of
from eulac.risk.weights import class_weights
from eulac.risk.zero_one import masked_accuracy

__all__ = ["DeepClassifier"]

FEWEST_BATCHES = 30
"""Batches in an epoch at the least, so that small samples are learned from too."""


class DeepClassifier(ClassifierMixin, BaseEstimator):
    """Base of the deep classifiers.

    Subclasses have the parameters `network`, `augmentation`, `max_epochs`, `batch_size`,
    `learning_rate`, `weight_decay`, `device`, `mixed_precision` and `random_state`; they set
    `network_` in `fit`, before training, so that `on_epoch` can look at it, and write
    `_decision`, one column per entry of `classes_`.
    """

    _fewest_epochs = 1

    def predict(self, X):
        """Return a known label for each row, or the augmented label."""
        answers = self._decision(X).argmax(axis=1)
        return self.classes_[answers]

    def score(self, X, y) -> float:
        """Return accuracy, label-free where `y` has unlabeled rows and the proportion is known.

        Unlabeled rows stand for deployment as it is; labeled rows come on top of them.
        """
        predicted = self._decision(X).argmax(axis=1)
        codes = self.codec_.encode(y)
        check_consistent_length(predicted, codes)
        estimate = getattr(self, "proportion_", None)
        if estimate is None and np.any(codes == -1):
            raise ValueError(
                f"{type(self).__name__} does not estimate the known proportion, so its accuracy "
                "on unlabeled rows cannot be had. Pass true labels, or use LabelFreeScorer."
            )
        per_class = np.zeros(len(self.known_classes_)) if estimate is None else estimate.per_class
        return masked_accuracy(predicted, codes, class_weights(codes, per_class))

    def _check_training_parameters(self) -> None:
        requirements.require_choice("augmentation", self.augmentation, ("auto", *AUGMENTATIONS))
        requirements.require_at_least("max_epochs", self.max_epochs, self._fewest_epochs)
        requirements.require_at_least("batch_size", self.batch_size, 2)
        requirements.as_candidates("learning_rate", self.learning_rate, ())
        if getattr(self, "patience", None) is not None:
            requirements.require_at_least("patience", self.patience, 1)

    def _open_sample(self, X, y, X_unlabeled, *, needs_unlabeled: bool) -> tuple[LacSample, int]:
        """Return the scaled sample, rows as (channels, height, width) or features, and the seed."""
        requirements.require_finite_labels(y)
        sample = validated_sample(self, X, y, X_unlabeled, dtype=np.float32, allow_nd=True)
        self.codec_, self.known_classes_ = sample.codec, sample.codec.known
        self.closed_set_ = needs_unlabeled and sample.n_unlabeled == 0
        self.classes_ = sample.codec.known if self.closed_set_ else sample.codec.all_labels
        if needs_unlabeled:
            sample = with_deployment_rows(sample)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        pieces = {"X_labeled": sample.X_labeled + 0.0, "X_unlabeled": sample.X_unlabeled + 0.0}
        sample = in_canonical_order(sample.with_rows(**pieces), seed)
        labeled, unlabeled = map(as_channels_first, (sample.X_labeled, sample.X_unlabeled))
        # Unlabeled rows must change nothing for methods that do not see them.
        seen = [labeled, unlabeled] if needs_unlabeled else [labeled]
        self.scaling_ = RowScaling.of(np.concatenate(seen))
        self.row_shape_ = labeled.shape[1:]
        labeled, unlabeled = map(self.scaling_.scaled, (labeled, unlabeled))
        return sample.with_rows(X_labeled=labeled, X_unlabeled=unlabeled), seed

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

    def _network_name(self, shape):
        if not (isinstance(self.network, str) and self.network == "auto"):
            return self.network
        return "compact_resnet" if len(shape) == 3 else "mlp"

    def _augmentation(self, shape):
        name = "shifts" if self.augmentation == "auto" else self.augmentation
        return AUGMENTATIONS[name if len(shape) == 3 else None]

    def _tensor(self, X) -> torch.Tensor:
        """Return rows of the user as the network takes them."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float32, allow_nd=True, reset=False)
        rows = as_channels_first(X)
        if rows.shape[1:] != self.row_shape_:
            raise ValueError(
                f"rows must have the shape {self.row_shape_} they had in `fit`, channels first; "
                f"got {rows.shape[1:]}."
            )
        return torch.from_numpy(self.scaling_.scaled(rows))

    def _logits(self, X):
        rows = self._tensor(X)
        return logits_of(self.network_, rows, choose_device(self.device))
