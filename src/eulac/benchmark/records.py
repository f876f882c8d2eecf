"""What a trial left behind: one JSON object a line, appended when the trial ends.

A file of records is all a run leaves and all a report reads. A line half-written when a run was
killed is cut off when the file is opened again; its trial is then simply missing.
"""

import gzip
import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from eulac.benchmark.trial import Trial

try:
    import fcntl
except ImportError:  # not on Windows, where two runs on one file are not noticed
    fcntl = None  # type: ignore[assignment]

__all__ = ["FORMAT", "Record", "append_records", "latest", "read_records"]

FORMAT = 1


@dataclass(frozen=True)
class Record:
    """The outcome of a trial.

    Attributes
    ----------
    trial : Trial
    status : {"ok", "failed"}
    reason : str or None
        Why it failed.
    metrics : dict of float
        `macro_f1`, `accuracy`, `auc` as shares, not percent; other names for other measurements.
    proportion : dict or None
        Estimated known share with its interval and method, and the true one.
    risk : dict or None
        Label-free test error, raw, with its standard error and interval.
    parameters : dict
        What the method was given and what it chose.
    draw : dict
        Known classes, numbers of rows, and what was scaled down.
    seconds : dict
        Processor seconds of the `shared` work (done once per draw, told with each method that
        uses it), `fit` and `score`; `wall` is the time that passed.
    warnings : list of str
    versions : dict
    """

    trial: Trial
    status: str = "ok"
    reason: str | None = None
    metrics: Mapping[str, float] = field(default_factory=dict)
    proportion: Mapping[str, Any] | None = None
    risk: Mapping[str, Any] | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    draw: Mapping[str, Any] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether the trial came to its end."""
        return self.status == "ok"

    def to_line(self) -> str:
        """Return the record as one line of JSON, without the line end.

        Examples
        --------
        >>> from eulac.benchmark.trial import Draw
        >>> record = Record(Trial("table1", Draw("usps"), "osnn"), metrics={"auc": 0.5})
        >>> Record.from_line(record.to_line()) == record
        True
        """
        content = asdict(self) | {
            "format": FORMAT,
            "key": self.trial.key,
            "trial": self.trial.as_dict(),
        }
        return json.dumps(_plain(content), sort_keys=True, allow_nan=False, ensure_ascii=False)

    @classmethod
    def from_line(cls, line: str) -> "Record":
        """Return the record of a line."""
        content = json.loads(line)
        if content.pop("format", None) != FORMAT:
            raise ValueError(f"a record must be of format {FORMAT}; got {line[:60]!r}.")
        content.pop("key")
        content["trial"] = Trial.from_dict(content["trial"])
        return cls(**content)


def read_records(path: str | os.PathLike[str]) -> list[Record]:
    """Return the records of a file (`.jsonl`, also `.gz`), the last one of each trial.

    Examples
    --------
    >>> read_records("nowhere.jsonl")
    []
    """
    path = Path(path)
    if not path.exists():
        return []
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rb") as file:
        lines = file.read().split(b"\n")
    # What follows the last line end is a line that was never finished.
    return latest(_parsed(lines[:-1], path))


def latest(records: Iterable[Record]) -> list[Record]:
    """Return the last record of each trial: one that was tried again counts once."""
    return list({record.trial.key: record for record in records}.values())


@contextmanager
def append_records(path: str | os.PathLike[str]) -> Iterator[Any]:
    """Give a function that appends a record to the file, each on disk before it returns.

    An unfinished last line is cut off first. Only one run at a time may append.

    Examples
    --------
    >>> import tempfile
    >>> from eulac.benchmark.trial import Draw
    >>> record = Record(Trial("table1", Draw("usps"), "osnn"))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with append_records(f"{folder}/runs.jsonl") as append:
    ...         append(record)
    ...     read_records(f"{folder}/runs.jsonl") == [record]
    True
    """
    path = Path(path)
    if path.suffix == ".gz":
        raise ValueError(f"records are appended to a plain file; got {str(path)!r}. Unpack it.")
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "a+b") as file:
        _lock(file, path)
        _cut_unfinished_line(file)

        def append(record: Record) -> None:
            file.write(record.to_line().encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())

        yield append


def _parsed(lines: Iterable[bytes], path: Path) -> Iterator[Record]:
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            yield Record.from_line(line.decode())
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(
                f"every line of {path.name} must be a record; line {number} is not ({error}). "
                "Remove it; its trial runs again."
            ) from error


def _lock(file: BinaryIO, path: Path) -> None:
    locks: Any = fcntl
    if locks is None:
        return
    try:
        locks.flock(file, locks.LOCK_EX | locks.LOCK_NB)
    except BlockingIOError as error:
        raise BlockingIOError(
            f"one run at a time may append to {path.name}; another one does. Wait for it, or "
            "choose another file."
        ) from error


def _cut_unfinished_line(file: BinaryIO) -> None:
    file.seek(0)
    content = file.read()
    file.truncate(content.rfind(b"\n") + 1)
    file.seek(0, os.SEEK_END)


def _plain(value: Any) -> Any:
    """Return the value as JSON knows it: NumPy's numbers as numbers, not-a-number as null."""
    if isinstance(value, Mapping):
        return {str(name): _plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
