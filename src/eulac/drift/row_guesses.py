"""What single unlabeled rows are taken for where known classes have moved, and how surely.

Two views of a row count alike there: the columns keep most of the order of rows, the class view the
rest. How often they differ is what can be seen of the error.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

__all__ = ["disagreement", "guessed_priors", "newest_last", "row_guesses"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]
ScorePair = tuple[Array, Array]


def newest_last(scores: ScorePair, others: ScorePair | None = None) -> Codes:
    """Return the unlabeled rows, the newest last, by a score or by two that count alike.

    Where known rows have moved, the columns keep most of their order, the class view the rest.
    """
    ranks = rankdata(scores[1])
    if others is not None:
        ranks += rankdata(others[1])
    return np.lexsort((scores[1], ranks))


def row_guesses(newness: Codes, of_classes: Array, share: float) -> Codes:
    """Return the likeliest class of each row; K for the newest rows, as many as the share says.

    `newness` holds the rows, the newest last, `of_classes` what speaks for each known class.

    Examples
    --------
    >>> scores = np.zeros(3), np.array([0.1, 5.0, 0.2])
    >>> of_classes = np.array([[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]])
    >>> row_guesses(newest_last(scores), of_classes, 2 / 3)
    array([0, 2, 1])
    """
    guesses = of_classes.argmax(axis=1)
    guesses[newness[round(share * len(newness)) :]] = of_classes.shape[1]
    return guesses


def disagreement(
    views: tuple[ScorePair, ScorePair], likely: tuple[Array, Array], share: float
) -> float:
    """Return how often columns and class view, each alone, take a row for something else."""
    one, other = (
        row_guesses(newest_last(scores), of_classes, share)
        for scores, of_classes in zip(views, likely, strict=True)
    )
    return float(np.mean(one != other))


def guessed_priors(guesses: Codes, labeled: Array) -> Array:
    """Return the shares of known classes among rows taken for known, drawn a little to the labels.

    Where known classes have moved, whatever else tells their priors takes drift for other priors.
    """
    n_known_classes = len(labeled)
    counts = np.bincount(guesses, minlength=n_known_classes + 1)[:n_known_classes]
    smoothed = counts + n_known_classes * labeled
    return np.asarray(smoothed / smoothed.sum())
