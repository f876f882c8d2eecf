"""What the kernel classifier says of a doubtful fit, and how it counts its steps."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eulac.data.lac_sample import LacSample
from eulac.exceptions import SmallClassWarning, TrivialPredictorWarning

__all__ = ["step_counter", "warn_if_trivial", "warn_of_small_classes"]

TRIVIAL_SHARE = 0.995


def step_counter(progress: Callable[[int, int], Any] | None, total: int) -> Callable[[int], Any]:
    """Return a function of the index just finished that reports ``(done, total)``."""
    if progress is None:
        return lambda index: None
    return lambda index: progress(index + 1, total)


def warn_of_small_classes(sample: LacSample, n_folds: int) -> None:
    """Warn of known classes that cannot be in every fold."""
    counts = np.bincount(sample.y_labeled, minlength=sample.n_known_classes)
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


def warn_if_trivial(answer_shares: NDArray[np.float64], labels: NDArray[Any]) -> None:
    """Warn of a classifier that gives nearly every unlabeled row the same answer."""
    top = int(answer_shares.argmax())
    if answer_shares[top] >= TRIVIAL_SHARE and len(labels) > 1:
        answer = labels.tolist()[top]
        warnings.warn(
            f"{answer_shares[top]:.1%} of the held-out unlabeled rows are called {answer!r}. "
            "Check the features' scale, the labels, and `known_proportion`.",
            TrivialPredictorWarning,
            stacklevel=3,
        )
