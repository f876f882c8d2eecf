"""Which row to show a person next, and what answers say of rows nobody was asked about.

A name given to one row of a group is taken for the group, and one given in a part of it for that
part. How many rows are probably still named wrongly is what another answer could tell.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eulac.discovery.new_classes import NewClasses

__all__ = ["next_row", "spread_names"]

Codes = NDArray[np.intp]
Answers = Mapping[int, Any]


def next_row(classes: NewClasses, answers: Answers) -> int | None:
    """Return the row of the pool whose name would tell most; None where all were asked about.

    Parameters
    ----------
    classes : NewClasses
    answers : mapping
        Names of rows of the pool that were given already, by row.

    Examples
    --------
    >>> from eulac.discovery.new_classes import new_classes_of
    >>> from eulac.discovery.spaces import KnownRows
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(np.repeat([[0.0, 9], [9, 9]], [30, 50], axis=0), 0.3)
    >>> nobody = KnownRows(X[:0], np.empty(0, dtype=np.intp))
    >>> classes = new_classes_of(nobody, X, np.arange(80), n_classes=2)
    >>> first = next_row(classes, {})
    >>> first >= 30, next_row(classes, {first: "owl"}) < 30
    (True, True)
    """
    cells = [_Cell(classes, piece, answers) for piece in range(classes.tree.n_most)]
    open_ones = [cell for cell in cells if len(cell.rows) > len(cell.asked)]
    return max(open_ones, key=lambda cell: cell.doubtful).next() if open_ones else None


def spread_names(classes: NewClasses, answers: Answers) -> NDArray[Any]:
    """Return the name of each row of the pool, None where no answer speaks of it.

    Rows that were asked about have their own answer, others the likeliest name of their part of a
    group.
    """
    names = np.full(len(classes.assignment), None, dtype=object)
    for piece in range(classes.tree.n_most):
        cell = _Cell(classes, piece, answers)
        if cell.shares:
            names[cell.rows] = max(cell.shares, key=lambda name: cell.shares[name])
    for row, name in answers.items():
        names[row] = name
    return names


class _Cell:
    """A part of a group, and what answers say of it."""

    def __init__(self, classes: NewClasses, piece: int, answers: Answers) -> None:
        place = classes.tree.pieces
        inside = np.flatnonzero(place == piece)
        group = int(classes.assignment[inside[0]]) if len(inside) else -1
        typical = classes.typical_rows[group] if group >= 0 else inside
        self.rows = typical[place[typical] == piece]
        self.asked = [row for row in self.rows.tolist() if row in answers]
        self.n_group = len(typical)
        around = Counter(answers[row] for row in typical.tolist() if row in answers)
        here = Counter(answers[row] for row in self.asked)
        self.n_around = around.total()
        # What the group says counts as one answer here, and no answer as one that nobody knows.
        self.shares = {
            name: (here[name] + count / (self.n_around + 1)) / (here.total() + 1)
            for name, count in around.items()
        }

    @property
    def doubtful(self) -> float:
        """Rows that are probably named wrongly: of a group nobody was asked about, all."""
        if not self.n_around:
            return float(self.n_group)
        return len(self.rows) * (1.0 - max(self.shares.values()))

    def next(self) -> int:
        """Return a row that was not asked about: the most typical first, then all over the part."""
        order = sorted(range(len(self.rows)), key=_halving)
        return next(int(self.rows[i]) for i in order if int(self.rows[i]) not in self.asked)


def _halving(number: int) -> tuple[float, int]:
    """Return a key that sorts 0, 1, 2, ... so that each half is visited before its quarters."""
    return (0.0, 0) if not number else (float((number & -number) ** -1), number)
