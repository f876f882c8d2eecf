"""What the parameters that several classifiers have may be."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sklearn.preprocessing import MinMaxScaler, StandardScaler

__all__ = ["DECISIONS", "GRIDS", "SCALERS", "SHIFTS", "Grid", "Progress"]

SCALERS = {"minmax": MinMaxScaler, "standard": StandardScaler}
"""By `scale`; None leaves the features as they are."""

SHIFTS = ("auto", True, False)
"""Of `shift`: whether the known classes' priors among each other may have moved."""

DECISIONS = ("matched", "largest")
"""Of `decision`: as many augmented rows as the proportion says, or the largest score."""

Progress = Callable[[int, Any], Any] | None
"""Of `progress`: called with the steps done and their total, None as long as that is not known."""


@dataclass(frozen=True)
class Grid:
    """Bandwidths as multiples of the median distance, and penalties."""

    bandwidth_factors: tuple[float, ...]
    penalties: tuple[float, ...]


_HALF_DECADES = tuple(10 ** (power / 2) for power in range(-4, 3))

GRIDS = {
    # The best bandwidths lie between 0.2 and 0.5 medians, which whole decades step over.
    "half_decades": Grid(_HALF_DECADES, tuple(10.0**power for power in range(-5, 2))),
    # Appendix C.1 of the paper.
    "paper": Grid((0.01, 0.1, 1.0, 10.0), tuple(10.0**power for power in range(-3, 2))),
}
