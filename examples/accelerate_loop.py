"""Train any network with Accelerate: a loop of your own, on whatever devices there are.

    pip install "eulac[deep]" accelerate
    python examples/accelerate_loop.py
    torchrun --nproc_per_node 2 examples/accelerate_loop.py

Half of the digits are known. A few passes warm up with the loss that needs no proportion; then the
known proportion is read off the network's outputs for rows held out, and the paper's risk follows.
On several processes nothing changes: the losses sum their brackets over all of them.
"""

from itertools import cycle

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from digits_for_loops import DigitsForLoops, held_out_share
from sklearn.metrics import roc_auc_score
from torch.utils.data import DataLoader

from eulac import LacLoss
from eulac.deep.lac_losses import LabeledAgainstUnlabeledLoss
from eulac.deep.networks import build_network
from eulac.risk.evidence import augmented_log_odds


def train(accelerator: Accelerator, prepared: tuple, loss: torch.nn.Module, n_epochs: int) -> None:
    """Pass over the unlabeled rows so many times; labeled ones begin anew as often as it takes."""
    network, optimizer, labeled, unlabeled = prepared
    loss = loss.to(accelerator.device)
    network.train()
    for _ in range(n_epochs):
        for (X, y), U in zip(cycle(labeled), unlabeled):
            logits = network(torch.cat([X, U]))
            value = loss(logits[: len(X)], y, logits[len(X) :])
            optimizer.zero_grad()
            accelerator.backward(value.objective)
            optimizer.step()


def main() -> float:
    set_seed(0)
    accelerator = Accelerator(cpu=True)
    rows = DigitsForLoops.drawn(seed=0)
    network = build_network("mlp", (64,), 6)
    prepared = accelerator.prepare(
        network,
        torch.optim.AdamW(network.parameters(), lr=2e-3),
        DataLoader(rows.labeled, 64, shuffle=True),
        DataLoader(rows.unlabeled, 64, shuffle=True),
    )
    train(accelerator, prepared, LabeledAgainstUnlabeledLoss(), n_epochs=10)
    network = accelerator.unwrap_model(prepared[0])
    share = held_out_share(network, rows)
    train(accelerator, prepared, LacLoss([share] * 5), n_epochs=20)
    with torch.no_grad():
        logits = network.eval()(rows.X_test.to(accelerator.device)).cpu().numpy()
    auc = float(roc_auc_score(rows.is_new, augmented_log_odds(logits)))
    accelerator.print(f"known share {share:.2f}, AUC of new digits {auc:.3f}")
    return auc


if __name__ == "__main__":
    main()
