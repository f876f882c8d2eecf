"""Known rows that changed places among the labeled ones: a sign of drift beside unevenness.

Other sources of the same classes, or other shares of the kinds within a class, move known rows
about among the labeled ones. The paper's condition then takes many of them for new rows that lie
among labeled rows. How many new rows do lie there is not known, but trials tell it of hidden
classes (`share_trials`): new rows that resemble known ones as these resemble each other. If far
more new rows than that would have to lie among the labeled ones, the condition does not hold.

The same number gives the known share where rows may change places: what lies among the labeled
rows, less the new rows that are to be expected there at least.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "NO_TRIAL",
    "NewWithin",
    "more_within",
    "new_within",
    "part_within",
    "share_within_labeled",
]

Array = NDArray[np.float64]

WITHIN = 0.97
"""Share of the labeled rows whose scores known rows are taken to stay within."""

FIRST_PART = 0.2
FIRST_DEVIATION = 0.2
"""Part of the new rows that is expected there before any trial: it counts as one trial does."""

FEWEST_NEW = 0.02
"""Share of new rows that is added to what there is: of next to none no part can be told."""


@dataclass(frozen=True)
class NewWithin:
    """What part of the new rows is to be expected within the scores of the labeled rows.

    Attributes
    ----------
    part : float
    deviation : float
        How much it differs from one choice of new classes to another.
    """

    part: float = FIRST_PART
    deviation: float = FIRST_DEVIATION

    @property
    def least(self) -> float:
        """The part that is likely to lie there at least; before any trial nothing is known of it.

        Examples
        --------
        >>> NewWithin().least, round(NewWithin(0.5, 0.2).least, 2)
        (0.0, 0.3)
        """
        return max(self.part - self.deviation, 0.0)


NO_TRIAL = NewWithin()


def share_within_labeled(scores: tuple[Array, Array]) -> float:
    """Return the known share if known rows may change places, but not leave the labeled scores.

    No new row is counted there: what trials say of them comes off afterwards.

    Examples
    --------
    >>> labeled = np.arange(100.0)
    >>> pool = np.append(np.full(60, 90.0), np.full(40, 200.0))  # known rows of one kind only
    >>> round(share_within_labeled((labeled, pool)), 2)
    0.62
    """
    inside = scores[1] <= np.quantile(scores[0], WITHIN)
    return min(float(inside.mean()) / WITHIN, 1.0)


def part_within(within: float, share: float) -> float:
    """Return what part of the new rows lies among the labeled ones, if so large a share is known.

    Examples
    --------
    >>> round(part_within(0.75, 0.5), 2)
    0.48
    """
    return (within - share) / (1.0 - share + FEWEST_NEW)


def new_within(parts: Sequence[float]) -> NewWithin:
    """Return what trials say, together with what is taken before any.

    Examples
    --------
    >>> new_within([]) == NO_TRIAL
    True
    >>> found = new_within([0.02, 0.03, 0.04, 0.03])
    >>> round(found.part, 3), round(found.deviation, 3)
    (0.064, 0.113)
    """
    n = len(parts) + 1.0
    part = (sum(parts) + FIRST_PART) / n
    squares = sum((one - part) ** 2 for one in parts)
    before = (FIRST_PART - part) ** 2 + FIRST_DEVIATION**2
    return NewWithin(float(part), math.sqrt((squares + before) / n))


def more_within(
    within: float, share: float, error: float, expected: NewWithin, sizes: tuple[int, int]
) -> float:
    """Return in standard errors how many more new rows lie among labeled ones than expected.

    Parameters
    ----------
    within : float
        From `share_within_labeled`.
    share, error : float
        The known share under the paper's condition, and its standard error.
    expected : NewWithin
    sizes : (int, int)
        Numbers of labeled and unlabeled rows.

    Examples
    --------
    Three quarters lie among the labeled rows. If a third were known, two in three new ones would:

    >>> few = new_within([0.02, 0.03, 0.04, 0.03])
    >>> round(more_within(0.75, 0.33, 0.03, few, (500, 1000)), 1)
    4.7
    >>> round(more_within(0.75, 0.70, 0.03, few, (500, 1000)), 1)
    0.6
    """
    n_labeled, n_unlabeled = sizes
    beyond = 1.0 - share + FEWEST_NEW
    drawn = math.sqrt(within * (1.0 - within) / n_unlabeled + WITHIN * (1.0 - WITHIN) / n_labeled)
    of_share = error * max(1.0 - within, 0.0) / beyond
    spread = math.hypot(expected.deviation, drawn / beyond, of_share / beyond)
    return (part_within(within, share) - expected.part) / spread
