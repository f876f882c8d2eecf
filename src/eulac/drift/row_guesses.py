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


def newest_last(scores: Array, others: Array | None = None) -> Codes:
    """Return the places of rows, the newest last, by a score or by two that count alike."""
    ranks = rankdata(scores)
    if others is not None:
        ranks += rankdata(others)
    return np.lexsort((scores, ranks))


def row_guesses(order: Codes, of_classes: Array, share: float) -> Codes:
    """Return the likeliest class of each row; K for the newest rows, all but the known share.

    Parameters
    ----------
    order : int array of shape (m,)
        Places of the rows, the newest last.
    of_classes : array of shape (m, n_known_classes)
        What speaks for each known class.
    share : float
        Known share of the rows.

    Examples
    --------
    >>> of_classes = np.array([[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]])
    >>> row_guesses(newest_last(np.array([0.1, 5.0, 0.2])), of_classes, 2 / 3)
    array([0, 2, 1])
    """
    guesses = of_classes.argmax(axis=1)
    guesses[order[round(share * len(order)) :]] = of_classes.shape[1]
    return guesses


def disagreement(scores: ScorePair, likely: tuple[Array, Array], share: float) -> float:
    """Return how often columns and class view, each alone, take a row for something else.

    Parameters
    ----------
    scores : (columns, class view) arrays of shape (m,)
        Of the unlabeled rows, bigger meaning newer.
    likely : (columns, class view) arrays of shape (m, n_known_classes)
    share : float
        Known share of the rows.
    """
    one, other = (
        row_guesses(newest_last(newness), of_classes, share)
        for newness, of_classes in zip(scores, likely, strict=True)
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
