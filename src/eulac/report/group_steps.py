"""Groups one step coarser, one step finer, and on: what the page shows where the cut is moved."""

from dataclasses import dataclass
from string import ascii_lowercase

import numpy as np
from numpy.typing import NDArray

from eulac.discovery.new_classes import NewClasses

__all__ = ["GroupSteps", "OtherGroup", "group_steps"]

Codes = NDArray[np.intp]

MOST_COARSER = 4
"""Steps coarser that are offered."""


@dataclass(frozen=True, eq=False)
class OtherGroup:
    """A group of another number of groups: its title, and its rows, the most typical first."""

    title: str
    rows: Codes


@dataclass(frozen=True, eq=False)
class GroupSteps:
    """Groups of coarser and finer groupings, and where each group is shown.

    Attributes
    ----------
    others : list of OtherGroup
        Groups that are merged, or parts.
    levels : list of (int, int, int)
        Of each group, and then of each other one: the least and largest number of groups under
        which it is one of them, and its place among them.
    """

    others: list[OtherGroup]
    levels: list[tuple[int, int, int]]


def group_steps(found: NewClasses) -> GroupSteps:
    """Return the groups under every number of groups that is offered.

    Parameters
    ----------
    found : NewClasses
    """
    n_classes, tree = found.n_classes, found.tree
    if not n_classes:
        return GroupSteps([], [])
    low = max(1, min(n_classes - 1, max(found.interval[0], n_classes - MOST_COARSER)))
    own = [tuple(pieces) for pieces in tree.pieces_in(n_classes)]
    shown: dict[tuple[int, ...], list[int]] = {pieces: [] for pieces in own}
    for level in range(low, tree.n_most + 1):
        for pieces in tree.pieces_in(level):
            shown.setdefault(tuple(pieces), []).append(level)
    order = _typical_order(found)
    others = [
        OtherGroup(_title(pieces, own), order[np.isin(tree.pieces[order], pieces)])
        for pieces in shown
        if pieces not in own
    ]
    levels = [(min(at), max(at), pieces[0]) for pieces, at in shown.items()]
    return GroupSteps(others, levels)


def _typical_order(found: NewClasses) -> Codes:
    """Return rows of all groups by how typical they are of their own."""
    rank = [np.arange(len(rows)) / max(len(rows), 1) for rows in found.typical_rows]
    rows = np.concatenate([*found.typical_rows, np.empty(0, dtype=np.intp)])
    return np.asarray(
        rows[np.argsort(np.concatenate([*rank, np.empty(0)]), kind="stable")], dtype=np.intp
    )


def _title(pieces: tuple[int, ...], own: list[tuple[int, ...]]) -> str:
    """Return the numbers of the groups that are merged, or that of a group and a letter."""
    inside = [number for number, group in enumerate(own, start=1) if set(group) <= set(pieces)]
    if inside:
        return " + ".join(map(str, inside))
    home = next(number for number, group in enumerate(own, start=1) if set(pieces) <= set(group))
    part = sorted(own[home - 1]).index(pieces[0])
    return f"{home}{ascii_lowercase[part % 26]}"
