"""Known classes moved by hand: what goes wrong between the labels and deployment, in six ways.

Unlabeled and test rows are changed together, known and new ones alike, except where one known
class moves alone. Sizes are in deviations of the labeled rows. In the sixth way no row changes:
each class has rows of two kinds, and deployment has another mix of them, as other sources do.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans

from eulac.data.splits import LacSplit

__all__ = ["MOVES", "OTHER_MIX", "SMALL_MOVES", "WAYS", "moved_split"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]
Move = Callable[[Array, NDArray[np.bool_], Array, np.random.Generator], Array]


def _scaled(X: Array, _: NDArray[np.bool_], deviation: Array, rng: np.random.Generator) -> Array:
    factors = np.ones(X.shape[1])
    factors[_one_column(deviation, rng)] = 1.8
    return X * factors


def _other_unit(
    X: Array, _: NDArray[np.bool_], deviation: Array, rng: np.random.Generator
) -> Array:
    factors = np.ones(X.shape[1])
    factors[_one_column(deviation, rng)] = 2.54
    return X * factors


def _one_class(
    X: Array, of_class: NDArray[np.bool_], deviation: Array, rng: np.random.Generator
) -> Array:
    signs = rng.choice([-1.0, 1.0], X.shape[1])
    return X + 0.5 * deviation * signs * of_class[:, None]


def _noisy(X: Array, _: NDArray[np.bool_], deviation: Array, rng: np.random.Generator) -> Array:
    return np.asarray(X + 0.3 * deviation * rng.normal(size=X.shape))


def _offset(X: Array, _: NDArray[np.bool_], deviation: Array, rng: np.random.Generator) -> Array:
    moved = np.zeros(X.shape[1])
    alive = np.flatnonzero(deviation > 0)
    some = rng.choice(alive, max(1, len(alive) // 4), replace=False)
    moved[some] = 0.5 * deviation[some]
    return X + moved


MOVES: Mapping[str, Move] = {
    "column x 1.8": _scaled,
    "one class": _one_class,
    "noise": _noisy,
    "offset": _offset,
    "other unit": _other_unit,
}
"""A column times 1.8; all columns of a class by half a deviation; noise of 0.3 deviations on all; a
quarter of the columns by half a deviation; a column times 2.54."""


def _one_column_of_a_class(
    X: Array, of_class: NDArray[np.bool_], deviation: Array, rng: np.random.Generator
) -> Array:
    moved = np.zeros(X.shape[1])
    column = _one_column(deviation, rng)
    moved[column] = 0.5 * deviation[column]
    return X + moved * of_class[:, None]


SMALL_MOVES: Mapping[str, Move] = {"one column of a class": _one_column_of_a_class}
"""One column of one class by half a deviation: what a test for drift may or may not see."""

OTHER_MIX = "other mix"
MIXES = (0.15, 0.65)
"""Share of the second of two kinds of rows in each class, in the labels and in deployment."""

WAYS = (*MOVES, OTHER_MIX)


def moved_split(split: LacSplit, kind: str, random_state: int) -> LacSplit:
    """Return the split with unlabeled and test rows moved.

    Examples
    --------
    >>> from eulac.data.splits import draw_split
    >>> X, y = np.random.default_rng(0).uniform(size=(60, 2)), np.arange(60) % 4
    >>> split = draw_split(X, y, n_labeled=10, n_unlabeled=20, n_test=20, random_state=0)
    >>> moved = moved_split(split, "column x 1.8", 0)
    >>> ratio = moved.X_test / split.X_test
    >>> sorted(ratio[0].round(3).tolist())
    [1.0, 1.8]
    """
    rng = np.random.default_rng(random_state)
    sample = split.sample
    if kind == OTHER_MIX:
        return _other_mix(split, rng)
    deviation = sample.X_labeled.std(axis=0)
    label = rng.choice(split.known_classes)
    X = np.vstack([sample.X_unlabeled, split.X_test])
    of_class = np.append(split.y_unlabeled, split.y_test) == label
    moved = {**MOVES, **SMALL_MOVES}[kind](X, of_class, deviation, rng)
    unlabeled, test = np.split(moved, [sample.n_unlabeled])
    return replace(split, sample=sample.with_rows(X_unlabeled=unlabeled), X_test=test)


def _other_mix(split: LacSplit, rng: np.random.Generator) -> LacSplit:
    """Return fewer rows of the split: two kinds of each known class in another mix than labeled.

    The kinds are two groups of k-means. New rows are thinned as much as known ones.
    """
    sample, known = split.sample, split.sample.n_known_classes
    samples = sample.X_labeled, sample.X_unlabeled, split.X_test
    codes = [sample.y_labeled, *map(sample.codec.encode, (split.y_unlabeled, split.y_test))]
    kinds = [np.zeros(len(one), dtype=bool) for one in codes]
    for code in range(known):
        rows = [X[y == code] for X, y in zip(samples, codes, strict=True)]
        if sum(map(len, rows)) < 2:  # too few for two kinds
            continue
        groups = KMeans(2, n_init=3, random_state=int(rng.integers(2**31 - 1)))
        second = groups.fit_predict(np.vstack(rows)) == rng.integers(2)
        ends = np.cumsum([len(one) for one in rows])[:-1]
        for kind, y, found in zip(kinds, codes, np.split(second, ends), strict=True):
            kind[y == code] = found
    labeled, unlabeled, test = (
        _with_mix(kind, y, known, mix, rng)
        for kind, y, mix in zip(kinds, codes, (MIXES[0], MIXES[1], MIXES[1]), strict=True)
    )
    return replace(
        split,
        sample=sample.taken(labeled, unlabeled),
        y_unlabeled=split.y_unlabeled[unlabeled],
        X_test=split.X_test[test],
        y_test=split.y_test[test],
    )


def _with_mix(
    second: NDArray[np.bool_], y: Codes, augmented: int, mix: float, rng: np.random.Generator
) -> Codes:
    """Return rows that give the mix in each known class, and the same part of the new ones."""
    kept: list[Codes] = []
    for code in range(augmented):
        first, rest = (
            rng.permutation(np.flatnonzero((y == code) & (second == flag)))
            for flag in (False, True)
        )
        size = min(len(first) / (1.0 - mix), len(rest) / mix)
        if size == 0.0:  # of a few rows all may be of one kind: they stay
            size = len(first) / (1.0 - mix) + len(rest) / mix
        kept += [first[: math.ceil(size * (1.0 - mix))], rest[: math.ceil(size * mix)]]
    new = np.flatnonzero(y == augmented)
    part_kept = sum(map(len, kept)) / max(float(np.mean(y < augmented)) * len(y), 1.0)
    kept.append(rng.permutation(new)[: round(part_kept * len(new))])
    return np.sort(np.concatenate(kept))


def _one_column(deviation: Array, rng: np.random.Generator) -> int:
    return int(rng.choice(np.flatnonzero(deviation > 0)))
