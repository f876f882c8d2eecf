"""Losses of several processes as one: the risk of the joint batch, with its gradient.

Brackets are clamped, so the mean of the processes' risks is not the risk of all rows: their parts
must be summed first. Works in `torch.distributed` with `DistributedDataParallel`, which averages
gradients; each process then has the gradient of the joint batch.
"""

from typing import Any, NamedTuple

import torch
from torch import Tensor, distributed

__all__ = ["BatchShares", "n_processes", "summed_over_processes"]


def n_processes() -> int:
    """Return how many processes train together; 1 without a process group.

    Examples
    --------
    >>> n_processes()
    1
    """
    if not (distributed.is_available() and distributed.is_initialized()):
        return 1
    return int(distributed.get_world_size())


class BatchShares(NamedTuple):
    """Which shares of the joint batch's labeled and unlabeled rows this process has.

    Examples
    --------
    >>> BatchShares.of(torch.zeros(4, 3), torch.zeros(8, 3))
    BatchShares(labeled=1.0, unlabeled=1.0)
    """

    labeled: float
    unlabeled: float

    @classmethod
    def of(cls, labeled: Tensor, unlabeled: Tensor) -> "BatchShares":
        """Return the shares of a batch; all processes must ask at the same time."""
        if n_processes() == 1:
            return cls(1.0, 1.0)
        own = torch.tensor([len(labeled), len(unlabeled)], dtype=torch.float64)
        every = own.to(labeled.device, copy=True)
        distributed.all_reduce(every)
        return cls(*(own / every.cpu()).tolist())


class _SumOverProcesses(torch.autograd.Function):
    """The sum of all processes' values; the gradient of each is the sum of all theirs."""

    @staticmethod
    def forward(ctx: Any, values: Tensor) -> Tensor:
        total = values.clone()
        distributed.all_reduce(total)
        return total

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Tensor:
        total = gradients[0].contiguous().clone()
        distributed.all_reduce(total)
        return total


def summed_over_processes(values: Tensor) -> Tensor:
    """Return the sum of a tensor over all processes, to be differentiated through.

    Examples
    --------
    >>> summed_over_processes(torch.ones(2))  # one process
    tensor([1., 1.])
    """
    if n_processes() == 1:
        return values
    total: Tensor = _SumOverProcesses.apply(values)  # type: ignore[no-untyped-call]
    return total
