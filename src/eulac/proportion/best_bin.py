"""Best bin estimation: the proportion from the top of a score that ranks known rows first.

Above a threshold where hardly any augmented row scores, the share of unlabeled rows is the known
proportion times the share of known rows. The threshold minimizes an upper confidence bound of
that ratio (Garg et al., NeurIPS 2021).

Any score that ranks known rows first will do: that of a classifier of labeled against unlabeled
rows, of a classifier of K + 1 classes, of a network, of density ratios. `estimate_from_scores` is
the one road from such scores to an estimate: best bins, their median, error and interval.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eulac.proportion.estimate import ProportionEstimate, estimate_with_error
from eulac.proportion.on_scores import ScoreEstimate, ScoreProportion

__all__ = [
    "DISAGREEMENT",
    "SPREAD_SHARE",
    "BestBin",
    "BestBinProportion",
    "best_bin",
    "corrected_best_bin",
    "corrected_best_bins",
    "estimate_from_scores",
]

Array = NDArray[np.float64]
ScorePair = tuple[Array, Array]

SPREAD_SHARE = 0.5
"""How much of the distance between estimates of several scores enters the standard error."""

DISAGREEMENT = 0.1
"""Scores whose estimates lie further apart than this disagree."""


@dataclass(frozen=True)
class BestBin:
    """A best-bin estimate with what resampling says about it.

    Attributes
    ----------
    value : float
        The ratio at the best threshold, corrected for the optimism of having chosen it.
    raw : float
        The ratio itself, as published.
    optimism : float
        How much too small a chosen ratio is on average, by the bootstrap.
    standard_error : float
    threshold : float
    """

    value: float
    raw: float
    optimism: float
    standard_error: float
    threshold: float


def best_bin(
    known_scores: Array,
    unlabeled_scores: Array,
    known_weights: Array | None = None,
    *,
    delta: float = 0.1,
    gamma: float = 0.01,
) -> tuple[float, float]:
    """Return the known proportion and the threshold it is read off at, as published.

    Parameters
    ----------
    known_scores, unlabeled_scores : arrays of shape (n,) and (m,)
        Held-out scores, bigger meaning more like a known class.
    known_weights : array of shape (n,), optional
        Weights of the known rows, where their priors have moved.
    delta : float, default=0.1
        Failure probability in the confidence bound.
    gamma : float, default=0.01
        Weight of the known sample's part of the bound.

    Examples
    --------
    >>> import numpy as np
    >>> known = np.linspace(0.5, 1.0, 400)
    >>> unlabeled = np.concatenate([np.linspace(0.5, 1.0, 300), np.linspace(0.0, 0.5, 700)])
    >>> round(best_bin(known, unlabeled)[0], 2)
    0.3
    """
    thresholds = np.unique(known_scores)
    known, unlabeled = shares_above(thresholds, known_scores, unlabeled_scores, known_weights)
    n_known = float(len(known_scores))
    if known_weights is not None:
        thresholds, known, unlabeled = (part[known > 0] for part in (thresholds, known, unlabeled))
        n_known = known_weights.sum() ** 2 / (known_weights**2).sum()
    slack = np.sqrt(0.5 * np.log(4 / delta) / np.array([len(unlabeled_scores), n_known]))
    bound = (unlabeled + slack[0] + (1 + gamma) * slack[1]) / known
    best = int(bound.argmin())
    return float(unlabeled[best] / known[best]), float(thresholds[best])


def shares_above(
    thresholds: Array,
    known_scores: Array,
    unlabeled_scores: Array,
    known_weights: Array | None = None,
) -> tuple[Array, Array]:
    """Return the shares of known and of unlabeled rows at or above each threshold."""
    unlabeled = 1.0 - np.searchsorted(np.sort(unlabeled_scores), thresholds) / len(unlabeled_scores)
    if known_weights is None:
        known = 1.0 - np.searchsorted(np.sort(known_scores), thresholds) / len(known_scores)
        return known, unlabeled
    order = np.argsort(known_scores)
    above = np.append(np.cumsum(known_weights[order][::-1])[::-1], 0.0) / known_weights.sum()
    return above[np.searchsorted(known_scores[order], thresholds)], unlabeled


def corrected_best_bins(
    pairs: Sequence[ScorePair],
    known_weights: Array | None = None,
    *,
    n_resamples: int = 100,
    random_state: Any = None,
) -> tuple[list[BestBin], float]:
    """Return the corrected estimate of each score of the same rows, and the error of their median.

    In each bootstrap resample a threshold is chosen anew; how much smaller its ratio is there than
    on the original scores, on average, is the optimism of picking the smallest of many ratios.
    Rows are resampled jointly, so that the error of the median knows how the scores hang together.

    Parameters
    ----------
    pairs : sequence of (known, unlabeled) arrays
        Held-out scores, bigger meaning more like a known class.
    known_weights : array of shape (n,), optional
        Weights of the known rows, where their priors have moved.
    n_resamples : int, default=100
    random_state : int, optional
    """
    if known_weights is not None:  # a resample of nothing but rows without weight says nothing
        counted = known_weights > 0
        pairs = [(known[counted], unlabeled) for known, unlabeled in pairs]
        known_weights = known_weights[counted]
    rng = np.random.default_rng(random_state)
    n_known, n_unlabeled = map(len, pairs[0])
    chosen = np.empty((n_resamples, len(pairs), 2))
    for resample in chosen:
        rows = rng.integers(0, n_known, n_known), rng.integers(0, n_unlabeled, n_unlabeled)
        weights = None if known_weights is None else known_weights[rows[0]]
        for cell, (known, unlabeled) in zip(resample, pairs, strict=True):
            cell[:] = best_bin(known[rows[0]], unlabeled[rows[1]], weights)
    found = [_corrected(pair, known_weights, chosen[:, index]) for index, pair in enumerate(pairs)]
    return found, float(np.median(chosen[:, :, 0], axis=1).std())


def _corrected(pair: ScorePair, known_weights: Array | None, chosen: Array) -> BestBin:
    """Return the estimate of one score, given ratios and thresholds chosen in resamples."""
    raw, threshold = best_bin(*pair, known_weights)
    known, unlabeled = shares_above(chosen[:, 1], *pair, known_weights)
    optimism = float(np.mean(unlabeled / known - chosen[:, 0]))
    return BestBin(
        value=min(max(raw + optimism, 0.0), 1.0),
        raw=raw,
        optimism=optimism,
        standard_error=float(chosen[:, 0].std()),
        threshold=threshold,
    )


def corrected_best_bin(
    known_scores: Array,
    unlabeled_scores: Array,
    known_weights: Array | None = None,
    *,
    n_resamples: int = 200,
    random_state: Any = None,
) -> BestBin:
    """Return the corrected estimate of one score; parameters as in `corrected_best_bins`.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> known, unlabeled = rng.normal(size=300), rng.normal(size=300)
    >>> estimate = corrected_best_bin(known, unlabeled, random_state=0)
    >>> bool(estimate.raw < estimate.value)  # the truth is 1
    True
    """
    [found], _ = corrected_best_bins(
        [(known_scores, unlabeled_scores)],
        known_weights,
        n_resamples=n_resamples,
        random_state=random_state,
    )
    return found


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


class BestBinProportion(ScoreProportion):
    """Best bin estimation on cross-fitted scores, corrected for its optimism.

    Parameters are those of `ScoreProportion`.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(np.repeat([[0.0], [6.0]], [700, 100], axis=0), 1.0, (800, 2))
    >>> y = np.repeat([0, -1], [400, 400])
    >>> bool(abs(BestBinProportion(random_state=0).fit(X, y).estimate_.total - 0.75) < 0.1)
    True
    """

    method = "best_bin"

    def from_scores(self, known_scores: Array, unlabeled_scores: Array) -> ScoreEstimate:
        """Return the corrected estimate; its bootstrap also gives the standard error."""
        result = corrected_best_bin(
            known_scores,
            unlabeled_scores,
            n_resamples=self.n_resamples,
            random_state=self.random_state,
        )
        return ScoreEstimate(
            result.value,
            at_bound=result.value >= 1.0,
            standard_error=result.standard_error,
            diagnostics={
                "raw": result.raw,
                "optimism": result.optimism,
                "threshold": result.threshold,
            },
        )
