"""A line per epoch, for people who wait."""

import sys
from dataclasses import dataclass
from typing import Any, TextIO

from eulac.deep.training import Record

__all__ = ["EpochLines", "epoch_line"]


def epoch_line(record: Record, n_done: int, n_epochs: int, seconds: float = 0.0) -> str:
    """Return what the record of an epoch says, on one line.

    `seconds` is what all epochs so far took.

    Examples
    --------
    >>> record = {"phase": "lac", "objective": 0.25, "estimated_error": 0.061}
    >>> epoch_line(record | {"known_proportion": 0.6}, 3, 12, seconds=21.0)
    'epoch  3/12  lac          objective  0.2500  error  6.1 %  new 40.0 %  1:03 left'
    """
    parts = [f"epoch {n_done:2d}/{n_epochs}", f"{record.get('phase', 'training'):<11}"]
    parts.append(f"objective {record['objective']:7.4f}")
    if "estimated_error" in record:
        parts.append(f"error {100 * record['estimated_error']:4.1f} %")
    if "known_proportion" in record:
        parts.append(f"new {100 * (1 - record['known_proportion']):4.1f} %")
    left = round(seconds / n_done * (n_epochs - n_done))
    parts.append(f"{left // 60}:{left % 60:02d} left")
    return "  ".join(parts)


@dataclass(eq=False)
class EpochLines:
    """Something to pass as `progress`: writes objective, estimated error and share of new rows.

    Attributes
    ----------
    classifier : DeepClassifier
        The one that is fitted; the lines are of its `history_`.
    stream : file, optional
        Standard error by default.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> record = {"phase": "warm_up", "objective": 0.5, "seconds": 2.0}
    >>> show = EpochLines(SimpleNamespace(history_=[record]), sys.stdout)
    >>> show(1, 3)
    epoch  1/3  warm_up      objective  0.5000  0:04 left
    """

    classifier: Any
    stream: TextIO | None = None

    def __call__(self, n_done: int, n_epochs: int) -> None:
        """Write the line of the last epoch."""
        history = self.classifier.history_
        seconds = sum(record["seconds"] for record in history)
        stream = sys.stderr if self.stream is None else self.stream
        stream.write(epoch_line(history[-1], n_done, n_epochs, seconds) + "\n")
        stream.flush()
