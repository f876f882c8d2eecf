"""Single rows asked about in a review: which is next, and what answers suggest for others.

What was said of a row is a decision and a name, as in a decisions file: `("name", "owl")`,
`("known", None)`. "unsure" and "undecided" say nothing of other rows, and such rows are not asked
about again.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from eulac.discovery.new_classes import NewClasses
from eulac.discovery.next_rows import next_row, spread_names
from eulac.report.decisions import KINDS
from eulac.report.findings import PoolAnswers
from eulac.report.row_display import Gallery

__all__ = ["AskedRows", "Told", "corrections", "decided_rows", "shown_as_told"]

Told = tuple[str, str | None]
SILENT = ("unsure", "undecided")

SHOWN = 5
"""Typical rows of a group for which its name was certainly meant: those that were shown."""


def shown_as_told(classes: NewClasses, of_groups: Sequence[Told]) -> dict[int, Told]:
    """Return what was said of groups as said of their most typical rows, which were looked at."""
    return {
        row: told
        for rows, told in zip(classes.typical_rows, of_groups, strict=True)
        for row in rows[:SHOWN].tolist()
        if told[0] != "undecided"
    }


def decided_rows(
    classes: NewClasses, of_groups: Sequence[Told], of_rows: Mapping[int, Told]
) -> dict[int, Told]:
    """Return what is decided of each row: as its group, unless it was asked about itself."""
    decided = {
        row: told
        for rows, told in zip(classes.typical_rows, of_groups, strict=True)
        for row in rows.tolist()
    }
    return decided | dict(of_rows)


def corrections(
    classes: NewClasses, of_groups: Sequence[Told], of_rows: Mapping[int, Told]
) -> dict[int, Told]:
    """Return what answers suggest for rows that are decided otherwise by their group alone.

    Nothing is suggested for groups somebody is not sure of, nor for rows that were asked about.
    """
    decided = decided_rows(classes, of_groups, of_rows)
    told = shown_as_told(classes, of_groups) | dict(of_rows)
    return {
        row: suggested
        for row, suggested in _spread(classes, told).items()
        if row not in told and row in decided and decided[row] not in (suggested, ("unsure", None))
    }


def _spread(classes: NewClasses, told: Mapping[int, Told]) -> dict[int, Told]:
    names = spread_names(classes, _spoken(told))
    return {row: names[row] for row in classes.rows.tolist() if names[row] is not None}


def _spoken(told: Mapping[int, Told]) -> dict[int, Told | None]:
    return {row: None if said[0] in SILENT else said for row, said in told.items()}


@dataclass(frozen=True, eq=False)
class AskedRows:
    """Questions about the rows of a pool.

    Parameters
    ----------
    answers : PoolAnswers
    gallery : Gallery
        The rows as they are shown.
    """

    answers: PoolAnswers
    gallery: Gallery

    @cached_property
    def columns(self) -> list[int]:
        """Columns that are shown: those that tell new-looking rows from others best."""
        return self.gallery.columns(np.isin(np.arange(len(self.answers.X)), self.answers.new))

    def next(self, told: Mapping[int, Told]) -> tuple[int, Told | None] | None:
        """Return the row to ask about, and what answers suggest; None where none is left."""
        row = next_row(self.answers.groups, _spoken(told))
        return None if row is None else (row, _spread(self.answers.groups, told).get(row))

    def reply(self, content: bytes) -> bytes:
        """Answer a page that sends what was said: the next row, and what is suggested for others.

        Parameters
        ----------
        content : bytes
            JSON: ``{"answers": [{"row": 3, "decision": "name", "name": "owl"}]}``.
        """
        told = self._read(content)
        asked = self.next(told)
        groups: dict[Told, list[int]] = {}
        for row, said in _spread(self.answers.groups, told).items():
            groups.setdefault(said, []).append(row)
        listed = [{"decision": k, "name": n, "rows": rows} for (k, n), rows in groups.items()]
        return json.dumps({"next": asked and self._shown(*asked), "names": listed}).encode()

    def _read(self, content: bytes) -> dict[int, Told]:
        try:
            listed = json.loads(content)["answers"]
            told = {one["row"]: (one["decision"], one["name"]) for one in listed}
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise ValueError(f"the answers must be a list of rows; {error!r}. Reload.") from error
        for row, (decision, name) in told.items():
            is_row = isinstance(row, int) and 0 <= row < len(self.answers.X)
            if not is_row or decision not in KINDS or not isinstance(name, str | None):
                raise ValueError(f"row {row!r} cannot be {decision!r}, {name!r}. Reload the page.")
        return told

    def _shown(self, row: int, suggested: Told | None) -> dict[str, Any]:
        group = int(self.answers.groups.assignment[row])
        columns = [str(self.gallery.frame.columns[column]) for column in self.columns]
        return {
            "row": row,
            "group": None if group < 0 else group + 1,
            "image": self.gallery.image(row),
            "cells": list(zip(columns, self.gallery.cells(row, self.columns), strict=True)),
            "suggested": None if suggested is None else suggested[1] or suggested[0],
            "decision": None if suggested is None else suggested[0],
        }
