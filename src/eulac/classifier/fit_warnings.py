"""What the kernel classifier says of a doubtful fit, and how it counts its steps."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eulac.data.lac_sample import LacSample
from eulac.exceptions import SmallClassWarning

__all__ = ["step_counter", "warn_of_small_classes"]


def step_counter(progress: Callable[[int, int], Any] | None, total: int) -> Callable[[int], Any]:
    """Return a function of the index just finished that reports ``(done, total)``."""
    if progress is None:
        return lambda index: None
    return lambda index: progress(index + 1, total)


def warn_of_small_classes(sample: LacSample, n_folds: int) -> None:
    """Warn of known classes that cannot be in every fold."""
    counts = np.bincount(_counted(sample), minlength=sample.n_known_classes)
    labels = sample.codec.known.tolist()
    small = [f"{labels[k]!r} ({counts[k]})" for k in np.flatnonzero(counts < n_folds)]
    if small:
        others = f" and {len(small) - 5} others" if len(small) > 5 else ""
        warnings.warn(
            f"known classes with fewer labeled rows than the {n_folds} folds: "
            f"{', '.join(small[:5])}{others}. What is estimated for them is unreliable; label "
            "more of them.",
            SmallClassWarning,
            stacklevel=4,
        )


def _counted(sample: LacSample) -> NDArray[np.intp]:
    """Return the classes of the labeled rows that weigh anything."""
    return (
        sample.y_labeled if sample.importance is None else sample.y_labeled[sample.importance > 0]
    )
