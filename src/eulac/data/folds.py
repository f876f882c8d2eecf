"""Folds over both samples at once, drawn so that the order of the input rows does not matter."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from eulac.data import requirements
from eulac.data.lac_sample import LacSample

__all__ = [
    "LacFolds",
    "canonical_order",
    "draw_folds",
    "drawn_rows",
    "in_canonical_order",
    "rows_standing_in",
    "seed_of",
    "with_twins_together",
]

MOST_TIMES = 3
"""Rows that stand in for a missing pool, in labeled rows: a kernel fit takes the third power."""


@dataclass(frozen=True, eq=False)
class LacFolds:
    """Equal folds of the unlabeled rows and stratified folds of the labeled ones.

    Attributes
    ----------
    labeled : int array of shape (n_labeled,)
        Fold of each labeled row.
    fold_size : int
        Unlabeled rows per fold; fold i holds rows ``i * fold_size .. (i + 1) * fold_size``.
    n_folds : int
    n_unlabeled : int
        The last ``n_unlabeled - n_folds * fold_size`` rows are never held out: equal folds let
        one factorization serve them all.

    Examples
    --------
    >>> import numpy as np
    >>> folds = draw_folds(np.array([0, 0, 1, 1]), n_unlabeled=7, n_folds=2, random_state=0)
    >>> [(rows.tolist(), piece) for rows, piece in folds]
    [([1, 3], slice(0, 3, None)), ([0, 2], slice(3, 6, None))]
    """

    labeled: NDArray[np.intp]
    fold_size: int
    n_folds: int
    n_unlabeled: int

    def __iter__(self) -> Iterator[tuple[NDArray[np.intp], slice]]:
        for fold in range(self.n_folds):
            start = fold * self.fold_size
            yield np.flatnonzero(self.labeled == fold), slice(start, start + self.fold_size)

    @property
    def n_held_out(self) -> int:
        """Unlabeled rows that are held out once; they come first."""
        return self.n_folds * self.fold_size


def draw_folds(
    y_labeled: NDArray[np.intp], n_unlabeled: int, n_folds: int, random_state: Any = None
) -> LacFolds:
    """Return folds of two samples whose rows are already in random order.

    Each class is cut into runs, one per fold and as equal as can be; the runs that are one row
    longer go round the folds from class to class, taken in the order of their first rows (not of
    their names). Runs keep copies of a row together. Fewer unlabeled rows than folds means fewer
    folds.
    """
    n_folds = max(2, min(n_folds, n_unlabeled, len(y_labeled)))
    rng = np.random.default_rng(random_state)
    _, first, code = np.unique(y_labeled, return_index=True, return_inverse=True)
    labeled = np.empty(len(y_labeled), dtype=np.intp)
    start = int(rng.integers(n_folds))
    for k in np.argsort(first):
        rows = np.flatnonzero(code == k)
        sizes = np.full(n_folds, len(rows) // n_folds)
        sizes[: len(rows) % n_folds] += 1
        labeled[rows] = (np.repeat(np.arange(n_folds), sizes) + start) % n_folds
        start += len(rows) % n_folds
    return LacFolds(labeled, n_unlabeled // n_folds, n_folds, n_unlabeled)


def with_twins_together(folds: LacFolds, sample: LacSample) -> LacFolds:
    """Return the folds, labeled rows that are in the unlabeled sample too held out with those.

    A labeled row whose copy is still trained on as an unlabeled one looks newer than any row of its
    class that was not seen: held-out risk would then prefer kernels too wide to tell them apart.
    Rows whose copies lie in several folds stay where they are, as copies abound then; so do all
    where one fold would hold out every labeled row.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.arange(8.0).reshape(4, 2)
    >>> sample = LacSample.from_masked(X, [0, 0, 1, 1], X_unlabeled=X)
    >>> folds = draw_folds(sample.y_labeled, sample.n_unlabeled, n_folds=2, random_state=0)
    >>> with_twins_together(folds, sample).labeled
    array([0, 0, 1, 1])
    """
    rows = np.vstack([sample.X_unlabeled, sample.X_labeled])
    _, value = np.unique(_as_bytes(rows), return_inverse=True)
    unlabeled, labeled = np.split(value, [sample.n_unlabeled])
    first, last = np.full(len(rows), sample.n_unlabeled), np.full(len(rows), -1)
    fold_of = np.arange(sample.n_unlabeled) // folds.fold_size
    np.minimum.at(first, unlabeled, fold_of)
    np.maximum.at(last, unlabeled, fold_of)
    # What is beyond the last fold is never held out.
    together = (first == last)[labeled] & (last[labeled] < folds.n_folds)
    fold = np.where(together, last[labeled], folds.labeled)
    return folds if np.ptp(fold) == 0 else replace(folds, labeled=fold)


def in_canonical_order(sample: LacSample, random_state: Any = None) -> LacSample:
    """Return the sample shuffled in a way that depends on its rows, not on their order.

    Rows are sorted, then shuffled with the seed: the same rows in another order give the same
    sample, hence the same model. Copies of a row stay next to each other, so that folds, which are
    runs of rows, do not hold out a row and train on its copy.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.arange(8.0).reshape(4, 2), np.array([0, 1, -1, -1])
    >>> one = in_canonical_order(LacSample.from_masked(X, y), 0)
    >>> two = in_canonical_order(LacSample.from_masked(X[::-1], y[::-1]), 0)
    >>> bool(np.all(one.X_unlabeled == two.X_unlabeled))
    True
    """
    return sample.taken(*canonical_order(sample, random_state))


def canonical_order(
    sample: LacSample, random_state: Any = None
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return where the labeled and the unlabeled rows of `in_canonical_order` come from."""
    rng = np.random.default_rng(random_state)
    # Labels, and then importance, decide only between rows that coincide, so that renaming classes
    # changes nothing else.
    importance = np.zeros(sample.n_labeled) if sample.importance is None else sample.importance
    by_label = np.lexsort((importance, sample.y_labeled))
    labeled = by_label[_shuffled(sample.X_labeled[by_label], rng)]
    return labeled, _shuffled(sample.X_unlabeled, rng)


def _shuffled(X: NDArray[Any], rng: np.random.Generator) -> NDArray[np.intp]:
    """Return a random order of the rows that depends on their bytes and keeps copies together."""
    rows = _as_bytes(X)
    order = np.argsort(rows, kind="stable")
    is_new = np.append(True, rows[order][1:] != rows[order][:-1]) if len(rows) else np.ones(0, bool)
    group = np.cumsum(is_new) - 1
    rank = rng.permutation(group[-1] + 1 if len(rows) else 0)
    return order[np.argsort(rank[group], kind="stable")]


def _as_bytes(X: NDArray[Any]) -> NDArray[Any]:
    """Return each row as one value that can be compared."""
    flat = np.ascontiguousarray(X).reshape(len(X), math.prod(X.shape[1:]))
    return flat.view(np.dtype((np.void, flat.itemsize * flat.shape[1]))).ravel()


def drawn_rows(weights: NDArray[np.float64], seed: int) -> NDArray[np.intp]:
    """Return rows drawn in proportion to weights that average one, each as evenly as can be."""
    rng = np.random.default_rng(seed)
    # In random order: weights that come and go in step with the places would not average out.
    order = rng.permutation(len(weights))
    places = np.arange(len(weights)) + rng.uniform()
    drawn = np.searchsorted(np.cumsum(weights[order]), places)
    return np.sort(order[np.minimum(drawn, len(weights) - 1)])


def rows_standing_in(importance: NDArray[np.float64], seed: int) -> NDArray[np.intp]:
    """Return labeled rows that stand in for a missing pool, each as often as it counts.

    Where all count a whole number of times what the one counts that counts least, just so often;
    else as many rows as there are, drawn in proportion.

    Examples
    --------
    >>> rows_standing_in(np.array([0.5, 0.5, 0.0, 1.5, 1.5]), seed=0)
    array([0, 1, 3, 3, 3, 4, 4, 4])
    """
    times = importance / importance[importance > 0].min()
    whole = np.rint(times)
    if np.allclose(times, whole, rtol=0.0, atol=1e-9) and whole.sum() <= MOST_TIMES * len(whole):
        return np.repeat(np.arange(len(whole)), whole.astype(np.intp))
    return drawn_rows(importance, seed)


def seed_of(random_state: Any) -> int:
    """Return a seed drawn from a seed or a generator, which moves on."""
    requirements.require_seed(random_state)
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31 - 1))
    return int(check_random_state(random_state).randint(2**31 - 1))
