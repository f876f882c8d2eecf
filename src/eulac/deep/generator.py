"""A small encoder and generator of rows, trained on labeled rows in seconds on a processor.

An autoencoder whose encodings are standardized and disturbed while it trains, so that what lies
between and beside encodings becomes a row too. There is no discriminator: on MNIST, one that
sharpened the images doubled the time of training and gained nothing for the methods built on it.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypedDict

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from eulac.data import requirements
from eulac.data.lac_sample import LacSample
from eulac.deep.batches import PairedBatches
from eulac.deep.labeled_classifier import LabeledClassifier
from eulac.deep.training import EVALUATION_ROWS, choose_device

__all__ = [
    "GeneratingClassifier",
    "GeneratingParameters",
    "RowGenerator",
    "build_generator",
    "train_generator",
    "with_generated_class",
]

SMALLEST_SIDE = 8
"""Images are halved until no side is longer."""

FIRST_WIDTH = 16
HIDDEN_UNITS = 128
SLOPE = 0.2

LATENT_NOISE = 0.3
"""Standard deviation of what is added to encodings, whose own is one."""

FEWEST_STEPS = 300
"""Small samples are passed more often, until that many batches were seen."""

MOST_GENERATED = 1000
"""Unless the user wants more."""


class RowGenerator(nn.Module):
    """An encoder of rows and a decoder of encodings, both without bounds on their outputs.

    Rows are standardized, so the decoder ends in a linear layer. Encodings have mean zero and
    variance one in every coordinate.
    """

    def __init__(self, encoder: nn.Module, decoder: nn.Module, n_latent: int):
        super().__init__()
        self.encoder = nn.Sequential(encoder, nn.BatchNorm1d(n_latent, affine=False))
        self.decoder = decoder

    def forward(self, encodings: Tensor) -> Tensor:
        """Return the rows of encodings; gradients pass through."""
        return self.decoder(encodings)

    @torch.no_grad()
    def encode(self, X: Tensor) -> Tensor:
        """Return encodings of rows, some at a time."""
        return torch.cat([self.encoder(piece) for piece in torch.split(X, EVALUATION_ROWS)])

    @torch.no_grad()
    def decode(self, encodings: Tensor) -> Tensor:
        """Return rows of encodings, some at a time."""
        return torch.cat([self(piece) for piece in torch.split(encodings, EVALUATION_ROWS)])


def build_generator(shape: Sequence[int], n_latent: int = 32) -> RowGenerator:
    """Return an untrained generator: convolutional for images, dense for table rows.

    Examples
    --------
    >>> generator = build_generator((1, 28, 28), n_latent=8).eval()
    >>> encodings = generator.encode(torch.zeros(5, 1, 28, 28))
    >>> encodings.shape, generator(encodings).shape
    (torch.Size([5, 8]), torch.Size([5, 1, 28, 28]))
    """
    parts = _image_parts if len(shape) == 3 else _table_parts
    return RowGenerator(*parts(tuple(shape), n_latent), n_latent)


def _table_parts(shape: tuple[int, ...], n_latent: int) -> tuple[nn.Module, nn.Module]:
    def dense(n_inputs: int, n_outputs: int) -> nn.Module:
        return nn.Sequential(
            nn.Linear(n_inputs, HIDDEN_UNITS),
            nn.BatchNorm1d(HIDDEN_UNITS),
            nn.LeakyReLU(SLOPE),
            nn.Linear(HIDDEN_UNITS, n_outputs),
        )

    return dense(shape[0], n_latent), dense(n_latent, shape[0])


def _image_parts(shape: tuple[int, ...], n_latent: int) -> tuple[nn.Module, nn.Module]:
    channels, *sides = shape
    n_halvings = max(1, math.ceil(math.log2(max(sides) / SMALLEST_SIDE)))
    widths = [FIRST_WIDTH * 2**level for level in range(n_halvings)]
    core = (widths[-1], *(math.ceil(side / 2**n_halvings) for side in sides))
    down: list[nn.Module] = []
    for before, after in zip([channels, *widths], widths, strict=False):
        down += [nn.Conv2d(before, after, 3, 2, padding=1), *_activation(after)]
    up: list[nn.Module] = [nn.Linear(n_latent, math.prod(core)), nn.Unflatten(1, core)]
    for before, after in zip(widths[::-1], [*widths[-2::-1], channels], strict=True):
        up += [*_activation(before), nn.ConvTranspose2d(before, after, 4, 2, padding=1)]
    encoder = nn.Sequential(*down, nn.Flatten(), nn.Linear(math.prod(core), n_latent))
    return encoder, nn.Sequential(*up, _Crop(*sides))


def _activation(width: int) -> list[nn.Module]:
    return [nn.BatchNorm2d(width), nn.LeakyReLU(SLOPE)]


class _Crop(nn.Module):
    """Cuts off what doubling made too long where a side is no multiple of the halvings."""

    def __init__(self, height: int, width: int):
        super().__init__()
        self.height, self.width = height, width

    def forward(self, x: Tensor) -> Tensor:
        return x[:, :, : self.height, : self.width]


def train_generator(
    X: Tensor,
    *,
    n_latent: int = 32,
    n_epochs: int = 15,
    batch_size: int = 64,
    learning_rate: float = 1e-3,
    seed: int = 0,
    device: torch.device | str = "cpu",
) -> RowGenerator:
    """Return a generator that gives rows back from their disturbed encodings.

    Minimizes the mean absolute error, which blurs less than the square, with Adam. Takes initial
    weights and noise from torch's global generator; the order of rows from `seed`.

    Parameters
    ----------
    X : tensor of shape (n, features) or (n, channels, height, width)
        At least two standardized rows.
    n_latent : int, default=32
    n_epochs : int, default=15
        Passes over the rows; more if there are few, until 300 batches were seen.
    batch_size : int, default=64
    learning_rate : float, default=1e-3
    seed : int, default=0
    device : device

    Returns
    -------
    RowGenerator
        In evaluation mode.
    """
    generator = build_generator(X.shape[1:], n_latent).to(device).train()
    optimizer = torch.optim.Adam(generator.parameters(), learning_rate, betas=(0.5, 0.999))
    order = torch.Generator().manual_seed(seed)
    nothing = torch.zeros(len(X), dtype=torch.long)
    batches = PairedBatches(X, nothing, X[:0], min(batch_size, len(X)), 0, order)
    for _ in range(max(n_epochs, math.ceil(FEWEST_STEPS / len(batches)))):
        for batch, _, _ in batches:
            rows = batch.to(device)
            encodings = generator.encoder(rows)
            disturbed = encodings + LATENT_NOISE * torch.randn_like(encodings)
            loss = (generator(disturbed) - rows).abs().mean()
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
    return generator.eval()


def with_generated_class(rows: LacSample, generated: NDArray[np.float32]) -> LacSample:
    """Return the rows with generated ones as a further class, of code K.

    Examples
    --------
    >>> rows = LacSample.from_masked(np.eye(2, dtype=np.float32), [5, 7])
    >>> with_generated_class(rows, np.zeros((3, 2), np.float32)).y_labeled
    array([0, 1, 2, 2, 2])
    """
    codes = np.full(len(generated), rows.n_known_classes, dtype=rows.y_labeled.dtype)
    return replace(
        rows,
        X_labeled=np.concatenate([rows.X_labeled, generated]),
        y_labeled=np.concatenate([rows.y_labeled, codes]),
    )


class GeneratingParameters(TypedDict, total=False):
    """Parameters of `GeneratingClassifier` that its subclasses pass on."""

    n_generated: int | None
    n_latent: int
    generator_epochs: int


class GeneratingClassifier(LabeledClassifier):
    """Base of classifiers that learn from generated rows as an extra class.

    Parameters
    ----------
    n_generated : int, optional
        Number of generated rows; by default as many as labeled rows per known class, at most
        1000.
    n_latent : int, default=32
        Length of encodings.
    generator_epochs : int, default=15
        Passes over the rows to train the generator; at least 300 batches.
    network, augmentation, max_epochs, ... : see `DeepClassifier`

    Attributes
    ----------
    classes_, known_classes_, network_ : see `DeepClassifier`
    generator_ : RowGenerator
    generated_ : array
        Generated rows, scaled as the network takes them.
    history_ : list of dict
        Per epoch: objective, seconds; first without, then with the extra class.
    """

    _fewest_epochs = 1

    def __init__(
        self,
        network: Any = "auto",
        *,
        n_generated: int | None = None,
        n_latent: int = 32,
        generator_epochs: int = 15,
        **shared: Any,
    ) -> None:
        super().__init__(network, **shared)
        self.n_generated = n_generated
        self.n_latent = n_latent
        self.generator_epochs = generator_epochs

    def _check_parameters(self) -> None:
        if self.n_generated is not None:
            requirements.require_at_least("n_generated", self.n_generated, 2)
        requirements.require_at_least("n_latent", self.n_latent, 1)
        requirements.require_at_least("generator_epochs", self.generator_epochs, 1)
        super()._check_parameters()

    def _train_generator(self, rows: LacSample, seed: int) -> RowGenerator:
        return train_generator(
            torch.from_numpy(rows.X_labeled),
            n_latent=self.n_latent,
            n_epochs=self.generator_epochs,
            batch_size=self.batch_size,
            seed=seed,
            device=choose_device(self.device),
        )

    def _n_wanted(self, rows: LacSample) -> int:
        """Return how many rows the extra class gets; by default as many as a known one has."""
        if self.n_generated is not None:
            return self.n_generated
        return min(MOST_GENERATED, max(2, round(rows.n_labeled / rows.n_known_classes)))
