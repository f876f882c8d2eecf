"""Whether two rows are of one class: learned from pairs of rows of hidden known classes.

Pairs are described by their distance and the neighbors they share in every space. What counts, and
how much, is a logistic regression over pairs of rows of known classes, in spaces that have not seen
these classes. It is then asked about pairs of new rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import pairwise_distances

from eulac.discovery.neighbor_graph import neighbor_sets, usual_neighbors
from eulac.discovery.spaced_rows import SpacedRows
from eulac.discovery.spaces import SPACES

__all__ = ["ALL_ALIKE", "PairModel", "learn_pairs", "traits_in"]

Array = NDArray[np.float64]
Single = NDArray[np.float32]
Codes = NDArray[np.intp]

SIGNS = np.array([-1.0, 1.0, 1.0])
"""Which way the traits of a pair speak: distance against one class, neighbors in common for it."""

MOST_PAIRS = 6000
"""Pairs taken from one set of hidden classes."""


def traits_in(rows: SpacedRows, space: str) -> Single:
    """Return what describes each pair of rows in a space, in an array of (n_rows, n_rows, 3).

    The logarithm of their distance, and square roots of the share of neighbors they have in common
    and of the share that neighbors of theirs have in common.

    Examples
    --------
    >>> from eulac.discovery.spaces import KnownRows
    >>> nobody = KnownRows(np.empty((0, 2)), np.empty(0, dtype=np.intp))
    >>> traits_in(SpacedRows(nobody, np.arange(8.0).reshape(4, 2)), "columns").shape
    (4, 4, 3)
    """
    distance = pairwise_distances(rows.values(space))
    distance /= np.median(distance) or 1.0
    member = neighbor_sets(-distance, usual_neighbors(len(rows)))
    share = member @ member.T / member.sum(axis=1).max(initial=1.0)
    linked = share - np.diag(np.diag(share))
    size = np.sqrt(linked.sum(axis=1)) + 1e-9
    further = (linked @ linked) / np.outer(size, size)
    traits = [np.log(distance + 0.05), np.sqrt(share), np.sqrt(further)]
    return np.stack(traits, axis=-1).astype(np.float32)


@dataclass(frozen=True, eq=False)
class PairModel:
    """How much each trait of a pair speaks for one class.

    Attributes
    ----------
    weights : dict
        Of the three traits of a pair, by space.
    """

    weights: dict[str, Array]

    def evidence(self, rows: SpacedRows) -> Array:
        """Return how much speaks for each pair of rows being of one class, up to a constant."""
        total = np.zeros((len(rows), len(rows)))
        for space, weights in self.weights.items():
            traits = rows.kept[space] if space in rows.kept else traits_in(rows, space)
            total += traits @ weights
        return total

    @property
    def space(self) -> str:
        """The space that counts most."""
        counts = {space: float(weights @ SIGNS) for space, weights in self.weights.items()}
        return max(counts, key=lambda space: counts[space])


ALL_ALIKE = PairModel(dict.fromkeys(SPACES, SIGNS))
"""Where nothing is learned, all traits count alike."""


def learn_pairs(hidden: Sequence[tuple[SpacedRows, Codes]], random_state: int = 0) -> PairModel:
    """Learn from pairs of rows of hidden classes what speaks for one class.

    Parameters
    ----------
    hidden : sequence of (SpacedRows, int array)
        Rows of known classes as if they were new, and their classes.
    random_state : int, default=0

    Examples
    --------
    >>> from eulac.discovery.spaces import KnownRows
    >>> rng = np.random.default_rng(0)
    >>> nobody = KnownRows(np.empty((0, 2)), np.empty(0, dtype=np.intp))
    >>> codes = np.repeat([0, 1], 20)
    >>> X = np.column_stack([rng.normal(5 * codes), 20 * rng.normal(size=40)])
    >>> learn_pairs([(SpacedRows(nobody, X), codes)]).space  # one scale for all would not tell
    'whitened_columns'
    """
    rng = np.random.default_rng(random_state)
    hidden = [(rows, codes) for rows, codes in hidden if len(np.unique(codes)) > 1]
    if not hidden:
        return ALL_ALIKE
    traits, same = [], []
    for rows, codes in hidden:
        first, second = _some_pairs(len(codes), rng)
        rows.kept.update((space, traits_in(rows, space)) for space in SPACES)
        traits.append(np.hstack([rows.kept[space][first, second] for space in SPACES]))
        same.append(codes[first] == codes[second])
    found, answers = np.vstack(traits), np.concatenate(same)
    if answers.all() or not answers.any():  # as with one row of each class
        return ALL_ALIKE
    spread = found.std(axis=0) + 1e-9
    # A row is in many pairs: all of them tell no more than as many rows do.
    weight = np.full(len(answers), sum(len(rows) for rows, _ in hidden) / len(answers))
    fitted = LogisticRegression().fit(found / spread, answers, sample_weight=weight)
    weights = np.asarray(fitted.coef_[0] / spread, dtype=np.float64).reshape(len(SPACES), -1)
    return PairModel(dict(zip(SPACES, weights, strict=True)))


def _some_pairs(n_rows: int, rng: np.random.Generator) -> tuple[Codes, Codes]:
    first, second = np.triu_indices(n_rows, 1)
    some = rng.permutation(len(first))[:MOST_PAIRS]
    return first[some], second[some]
