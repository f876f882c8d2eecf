"""Rows moved on trial: what drift may do to labeled rows, in several ways and by more or less.

Nobody knows beforehand how known classes have moved. These moves are examples, strong and weak, of
what goes wrong in practice: noise, an offset of some columns, another scale, classes that each move
their own way, cells that are filled in wrongly. They show what known and new rows look like *after*
a move of that size, which is all they are used for. Sizes are in deviations of the labeled rows.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

__all__ = ["trial_moves"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

NOISE = (0.15, 0.3, 0.6)
OFFSETS = (0.25, 0.5, 1.0)
OF_CLASSES = (0.25, 0.5)
FACTOR = 1.8
EXCHANGED = (0.1, 0.25)
"""Shares of the cells that are exchanged within their column."""

FEW_VALUES = 5
"""A column of no more different values is a category: its cells are exchanged, nothing else."""


def trial_moves(X: Array, y: Codes, random_state: int | None = None) -> Mapping[str, Array]:
    """Return the rows as they are, and moved in different ways, by name.

    Parameters
    ----------
    X : array of shape (n, n_columns)
    y : int array of shape (n,)
        Class codes.
    random_state : int, optional

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(40, 4))
    >>> moves = trial_moves(X, np.arange(40) % 2, 0)
    >>> list(moves)[:4]
    ['none', 'noise 0.15', 'noise 0.3', 'noise 0.6']
    >>> bool((moves["none"] == X).all())
    True
    """
    rng = np.random.default_rng(random_state)
    moves = {"none": X}
    measured = [i for i in range(X.shape[1]) if len(np.unique(X[:, i])) > FEW_VALUES]
    if measured:
        deviation = np.zeros(X.shape[1])
        deviation[measured] = X[:, measured].std(axis=0)
        moves |= _moves_of_numbers(X, y, deviation, rng)
    for share in EXCHANGED:
        moves[f"exchanged {share}"] = _exchanged(X, share, rng)
    return moves


def _moves_of_numbers(
    X: Array, y: Codes, deviation: Array, rng: np.random.Generator
) -> dict[str, Array]:
    """Return moves of columns that are measured; others have a deviation of zero here."""
    columns = np.flatnonzero(deviation)
    moves = {f"noise {size}": X + size * deviation * rng.normal(size=X.shape) for size in NOISE}
    for size in OFFSETS:
        offset = np.zeros(X.shape[1])
        some = rng.choice(columns, max(1, len(columns) // 4), replace=False)
        offset[some] = size * deviation[some] * rng.choice([-1.0, 1.0], len(some))
        moves[f"offset {size}"] = X + offset
    for size in OF_CLASSES:
        signs = rng.choice([-1.0, 1.0], (int(y.max()) + 1, X.shape[1]))
        moves[f"classes {size}"] = X + size * deviation * signs[y]
    factors = np.ones(X.shape)
    factors[np.arange(len(X)), rng.choice(columns, len(X))] = FACTOR
    moves[f"scale {FACTOR}"] = X * factors
    return moves


def _exchanged(X: Array, share: float, rng: np.random.Generator) -> Array:
    """Return rows some cells of which hold what another row has in that column."""
    others = np.take_along_axis(
        X, rng.permuted(np.tile(np.arange(len(X))[:, None], X.shape[1]), axis=0), axis=0
    )
    return np.where(rng.random(X.shape) < share, others, X)
