"""The known proportion, from what a network says of rows it was not trained on."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from eulac.data.lac_sample import LacSample
from eulac.proportion.best_bin import estimate_from_scores
from eulac.proportion.estimate import ProportionEstimate
from eulac.proportion.known_priors import choose_priors, known_priors
from eulac.risk.evidence import augmented_log_odds

__all__ = ["proportion_of_logits"]

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
    """Return the known proportion by the best bin of the log odds of being known.

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
    known, unlabeled = (-augmented_log_odds(part) for part in logits)
    frequency, diagnostics = labeled_frequency, {}
    if shift is not False:
        probabilities = [softmax(part, axis=1) for part in logits]
        priors = choose_priors(known_priors(sample, *probabilities, random_state=seed), shift)
        frequency, diagnostics = priors.used, priors.diagnostics()
    return estimate_from_scores(
        {"held_out_outputs": (known, unlabeled)},
        frequency,
        method="held_out_outputs",
        n_resamples=N_RESAMPLES,
        random_state=seed,
        diagnostics=diagnostics,
    )
