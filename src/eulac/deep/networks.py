"""Networks by name: the paper's three, a compact residual network, and one for tables.

Inputs are (n, channels, height, width), or (n, features) for "mlp".
"""

import copy
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

import torch
from torch import Tensor, nn

from eulac.data.requirements import require_choice

__all__ = ["NETWORKS", "build_network", "compact_resnet", "mlp", "paper_cnn", "vgg"]

VGG_PLANS: dict[int, tuple[int | str, ...]] = {
    13: (64, 64, "pool", 128, 128, "pool", 256, 256, "pool", 512, 512, "pool", 512, 512, "pool"),
    16: (
        *(64, 64, "pool", 128, 128, "pool", 256, 256, 256, "pool"),
        *(512, 512, 512, "pool", 512, 512, 512, "pool"),
    ),
}


def build_network(
    network: str | nn.Module | Callable[..., nn.Module],
    input_shape: Sequence[int],
    n_outputs: int,
) -> nn.Module:
    """Return the network of a name, of a function of input shape and outputs, or a copy of one.

    Examples
    --------
    >>> network = build_network("compact_resnet", (1, 28, 28), 7)
    >>> network(torch.zeros(2, 1, 28, 28)).shape
    torch.Size([2, 7])
    """
    if isinstance(network, nn.Module):
        return _with_outputs(copy.deepcopy(network), input_shape, n_outputs)
    if callable(network):
        return _with_outputs(network(tuple(input_shape), n_outputs), input_shape, n_outputs)
    require_choice("network", network, tuple(NETWORKS))
    if network != "mlp" and len(input_shape) != 3:
        raise ValueError(
            f"network {network!r} needs images (channels, height, width); got rows of shape "
            f"{tuple(input_shape)}. Use 'mlp', or pass a function that builds a network."
        )
    built = NETWORKS[network](tuple(input_shape), n_outputs)
    # Channels last in memory: a fifth less time on processors. Not for networks of the user, whose
    # `view` of features would refuse it.
    for weights in built.parameters():
        if weights.ndim == 4:
            weights.data = weights.data.contiguous(memory_format=torch.channels_last)
    return built


def without_memory() -> AbstractContextManager[Any]:
    """Return a context in which networks have shapes and take no memory, whatever their size.

    Examples
    --------
    >>> with without_memory():
    ...     network = build_network("mlp", (10**9,), 10**9)
    >>> next(network.parameters()).shape[1]
    1000000000
    """
    return torch.device("meta")


def _with_outputs(network: nn.Module, input_shape: Sequence[int], n_outputs: int) -> nn.Module:
    """Return a user's network after a look at what it gives out."""
    was_training = network.training
    with torch.no_grad():
        shape = tuple(network.eval()(torch.zeros(2, *input_shape)).shape)
    network.train(was_training)
    if shape != (2, n_outputs):
        raise ValueError(
            f"the network must have {n_outputs} outputs, the known classes' first and the "
            f"augmented one's last; two rows of shape {tuple(input_shape)} gave {shape}."
        )
    return network


def paper_cnn(input_shape: Sequence[int], n_outputs: int) -> nn.Module:
    """Return the paper's network for mnist: two convolutions, five dense layers of 390."""
    channels, height, width = input_shape
    layers: list[nn.Module] = [
        *(nn.Conv2d(channels, 32, 3), nn.ReLU(), nn.Conv2d(32, 64, 3), nn.ReLU()),
        *(nn.MaxPool2d(2), nn.Flatten()),
    ]
    size = 64 * ((height - 4) // 2) * ((width - 4) // 2)
    for _ in range(5):
        layers += [nn.Dropout(0.2), nn.Linear(size, 390), nn.ReLU()]
        size = 390
    return nn.Sequential(*layers, nn.Linear(size, n_outputs))


def vgg(
    depth: int, input_shape: Sequence[int], n_outputs: int, *, batch_norm: bool = True
) -> nn.Module:
    """Return VGG-13 or VGG-16 for small images, with global pooling before the last layer."""
    channels = input_shape[0]
    layers: list[nn.Module] = []
    for width in VGG_PLANS[depth]:
        if isinstance(width, str):
            layers.append(nn.MaxPool2d(2, ceil_mode=True))
            continue
        layers.append(nn.Conv2d(channels, width, 3, padding=1, bias=not batch_norm))
        layers += [nn.BatchNorm2d(width), nn.ReLU()] if batch_norm else [nn.ReLU()]
        channels = width
    return nn.Sequential(
        *layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, n_outputs)
    )


class _Residual(nn.Module):
    """Two convolutions and a shortcut, halving the image where the width changes."""

    def __init__(self, channels: int, width: int, stride: int):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(channels, width, 3, stride, padding=1, bias=False),
            nn.BatchNorm2d(width),
            nn.ReLU(),
            nn.Conv2d(width, width, 3, padding=1, bias=False),
            nn.BatchNorm2d(width),
        )
        self.shortcut: nn.Module = nn.Identity()
        if stride > 1 or channels != width:
            self.shortcut = nn.Conv2d(channels, width, 1, stride, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(self.body(x) + self.shortcut(x))


def compact_resnet(
    input_shape: Sequence[int], n_outputs: int, widths: Sequence[int] = (32, 64, 128)
) -> nn.Module:
    """Return a residual network small enough to train on a laptop's processor."""
    first = widths[0]
    layers: list[nn.Module] = [
        nn.Conv2d(input_shape[0], first, 3, 2 if input_shape[1] > 20 else 1, padding=1, bias=False),
        nn.BatchNorm2d(first),
        nn.ReLU(),
    ]
    channels = first
    for width in widths:
        layers.append(_Residual(channels, width, 1 if width == first else 2))
        channels = width
    return nn.Sequential(
        *layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, n_outputs)
    )


def mlp(input_shape: Sequence[int], n_outputs: int, width: int = 256) -> nn.Module:
    """Return two hidden layers with batch normalization, for tables and embeddings."""
    size = 1
    for length in input_shape:
        size *= length
    layers: list[nn.Module] = [nn.Flatten()]
    for _ in range(2):
        layers += [nn.Linear(size, width, bias=False), nn.BatchNorm1d(width), nn.ReLU()]
        size = width
    return nn.Sequential(*layers, nn.Linear(size, n_outputs))


NETWORKS: dict[str, Callable[..., nn.Module]] = {
    "paper_cnn": paper_cnn,
    "vgg13": lambda shape, n: vgg(13, shape, n, batch_norm=False),
    "vgg16_bn": lambda shape, n: vgg(16, shape, n),
    "compact_resnet": compact_resnet,
    "mlp": mlp,
}
