"""The one road from held-out scores to an estimate: best bins, their median, error and interval.

Any score that ranks known rows first will do: that of a classifier of labeled against unlabeled
rows, of a classifier of K + 1 classes, of a network, of density ratios.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eulac.proportion.best_bin import ScorePair, corrected_best_bins
from eulac.proportion.estimate import ProportionEstimate, estimate_with_error
from eulac.proportion.reduction import log_odds

__all__ = ["DISAGREEMENT", "SPREAD_SHARE", "estimate_from_scores", "known_log_odds"]

Array = NDArray[np.float64]

SPREAD_SHARE = 0.5
"""How much of the distance between estimates of several scores enters the standard error."""

DISAGREEMENT = 0.1
"""Scores whose estimates lie further apart than this disagree."""


def known_log_odds(probabilities: tuple[Array, Array]) -> ScorePair:
    """Return log odds of not being of the last class, of labeled and of unlabeled rows.

    Examples
    --------
    >>> rows = np.array([[0.9, 0.1], [0.5, 0.5]])
    >>> known_log_odds((rows, rows))[0].round(2)
    array([2.2, 0. ])
    """
    labeled, unlabeled = probabilities
    return log_odds(1.0 - labeled[:, -1]), log_odds(1.0 - unlabeled[:, -1])


def estimate_from_scores(
    scores: Mapping[str, ScorePair],
    priors: Array,
    *,
    method: str,
    known_weights: Array | None = None,
    n_resamples: int = 100,
    random_state: Any = None,
    diagnostics: Mapping[str, Any] | None = None,
) -> ProportionEstimate:
    """Return the median of the scores' corrected best bin estimates.

    Parameters
    ----------
    scores : mapping of names to (known, unlabeled) arrays
        Held-out scores of the same rows, bigger meaning more like a known class.
    priors : array of shape (n_known_classes,)
        How the total divides among the known classes; sums to one.
    method : str
    known_weights : array of shape (n_labeled,), optional
        Weights of the labeled rows, where their priors have moved or they count differently.
    n_resamples : int, default=100
    random_state : int, optional
    diagnostics : mapping, optional
        What else the method says of itself.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> known = rng.normal(size=300)
    >>> unlabeled = np.append(rng.normal(size=180), rng.normal(-6, 1, 120))
    >>> scores = {"score": (known, unlabeled)}
    >>> estimate = estimate_from_scores(scores, np.ones(1), method="score", random_state=0)
    >>> bool(abs(estimate.total - 0.6) < 0.1)
    True
    """
    pairs = list(scores.values())
    found, error = corrected_best_bins(
        pairs, known_weights, n_resamples=n_resamples, random_state=random_state
    )
    values = [one.value for one in found]
    total, spread = float(np.median(values)), float(np.ptp(values))
    details: dict[str, Any] = {"raw": found[0].raw}
    if len(scores) > 1:
        by_score = dict(zip(scores, values, strict=True))
        details = {
            "by_score": by_score,
            "spread": spread,
            "scores_agree": spread <= DISAGREEMENT,
        }
    return estimate_with_error(
        total,
        priors,
        float(np.hypot(error, SPREAD_SHARE * spread)),
        method=method,
        n_labeled=len(pairs[0][0]),
        n_unlabeled=len(pairs[0][1]),
        diagnostics={**details, "at_bound": total >= 1.0, **(diagnostics or {})},
    )
