"""Answers chosen by what errors cost, or by how many of those called new should be so."""

import numpy as np
from numpy.typing import NDArray

from eulac.data import requirements
from eulac.risk.new_selection import NewCalibration, new_log_odds, selected_rows

__all__ = ["choose_answers"]

Array = NDArray[np.float64]


def choose_answers(
    probabilities: Array,
    *,
    cost: Array | None = None,
    precision: float | None = None,
    calibration: NewCalibration | None = None,
    known_share: float = 1.0,
) -> NDArray[np.intp]:
    """Return class codes with the smallest expected cost, or with a wanted precision of *new*.

    Parameters
    ----------
    probabilities : array of shape (n, n_known_classes + 1)
        The augmented class last.
    cost : array of shape (n_known_classes + 1, n_known_classes + 1), optional
        A row per true class, a column per answer.
    precision : float, optional
        As many rows are called new as this share of them, on average, is so; needs `calibration`.
        Other rows get the likeliest known class.
    calibration : NewCalibration, optional
        Log odds of held-out labeled rows.
    known_share : float, default=1.0
        Upper bound of the share of known rows.

    Returns
    -------
    codes : int array of shape (n,)
        Places in the columns of `probabilities`.

    Examples
    --------
    >>> rows = np.array([[0.7, 0.1, 0.2], [0.4, 0.4, 0.2]])
    >>> missed = np.array([[0, 1, 1], [1, 0, 1], [9, 9, 0]])  # to miss a new row costs nine times
    >>> choose_answers(rows, cost=missed), choose_answers(rows, cost=1 - np.eye(3))
    (array([2, 2]), array([0, 0]))
    """
    if (cost is None) == (precision is None):
        given = "both" if cost is not None else "none"
        raise ValueError(
            f"answers are chosen by `cost` or by `precision`; got {given} of them. Pass one."
        )
    if cost is not None:
        return (probabilities @ _checked_cost(cost, probabilities.shape[1])).argmin(axis=1)
    requirements.require_range("precision", precision, 0.0, 1.0)
    if calibration is None:
        raise ValueError(
            "a wanted `precision` needs `calibration`, scores of held-out labeled rows; got None."
        )
    p_values = calibration.p_values(new_log_odds(probabilities))
    is_new = selected_rows(p_values, 1.0 - float(precision or 0.0), known_share)
    known = probabilities[:, :-1].argmax(axis=1)
    return np.where(is_new, probabilities.shape[1] - 1, known)


def _checked_cost(cost: Array, n_codes: int) -> Array:
    cost = np.asarray(cost, dtype=float)
    if cost.shape != (n_codes, n_codes) or not np.all(np.isfinite(cost)):
        raise ValueError(
            f"`cost` must be finite numbers of shape {(n_codes, n_codes)}, a row per true class "
            f"and a column per answer, the augmented class last; got shape {cost.shape}."
        )
    return cost
