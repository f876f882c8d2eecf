"""Paired batches of labeled and unlabeled rows, and the augmentation of images."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

__all__ = ["AUGMENTATIONS", "Batches", "PairedBatches", "flips", "no_augmentation", "shifts"]

Augmentation = Callable[[Tensor, torch.Generator], Tensor]


class Batches(Protocol):
    """Batches of labeled rows, their codes, and unlabeled rows; a pass over them is an epoch."""

    generator: torch.Generator

    def __len__(self) -> int:
        """Return the number of batches in an epoch."""

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
        """Yield the batches of an epoch."""


@dataclass(eq=False)
class PairedBatches:
    """Batches with rows of both samples; an epoch passes once over the longer one.

    Without unlabeled rows batches have labeled ones only.

    Attributes
    ----------
    X_labeled, y_labeled, X_unlabeled : tensors
    n_labeled, n_unlabeled : int
        Rows of each kind in a batch.
    generator : torch.Generator
        Its state is all that has to be kept to go on where a run stopped.
    augment : callable
        From rows and the generator to rows.
    fewest : int
        Batches in an epoch at the least: small samples are passed over several times.

    Examples
    --------
    >>> rows, y = torch.zeros(4, 2), torch.tensor([0, 1, 0, 1])
    >>> batches = PairedBatches(rows, y, torch.ones(10, 2), 2, 4, torch.Generator())
    >>> [(len(X), len(y), len(U)) for X, y, U in batches]
    [(2, 2, 4), (2, 2, 4), (2, 2, 4)]
    """

    X_labeled: Tensor
    y_labeled: Tensor
    X_unlabeled: Tensor
    n_labeled: int
    n_unlabeled: int
    generator: torch.Generator
    augment: Augmentation = lambda rows, generator: rows
    fewest: int = 1

    def __len__(self) -> int:
        per_sample = (
            (len(self.X_labeled), self.n_labeled),
            (len(self.X_unlabeled), self.n_unlabeled),
        )
        return max(self.fewest, *(-(-rows // size) for rows, size in per_sample if rows))

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
        n_batches = len(self)
        labeled = self._order(len(self.X_labeled), n_batches * self.n_labeled)
        unlabeled = self._order(len(self.X_unlabeled), n_batches * self.n_unlabeled)
        for batch in range(n_batches):
            rows = labeled[batch * self.n_labeled : (batch + 1) * self.n_labeled]
            others = unlabeled[batch * self.n_unlabeled : (batch + 1) * self.n_unlabeled]
            yield (
                self.augment(self.X_labeled[rows], self.generator),
                self.y_labeled[rows],
                self.augment(self.X_unlabeled[others], self.generator),
            )

    def _order(self, n_rows: int, n_wanted: int) -> Tensor:
        """Permutations one after the other, until there are as many as wanted."""
        if not n_rows:
            return torch.empty(0, dtype=torch.long)
        rounds = -(-n_wanted // n_rows)
        orders = [torch.randperm(n_rows, generator=self.generator) for _ in range(rounds)]
        return torch.cat(orders)[:n_wanted]


def no_augmentation(rows: Tensor, generator: torch.Generator) -> Tensor:
    """Return the rows as they are."""
    return rows


def shifts(rows: Tensor, generator: torch.Generator, *, reach: int | None = None) -> Tensor:
    """Return images moved by up to `reach` pixels, the edges filled with what is nearest.

    By default a fourteenth of the smaller side: two pixels of 28, none of 8.
    """
    n, channels, height, width = rows.shape
    reach = min(height, width) // 14 if reach is None else reach
    offsets = torch.randint(-reach, reach + 1, (2, n), generator=generator)
    down = (torch.arange(height) + offsets[0][:, None]).clamp(0, height - 1)
    across = (torch.arange(width) + offsets[1][:, None]).clamp(0, width - 1)
    pixels = (down[:, :, None] * width + across[:, None, :]).reshape(n, 1, height * width)
    moved = rows.flatten(2).gather(2, pixels.expand(-1, channels, -1))
    return moved.reshape(rows.shape)


def flips(rows: Tensor, generator: torch.Generator) -> Tensor:
    """Return images moved and, every other one, mirrored."""
    rows = shifts(rows, generator)
    mirrored = torch.rand(len(rows), generator=generator) < 0.5
    return torch.where(mirrored[:, None, None, None], rows.flip(3), rows)


AUGMENTATIONS: dict[str | None, Augmentation] = {
    None: no_augmentation,
    "shifts": shifts,
    "flips": flips,
}
