"""A line per epoch, for people who wait."""

import sys
from dataclasses import dataclass, field
from typing import Any, TextIO

__all__ = ["EpochLines", "epoch_line"]


def epoch_line(record: dict[str, Any], n_epochs: int | None = None, seconds: float = 0.0) -> str:
    """Return what the record of an epoch says, on one line.

    Examples
    --------
    >>> record = {"epoch": 3, "phase": "lac", "objective": 0.25, "estimated_error": 0.061}
    >>> epoch_line(record | {"known_proportion": 0.6}, 12, seconds=21.0)
    'epoch  3/12  lac          objective  0.2500  error  6.1 %  new 40.0 %  1:03 left'
    """
    of_all = "" if n_epochs is None else f"/{n_epochs}"
    parts = [f"epoch {record['epoch']:2d}{of_all}", f"{record.get('phase', 'training'):<11}"]
    parts.append(f"objective {record['objective']:7.4f}")
    if "estimated_error" in record:
        parts.append(f"error {100 * record['estimated_error']:4.1f} %")
    if "known_proportion" in record:
        parts.append(f"new {100 * (1 - record['known_proportion']):4.1f} %")
    if n_epochs is not None:
        left = round(seconds / record["epoch"] * (n_epochs - record["epoch"]))
        parts.append(f"{left // 60}:{left % 60:02d} left")
    return "  ".join(parts)


@dataclass(eq=False)
class EpochLines:
    """Something to pass as `on_epoch`: writes objective, estimated error and share of new rows.

    Attributes
    ----------
    n_epochs : int, optional
        Number of epochs there will be, for the time that is left.
    stream : file, optional
        Standard error by default.

    Examples
    --------
    >>> show = EpochLines(stream=sys.stdout)
    >>> show({"epoch": 1, "phase": "warm_up", "objective": 0.5, "seconds": 2.0})
    epoch  1  warm_up      objective  0.5000
    """

    n_epochs: int | None = None
    stream: TextIO | None = None
    seconds: float = field(default=0.0, init=False)

    def __call__(self, record: dict[str, Any]) -> None:
        """Write the line of one epoch."""
        self.seconds += record["seconds"]
        stream = sys.stderr if self.stream is None else self.stream
        stream.write(epoch_line(record, self.n_epochs, self.seconds) + "\n")
        stream.flush()
