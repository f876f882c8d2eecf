"""The known proportion of unlabeled rows, from their moments and some of them.

Least squares gives the density of each known class over that of the unlabeled rows as a linear
function of the features, from sums alone and without each fold in turn. These held-out ratios
rank rows that look known first, which is all that best bin estimation needs.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eulac.landmark.landmark_model import KeptRows
from eulac.proportion.best_bin import estimate_from_scores
from eulac.proportion.estimate import ProportionEstimate, estimate_with_error
from eulac.proportion.known_priors import choose_priors, known_priors
from eulac.proportion.reduction import known_log_odds
from eulac.solvers.moment_folds import FoldMoments

__all__ = ["held_out_ratios", "moment_proportion", "newest_proportion"]

Array = NDArray[np.float64]

RIDGES = (1e-4, 1e-3, 1e-2, 1e-1)


def moment_proportion(
    moments: FoldMoments,
    kept: KeptRows,
    codec: Any,
    *,
    shift: Any = "auto",
    ridges: Sequence[float] = RIDGES,
    n_resamples: int = 50,
    random_state: int | None = None,
) -> ProportionEstimate:
    """Return the known proportion and priors of the unlabeled rows behind the moments.

    Parameters
    ----------
    moments : FoldMoments
        Of labeled rows and of the window.
    kept : KeptRows
        Labeled rows, and rows of the window.
    codec : LabelCodec
    shift : {"auto", True, False}
    ridges : sequence of float
        To choose from by the least-squares error of held-out rows.
    n_resamples : int, default=50
    random_state : int, optional
    """
    labeled, unlabeled = _probabilities(moments, kept, ridges)
    sample = kept.sample(codec)
    options: dict[str, Any] = {"n_resamples": n_resamples, "random_state": random_state}
    priors = choose_priors(known_priors(sample, labeled, unlabeled, **options), shift)
    return estimate_from_scores(
        {"density_ratio": known_log_odds((labeled, unlabeled))},
        priors.used,
        method="density_ratio",
        known_weights=priors.weights(kept.y, kept.importance),
        diagnostics={"labeled_priors": not priors.moved, **priors.diagnostics()},
        **options,
    )


def newest_proportion(
    moments: FoldMoments,
    kept: KeptRows,
    window: ProportionEstimate,
    n_newest: int,
    *,
    n_resamples: int = 50,
    random_state: int | None = None,
) -> ProportionEstimate:
    """Return the known proportion of the newest rows of a window, by the scores of all of it.

    Of few rows the best bin is too small as it is found, and too large while a class grows when
    corrected for having been looked for: the middle of both, their distance a part of the error.

    Parameters
    ----------
    moments, kept
        As in `moment_proportion`; the newest rows are the last unlabeled ones.
    window : ProportionEstimate
        Of the whole window, whose known classes divide as those of its newest rows.
    n_newest : int
    n_resamples : int, default=50
    random_state : int, optional
    """
    labeled, unlabeled = _probabilities(moments, kept, RIDGES)
    counts = np.bincount(kept.y, kept.importance, minlength=len(window.per_class))
    frequency = counts / counts.sum()
    priors = window.per_class / window.total if window.total > 0 else frequency
    corrected = estimate_from_scores(
        {"density_ratio": known_log_odds((labeled, unlabeled[-n_newest:]))},
        priors,
        method="density_ratio",
        known_weights=kept.weights(priors),
        n_resamples=n_resamples,
        random_state=random_state,
    )
    raw = min(corrected.diagnostics["raw"], 1.0)
    return estimate_with_error(
        0.5 * (raw + corrected.total),
        priors,
        float(np.hypot(corrected.standard_error, 0.5 * (corrected.total - raw))),
        method="density_ratio",
        n_labeled=len(kept.y),
        n_unlabeled=n_newest,
        diagnostics={"raw": raw, "corrected": corrected.total},
    )


def held_out_ratios(moments: FoldMoments, ridges: Sequence[float] = RIDGES) -> list[Array]:
    """Return coefficients of the density ratios trained without each fold.

    The ridge minimizes the least-squares error of held-out rows, which their sums give exactly:
    ``mean_U r^2 / 2 - mean_k r``, summed over classes weighted by their frequency.
    """
    rests = [moments.without(index) for index in range(len(moments.parts))]
    frequency = moments.total.labeled_frequency

    def error(part: Any, ratios: Array) -> float:
        square = np.einsum("ij,ij->j", ratios, part.second @ ratios)
        linear = np.einsum("ji,ij->j", part.class_sums, ratios)
        n, counts = max(moments.total.n_unlabeled, 1e-300), moments.total.class_counts
        return float(frequency @ (0.5 * square / n - linear / np.maximum(counts, 1e-300)))

    candidates = [[rest.density_ratios(ridge) for rest in rests] for ridge in ridges]
    errors = [
        sum(error(part, ratios) for part, ratios in zip(moments.parts, by_fold, strict=True))
        for by_fold in candidates
    ]
    return candidates[int(np.argmin(np.round(errors, 9)))]


def _probabilities(
    moments: FoldMoments, kept: KeptRows, ridges: Sequence[float]
) -> tuple[Array, Array]:
    """Held-out probabilities of each known class and, last, of being unlabeled."""
    by_fold = held_out_ratios(moments, ridges)
    counts = np.bincount(kept.y, kept.importance, minlength=moments.total.n_known_classes)
    odds = counts / len(kept.unlabeled)

    def probabilities(features: Any, fold: NDArray[np.intp]) -> Array:
        ratios = np.empty((len(features), len(odds)))
        for index, coefficients in enumerate(by_fold):
            ratios[fold == index] = features[fold == index] @ coefficients
        mass = odds * np.maximum(ratios, 1e-6)
        total = 1.0 + mass.sum(axis=1, keepdims=True)
        return np.hstack([mass, np.ones_like(total)]) / total

    return (
        probabilities(kept.labeled, kept.labeled_fold),
        probabilities(kept.unlabeled, kept.unlabeled_fold),
    )
