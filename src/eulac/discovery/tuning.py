"""Tuning without labels of new classes: known classes are hidden, and looked for.

Some known classes at a time are taken for new. Their rows are grouped in every way, with spaces
learned from the classes that are left; the way that finds them best is taken, and prices for few
groups get their weights by the numbers they find.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eulac.discovery.agreement import matched_accuracy
from eulac.discovery.class_number import Worth, worth_of
from eulac.discovery.number_votes import NumberVotes, votes_of
from eulac.discovery.spaces import KnownRows
from eulac.discovery.ways import WAYS, Grouper, SpacedRows, Way

__all__ = ["Tuning", "hidden_sets", "tune"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

N_SETS = 6
"""Sets of classes that are hidden in turn."""

MOST_ROWS = 1200
"""Rows of known classes that are used."""

FEWEST_ROWS = 12
"""Fewer hidden rows tell nothing."""

MARGIN = 0.02
"""By how much another way must be more accurate than the first."""

MORE_NUMBERS = 1.6, 4
"""Numbers of groups that are tried for hidden classes: so many times theirs, and so many more."""


@dataclass(frozen=True, eq=False)
class Tuning:
    """What hidden known classes recommend.

    Attributes
    ----------
    way : Way
    votes : NumberVotes
        Weights of prices for few groups, by how well they find the number of hidden classes.
    accuracy : dict
        Mean accuracy on hidden classes, their number given, by way.
    """

    way: Way
    votes: NumberVotes
    accuracy: dict[str, float]

    @property
    def resolution(self) -> float:
        """The resolution that finds the number of hidden classes best."""
        return self.votes.resolution

    @property
    def plausible(self) -> Array:
        """Resolutions that find it nearly as well."""
        return self.votes.plausible


def hidden_sets(codes: Codes, n_sets: int, random_state: int) -> list[Codes]:
    """Return sets of classes to hide: of all sizes that leave a class, none twice.

    Where there are only two classes both are hidden at once, too, as one cannot be confused.

    Examples
    --------
    >>> [hidden.tolist() for hidden in hidden_sets(np.array([0, 0, 1]), 8, 0)]
    [[0], [1], [0, 1]]
    >>> [len(hidden) for hidden in hidden_sets(np.arange(5), 8, 0)]
    [4, 3, 2, 1, 3, 2, 1, 4]
    """
    classes = np.unique(codes)
    if len(classes) <= 2:
        return [classes[:1], classes[1:], classes] if len(classes) == 2 else [classes]
    rng = np.random.default_rng(random_state)
    sizes = np.arange(len(classes) - 1, 0, -1)
    if len(sizes) > n_sets:
        sizes = np.unique(np.linspace(1, len(classes) - 1, n_sets).round().astype(int))[::-1]
    found: dict[tuple[int, ...], Codes] = {}
    for number in range(4 * n_sets):
        chosen = np.sort(rng.choice(classes, sizes[number % len(sizes)], replace=False))
        found.setdefault(tuple(chosen.tolist()), chosen)
    return list(found.values())[:n_sets]


def tune(
    known: KnownRows,
    ways: Sequence[Way] = WAYS,
    random_state: int = 0,
    unevenness: float | None = None,
) -> Tuning:
    """Return the way of grouping and the prices that find hidden known classes best.

    Parameters
    ----------
    known : KnownRows
    ways : sequence of Way
        The first is taken unless another is clearly better.
    random_state : int, default=0
    unevenness : float, optional
        How uneven in size classes are; as the known rows say by default.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> codes = np.repeat([0, 1, 2], 30)
    >>> known = KnownRows(rng.normal(codes[:, None] * [4.0, 9.0], 0.5), codes)
    >>> tuning = tune(known)
    >>> tuning.way.algorithm, tuning.accuracy[str(tuning.way)]
    ('links', 1.0)
    """
    known = _at_most(known, random_state)
    whole = SpacedRows(known, known.X[:0], known.unevenness() if unevenness is None else unevenness)
    pairs = []
    for hidden in hidden_sets(known.codes, N_SETS, random_state):
        codes = known.of(hidden).codes
        if len(codes) >= FEWEST_ROWS:
            pairs.append((whole.hiding(hidden), codes))
    accuracy = {str(way): _accuracy(way, pairs, random_state) for way in ways}
    best = max(ways, key=lambda way: accuracy[str(way)])
    if len(ways) == 1 or not accuracy[str(best)] > accuracy[str(ways[0])] + MARGIN:
        best = ways[0]
    numbers = [len(np.unique(codes)) for _, codes in pairs]
    worths = [
        _worth(Grouper(best, rows, random_state), number)
        for (rows, _), number in zip(pairs, numbers, strict=True)
    ]
    return Tuning(best, votes_of(worths, numbers), accuracy)


def _accuracy(way: Way, pairs: Sequence[tuple[SpacedRows, Codes]], random_state: int) -> float:
    """Return how many rows of several hidden classes are grouped rightly, their number given."""
    found = []
    for rows, codes in pairs:
        n_classes = len(np.unique(codes))
        if n_classes > 1:
            groups = Grouper(way, rows, random_state).groups(n_classes)
            found.append(matched_accuracy(groups, codes))
    return float(np.mean(found)) if found else 0.0


def _worth(grouper: Grouper, n_classes: int) -> Worth:
    """Return the worth of some more numbers of groups than there are classes."""
    times, more = MORE_NUMBERS
    n_numbers = min(grouper.n_most, int(times * n_classes) + more)
    groupings = [grouper.groups(number) for number in range(n_numbers, 0, -1)]
    return worth_of(grouper.links, groupings[::-1], grouper.rows.unevenness)


def _at_most(known: KnownRows, random_state: int) -> KnownRows:
    if len(known.codes) <= MOST_ROWS:
        return known
    rng = np.random.default_rng(random_state)
    rows = np.sort(rng.choice(len(known.codes), MOST_ROWS, replace=False))
    return KnownRows(known.X[rows], known.codes[rows])
