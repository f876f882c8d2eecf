"""The same model, the same bytes: a skops archive without names taken from memory addresses."""

import io
import json
import zipfile
from typing import Any

import numpy as np

from eulac.persistence.archive import write_stored

__all__ = ["canonical_payload"]

SCHEMA = "schema.json"

HEADER = 128
"""Bytes in which an .npy file says what it holds, at least their beginning."""

PLAIN = ("JsonNode", "TypeNode")
"""What cannot be changed, so that one copy is as good as two."""

TIMED = ("selection_", "history_")
"""Attributes of fitted models that also say how long something took."""


FULL_NAMES = {"_loss": "sklearn._loss._loss"}
"""Compiled modules of scikit-learn before 1.9 that go by the end of their name. By that alone no
other process would find them."""


def canonical_payload(payload: bytes) -> bytes:
    """Return a skops archive with its parts numbered in the order they are described.

    skops names parts and files by where they stood in memory, and dates them. Numbered and dated
    alike, equal models are equal files; and the description is short without its indents. How
    long a fit took is no part of the model, and is zero in the file.

    Examples
    --------
    >>> from eulac.persistence.skops_import import import_skops
    >>> dumps = import_skops().dumps
    >>> canonical_payload(dumps([1.5, "a"])) == canonical_payload(dumps([1.5, "a"]))
    True
    """
    with zipfile.ZipFile(io.BytesIO(payload)) as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    numbers: dict[Any, int] = {}
    files: dict[str, str] = {}
    schema = _numbered(json.loads(content.pop(SCHEMA)), numbers, files)
    members = {new: _without_gaps(content[old]) for old, new in files.items()}
    stream = io.BytesIO()
    write_stored(stream, {SCHEMA: json.dumps(schema, separators=(",", ":")).encode(), **members})
    return stream.getvalue()


def _numbered(item: Any, numbers: dict[Any, int], files: dict[str, str]) -> Any:
    """Return a description with ids and files numbered by their first appearance."""
    if isinstance(item, list):
        return [_numbered(value, numbers, files) for value in item]
    if not isinstance(item, dict):
        return item
    found: dict[str, Any] = {}
    for key, value in item.items():
        if key == "__id__":
            # Whether equal numbers and texts are one object is chance, and means nothing.
            which = value if item.get("__loader__") not in PLAIN else (value, len(numbers))
            found[key] = numbers.setdefault(which, len(numbers))
        elif key == "file" and "__loader__" in item:
            found[key] = files.setdefault(value, f"{len(files)}.npy")
        elif key == "__module__":
            found[key] = FULL_NAMES.get(value, value)
        else:
            found[key] = _numbered(value, numbers, files)
            if key in TIMED:
                _forget_seconds(found[key])
    return found


def _without_gaps(content: bytes) -> bytes:
    """Return an array of records, as of trees, with zeros in the bytes between their fields."""
    if b"'descr': [" not in content[:HEADER]:
        return content
    records = np.load(io.BytesIO(content), allow_pickle=False)
    clean = np.zeros(records.shape, records.dtype)  # `zeros_like` leaves the gaps to chance
    for name in records.dtype.names:
        clean[name] = records[name]
    # Not by `np.save`, which copies fields too.
    return content[: len(content) - records.nbytes] + clean.tobytes()


def _forget_seconds(item: Any, inside: bool = False) -> None:
    """Set the numbers below `seconds` to zero."""
    if isinstance(item, list):
        for value in item:
            _forget_seconds(value, inside)
    elif isinstance(item, dict):
        if inside and item.get("__loader__") == "JsonNode":
            item["content"] = "0.0"
        for key, value in item.items():
            _forget_seconds(value, inside or key == "seconds")
