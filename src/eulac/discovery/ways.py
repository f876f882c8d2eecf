"""Ways of grouping rows: some spaces, and an algorithm in them, for any number of groups."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import AgglomerativeClustering

from eulac.discovery.link_groups import k_means, link_groups
from eulac.discovery.neighbor_graph import Spectrum, shared_neighbors, spectrum_of
from eulac.discovery.spaces import SPACES, KnownRows, reduced

__all__ = ["ALGORITHMS", "WAYS", "Grouper", "SpacedRows", "Way"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]


@dataclass(frozen=True)
class Way:
    """An algorithm and the spaces it works in.

    Examples
    --------
    >>> str(Way("links", ("columns", "one_scale")))
    'links in columns + one_scale'
    """

    algorithm: str
    spaces: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.algorithm} in {' + '.join(self.spaces)}"


@dataclass(frozen=True, eq=False)
class SpacedRows:
    """Rows in every space that was asked for, and their links there; each is made once.

    Examples
    --------
    >>> known = KnownRows(np.eye(3), np.arange(3))
    >>> rows = SpacedRows(known, np.arange(12.0).reshape(4, 3))
    >>> rows.values("one_scale").shape, rows.taken(np.array([0, 2])).values("one_scale").shape
    ((4, 3), (2, 3))
    """

    known: KnownRows
    X: Array
    unevenness: float = 0.0
    bases: dict[str, tuple[KnownRows, Array]] = field(default_factory=dict)
    made: dict[str, Array] = field(default_factory=dict)
    linked: dict[str, Array] = field(default_factory=dict)

    def values(self, space: str) -> Array:
        """Return the rows in a space."""
        if space not in self.made:
            self.made[space] = SPACES[space].kind(*self.reduced(SPACES[space].base))
        return self.made[space]

    def reduced(self, base: str) -> tuple[KnownRows, Array]:
        """Return known rows and these, scaled, in principal directions."""
        if base not in self.bases:
            self.bases[base] = reduced(base, self.known, self.X)
        return self.bases[base]

    def links(self, space: str) -> Array:
        """Return the shares of neighbors in common in a space."""
        if space not in self.linked:
            self.linked[space] = shared_neighbors(self.values(space))
        return self.linked[space]

    def taken(self, rows: Codes) -> "SpacedRows":
        """Return some of the rows, in the spaces of all."""
        made = {space: values[rows] for space, values in self.made.items()}
        return SpacedRows(self.known, self.X[rows], self.unevenness, {}, made)

    def hiding(self, classes: Codes) -> "SpacedRows":
        """Return the rows of some known classes as if they were new, and no others.

        Principal directions are those of all rows: what is reduced here is not reduced again.
        """
        hidden = np.isin(self.known.codes, classes)
        rest = self.known.of(np.setdiff1d(self.known.codes, classes))
        bases = {}
        for base in {space.base for space in SPACES.values()}:
            known, _ = self.reduced(base)
            bases[base] = (KnownRows(known.X[~hidden], rest.codes), known.X[hidden])
        return SpacedRows(rest, self.known.X[hidden], self.unevenness, bases)


@dataclass(frozen=True, eq=False)
class Grouper:
    """Rows ready to be grouped in one way.

    Parameters
    ----------
    way : Way
    rows : SpacedRows
    random_state : int

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = np.vstack([rng.normal(center, 0.3, (20, 2)) for center in (0, 5)])
    >>> rows = SpacedRows(KnownRows(rng.normal(-4, 0.3, (20, 2)), np.zeros(20, int)), X)
    >>> np.bincount(Grouper(Way("links", ("columns",)), rows, 0).groups(2)).tolist()
    [20, 20]
    """

    way: Way
    rows: SpacedRows
    random_state: int

    def __len__(self) -> int:
        return len(self.rows.X)

    @cached_property
    def values(self) -> Array:
        """The rows in all spaces of the way, side by side."""
        return np.hstack([self.rows.values(space) for space in self.way.spaces])

    @cached_property
    def links(self) -> Array:
        """Shares of neighbors in common, on average over the spaces."""
        links = [self.rows.links(space) for space in self.way.spaces]
        return np.asarray(sum(links) / len(links))

    @cached_property
    def n_most(self) -> int:
        """Groups there can be: fewer than distinct rows, and five rows each."""
        n_distinct = len({row.tobytes() for row in self.values})
        return max(1, min(n_distinct - 1, len(self) // 5))

    def groups(self, n_groups: int) -> Codes:
        """Return the group of each row."""
        if n_groups < 2 or self.n_most < 2:
            return np.zeros(len(self), dtype=np.intp)
        return ALGORITHMS[self.way.algorithm](self, min(n_groups, len(self)))

    def spectrum(self, n_coordinates: int) -> Spectrum:
        """Return leading eigenvectors of the links, so many at least where there are."""
        made: Spectrum | None = self.__dict__.get("_spectrum")
        if made is None or len(made.values) < min(n_coordinates, len(self)):
            made = self.__dict__["_spectrum"] = spectrum_of(self.links, n_coordinates + 4)
        return made


def _by_links(grouper: Grouper, n_groups: int) -> Codes:
    """Spectral clustering, with groups about as uneven as known classes are."""
    spectrum = grouper.spectrum(2 * n_groups)
    options = (n_groups, grouper.rows.unevenness, grouper.random_state)
    return link_groups(grouper.links, spectrum, *options)


def _by_means(grouper: Grouper, n_groups: int) -> Codes:
    return k_means(grouper.values, n_groups, grouper.random_state)


def _by_merging(grouper: Grouper, n_groups: int) -> Codes:
    """Ward's agglomerative clustering."""
    merged = AgglomerativeClustering(n_groups).fit_predict(grouper.values)
    return np.asarray(merged, dtype=np.intp)


ALGORITHMS: dict[str, Callable[[Grouper, int], Codes]] = {
    "links": _by_links,
    "means": _by_means,
    "merging": _by_merging,
}
"""By name: spectral clustering of shared neighbors, k-means, and Ward's merging."""

ALL_SPACES = (
    *("one_scale", "whitened_one_scale", "telling_one_scale"),
    *("profile", "telling_profile", "telling_columns"),
)

WAYS = (
    Way("links", ALL_SPACES),
    Way("links", ("telling_one_scale", "telling_columns")),
    Way("links", ("columns", "whitened_columns")),
    Way("links", ("one_scale", "profile")),
    Way("merging", ("telling_one_scale",)),
)
"""Ways that are tried; the first is taken where known classes do not tell."""
