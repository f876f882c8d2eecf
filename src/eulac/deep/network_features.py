"""What a network knows of a row before its last layer: features for any other classifier."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from eulac.deep.training import EVALUATION_ROWS

__all__ = ["network_features"]


def network_features(
    network: nn.Module, X: Tensor, device: torch.device | None = None
) -> NDArray[np.float64]:
    """Return what enters the last linear layer of a network, a row for each row.

    Parameters
    ----------
    network : nn.Module
        The linear layer that is called last counts as the last.
    X : tensor
        Rows as the network takes them.
    device : torch.device, optional
        Where the network is; the processor by default.

    Examples
    --------
    >>> network = nn.Sequential(nn.Linear(2, 5), nn.ReLU(), nn.Linear(5, 3))
    >>> network_features(network, torch.zeros(4, 2)).shape
    (4, 5)
    """
    network.eval()
    pieces = []
    with torch.no_grad(), _inputs_of_linear_layers(network) as seen:
        for piece in torch.split(X, EVALUATION_ROWS):
            network(piece if device is None else piece.to(device))
            pieces.append(_last(seen, len(piece)))
    return torch.cat(pieces).double().numpy()


@contextmanager
def _inputs_of_linear_layers(network: nn.Module) -> Iterator[list[Tensor]]:
    """Note what enters linear layers while a network is called."""
    seen: list[Tensor] = []

    def note(module: nn.Module, inputs: tuple[Any, ...]) -> None:
        seen.append(inputs[0])

    layers = [layer for layer in network.modules() if isinstance(layer, nn.Linear)]
    hooks = [layer.register_forward_pre_hook(note) for layer in layers]
    try:
        yield seen
    finally:
        for hook in hooks:
            hook.remove()


def _last(seen: list[Tensor], n_rows: int) -> Tensor:
    if not seen or len(seen[-1]) != n_rows:
        raise ValueError(
            "features are what enters a network's last linear layer; this one has none that is "
            "called with a row for each row. Pass a function of rows as `encoder` instead."
        )
    last = seen[-1].flatten(1).cpu()
    seen.clear()
    return last
