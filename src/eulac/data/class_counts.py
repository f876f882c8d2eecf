"""How many rows of each class go to the labeled, unlabeled and test part, and dealing them out.

Counts that were asked for are met exactly; the others are drawn. Nothing here sees a feature.
"""

from dataclasses import dataclass
from math import inf
from operator import index
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["CountPlan", "checked_sizes", "dealt_rows", "one_each", "plan_counts", "shared_out"]


@dataclass(frozen=True, eq=False)
class CountPlan:
    """How many rows of each class, all augmented ones as the last, go to each of the three parts.

    Sizes are (labeled, unlabeled, test). Priors are None where the class is left to chance.
    """

    available: NDArray[np.intp]
    known_share: float
    labeled_priors: NDArray[np.float64] | None
    known_priors: NDArray[np.float64] | None

    def known_rows(self, sizes: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return how many rows of each part are known."""
        return np.floor(sizes * [1, self.known_share, self.known_share] + 0.5).astype(np.intp)

    def exact_counts(self, sizes: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the counts that are not left to chance; 0 for those that are."""
        known = self.known_rows(sizes)
        counts = np.zeros((3, len(self.available)), dtype=np.intp)
        counts[:, -1] = sizes - known
        if self.labeled_priors is not None:
            counts[0, :-1] = one_each(shared_out(known[0], self.labeled_priors))
        if self.known_priors is not None:
            counts[1:, :-1] = [shared_out(n_rows, self.known_priors) for n_rows in known[1:]]
        return counts

    @property
    def pools(self) -> NDArray[np.intp]:
        """Rows of each class, as in `available`, and last of all known classes together."""
        return np.append(self.available, self.available[:-1].sum())

    def needs(self, sizes: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return how many rows are needed of each of the `pools`."""
        needs = self.exact_counts(sizes).sum(axis=0)
        if self.labeled_priors is None:
            needs[:-1] += 1  # the labeled row that every known class gets
        return np.append(needs, self.known_rows(sizes).sum())

    def fitting_sizes(self, asked: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the sizes asked for, times the largest factor that leaves no pool short.

        Factors go down in steps of one row of the largest part.
        """
        least = np.minimum(asked, [len(self.available) - 1, 1, 1])
        most = asked.max()
        # Rounding moves a need by less than 15 rows, so no larger factor can fit.
        bound = ((self.pools + 15) / np.maximum(self.needs(asked), 1)).min()
        for step in range(int(most * min(bound, 1)), -1, -1):
            sizes = np.maximum(step * asked // most, least)
            if np.all(self.needs(sizes) <= self.pools):
                return sizes
        raise ValueError(
            f"the known classes must have a labeled row each and rows to spare; they have "
            f"{self.available[:-1].tolist()} rows. Drop classes as small as this."
        )

    def draw_counts(self, sizes: NDArray[np.intp], rng: np.random.Generator) -> NDArray[np.intp]:
        """Return `exact_counts`, and beside them those that are left to chance, drawn."""
        counts = self.exact_counts(sizes)
        left = self.available[:-1] - counts[:, :-1].sum(axis=0)
        priors = (self.labeled_priors, self.known_priors, self.known_priors)
        for part, n_rows in enumerate(self.known_rows(sizes)):
            if priors[part] is None:
                drawn = rng.multivariate_hypergeometric(left, n_rows)
                counts[part, :-1] = one_each(drawn) if part == 0 else drawn
                left -= counts[part, :-1]
        return counts

    def shortage(
        self, asked: NDArray[np.intp], sizes: NDArray[np.intp], known_labels: list[Any]
    ) -> str | None:
        """Return the sentence on sizes that had to shrink, None if they did not."""
        if np.array_equal(sizes, asked):
            return None
        needs = self.needs(asked)
        worst = np.argmax(needs / np.maximum(self.pools, 1))
        names = [f"class {label!r}" for label in known_labels]
        pool = [*names, "the augmented classes", "the known classes"][worst]
        return (
            "sizes scaled down from {} labeled, {} unlabeled and {} test rows to {}, {} and {}, "
            "because {} rows of {} were needed and there are {}."
        ).format(*asked, *sizes, needs[worst], pool, self.pools[worst])


def plan_counts(
    available: NDArray[np.intp],
    known_proportion: float | None = None,
    labeled_priors: ArrayLike | None = None,
    known_priors: ArrayLike | None = None,
) -> CountPlan:
    """Return the plan for a table with so many rows of each class, all augmented ones last.

    The other parameters are those of `eulac.data.splits.draw_split`, and are checked here.

    Examples
    --------
    >>> plan = plan_counts(np.array([9, 9, 20]), known_proportion=0.5, known_priors=[1, 3])
    >>> plan.exact_counts(np.array([4, 8, 8]))
    array([[0, 0, 0], [1, 3, 4], [1, 3, 4]])
    """
    n_known_classes = len(available) - 1
    return CountPlan(
        available,
        _checked_share(known_proportion, available),
        _checked_priors("labeled_priors", labeled_priors, n_known_classes),
        _checked_priors("known_priors", known_priors, n_known_classes),
    )


def checked_sizes(
    n_labeled: int, n_unlabeled: int, n_test: int, n_known_classes: int
) -> NDArray[np.intp]:
    """Return the sizes of the three parts, refusing those that cannot be."""
    if index(n_labeled) < n_known_classes:
        raise ValueError(
            f"`n_labeled` must be at least {n_known_classes}, a row for every known class; "
            f"got {n_labeled}."
        )
    if index(n_unlabeled) < 1 or index(n_test) < 0:
        raise ValueError(
            f"`n_unlabeled` must be at least 1 and `n_test` at least 0; "
            f"got {n_unlabeled} and {n_test}."
        )
    return np.array([n_labeled, n_unlabeled, n_test])


def shared_out(n_rows: int, priors: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return whole numbers with sum `n_rows` next to the shares: largest remainders go up.

    Examples
    --------
    >>> shared_out(10, np.array([0.55, 0.25, 0.2]))
    array([6, 2, 2])
    """
    ideal = n_rows * priors
    counts = np.floor(ideal).astype(np.intp)
    up = np.argsort(counts - ideal, kind="stable")[: n_rows - counts.sum()]
    counts[up] += 1
    return counts


def one_each(counts: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the counts with none at 0: the most frequent class gives a row.

    Examples
    --------
    >>> one_each(np.array([5, 0, 3]))
    array([4, 1, 3])
    """
    counts = counts.copy()
    for empty in np.flatnonzero(counts == 0):
        counts[np.argmax(counts)] -= 1
        counts[empty] = 1
    return counts


def dealt_rows(
    codes: NDArray[np.intp], counts: NDArray[np.intp], rng: np.random.Generator
) -> list[NDArray[np.intp]]:
    """Return the shuffled rows of each part, with the class counts of the part."""
    pieces = []
    for code, ends in enumerate(np.cumsum(counts, axis=0).T):
        rows = rng.permutation(np.flatnonzero(codes == code))
        pieces.append(np.split(rows, ends)[: len(counts)])
    return [rng.permutation(np.concatenate(part)) for part in zip(*pieces, strict=True)]


def _checked_share(known_proportion: float | None, available: NDArray[np.intp]) -> float:
    if known_proportion is None:
        return float(available[:-1].sum() / available.sum())
    if not 0 <= known_proportion <= 1:
        raise ValueError(f"`known_proportion` must lie in [0, 1]; got {known_proportion!r}.")
    if known_proportion < 1 and available[-1] == 0:
        raise ValueError(
            f"`known_proportion` must be 1 where `y` has known classes only; got "
            f"{known_proportion!r}. Name fewer `known_classes`."
        )
    return known_proportion


def _checked_priors(
    name: str, priors: ArrayLike | None, n_known_classes: int
) -> NDArray[np.float64] | None:
    if priors is None:
        return None
    priors = np.asarray(priors, dtype=float)
    if priors.shape != (n_known_classes,) or not np.all(priors >= 0) or not 0 < priors.sum() < inf:
        raise ValueError(
            f"`{name}` must be {n_known_classes} numbers, one per known class, at least 0 and not "
            f"all 0; got {priors.tolist()}."
        )
    return np.asarray(priors / priors.sum())
