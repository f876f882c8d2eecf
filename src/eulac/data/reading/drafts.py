"""Files that are whole or not there: written beside their place, then moved into it."""

from __future__ import annotations

import os
import platform
import uuid
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["replacing", "require_new_file"]


def require_new_file(path: Path, *, overwrite: bool = False) -> None:
    """Refuse an output that is there, or could not be, before the work begins.

    Examples
    --------
    >>> require_new_file(Path("nowhere/pets.csv"))
    Traceback (most recent call last):
    FileNotFoundError: the folder of a new file must exist; 'nowhere' does not. Create it first.
    """
    if path.is_dir():
        raise ValueError(f"`path` must name a file; {str(path)!r} is a folder. Add a file name.")
    if path.exists() and not overwrite:
        raise FileExistsError(
            f"{str(path)!r} exists and is not replaced unasked. Choose another name, or pass "
            "`overwrite=True`."
        )
    if path.exists() and not path.is_file():
        raise ValueError(f"`path` must name a file; {str(path)!r} is a device. Name another.")
    folder = _real(path).parent
    if not folder.is_dir():
        raise FileNotFoundError(
            f"the folder of a new file must exist; {str(folder)!r} does not. Create it first."
        )
    draft = _draft_of(_real(path))
    try:
        draft.touch()
    except OSError as error:
        raise PermissionError(
            f"a new file must be writable; {str(path)!r} is not ({error.strerror}). Check the "
            "name, the disk and the permissions of the folder, or choose another."
        ) from error
    draft.unlink()


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a draft beside `path` that takes its place when the block ends without an error.

    A link stays one: what it leads to is replaced. Drafts of the same file are removed whose
    process was ended before it could.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacing(Path(folder, "note.txt")) as draft:
    ...         _ = draft.write_text("done")
    ...     [entry.name for entry in Path(folder).iterdir()]
    ['note.txt']
    """
    path = _real(path)
    _remove_left_drafts(path)
    draft = _draft_of(path)
    try:
        yield draft
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path)) if path.is_symlink() else path


def _draft_of(path: Path) -> Path:
    # Not `tempfile`: its files are readable by their owner only, and stay so after the renaming.
    return path.with_name(f"{_draft_start()}{os.getpid()}-{uuid.uuid4().hex[:8]}-{path.name}")


def _draft_start() -> str:
    """Return how drafts of this machine begin: processes of another are not ours to look for."""
    return f".draft-{zlib.crc32(platform.node().encode()):08x}-"


def _remove_left_drafts(path: Path) -> None:
    start, end = _draft_start(), f"-{path.name}"
    for entry in path.parent.iterdir() if path.parent.is_dir() else ():
        if entry.name.startswith(start) and entry.name.endswith(end):
            process, _, mark = entry.name[len(start) : -len(end)].partition("-")
            if process.isdigit() and len(mark) == 8 and not _is_running(int(process)):
                entry.unlink(missing_ok=True)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # somebody else's
        return True
    return True
