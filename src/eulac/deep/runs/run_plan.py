"""How long to train, how fast, and what may be done to images: from the rows, not constants."""

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import cross_val_predict
from torch import nn

__all__ = [
    "affordable_epochs",
    "may_be_mirrored",
    "planned_epochs",
    "planned_rate",
    "require_seconds",
]

TABLE_STEPS, IMAGE_STEPS = 600, 4500
"""Steps that pay. Digits have enough with a third of them; of photographs new ones go on to come
apart from known ones."""

FEWEST_EPOCHS, MOST_EPOCHS = 12, 100

SLANT_CELLS = 7
MIRRORED_ROWS = 2000
FEWEST_MIRRORED = 200
SYMMETRIC = 0.55
"""AUC of a forest that tells images from mirrored ones, below which nobody can."""

JUDGING = 1.1
"""Held-out rows are looked at after each epoch."""


def require_seconds(name: str, value: Any) -> None:
    """Refuse what is no length of time; None is none."""
    if value is None or (isinstance(value, int | float | np.number) and value > 0):
        return
    raise ValueError(f"`{name}` must be a positive number of seconds, or None; got {value!r}.")


def planned_epochs(input_shape: Sequence[int], n_batches: int) -> int:
    """Return for how many epochs to train, given the number of batches in one.

    As many steps as pay for the kind of rows, but every row is seen a dozen times at the least.

    Examples
    --------
    >>> planned_epochs((3, 32, 32), 113), planned_epochs((784,), 113)
    (40, 12)
    """
    steps = IMAGE_STEPS if len(input_shape) == 3 else TABLE_STEPS
    return int(np.clip(round(steps / n_batches), FEWEST_EPOCHS, MOST_EPOCHS))


def affordable_epochs(
    n_epochs: int, n_batches: int, time_budget: float, run_batches: Callable[[int], Any]
) -> int:
    """Return for how many epochs the time is enough; at least one.

    Parameters
    ----------
    n_epochs : int
        Wanted.
    n_batches : int
        In an epoch.
    time_budget : float
        Seconds.
    run_batches : callable
        Trains on so many batches, something that is thrown away.

    Examples
    --------
    >>> affordable_epochs(40, 10, 1e-9, lambda n: None), affordable_epochs(40, 10, 60.0, range)
    (1, 40)
    """
    run_batches(1)  # the first one pays for what is made once
    start = time.perf_counter()
    run_batches(3)
    an_epoch = JUDGING * n_batches * (time.perf_counter() - start) / 3
    return int(np.clip(time_budget / max(an_epoch, 1e-9), 1, n_epochs))


def planned_rate(network: nn.Module) -> float:
    """Return the largest learning rate of the schedule: normalized networks bear a larger one.

    Examples
    --------
    >>> planned_rate(nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))), planned_rate(nn.ReLU())
    (0.002, 0.0005)
    """
    kinds = (nn.modules.batchnorm._BatchNorm, nn.GroupNorm, nn.LayerNorm)
    return 2e-3 if any(isinstance(part, kinds) for part in network.modules()) else 5e-4


def may_be_mirrored(images: NDArray[Any], seed: int) -> bool:
    """Return whether mirrored images look like the others: then they may be trained on.

    A forest tries to tell them apart, by slants of edges in the cells of a grid. Digits and
    letters are written one way round, most things that are photographed are not.

    Parameters
    ----------
    images : array of shape (n, channels, height, width)
    seed : int

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> may_be_mirrored(rng.normal(size=(400, 1, 16, 16)), seed=0)
    True
    >>> may_be_mirrored(np.eye(16) + rng.normal(size=(400, 1, 16, 16)), seed=0)
    False
    """
    rows = np.random.default_rng(seed).permutation(len(images))[:MIRRORED_ROWS]
    if len(rows) < FEWEST_MIRRORED or min(images.shape[2:]) <= SLANT_CELLS:
        return False
    slants = _slants(images[rows])
    mirrored = np.arange(len(rows)) % 2 == 0
    slants[mirrored] = _slants(images[rows][mirrored][..., ::-1])
    forest = ExtraTreesClassifier(100, min_samples_leaf=2, random_state=seed)
    found = cross_val_predict(forest, slants, mirrored, cv=3, method="predict_proba")[:, 1]
    return bool(roc_auc_score(mirrored, found) < SYMMETRIC)


def _slants(images: NDArray[Any]) -> NDArray[np.float64]:
    """Return the mean of slope down times slope across in each cell: its sign is that of slants."""
    gray = images.mean(axis=1, dtype=np.float64)
    slants = np.diff(gray, axis=1)[:, :, :-1] * np.diff(gray, axis=2)[:, :-1]
    height, width = (size // SLANT_CELLS for size in slants.shape[1:])
    cells = slants[:, : SLANT_CELLS * height, : SLANT_CELLS * width]
    grid = cells.reshape(len(cells), SLANT_CELLS, height, SLANT_CELLS, width)
    return np.asarray(grid.mean(axis=(2, 4)).reshape(len(cells), -1))
