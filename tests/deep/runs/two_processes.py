"""A worker of two that train together, for `test_process_sums.py`."""

import os
from datetime import timedelta

import torch
from torch import distributed, nn

from eulac.deep.lac_losses import LacLoss, MulticlassLacLoss

LOSSES = {
    "per_class": lambda: LacLoss([0.9, 0.7], "logistic"),
    "aggregate": lambda: LacLoss([0.9, 0.7], "sigmoid", rectify="aggregate", strength=0.5),
    "uncorrected": lambda: LacLoss([0.9, 0.7], "square", rectify=None),
    "generalized": lambda: MulticlassLacLoss([0.9, 0.7]),
}
ROWS = {"labeled": (5, 7), "unlabeled": (9, 4)}
"""Of the first and of the second process: unequal, and in unequal ratios."""


def network(scale):
    """Return a small network; of a large scale some brackets are negative."""
    torch.manual_seed(0)
    layers = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 3)).double()
    with torch.no_grad():
        layers[2].weight *= scale
    return layers


def joint_batch():
    generator = torch.Generator().manual_seed(1)
    labeled = torch.randn(sum(ROWS["labeled"]), 3, generator=generator).double()
    unlabeled = torch.randn(sum(ROWS["unlabeled"]), 3, generator=generator).double()
    return labeled, torch.arange(len(labeled)) % 2, unlabeled


def gradients(model, loss, X, y, U):
    """Return risk, smallest bracket and gradients of one batch."""
    logits = model(torch.cat([X, U]))
    value = loss.double()(logits[: len(X)], y, logits[len(X) :])
    value.objective.backward()
    return value.risk, value.bracket, [parameter.grad for parameter in model.parameters()]


def second_process(index, store, results):
    """Be the second of two processes."""
    torch.save(work(1, store), results)


def work(rank, store):
    """Take part in training: own rows, gradients averaged by DistributedDataParallel."""
    os.environ["GLOO_SOCKET_IFNAME"] = "lo"
    distributed.init_process_group(
        *("gloo", f"file://{store}"),
        rank=rank,
        world_size=2,
        timeout=timedelta(seconds=300),
    )
    try:
        return results_of(rank)
    finally:
        distributed.destroy_process_group()


def results_of(rank):
    """Return gradients of all losses, and a risk in evaluation mode."""
    X, y, U = joint_batch()
    rows, others = (slice(rank * first, first + rank * second) for first, second in ROWS.values())
    found = {}
    for name, make in LOSSES.items():
        for scale in (1.0, 30.0):
            model = nn.parallel.DistributedDataParallel(network(scale))
            found[name, scale] = gradients(model, make(), X[rows], y[rows], U[others])
    alone = LOSSES["generalized"]().double().eval()
    return {"found": found, "alone": alone(X[rows], y[rows], U[others]).risk}
