"""Zip archives whose members are stored as they are: nothing in them can grow when read.

A compressed member may unpack to a thousand times its size. Ours are not compressed, their sizes
are checked against the file before anything is read, and an array may not claim more values than
its bytes hold: reading takes memory in proportion to the file.
"""

import io
import math
import zipfile
from collections.abc import Mapping
from typing import BinaryIO

import numpy as np

from eulac.exceptions import ModelFileError

__all__ = ["check_array_member", "open_stored", "write_stored"]

MAX_MEMBERS = 20_000
"""Reading takes a sixth of a millisecond for each; the default classifier has 2,500."""

ENCRYPTED = 0x1
EPOCH = (1980, 1, 1, 0, 0, 0)
"""The date of every member: equal models are equal files."""


def write_stored(stream: BinaryIO, members: Mapping[str, bytes]) -> None:
    """Write members uncompressed.

    Examples
    --------
    >>> stream = io.BytesIO()
    >>> write_stored(stream, {"note.txt": b"hello"})
    >>> open_stored(stream, "note.zip").read("note.txt")
    b'hello'
    """
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name, EPOCH), content)


def open_stored(stream: BinaryIO, source: str) -> zipfile.ZipFile:
    """Return an archive after a look at its sizes, refusing what is packed, twice or too big."""
    size = stream.seek(0, io.SEEK_END)
    stream.seek(0)
    try:
        archive = zipfile.ZipFile(stream)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise ModelFileError(
            f"{source} must be a model file, a whole zip archive as `eulac fit` and eulac.save "
            "write; it is not one, or it is cut off. Name another file, or copy or save it again."
        ) from error
    members = archive.infolist()
    names = {member.filename for member in members}
    if len(members) > MAX_MEMBERS or len(names) < len(members):
        raise ModelFileError(
            f"members of {source} must have different names, {MAX_MEMBERS:,} of them at most; it "
            f"has {len(members):,} of {len(names):,} names. A model of more trees cannot be stored."
        )
    for member in members:
        if member.compress_type != zipfile.ZIP_STORED or member.flag_bits & ENCRYPTED:
            raise ModelFileError(
                f"members of {source} must be stored as they are; {member.filename[:60]!r} is "
                "packed, and might unpack to any size. Save the model again with eulac.save."
            )
    total = sum(member.file_size for member in members)
    if total > size:
        raise ModelFileError(
            f"members of {source} must fit into it; they claim {total:,} bytes of a file of "
            f"{size:,}. It was not written by eulac.save."
        )
    return archive


def check_array_member(content: bytes, name: str) -> None:
    """Refuse an .npy member that claims another number of bytes than follow its header."""
    stream = io.BytesIO(content)
    try:
        version = np.lib.format.read_magic(stream)
        read_header = {
            (1, 0): np.lib.format.read_array_header_1_0,
            (2, 0): np.lib.format.read_array_header_2_0,
        }[version]
        shape, _, dtype = read_header(stream)
    except Exception as error:  # headers are parsed as Python literals, which fail in many ways
        raise ModelFileError(
            f"arrays of a model file must be readable; {name[:60]!r} is not. Save the model again."
        ) from error
    claimed = math.prod(shape) * dtype.itemsize
    empty = dtype.itemsize == 0 and math.prod(shape) > 0  # any number of values in no bytes
    wrong = empty or min(shape, default=0) < 0 or claimed != len(content) - stream.tell()
    if dtype.hasobject or wrong:
        raise ModelFileError(
            f"arrays of a model file must hold plain values, as many as they claim; {name[:60]!r} "
            f"claims {dtype} of shape {shape}. Save the model again."
        )
