"""The known proportion, from what a network says of rows it was not trained on."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp, softmax

from eulac.data.lac_sample import LacSample
from eulac.drift.readings import share_by_ratio
from eulac.drift.share_trials import undecided, without_lost
from eulac.drift.tilt import exponential_tilt
from eulac.proportion.best_bin import SPREAD_SHARE, best_bin, estimate_from_scores
from eulac.proportion.estimate import ProportionEstimate, error_reaching, estimate_with_error
from eulac.proportion.known_priors import choose_priors, known_priors
from eulac.risk.evidence import augmented_log_odds

__all__ = ["proportion_of_logits", "pulse_of_logits"]

Array = NDArray[np.float64]

N_RESAMPLES = 200


def proportion_of_logits(
    sample: LacSample,
    logits: tuple[Array, Array],
    labeled_frequency: Array,
    *,
    shift: Any = False,
    seed: int,
) -> ProportionEstimate:
    """Return the known proportion by three estimators on the log odds of being new.

    The median of an exponential tilt, the best bin and a ratio of densities, as in
    `TwoReadingsProportion`: where new rows overlap known ones, a best bin alone finds too much
    known. The standard error is that of the best bin, and how far the three are apart. New rows
    that look known count as known all the same. How many they are is not in the outputs, and
    classes cannot be hidden on trial without training again; but of trials on tables, nineteen in
    twenty lost no larger part of the new rows than scores were undecided (`share_trials`). So far
    down the interval reaches.

    Parameters
    ----------
    sample : LacSample
        The held-out rows.
    logits : (labeled, unlabeled) arrays of shape (n, n_known_classes + 1)
        Outputs for them.
    labeled_frequency : array of shape (n_known_classes,)
        Priors of the known classes, those of all labeled rows, unless `shift` asks for others.
    shift : {"auto", True, False}, default=False
        Whether priors come from the outputs too.
    seed : int

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> sample = LacSample.from_masked(np.zeros((800, 1)), np.repeat([0, -1], 400))
    >>> odds = np.append(rng.normal(-3, 1, 700), rng.normal(5, 1, 100))
    >>> logits = np.split(np.column_stack([np.zeros(800), odds]), 2)
    >>> estimate = proportion_of_logits(sample, tuple(logits), np.ones(1), seed=0)
    >>> bool(abs(estimate.total - 0.75) < 0.1)
    True
    """
    newness = augmented_log_odds(logits[0]), augmented_log_odds(logits[1])
    frequency, weights, diagnostics = labeled_frequency, None, {}
    if shift is not False:
        probabilities = [softmax(part, axis=1) for part in logits]
        priors = choose_priors(known_priors(sample, *probabilities, random_state=seed), shift)
        frequency, weights = priors.used, priors.weights(sample.y_labeled)
        diagnostics = priors.diagnostics()
    by_bin = estimate_from_scores(
        {"held_out_outputs": (-newness[0], -newness[1])},
        frequency,
        method="held_out_outputs",
        known_weights=weights,
        n_resamples=N_RESAMPLES,
        random_state=seed,
        diagnostics=diagnostics,
    )
    return _with_others(by_bin, newness, weights)


def _with_others(
    by_bin: ProportionEstimate, newness: tuple[Array, Array], weights: Array | None
) -> ProportionEstimate:
    """Return the median of three estimators, one of them the best bin."""
    tilt = exponential_tilt(*newness, weights)
    found = {
        "tilt": tilt.known_proportion,
        "best_bin": min(float(by_bin.diagnostics["raw"]), 1.0),
        "dedpul": share_by_ratio(newness, otherwise=tilt.known_proportion),
    }
    total, spread = float(np.median(list(found.values()))), float(np.ptp(list(found.values())))
    unsure = undecided(tilt, newness[1])
    estimate = estimate_with_error(
        total,
        by_bin.per_class / max(by_bin.total, 1e-12),
        float(np.hypot(by_bin.standard_error, SPREAD_SHARE * spread)),
        method=by_bin.method,
        n_labeled=by_bin.n_labeled,
        n_unlabeled=by_bin.n_unlabeled,
        diagnostics={
            **by_bin.diagnostics,
            "by_estimator": found,
            "undecided": unsure,
            "at_bound": total >= 1.0,
        },
    )
    return _reaching_down(estimate, unsure)


def _reaching_down(estimate: ProportionEstimate, unsure: float) -> ProportionEstimate:
    """Return the estimate with an interval that allows for new rows that look known.

    As many of them as outputs are undecided; the standard error says so, too.
    """
    share, lowest = estimate.total, without_lost(estimate.interval[0], unsure)
    error = error_reaching((lowest, share), share, estimate.standard_error)
    return replace(estimate, interval=(lowest, estimate.interval[1]), standard_error=error)


def pulse_of_logits(
    sample: LacSample, logits: tuple[Array, Array], *, seed: int
) -> ProportionEstimate:
    """Return PULSE's estimate: shares of the known classes first, the known proportion second.

    Shares come from best bins of the classifier of the known classes (all columns but the last),
    one for each class; they fix ratios only. The total comes from the discriminator (the log odds
    of the last column), with labeled rows brought to those ratios. The interval is ours: it reaches
    down as far as outputs are undecided, see `proportion_of_logits`.

    Parameters
    ----------
    sample, logits, seed : see `proportion_of_logits`

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> sample = LacSample.from_masked(np.zeros((800, 1)), np.repeat([0, 1, -1], [200, 200, 400]))
    >>> kinds = np.repeat([0, 1, 0, 1, 2], [200, 200, 240, 80, 80])
    >>> logits = np.split(rng.normal(0, 1, (800, 3)) + 6 * np.eye(3)[kinds], 2)
    >>> pulse_of_logits(sample, tuple(logits), seed=0).per_class.round(1)
    array([0.6, 0.2])
    """
    priors = _pulse_priors(sample, logits)
    weights = (priors / np.maximum(sample.labeled_frequency, 1e-12))[sample.y_labeled]
    newness = augmented_log_odds(logits[0]), augmented_log_odds(logits[1])
    unsure = undecided(exponential_tilt(*newness, weights), newness[1])
    estimate = estimate_from_scores(
        {"pulse": (-newness[0], -newness[1])},
        priors,
        method="pulse",
        known_weights=weights,
        n_resamples=N_RESAMPLES,
        random_state=seed,
        diagnostics={"known_priors": priors.tolist(), "undecided": unsure},
    )
    return _reaching_down(estimate, unsure)


def _pulse_priors(sample: LacSample, logits: tuple[Array, Array]) -> Array:
    """Return shares of the known classes among each other, by a best bin for each."""
    shares = sample.labeled_frequency
    if sample.n_known_classes == 1:
        return shares
    odds = [_class_log_odds(part[:, :-1]) for part in logits]
    for k in np.unique(sample.y_labeled):
        shares[k] = best_bin(odds[0][sample.y_labeled == k, k], odds[1][:, k])[0]
    total = shares.sum()
    return shares / total if total > 0 else sample.labeled_frequency


def _class_log_odds(logits: Array) -> Array:
    """Return log odds of each class against all others of a K-way classifier."""
    others = [logsumexp(np.delete(logits, k, axis=1), axis=1) for k in range(logits.shape[1])]
    return np.asarray(logits - np.column_stack(others))
