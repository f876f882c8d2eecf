"""Rows in every space, made once; some of them, or known classes as if they were new."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from eulac.discovery.spaces import SPACES, KnownRows, reduced

__all__ = ["SpacedRows"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class SpacedRows:
    """Rows in every space that was asked for; each is made once.

    Examples
    --------
    >>> known = KnownRows(np.eye(3), np.arange(3))
    >>> rows = SpacedRows(known, np.arange(12.0).reshape(4, 3))
    >>> len(rows), rows.values("one_scale").shape
    (4, (4, 3))
    """

    known: KnownRows
    X: Array
    bases: dict[str, tuple[KnownRows, Array]] = field(default_factory=dict)
    made: dict[str, Array] = field(default_factory=dict)
    kept: dict[str, NDArray[np.float32]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.X)

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
        return SpacedRows(rest, self.known.X[hidden], bases)
