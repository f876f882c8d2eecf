"""Paired comparison of two methods on the same draws: who wins, and whether it may be luck."""

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import t as student

__all__ = ["Comparison", "compare_paired", "paired_t_test"]

LEVEL = 0.05


@dataclass(frozen=True)
class Comparison:
    """The outcome of a paired t-test.

    Attributes
    ----------
    difference : float
        Mean of ours less theirs; not a number without pairs.
    p_value : float
        Two-sided.
    n_pairs : int
    level : float
        At which `outcome` is decided.

    Examples
    --------
    >>> Comparison(difference=1.5, p_value=0.01, n_pairs=10).outcome
    'win'
    """

    difference: float
    p_value: float
    n_pairs: int
    level: float = LEVEL

    @property
    def outcome(self) -> str:
        """What it means for ours: "win", "loss", or "tie" where the difference may be luck.

        "untested" with fewer than two pairs.
        """
        if math.isnan(self.p_value):
            return "untested"
        if self.p_value > self.level:
            return "tie"
        return "win" if self.difference > 0 else "loss"


def paired_t_test(ours: ArrayLike, theirs: ArrayLike, *, level: float = LEVEL) -> Comparison:
    """Return the two-sided paired t-test of values from the same draws, in the same order.

    Draws from one table overlap, so they are not independent, and p-values come out somewhat
    too small; it is the test the paper reports.

    Parameters
    ----------
    ours, theirs : array-like of shape (n_pairs,)
    level : float, default=0.05

    Examples
    --------
    >>> comparison = paired_t_test([0.9, 0.8, 0.95, 0.85], [0.7, 0.65, 0.7, 0.6])
    >>> comparison.outcome, round(comparison.p_value, 4)
    ('win', 0.003)
    """
    ours, theirs = np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)
    if ours.shape != theirs.shape or ours.ndim != 1:
        raise ValueError(
            f"paired values must be two lists of one length; got {ours.shape} and {theirs.shape}."
        )
    differences = ours - theirs
    n_pairs = len(differences)
    mean = float(differences.mean()) if n_pairs else math.nan
    if n_pairs < 2:
        return Comparison(mean, math.nan, n_pairs, level)
    error = float(differences.std(ddof=1)) / math.sqrt(n_pairs)
    if error == 0:
        return Comparison(mean, float(mean == 0), n_pairs, level)
    p_value = 2 * float(student.sf(abs(mean) / error, n_pairs - 1))
    return Comparison(mean, p_value, n_pairs, level)


def compare_paired(
    ours: Mapping[Hashable, float], theirs: Mapping[Hashable, float], *, level: float = LEVEL
) -> Comparison:
    """Return the paired t-test over the draws that both have a value for.

    Examples
    --------
    >>> compare_paired({"a": 1.0, "b": 2.0, "c": 9.0}, {"b": 2.0, "a": 1.0}).n_pairs
    2
    """
    common = [draw for draw in ours if draw in theirs]
    return paired_t_test(
        [ours[draw] for draw in common], [theirs[draw] for draw in common], level=level
    )
