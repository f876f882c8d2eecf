"""How new unlabeled rows look, as shares that average to the augmented proportion."""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq, isotonic_regression
from scipy.special import expit

from eulac.proportion.reduction import log_odds

__all__ = ["matched_shares", "newest", "shares_of_new"]

Array = NDArray[np.float64]


def shares_of_new(
    known_scores: Array, weights: Array, unlabeled_scores: Array, *, soft: bool = True
) -> Array:
    """Return P(augmented | score) of unlabeled rows, from scores that rank known rows first.

    Parameters
    ----------
    known_scores, unlabeled_scores : arrays of shape (n,) and (m,)
        Held-out scores.
    weights : array of shape (n,)
        From `labeled_weights`: they average to the known proportion.
    soft : bool, default=True
        Smooth shares; otherwise the newest rows get 1 and the others 0.

    Returns
    -------
    array of shape (m,)
        Averages to one minus the known proportion.

    Examples
    --------
    >>> known, unlabeled = np.arange(5.0, 9.0), np.array([0.0, 1.0, 6.5, 7.5])
    >>> shares_of_new(known, np.full(4, 0.5), unlabeled).round(1)
    array([1., 1., 0., 0.])
    """
    share = 1.0 - float(weights.mean())
    if not soft or not 0.0 < share < 1.0:
        return newest(-unlabeled_scores, share)
    used = weights > 0
    levels, place = np.unique(np.append(known_scores[used], unlabeled_scores), return_inverse=True)
    of_known, of_unlabeled = np.split(place, [int(used.sum())])
    known = np.bincount(of_known, weights[used], len(levels)) / len(weights)
    unlabeled = np.bincount(of_unlabeled, minlength=len(levels)) / len(unlabeled_scores)
    # known / (known + unlabeled) of equal scores; isotonic means weigh them by both.
    fit = isotonic_regression(known / (known + unlabeled), weights=known + unlabeled).x
    new = np.clip(1.0 - fit / np.maximum(1.0 - fit, 1e-9), 0.0, 1.0)
    return matched_shares(new[of_unlabeled], share)


def matched_shares(shares: Array, mean: float) -> Array:
    """Return shares moved by one number in log odds, so that their mean is as given.

    Examples
    --------
    >>> matched_shares(np.array([0.2, 0.2]), 0.5)
    array([0.5, 0.5])
    """
    if not 0.0 < mean < 1.0:
        return np.full(len(shares), float(mean >= 1.0))
    odds = log_odds(shares)
    shift = brentq(lambda move: expit(odds + move).mean() - mean, -40.0, 40.0)
    return np.asarray(expit(odds + shift))


def newest(novelty: Array, share: float) -> Array:
    """Return 1 for the given share of rows with the largest novelty, 0 for the others."""
    n_new = round(share * len(novelty))
    chosen = np.zeros(len(novelty))
    chosen[np.argsort(-novelty, kind="stable")[:n_new]] = 1.0
    return chosen
