"""How much memory this process may still take, and work that would need more."""

import os
from pathlib import Path

__all__ = ["free_bytes", "in_words", "require_free"]

UNLIMITED = 1 << 60
"""Some systems write a number beyond all machines where there is no limit."""

CONTROL_GROUP = Path("/sys/fs/cgroup")


def free_bytes() -> int | None:
    """Return what is free by the machine, its container and the process's limits; None if unknown.

    Examples
    --------
    >>> free = free_bytes()
    >>> free is None or free > 0
    True
    """
    found = [left for left in (_of_machine(), _of_container(), _of_process()) if left is not None]
    return max(min(found), 0) if found else None


def require_free(needed: int, work: str, advice: str) -> None:
    """Refuse work that needs more memory than is free, before it begins.

    Parameters
    ----------
    needed : int
        Bytes at the peak.
    work, advice : str
        What needs them, and what to do instead.

    Examples
    --------
    >>> require_free(1000, "a fit of 3 rows", "Use fewer rows.")
    """
    free = free_bytes()
    if free is not None and needed > free:
        raise MemoryError(
            f"{work} needs about {in_words(needed)} of memory at its peak; {in_words(free)} are "
            f"free. {advice}"
        )


def in_words(n_bytes: int) -> str:
    """Return a number of bytes for people.

    Examples
    --------
    >>> in_words(86_400_000_000), in_words(5_000_000)
    ('86.4 GB', '5.0 MB')
    """
    size, unit = (n_bytes / 1e9, "GB") if n_bytes >= 1e9 else (n_bytes / 1e6, "MB")
    return f"{size:,.1f} {unit}"


def _of_machine() -> int | None:
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return None
    found = [line.split() for line in lines if line.startswith("MemAvailable:")]
    return 1024 * int(found[0][1]) if found else None


def _of_container() -> int | None:
    try:
        most, used = (CONTROL_GROUP / f"memory.{name}" for name in ("max", "current"))
        limit = int(most.read_text())  # the word "max" where there is none
        return None if limit >= UNLIMITED else limit - int(used.read_text()) + _kept_files()
    except (OSError, ValueError):
        return None


def _kept_files() -> int:
    """Return what files take that were read and are kept in case: it is given up when needed."""
    lines = (CONTROL_GROUP / "memory.stat").read_text().splitlines()
    kinds = dict(line.split(maxsplit=1) for line in lines)
    return sum(int(kinds.get(name, 0)) for name in ("active_file", "inactive_file"))


def _of_process() -> int | None:
    """Return what `ulimit -v` leaves."""
    try:
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if limit == resource.RLIM_INFINITY or limit >= UNLIMITED:
            return None
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        return limit - pages * os.sysconf("SC_PAGE_SIZE")
    except (ImportError, OSError, ValueError):
        return None
