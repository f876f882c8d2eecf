"""A training step with the LAC losses against the same step with plain cross entropy.

The paper's network for mnist, 500 labeled and 500 unlabeled rows in a batch, one thread. The steps
of all losses take turns, a different one first in every round, so that a busy machine slows all of
them alike; cross entropy runs a second time as one of them, to show what is noise.
"""

import sys
import time
from importlib.util import find_spec

import numpy as np

from timing import THREADS, report

BATCH, N_KNOWN, N_ROUNDS = 500, 6, 15


def main() -> None:
    if find_spec("torch") is None:
        print("Left out: it needs torch (pip install 'eulac[deep]').", file=sys.stderr)
        return
    import torch

    from eulac.deep.lac_losses import LacLoss, MulticlassLacLoss
    from eulac.deep.networks import build_network

    torch.set_num_threads(THREADS)
    torch.manual_seed(0)
    rows = torch.randn(2 * BATCH, 1, 28, 28)
    y = torch.randint(N_KNOWN, (BATCH,))
    network = build_network("paper_cnn", (1, 28, 28), N_KNOWN + 1)
    optimizer = torch.optim.Adam(network.parameters(), 1e-5, weight_decay=5e-3)
    everything = torch.cat([y, torch.full((BATCH,), N_KNOWN)])
    weights = [0.6] * N_KNOWN
    losses = {
        "cross_entropy": lambda f: torch.nn.functional.cross_entropy(f, everything),
        "sigmoid_per_class": paired(LacLoss(weights), y),
        "sigmoid_aggregate": paired(LacLoss(weights, rectify="aggregate"), y),
        "generalized": paired(MulticlassLacLoss(weights), y),
        "cross_entropy_again": lambda f: torch.nn.functional.cross_entropy(f, everything),
    }
    names = list(losses)
    seconds: dict[str, list[float]] = {name: [] for name in names}
    for turn in range(N_ROUNDS):
        first = turn % len(names)
        for name in names[first:] + names[:first]:
            start = time.process_time()
            value = losses[name](network(rows))
            optimizer.zero_grad(set_to_none=True)
            value.backward()
            optimizer.step()
            seconds[name].append(time.process_time() - start)
    best = {name: float(np.min(values[1:])) for name, values in seconds.items()}
    for name in names[1:]:
        report(
            f"deep_step_{name}_vs_cross_entropy",
            ratio=best[name] / best["cross_entropy"],
            limit=1.05,
            seconds=best[name],
            sizes=f"{BATCH} labeled + {BATCH} unlabeled rows of 28 x 28, paper_cnn",
            threads=THREADS,
        )


def paired(loss, y):
    return lambda logits: loss(logits[:BATCH], y, logits[BATCH:]).objective


if __name__ == "__main__":
    main()
