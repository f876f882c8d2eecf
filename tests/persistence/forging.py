"""Model files as somebody with bad intentions would write them: sealed anew after every change."""

import hashlib
import io
import json
import zipfile
from pathlib import Path

from eulac.persistence.archive import write_stored

MANIFEST, MODEL, SCHEMA = "manifest.json", "model.skops", "schema.json"


def members(content):
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(parts):
    stream = io.BytesIO()
    write_stored(stream, parts)
    return stream.getvalue()


def sealed(manifest, payload):
    """Return a file whose manifest vouches for the payload, whatever it is."""
    said = {**manifest, "sha256": hashlib.sha256(payload).hexdigest()}
    return packed({MANIFEST: json.dumps(said).encode(), MODEL: payload})


def forged(path, change):
    """Write a file anew after `change(schema, parts)` of its skops archive, checksums mended."""
    outer = members(Path(path).read_bytes())
    parts = members(outer[MODEL])
    schema = json.loads(parts[SCHEMA])
    schema = change(schema, parts) or schema
    parts[SCHEMA] = json.dumps(schema).encode()
    Path(path).write_bytes(sealed(json.loads(outer[MANIFEST]), packed(parts)))
    return path


def states(schema):
    """Return every described object of a schema."""
    found, stack = [], [schema]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            if "__loader__" in item:
                found.append(item)
            stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)
    return found
