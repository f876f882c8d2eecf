"""The mean of a network's weights over its last steps: better, and steadier, than the last ones."""

import copy
from typing import Any

import torch
from torch import Tensor, nn

__all__ = ["AveragedWeights"]

EVERY = 4
"""Steps from one weight to the next that enters: neighbors say the same."""

WINDOW = 0.1
"""Share of all steps that the mean looks back."""


class AveragedWeights:
    """A network whose weights follow those of another one, as a moving mean.

    Statistics of batch normalization are averaged as the weights are: they are means over batches
    of the same steps. Until there have been as many steps as the window is long, the mean is that
    of all of them.

    Parameters
    ----------
    network : nn.Module
        The one in training.
    n_steps : int
        Of the whole training.

    Attributes
    ----------
    network : nn.Module
        A copy with the mean weights, in evaluation mode.

    Examples
    --------
    >>> followed = nn.Linear(1, 1)
    >>> averaged = AveragedWeights(followed, n_steps=1000)
    >>> for value in range(12):
    ...     _ = nn.init.constant_(followed.bias, value)
    ...     averaged.step(followed)
    >>> averaged.network.bias.item()  # of the steps 3, 7 and 11
    7.0
    """

    def __init__(self, network: nn.Module, n_steps: int):
        self.network = copy.deepcopy(network).eval()
        self.slowest = min(EVERY / max(WINDOW * n_steps, 1.0), 1.0)
        self.n_steps = 0

    def step(self, network: nn.Module) -> None:
        """Follow the network after one of its steps."""
        self.n_steps += 1
        if self.n_steps % EVERY:
            return
        share = max(self.slowest, EVERY / self.n_steps)
        own, theirs = self.network.state_dict(), network.state_dict()
        floats = [name for name, value in own.items() if value.is_floating_point()]
        with torch.no_grad():
            means: list[Tensor] = [own[name] for name in floats]
            torch._foreach_lerp_(means, [theirs[name] for name in floats], share)
            for name in own.keys() - set(floats):
                own[name].copy_(theirs[name])

    def state(self) -> dict[str, Any]:
        """Return what is needed to go on."""
        return {"weights": self.network.state_dict(), "n_steps": self.n_steps}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from a stored state."""
        self.network.load_state_dict(state["weights"])
        self.n_steps = state["n_steps"]
