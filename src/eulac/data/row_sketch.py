"""A bounded sample of rows that does not depend on their order, on chunks or on workers.

Each row gets a hash of its values; the sample is the rows with the smallest hashes. So the sample
of a union follows from the samples of its parts, whoever looked at which part in which order.
Copies of a row share a hash: they are kept once and counted, and hold out the same fold.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "FEWEST_OF_CLASS",
    "RowSketch",
    "RowSurvey",
    "SketchedRows",
    "beside_each_other",
    "first_rows",
    "fold_of_rows",
    "hash_rows",
    "rank_in_group",
]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]
Hashes = NDArray[np.uint64]

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FACTORS = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_FOLD_KEY = np.uint64(0xD1B54A32D192ED03)
_BLOCK_ENTRIES = 1 << 16  # values mixed at a time, so that they stay in cache


def hash_rows(X: Array, seed: int = 0) -> Hashes:
    """Return a 64-bit hash of the values of each row; minus zero counts as zero.

    Examples
    --------
    >>> import numpy as np
    >>> one, two, three = hash_rows(np.array([[0.0, 1.0], [-0.0, 1.0], [1.0, 0.0]]))
    >>> bool(one == two), bool(one == three)
    (True, False)
    """
    n_rows, width = X.shape
    out = np.empty(n_rows, dtype=np.uint64)
    # One key per column: the same value means something else in another place.
    keys = _mixed(np.arange(1, width + 1, dtype=np.uint64) * _GOLDEN + np.uint64(seed))
    step = max(1, _BLOCK_ENTRIES // max(width, 1))
    for start in range(0, n_rows, step):
        piece = slice(start, start + step)
        bits = np.add(X[piece], 0.0, dtype=np.float64, order="C").view(np.uint64)
        bits ^= keys
        out[piece] = _mixed(bits).sum(axis=1, dtype=np.uint64)
    return _mixed(out)


def fold_of_rows(hashes: Hashes, n_folds: int) -> NDArray[np.intp]:
    """Return the fold each row is held out by; independent of the order of the hashes.

    Examples
    --------
    >>> import numpy as np
    >>> fold_of_rows(np.arange(6, dtype=np.uint64), n_folds=2)
    array([0, 1, 1, 1, 1, 0])
    """
    return (_mixed(hashes ^ _FOLD_KEY) % np.uint64(n_folds)).astype(np.intp)


def _mixed(z: Hashes) -> Hashes:
    """Mix the bits of each value, as the generator splitmix64 does."""
    z = z ^ (z >> np.uint64(30))
    z *= _FACTORS[0]
    z ^= z >> np.uint64(27)
    z *= _FACTORS[1]
    z ^= z >> np.uint64(31)
    return z


FEWEST_OF_CLASS = 50
"""Rows of a class that are kept, where it has as many: rare classes are not lost."""


class SketchedRows(NamedTuple):
    """Rows of a sketch, as often as they were seen, and how much each counts."""

    rows: Array
    codes: Codes
    hashes: Hashes
    weights: Array

    @property
    def importance(self) -> Array | None:
        """How much each row counts beside the others, one on average; None: all the same."""
        return beside_each_other(self.weights)


@dataclass(frozen=True, eq=False)
class RowSketch:
    """The rows with the smallest hashes, and how often each was seen.

    Attributes
    ----------
    rows : array of shape (n_kept, n_features)
        Distinct rows, by ascending hash: in random order.
    codes : int array of shape (n_kept,)
        Group of each row; a row may be in several.
    hashes : uint64 array of shape (n_kept,)
    counts : int array of shape (n_kept,)
        How often each was seen. Exact: a row that is kept has been kept since it came.
    weights : array of shape (n_kept,)
        How much it counts, all its copies together; as much as their number if nobody said.
    capacity : int
        Rows kept of all groups together.
    floor : int
        Rows kept of each group whatever the others'.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.arange(20.0)[:, None]
    >>> parts = [RowSketch.of(part, capacity=4) for part in np.split(X, 2)]
    >>> merged, whole = parts[1].merge(parts[0]), RowSketch.of(X, capacity=4)
    >>> bool(np.all(merged.rows == whole.rows)), len(whole.rows)
    (True, 4)
    """

    rows: Array
    codes: Codes
    hashes: Hashes
    counts: NDArray[np.int64]
    weights: Array
    capacity: int
    floor: int = 0

    @classmethod
    def of(
        cls,
        X: Array,
        codes: Codes | None = None,
        hashes: Hashes | None = None,
        importance: Array | None = None,
        *,
        capacity: int,
        floor: int = 0,
    ) -> "RowSketch":
        """Return the sketch of some rows."""
        codes = np.full(len(X), -1, dtype=np.intp) if codes is None else codes
        hashes = hash_rows(X) if hashes is None else hashes
        ones = np.ones(len(X), dtype=np.int64)
        weights = ones.astype(np.float64) if importance is None else importance
        return cls(X, codes, hashes, ones, weights, capacity, floor)._thinned()

    def merge(self, other: "RowSketch") -> "RowSketch":
        """Return the sketch of all rows of both."""
        pairs = ((getattr(self, name), getattr(other, name)) for name in _PARTS)
        parts: dict[str, Any] = dict(zip(_PARTS, map(np.concatenate, pairs), strict=True))
        return replace(self, **parts)._thinned()

    def sample(self, limit: int | None = None) -> SketchedRows:
        """Return rows as often as they were seen; at most `limit` of them.

        Where copies make it more than that, which of them stay is decided by hashes again.
        """
        limit = max(self.capacity, len(self.rows)) if limit is None else limit
        index = np.repeat(np.arange(len(self.rows)), self.counts)
        if len(index) > limit:
            first = np.cumsum(self.counts) - self.counts
            copy = (np.arange(len(index)) - first[index]).astype(np.uint64)
            order = np.argsort(_mixed(self.hashes[index] + copy * _GOLDEN), kind="stable")
            index = np.sort(order[:limit])
            index = np.repeat(np.arange(len(self.rows)), self.counts)[index]
        weights = (self.weights / self.counts)[index]
        return SketchedRows(self.rows[index], self.codes[index], self.hashes[index], weights)

    def _thinned(self) -> "RowSketch":
        order = np.lexsort((self.codes, self.hashes))
        codes, hashes = self.codes[order], self.hashes[order]
        fresh = np.ones(len(order), dtype=bool)
        fresh[1:] = (hashes[1:] != hashes[:-1]) | (codes[1:] != codes[:-1])
        first = np.flatnonzero(fresh)
        counts, weights = self.counts[:0], self.weights[:0]
        if len(first):
            counts = np.add.reduceat(self.counts[order], first)
            weights = np.add.reduceat(self.weights[order], first)
        kept = np.arange(len(first)) < self.capacity
        if self.floor:
            kept |= rank_in_group(codes[first]) < self.floor
        chosen = first[kept]
        rows = np.add(self.rows[order[chosen]], 0.0, dtype=np.float64)
        return replace(
            self,
            rows=rows,
            codes=codes[chosen],
            hashes=hashes[chosen],
            counts=counts[kept],
            weights=weights[kept],
        )


_PARTS = ("rows", "codes", "hashes", "counts", "weights")


def beside_each_other(weights: Array) -> Array | None:
    """Return weights that average one; None where all are the same.

    Examples
    --------
    >>> beside_each_other(np.array([3.0, 1.0]))
    array([1.5, 0.5])
    """
    return None if not len(weights) or np.ptp(weights) == 0 else weights / weights.mean()


def rank_in_group(codes: Codes) -> NDArray[np.intp]:
    """Return how many entries of the same code come before each.

    Examples
    --------
    >>> rank_in_group(np.array([5, 0, 5, 5]))
    array([0, 0, 1, 2])
    """
    order = np.argsort(codes, kind="stable")
    ranked = codes[order]
    rank = np.empty(len(codes), dtype=np.intp)
    rank[order] = np.arange(len(codes)) - np.searchsorted(ranked, ranked)
    return rank


def first_rows(codes: Codes, most: int) -> NDArray[np.intp]:
    """Return the places of the first rows, and of rare classes the first `FEWEST_OF_CLASS`.

    Examples
    --------
    >>> first_rows(np.array([0, 0, 0, 1]), 2)  # a class of one row is not lost
    array([0, 1, 2, 3])
    >>> len(first_rows(np.zeros(90, dtype=np.intp), 60))
    60
    """
    kept = (np.arange(len(codes)) < most) | (rank_in_group(codes) < FEWEST_OF_CLASS)
    return np.flatnonzero(kept)


@dataclass(frozen=True, eq=False)
class RowSurvey:
    """What a first look at rows keeps: which labels there are, and a sketch of either sample.

    Attributes
    ----------
    labels : array
        Labels seen, sorted; codes of the labeled sketch are places in it.
    labeled, unlabeled : RowSketch
    class_counts : int array of shape (n_labels,)
    n_unlabeled : int

    Examples
    --------
    >>> import numpy as np
    >>> X = np.arange(6.0)[:, None]
    >>> one = RowSurvey.of(X[:3], np.array([0, -1, 0]), np.array(["cat"]), n_kept=9)
    >>> two = RowSurvey.of(X[3:], np.array([0, 1, -1]), np.array(["ant", "cat"]), n_kept=9)
    >>> both = RowSurvey.merged([one, two])
    >>> both.labels, both.class_counts, both.n_unlabeled
    (array(['ant', 'cat'], dtype='<U3'), array([1, 3]), 2)
    """

    labels: NDArray[Any]
    labeled: RowSketch
    unlabeled: RowSketch
    class_counts: NDArray[np.int64]
    n_unlabeled: int

    @classmethod
    def of(
        cls,
        X: Array,
        codes: Codes,
        labels: NDArray[Any],
        importance: Array | None = None,
        *,
        n_kept: int,
        floor: int = 0,
        seed: int = 0,
    ) -> "RowSurvey":
        """Return the survey of rows whose codes are places in `labels`, or -1.

        A third of the rows kept are labeled, at least `floor` of each class. With `importance` a
        labeled row counts as that many, and one that weighs nothing is not there.
        """
        hashes, hidden = hash_rows(X, seed), codes < 0
        capacity = max(n_kept // 3, 1)
        known = np.flatnonzero(~hidden if importance is None else ~hidden & (importance > 0))
        counts = None if importance is None else importance[known]
        options = {"capacity": capacity, "floor": floor}
        labeled = RowSketch.of(X[known], codes[known], hashes[known], counts, **options)
        unlabeled = RowSketch.of(
            X[hidden], codes[hidden], hashes[hidden], capacity=n_kept - capacity
        )
        n_rows = np.bincount(codes[known], minlength=len(labels)).astype(np.int64)
        return cls(labels, labeled, unlabeled, n_rows, int(hidden.sum()))

    @staticmethod
    def merged(surveys: Iterable["RowSurvey"]) -> "RowSurvey":
        """Return the survey of all rows of several."""
        return reduce(RowSurvey.merge, surveys)

    def merge(self, other: "RowSurvey") -> "RowSurvey":
        """Return the survey of all rows of both."""
        labels = _union(self.labels, other.labels)
        one, two = self._under(labels), other._under(labels)
        return RowSurvey(
            labels,
            one.labeled.merge(two.labeled),
            one.unlabeled.merge(two.unlabeled),
            one.class_counts + two.class_counts,
            one.n_unlabeled + two.n_unlabeled,
        )

    def _under(self, labels: NDArray[Any]) -> "RowSurvey":
        """Return the survey with codes that are places in more labels."""
        places = np.searchsorted(labels, self.labels)
        counts = np.zeros(len(labels), dtype=np.int64)
        counts[places] = self.class_counts
        labeled = self.labeled
        if len(labeled.codes):
            labeled = replace(labeled, codes=places[labeled.codes])
        return replace(self, labels=labels, labeled=labeled, class_counts=counts)


def _union(one: NDArray[Any], two: NDArray[Any]) -> NDArray[Any]:
    """Return all labels, sorted; an empty list has no say in their type."""
    if not len(one) or not len(two):
        return one if len(one) else two
    if (one.dtype.kind in "US") != (two.dtype.kind in "US"):
        raise ValueError(
            f"labels must be all strings or all numbers; got {one[0]!r} in one chunk and "
            f"{two[0]!r} in another."
        )
    return np.union1d(one, two)
