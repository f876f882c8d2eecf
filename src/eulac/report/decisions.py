"""What a reviewer decided about groups of new-looking rows: a small JSON file, tied to its pool.

    {"format": "eulac-decisions", "version": 1, "fingerprint": "sha256:...", "n_rows": 700,
     "groups": [{"decision": "name", "name": "seven", "rows": [3, 17, 20]},
                {"decision": "reject", "rows": [5, 40]},
                {"decision": "known", "rows": [6]},
                {"decision": "unsure", "rows": [9]},
                {"decision": "undecided", "rows": [8]}]}

Rows count from 0 in the order of the pool. Groups with the same name are one class. Rejected rows
are no class; known ones are of some known class after all; of unsure ones a reviewer could not say,
and at undecided ones nobody has looked. `excluded` lists rows that were taken out of a group.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from eulac.discovery.labeled_rows import as_matrix
from eulac.discovery.new_classes import NewClasses

__all__ = [
    "FORMAT",
    "KINDS",
    "KNOWN",
    "SIGNS",
    "UNSURE",
    "VERSION",
    "Decisions",
    "GroupDecision",
    "checked_decisions",
    "pool_fingerprint",
]

FORMAT, VERSION = "eulac-decisions", 1
UNSURE, KNOWN = "?", "+"
"""What is typed for a group nobody is sure of, and for one that is known after all."""

KINDS = ("name", "reject", "known", "unsure", "undecided")
SIGNS = {None: "reject", UNSURE: "unsure", "": "undecided", KNOWN: "known"}
"""What else may stand in the place of a name, and the decision it is."""

Codes = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class GroupDecision:
    """One group: its rows, its name, or None where it has none, and rows taken out of it."""

    decision: str
    name: str | None
    rows: Codes
    excluded: Codes = field(default_factory=lambda: np.empty(0, dtype=np.intp))


@dataclass(frozen=True, eq=False)
class Decisions:
    """Decisions about the groups of one pool.

    Attributes
    ----------
    fingerprint : str
        Of the pool the groups were found in.
    n_rows : int
        Rows of that pool.
    groups : tuple of GroupDecision

    Examples
    --------
    >>> pool = np.arange(8.0).reshape(4, 2)
    >>> decisions = Decisions.from_names(pool, {"owl": [1, 3]})
    >>> decisions.named()
    {'owl': array([1, 3])}
    >>> Decisions.from_json(decisions.to_json()).named()
    {'owl': array([1, 3])}
    """

    fingerprint: str
    n_rows: int
    groups: tuple[GroupDecision, ...]

    @classmethod
    def from_names(cls, pool: Any, names: Mapping[str, Sequence[int]]) -> "Decisions":
        """Return decisions that name rows of a pool."""
        groups = [
            {"decision": "name", "name": name, "rows": [_plain(row) for row in rows]}
            for name, rows in names.items()
        ]
        return checked_decisions(pool_fingerprint(pool), len(as_matrix(pool)), groups)

    @classmethod
    def from_classes(
        cls, pool: Any, classes: NewClasses, names: Sequence[str | None]
    ) -> "Decisions":
        """Return decisions that name new classes; None rejects one, of "?" nobody is sure.

        "" leaves a class undecided, "+" says that it is known after all.

        Parameters
        ----------
        pool : array of shape (n_rows, n_features)
        classes : NewClasses
        names : sequence of str or None
            One for each class; equal names merge.
        """
        listed = [
            {"decision": SIGNS.get(name, "name"), "name": name, "rows": rows.tolist()}
            for name, rows in zip(names, classes.typical_rows, strict=True)
        ]
        return checked_decisions(pool_fingerprint(pool), len(as_matrix(pool)), listed)

    @classmethod
    def from_rows(cls, pool: Any, told: Mapping[int, tuple[str, str | None]]) -> "Decisions":
        """Return decisions about single rows; those of one decision and name are one group.

        Parameters
        ----------
        pool : array of shape (n_rows, n_features)
        told : mapping
            Decision and name of each row, as ``("name", "owl")`` or ``("unsure", None)``.
        """
        rows: dict[tuple[str, str | None], list[int]] = {}
        for row, said in told.items():
            rows.setdefault(said, []).append(int(row))
        listed = [{"decision": kind, "name": name, "rows": rows[kind, name]} for kind, name in rows]
        return checked_decisions(pool_fingerprint(pool), len(as_matrix(pool)), listed)

    @classmethod
    def from_json(cls, text: str | bytes, source: str = "the decisions") -> "Decisions":
        """Return the decisions in a JSON text, refusing what is not quite right."""
        try:
            content = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ValueError(
                f"{source} must be the JSON file downloaded from the review page; it is not JSON "
                f"({error}). Download it again."
            ) from error
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise ValueError(
                f"{source} must have the format {FORMAT!r}; it has not. Download the file with "
                "the button on the review page."
            )
        version = content.get("version")
        if not isinstance(version, int) or isinstance(version, bool) or version < 1:
            raise ValueError(f"{source} must have a version of 1 or more; got {version!r}.")
        if version > VERSION:
            raise ValueError(
                f"{source} is of version {version}; this eulac reads up to {VERSION}. Upgrade it."
            )
        fingerprint, n_rows = content.get("fingerprint"), content.get("n_rows")
        groups = content.get("groups")
        if not (isinstance(fingerprint, str) and _is_count(n_rows) and isinstance(groups, list)):
            raise ValueError(
                f"{source} must hold 'fingerprint', 'n_rows' and 'groups'; one is missing or of "
                "another kind. Download it again."
            )
        return checked_decisions(fingerprint, n_rows, groups, source)

    def to_json(self) -> str:
        """Return the JSON text of the decisions."""
        groups = [
            {
                "decision": one.decision,
                "name": one.name,
                "rows": one.rows.tolist(),
                "excluded": one.excluded.tolist(),
            }
            for one in self.groups
        ]
        content = {"format": FORMAT, "version": VERSION, "fingerprint": self.fingerprint}
        return json.dumps({**content, "n_rows": self.n_rows, "groups": groups})

    def named(self) -> dict[str, Codes]:
        """Return the rows of each name, groups of one name merged."""
        rows: dict[str, list[Codes]] = {}
        for group in self.groups:
            if group.name is not None:
                rows.setdefault(group.name, []).append(group.rows)
        return {name: np.sort(np.concatenate(parts)) for name, parts in rows.items()}

    def rows_of(self, decision: str) -> Codes:
        """Return the rows decided in one way, as "known" or "unsure", sorted."""
        parts = [group.rows for group in self.groups if group.decision == decision]
        return np.sort(np.concatenate([*parts, np.empty(0, dtype=np.intp)]))

    def require_pool(self, pool: Any) -> None:
        """Refuse a pool other than the one the decisions were made on."""
        given = as_matrix(pool)
        if len(given) != self.n_rows:
            raise ValueError(
                f"the decisions were made on a pool of {self.n_rows} rows; this one has "
                f"{len(given)}. Pass the pool of the review page."
            )
        if pool_fingerprint(given) != self.fingerprint:
            raise ValueError(
                "the decisions were made on another pool: the rows differ from those of the "
                "review page, or stand in another order. Pass the same rows with the same model."
            )


def pool_fingerprint(pool: Any) -> str:
    """Return what tells this pool from any other: values, shape and order of its rows.

    Examples
    --------
    >>> pool_fingerprint([[1, 2]]) == pool_fingerprint([[1.0, 2.0]])
    True
    >>> pool_fingerprint([[1, 2]]) == pool_fingerprint([[2, 1]])
    False
    """
    values = as_matrix(pool).astype("<f8")
    digest = hashlib.sha256(repr(values.shape).encode())
    digest.update(values.tobytes())
    return "sha256:" + digest.hexdigest()


def _plain(row: Any) -> Any:
    """Return a number of NumPy's as one of Python's, anything else as it is."""
    return row.item() if isinstance(row, np.integer) else row


def _is_count(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def checked_decisions(
    fingerprint: str, n_rows: int, groups: Sequence[Any], source: str = "the decisions"
) -> Decisions:
    """Return decisions about groups given as in the JSON file, refusing what is not right."""
    decided = tuple(
        _group(group, n_rows, f"group {number} of {source}")
        for number, group in enumerate(groups, start=1)
    )
    rows = np.concatenate([group.rows for group in decided]) if decided else np.empty(0, np.intp)
    values, counts = np.unique(rows, return_counts=True)
    if np.any(counts > 1):
        raise ValueError(
            f"a row must be in one group; row {values[counts > 1][0]} is in several groups of "
            f"{source}."
        )
    return Decisions(fingerprint, n_rows, decided)


def _group(group: Any, n_rows: int, where: str) -> GroupDecision:
    if not isinstance(group, dict) or group.get("decision") not in KINDS:
        given = group.get("decision") if isinstance(group, dict) else group
        raise ValueError(f"{where} must be decided as one of {', '.join(KINDS)}; got {given!r}.")
    rows = _listed(group.get("rows"), n_rows, where)
    out = _listed(group.get("excluded", []), n_rows, where)
    name = group.get("name")
    if group["decision"] != "name":
        return GroupDecision(group["decision"], None, rows, out)
    if not isinstance(name, str) or not name.strip():
        raise ValueError(f"{where} is to be named; got the name {name!r}. Give it one, or reject.")
    if any("\ud800" <= letter <= "\udfff" for letter in name):
        raise ValueError(f"{where} must have a name of whole characters; got {name!r}. Rename it.")
    return GroupDecision("name", name.strip(), rows, out)


def _listed(rows: Any, n_rows: int, where: str) -> Codes:
    if not isinstance(rows, list) or not all(_is_count(row) and row < n_rows for row in rows):
        raise ValueError(
            f"{where} must list rows of the pool, whole numbers from 0 to {n_rows - 1}; it does "
            "not. Download the file again."
        )
    return np.array(rows, dtype=np.intp)
