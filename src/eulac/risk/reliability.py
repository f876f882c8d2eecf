"""Do probabilities mean what they say in deployment? A reliability curve without labels there."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eulac.risk.held_out import HeldOut

__all__ = ["ReliabilityCurve", "reliability_curve"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ReliabilityCurve:
    """Claimed and estimated shares in bins of probability; empty bins are left out.

    Attributes
    ----------
    weight : array of shape (n_bins,)
        Share of the test rows in the bin.
    claimed : array
        Mean probability there.
    observed : array
        Estimated share of rows for which it came true; unbiased, may leave [0, 1] in small bins.
    observed_error : array
        Standard error of `observed`.
    """

    weight: Array
    claimed: Array
    observed: Array
    observed_error: Array

    @property
    def ece(self) -> float:
        """Expected calibration error: mean distance of claimed and observed shares."""
        return float(np.sum(self.weight * np.abs(self.claimed - self.observed)))

    @property
    def ece_by_chance(self) -> float:
        """What `ece` would be on average for perfect probabilities: its floor in small samples."""
        return float(np.sqrt(2 / np.pi) * np.sum(self.weight * self.observed_error))


def reliability_curve(
    probabilities: HeldOut, column: int | None = None, *, n_bins: int = 10
) -> ReliabilityCurve:
    """Return claimed against estimated shares, of the answers or of one class.

    Parameters
    ----------
    probabilities : HeldOut
        Of held-out rows; a column per class, the augmented one last.
    column : int, optional
        Class to look at, -1 for the augmented one; by default the answer of each row, whatever it
        is: how often do rows answered with probability p turn out right?
    n_bins : int, default=10
        With equally many unlabeled rows each.

    Returns
    -------
    curve : ReliabilityCurve

    Examples
    --------
    >>> rows = np.repeat([[0.8, 0.2], [0.2, 0.8]], 50, axis=0)
    >>> y, weights = np.zeros(100, int), np.full(100, 0.5)
    >>> labeled = rows[np.r_[0:40, 0:40, 50:70]]  # of known rows, 80 % look known
    >>> curve = reliability_curve(HeldOut(labeled, rows, y, weights), -1, n_bins=2)
    >>> curve.claimed, curve.observed, round(curve.ece, 6)
    (array([0.2, 0.8]), array([0.2, 0.8]), 0.0)
    """
    parts = probabilities.labeled, probabilities.unlabeled
    (known_answer, known_claim), (answer, claim) = (_claims(part, column) for part in parts)
    augmented = probabilities.augmented
    came_true = (known_answer == probabilities.y_labeled).astype(float)
    # As in the label-free error: every row is taken for new, and known rows are exchanged.
    exchange = probabilities.weights * (came_true - (known_answer == augmented))
    as_new = (answer == augmented).astype(float)
    inner = np.quantile(claim, np.linspace(0, 1, n_bins + 1)[1:-1])
    known_bin, at = (np.searchsorted(inner, part, side="right") for part in (known_claim, claim))
    found = [
        _bin(exchange * (known_bin == b), as_new[at == b], claim[at == b], len(claim))
        for b in np.unique(at)
    ]
    return ReliabilityCurve(*np.array(found).T)


def _claims(probabilities: Array, column: int | None) -> tuple[NDArray[np.intp], Array]:
    """Return what is claimed of each row, a class, and with which probability."""
    if column is None:
        return probabilities.argmax(axis=1), probabilities.max(axis=1)
    answer = np.full(len(probabilities), column % probabilities.shape[1])
    return answer, probabilities[:, column]


def _bin(exchange: Array, as_new: Array, claimed: Array, n: int) -> tuple[float, ...]:
    weight = len(claimed) / n
    observed = (exchange.mean() + as_new.sum() / n) / weight
    # Of a ratio: how many rows fall into the bin is chance too.
    variance = exchange.var() / len(exchange) + np.sum((as_new - observed) ** 2) / n**2
    return weight, float(claimed.mean()), float(observed), float(np.sqrt(variance)) / weight
