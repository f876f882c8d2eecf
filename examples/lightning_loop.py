"""Train any network with Lightning: `LacLoss` needs labeled and unlabeled rows in one step.

    pip install "eulac[deep]" lightning
    python examples/lightning_loop.py

Half of the digits are known. A few passes warm up with the loss that needs no proportion; then the
known proportion is read off the network's outputs for rows held out, and the paper's risk follows.
On several processes nothing changes: the losses sum their brackets over all of them.
"""

import lightning
import torch
from digits_for_loops import DigitsForLoops, held_out_share
from lightning.pytorch.utilities import CombinedLoader
from sklearn.metrics import roc_auc_score
from torch.utils.data import DataLoader

from eulac import LacLoss
from eulac.deep.lac_losses import LabeledAgainstUnlabeledLoss
from eulac.deep.networks import build_network
from eulac.risk.evidence import augmented_log_odds


class LacModule(lightning.LightningModule):
    """A network of K + 1 outputs and the loss it is trained by, which may be exchanged."""

    def __init__(self, network: torch.nn.Module, loss: torch.nn.Module):
        super().__init__()
        self.network, self.loss = network, loss

    def training_step(self, batch, batch_idx):
        """Pass both samples through the network in one batch."""
        (X, y), U = batch["labeled"], batch["unlabeled"]
        logits = self.network(torch.cat([X, U]))
        value = self.loss(logits[: len(X)], y, logits[len(X) :])
        self.log("risk", value.risk, sync_dist=True)
        return value.objective

    def configure_optimizers(self):
        """Return the optimizer."""
        return torch.optim.AdamW(self.parameters(), lr=2e-3)


def train(module: LacModule, rows: DigitsForLoops, n_epochs: int) -> None:
    loaders = CombinedLoader(
        {
            "labeled": DataLoader(rows.labeled, 64, shuffle=True),
            "unlabeled": DataLoader(rows.unlabeled, 64, shuffle=True),
        },
        "max_size_cycle",
    )
    quiet = {"logger": False, "enable_checkpointing": False, "enable_progress_bar": False}
    lightning.Trainer(max_epochs=n_epochs, accelerator="cpu", **quiet).fit(module, loaders)


def main() -> float:
    lightning.seed_everything(0)
    rows = DigitsForLoops.drawn(seed=0)
    module = LacModule(build_network("mlp", (64,), 6), LabeledAgainstUnlabeledLoss())
    train(module, rows, n_epochs=10)
    share = held_out_share(module.network, rows)
    module.loss = LacLoss([share] * 5)
    train(module, rows, n_epochs=20)
    with torch.no_grad():
        logits = module.network.eval()(rows.X_test).numpy()
    auc = float(roc_auc_score(rows.is_new, augmented_log_odds(logits)))
    print(f"known share {share:.2f}, AUC of new digits {auc:.3f}")
    return auc


if __name__ == "__main__":
    main()
