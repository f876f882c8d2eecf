"""Moments fold by fold: cross validation without a second look at any row.

The fold of a row follows from its values (`data/row_sketch.py`), so that chunks, workers and arrays
have the same folds. What is trained without a fold comes from the total less the fold's own sums,
and the square-loss risk there is a quadratic form in those sums: exact, whatever the number of
rows.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eulac.data.row_sketch import fold_of_rows
from eulac.solvers.moments import LacMoments, moment_coefficients

__all__ = ["FoldMoments", "FoldSolution", "held_out_solutions"]

Array = NDArray[np.float64]
Encode = Callable[[NDArray[Any]], NDArray[Any]]

BLOCK_ROWS = 4096
"""Rows whose features are held at a time."""


@dataclass(frozen=True, eq=False)
class FoldMoments:
    """The moments of each fold.

    Examples
    --------
    >>> import numpy as np
    >>> from eulac.data.row_sketch import hash_rows
    >>> X, codes = np.random.default_rng(0).normal(size=(40, 2)), np.repeat([0, -1], 20)
    >>> folds = FoldMoments.of(lambda rows: rows, X, codes, hash_rows(X), n_folds=5, n_known=1)
    >>> folds.total
    LacMoments(2 features, 20 labeled rows of 1 known classes, 20 unlabeled rows)
    """

    parts: tuple[LacMoments, ...]

    @classmethod
    def of(
        cls,
        encode: Encode,
        X: NDArray[Any],
        codes: NDArray[np.intp],
        hashes: NDArray[np.uint64],
        *,
        n_folds: int,
        n_known: int,
        importance: Array | None = None,
    ) -> "FoldMoments":
        """Return the moments of rows, their features made a block at a time.

        Within a fold rows are taken in the order of their hashes: the same rows in another order
        give the same bits. With `importance` a row counts as that many.
        """
        keys = (codes, hashes) if importance is None else (importance, codes, hashes)
        order = np.lexsort(keys)
        fold = fold_of_rows(hashes[order], n_folds)
        parts = (
            _moments(encode, X, codes, order[fold == index], n_known, importance)
            for index in range(n_folds)
        )
        return cls(tuple(parts))

    @cached_property
    def total(self) -> LacMoments:
        """Moments of all rows."""
        return LacMoments.merge(self.parts)

    def without(self, fold: int) -> LacMoments:
        """Return the moments of all rows outside a fold."""
        return self.total - self.parts[fold]

    def __add__(self, other: "FoldMoments") -> "FoldMoments":
        pairs = zip(self.parts, other.parts, strict=True)
        return FoldMoments(tuple(one + two for one, two in pairs))

    def __sub__(self, other: "FoldMoments") -> "FoldMoments":
        pairs = zip(self.parts, other.parts, strict=True)
        return FoldMoments(tuple(one - two for one, two in pairs))

    def decayed(self, factor: float) -> "FoldMoments":
        """Return the moments with unlabeled rows counting `factor` times as much."""
        return FoldMoments(tuple(part.decayed(factor) for part in self.parts))

    @staticmethod
    def merge(moments: Iterable["FoldMoments"]) -> "FoldMoments":
        """Return the sum of moments, added in pairs."""
        folds = zip(*(part.parts for part in moments), strict=True)
        return FoldMoments(tuple(LacMoments.merge(fold) for fold in folds))


def _moments(
    encode: Encode,
    X: NDArray[Any],
    codes: NDArray[np.intp],
    rows: NDArray[np.intp],
    n_known: int,
    importance: Array | None,
) -> LacMoments:
    """Moments of some rows, unlabeled ones and labeled ones apart so that no block is copied."""
    hidden = codes[rows] < 0
    # No rows at all still say how many features there are.
    total = LacMoments.of(encode(X[:0]), codes[:0], n_known)
    for part in (rows[hidden], rows[~hidden]):
        for start in range(0, len(part), BLOCK_ROWS):
            block = part[start : start + BLOCK_ROWS]
            counts = None if importance is None else importance[block]
            total = total + LacMoments.of(encode(X[block]), codes[block], n_known, counts)
    return total


@dataclass(frozen=True, eq=False)
class FoldSolution:
    """Coefficients trained without each fold, and their risk on it."""

    penalty: float
    coefficients: tuple[Array, ...]
    surrogate: float

    def scores(self, features: NDArray[Any], fold: NDArray[np.intp]) -> Array:
        """Return scores of rows from the coefficients trained without their fold."""
        out = np.empty((len(features), self.coefficients[0].shape[1]))
        for index, coefficients in enumerate(self.coefficients):
            out[fold == index] = features[fold == index] @ coefficients
        return out


def held_out_solutions(
    folds: FoldMoments, per_class: Array, penalties: Sequence[float]
) -> list[FoldSolution]:
    """Return what each penalty comes to on rows it has not seen.

    Parameters
    ----------
    folds : FoldMoments
    per_class : array of shape (n_known_classes,)
        Share of each known class among the unlabeled rows.
    penalties : sequence of float
    """
    by_fold = []
    for index in range(len(folds.parts)):
        rest = folds.without(index)
        solved = (moment_coefficients(rest.solved_means(p), per_class) for p in penalties)
        by_fold.append(list(solved))
    return [
        FoldSolution(penalty, coefficients, _surrogate(folds, coefficients, per_class))
        for penalty, coefficients in zip(penalties, zip(*by_fold, strict=True), strict=True)
    ]


def _surrogate(folds: FoldMoments, coefficients: Sequence[Array], per_class: Array) -> float:
    """Convex LAC risk (Eq. 6, square loss) of all rows, each held out, from sums alone."""
    total = folds.total
    weights = per_class / np.maximum(total.class_counts, 1e-300)
    signs = np.append(-np.ones(total.n_known_classes), 1.0)
    labeled, unlabeled = 0.0, 0.0
    for part, w in zip(folds.parts, coefficients, strict=True):
        scores = part.class_sums @ w
        labeled += float(weights @ (scores[:, -1] - scores.diagonal()))
        # The mean of (1 - sign f)^2 / 4, its square written out.
        linear = (part.unlabeled_sum @ w) @ signs
        square = np.einsum("ij,ij->", w, part.second @ w)
        unlabeled += 0.25 * (len(signs) * part.n_unlabeled - 2 * linear + square)
    return float(labeled + unlabeled / max(total.n_unlabeled, 1e-300))
