"""The same model, the same bytes: a skops archive without names taken from memory addresses."""

import io
import json
import zipfile
from typing import Any

from eulac.persistence.archive import write_stored

__all__ = ["canonical_payload"]

SCHEMA = "schema.json"


def canonical_payload(payload: bytes) -> bytes:
    """Return a skops archive with its parts numbered in the order they are described.

    skops names parts and files by where they stood in memory, and dates them. Numbered and dated
    alike, equal models are equal files; and the description is short without its indents.

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
    members = {new: content[old] for old, new in files.items()}
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
            found[key] = numbers.setdefault(value, len(numbers))
        elif key == "file" and "__loader__" in item:
            found[key] = files.setdefault(value, f"{len(files)}.npy")
        else:
            found[key] = _numbered(value, numbers, files)
    return found
