"""Which rows are new, at most a given share of them wrongly: p-values and their selection.

The null hypothesis of a row is "it is of a known class". Labeled rows that a model has not seen
say how often a known row looks at least as new; where the priors of the known classes moved, they
are weighted to stand for the known rows of deployment. Benjamini and Hochberg's procedure keeps
the false discovery rate at the level times the share of known rows, so the level may be divided by
an upper bound of that share.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eulac.data import requirements
from eulac.risk.evidence import augmented_log_odds

__all__ = ["NewCalibration", "new_log_odds", "selected_rows", "selection_cut"]

Array = NDArray[np.float64]

NONE_SELECTED = -1.0
"""Cut below every p-value."""


def new_log_odds(probabilities: Array) -> Array:
    """Return log odds of the last class, fine enough to order rows that are all but certain.

    Examples
    --------
    >>> new_log_odds(np.array([[0.25, 0.25, 0.5], [1e-30, 0.0, 1.0]])).round(1)
    array([ 0. , 69.1])
    """
    return augmented_log_odds(np.log(np.maximum(probabilities, np.finfo(float).tiny)))


@dataclass(frozen=True, eq=False)
class NewCalibration:
    """How new rows of known classes look to models that have not seen them.

    Attributes
    ----------
    scores : array of shape (n_labeled,)
        Of held-out labeled rows, bigger for rows that look newer.
    weights : array of shape (n_labeled,)
        From `labeled_weights`; only their ratios count.

    Examples
    --------
    >>> calibration = NewCalibration(np.array([0.1, 0.2, 0.3, 0.4]), np.ones(4))
    >>> calibration.p_values(np.array([0.0, 0.35, 9.0]))
    array([1. , 0.4, 0.2])
    """

    scores: Array
    weights: Array

    def p_values(self, score: Array) -> Array:
        """Return for each score how likely a row of a known class looks at least as new.

        The row itself counts as one more known row of mean weight, so that no p-value is zero.
        """
        order = np.argsort(self.scores, kind="stable")
        weights = self.weights[order]
        if not weights.sum() > 0:  # nothing known is expected: then all labeled rows count alike
            weights = np.ones(len(order))
        from_here = np.append(np.cumsum(weights[::-1])[::-1], 0.0)
        at_least = from_here[np.searchsorted(self.scores[order], score, side="left")]
        own = weights.mean()
        return np.asarray((at_least + own) / (from_here[0] + own))


def selection_cut(p_values: Array, alpha: float = 0.1, known_share: float = 1.0) -> float:
    """Return the largest p-value that is selected; -1 where none is.

    Parameters
    ----------
    p_values : array of shape (n_rows,)
    alpha : float, default=0.1
        Wanted bound of the share of known rows among the selected ones, on average.
    known_share : float, default=1.0
        Upper bound of the share of known rows among these rows.

    Examples
    --------
    >>> p_values = np.array([0.01, 0.03, 0.09, 0.5, 0.9])
    >>> selection_cut(p_values, 0.1), selection_cut(p_values, 0.1, known_share=0.6)
    (0.03, 0.09)
    """
    requirements.require_range("alpha", alpha, 0.0, 1.0)
    requirements.require_range("known_share", known_share, 0.0, 1.0)
    # If no more than alpha of the rows are known, all rows may be selected.
    level = min(alpha / known_share, 1.0) if known_share > 0 else 1.0
    ordered = np.sort(p_values)
    below = np.flatnonzero(ordered <= level * np.arange(1, len(ordered) + 1) / len(ordered))
    return float(ordered[below[-1]]) if below.size else NONE_SELECTED


def selected_rows(
    p_values: Array, alpha: float = 0.1, known_share: float = 1.0
) -> NDArray[np.bool_]:
    """Return which rows are selected as new; parameters as in `selection_cut`.

    Examples
    --------
    >>> selected_rows(np.array([0.01, 0.03, 0.09, 0.5, 0.9]))
    array([ True,  True, False, False, False])
    """
    return np.asarray(p_values <= selection_cut(p_values, alpha, known_share))
