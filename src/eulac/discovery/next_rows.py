"""Which row to show a person next, and what answers say of rows nobody was asked about.

An answer counts for rows to which links lead from the row it was given to, and a little for all
rows of the same group. So one name is enough for a group that is one class, and a group whose
answers differ is parted between them. Every group is asked about first; then the row around which
most rows are in doubt.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eulac.discovery.new_classes import NewClasses

__all__ = ["next_row", "spread_names"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]
Answers = Mapping[int, Hashable]

SHARPNESS = 8
"""Power of the likeness of two directions."""

GROUP, UNKNOWN = 0.1, 0.1
"""What the answers of a group count in all of its rows, and what nobody knows counts everywhere,
where an answer counts 1 in its own row."""

FAINTEST = 0.01
"""Answers that count less than this say nothing."""

MOST_ROWS = 1500
"""Rows among which the next is looked for: the most typical of each group."""


def next_row(classes: NewClasses, answers: Answers) -> int | None:
    """Return the row of the pool whose name would tell most; None where all were asked about.

    Parameters
    ----------
    classes : NewClasses
    answers : mapping
        Names of rows of the pool that were given already, by row. None is "not sure": the row is
        not asked about again, and says nothing of others.

    Returns
    -------
    row : int or None

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
    rows = _candidates(classes, answers)
    if not len(rows):
        return None
    likeness = _likeness(classes, rows, rows)
    np.fill_diagonal(likeness, 1.0)
    doubt = 1.0 - _Told.by(classes, answers, rows).sureness()
    order = np.lexsort((likeness @ doubt, _rows_unheard(classes, answers)[rows]))
    return int(rows[order[-1]])


def spread_names(classes: NewClasses, answers: Answers) -> NDArray[Any]:
    """Return the name of each row of the pool, None where no answer speaks of it.

    Rows that were asked about have their own answer, and those that look new the likeliest name.

    Parameters
    ----------
    classes : NewClasses
    answers : mapping
        As in `next_row`.

    Returns
    -------
    names : object array of shape (n_rows,)

    Examples
    --------
    >>> from eulac.discovery.new_classes import new_classes_of
    >>> from eulac.discovery.spaces import KnownRows
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(np.repeat([[0.0, 9], [9, 9]], [30, 50], axis=0), 0.3)
    >>> nobody = KnownRows(X[:0], np.empty(0, dtype=np.intp))
    >>> classes = new_classes_of(nobody, X, np.arange(80), n_classes=2)
    >>> names = spread_names(classes, {0: "owl", 40: "tit", 41: None})
    >>> int(sum(names == "owl")), int(sum(names == "tit")), names[41]
    (30, 49, None)
    """
    names = np.full(len(classes.assignment), None, dtype=object)
    told = _Told.by(classes, answers, classes.rows)
    if told.names:
        likeliest = told.counts.argmax(axis=1)
        for row, code, count in zip(classes.rows, likeliest, told.counts.max(axis=1), strict=True):
            names[row] = told.names[code] if count >= FAINTEST else None
    for row, name in answers.items():
        names[row] = name
    return names


@dataclass(frozen=True, eq=False)
class _Told:
    """How much answers count in some rows, a column for each name."""

    counts: Array
    names: list[Hashable]

    @classmethod
    def by(cls, classes: NewClasses, answers: Answers, rows: Codes) -> "_Told":
        asked = np.array([r for r, name in answers.items() if name is not None], dtype=np.intp)
        names = list(dict.fromkeys(name for name in answers.values() if name is not None))
        given = np.zeros((len(asked), len(names)))
        given[np.arange(len(asked)), [names.index(answers[int(row)]) for row in asked]] = 1.0
        near = _likeness(classes, rows, asked) @ given
        own = classes.assignment[rows]
        grouped = (own[:, None] == classes.assignment[asked]) & (own[:, None] >= 0)
        around = grouped.astype(float) @ given
        return cls(near + GROUP * around / (around.sum(axis=1, keepdims=True) + 1.0), names)

    def sureness(self) -> Array:
        """Return how probably each row has its likeliest name."""
        if not self.names:
            return np.zeros(len(self.counts))
        return np.asarray(self.counts.max(axis=1) / (self.counts.sum(axis=1) + UNKNOWN))


def _likeness(classes: NewClasses, rows: Codes, others: Codes) -> Array:
    alike = classes.directions[rows] @ classes.directions[others].T
    return np.asarray(np.clip(alike, 0.0, 1.0) ** SHARPNESS)


def _rows_unheard(classes: NewClasses, answers: Answers) -> Codes:
    """Return how many rows the group of each row has if nobody was asked about it, else 0."""
    sizes = np.array([len(rows) for rows in classes.typical_rows] + [0], dtype=np.intp)
    sizes[classes.assignment[np.array(list(answers), dtype=np.intp)]] = 0
    return np.asarray(sizes[classes.assignment], dtype=np.intp)


def _candidates(classes: NewClasses, answers: Answers) -> Codes:
    """Return rows that look new and were not asked about, at most so many."""
    rank = np.zeros(len(classes.assignment))
    for typical in classes.typical_rows:
        rank[typical] = np.arange(len(typical)) / max(len(typical), 1)
    rows = np.setdiff1d(classes.rows, np.array(list(answers), dtype=np.intp))
    return np.asarray(rows[np.argsort(rank[rows], kind="stable")][:MOST_ROWS], dtype=np.intp)
