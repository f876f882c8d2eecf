"""Digits for training loops of your own: 0 to 4 labeled, all ten in the unlabeled rows."""

from dataclasses import dataclass

import numpy as np
import torch
from sklearn.datasets import load_digits
from torch.utils.data import TensorDataset

from eulac.data.lac_sample import LacSample
from eulac.deep.held_out_logits import proportion_of_logits


class Rows(torch.utils.data.Dataset):
    """Unlabeled rows, one tensor each."""

    def __init__(self, X: torch.Tensor):
        self.X = X

    def __len__(self) -> int:
        return len(self.X)

    def __getitem__(self, place: int) -> torch.Tensor:
        return self.X[place]


@dataclass(frozen=True)
class DigitsForLoops:
    """Labeled and unlabeled rows to learn from, both kinds held out, and test rows."""

    labeled: TensorDataset
    unlabeled: Rows
    held_out: LacSample
    X_test: torch.Tensor
    is_new: np.ndarray

    @classmethod
    def drawn(cls, seed: int) -> "DigitsForLoops":
        """Return rows in an order of that seed, pixels between -1 and 1."""
        X, y = load_digits(return_X_y=True)
        X = torch.tensor(X / 8 - 1, dtype=torch.float32)
        order = np.random.default_rng(seed).permutation(len(X))
        first, pool, test = np.split(order, [700, 1400])
        known = first[y[first] < 5]
        kept, apart = known[: 4 * len(known) // 5], known[4 * len(known) // 5 :]
        codes = torch.tensor(y)
        return cls(
            TensorDataset(X[kept], codes[kept]),
            Rows(X[pool[:560]]),
            LacSample.from_masked(
                np.vstack([X[apart], X[pool[560:]]]), np.append(y[apart], np.full(140, -1))
            ),
            X[test],
            y[test] >= 5,
        )


def held_out_share(network: torch.nn.Module, rows: DigitsForLoops) -> float:
    """Return the known share that the network's outputs for rows held out speak for."""
    held_out = rows.held_out
    was_training = network.training
    with torch.no_grad():
        parts = (held_out.X_labeled, held_out.X_unlabeled)
        logits = [network.eval()(torch.tensor(X, dtype=torch.float32)).numpy() for X in parts]
    network.train(was_training)
    frequency = held_out.labeled_frequency
    return proportion_of_logits(held_out, (logits[0], logits[1]), frequency, seed=0).total
