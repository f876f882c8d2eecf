"""Elkan and Noto's estimate: how likely unlabeled rows are to be labeled, against labeled ones.

Source: Elkan and Noto, Learning classifiers from only positive and unlabeled data, KDD 2008, its
first estimator ``c = mean of P(labeled | x) over labeled rows``. They let labels hide in *one*
sample. Here labeled and unlabeled rows are *two* samples; with both together as the population,
n_labeled / c of its rows are known, of which n_labeled / c - n_labeled are unlabeled. With scores
calibrated on average that share is the ratio of means below, which needs no calibration to bound:
for any score s >= 0, mean_U s >= known proportion * mean_L s. It is exact where s vanishes on new
rows, hence a value to check others against.
"""

import numpy as np
from numpy.typing import NDArray

from eulac.proportion.on_scores import ScoreEstimate, ScoreProportion

__all__ = ["ElkanNotoProportion", "elkan_noto"]

Array = NDArray[np.float64]


def elkan_noto(known_scores: Array, unlabeled_scores: Array) -> float:
    """Return ``mean_U s / mean_L s``, an upper bound of the known proportion up to noise.

    Parameters
    ----------
    known_scores, unlabeled_scores : arrays of shape (n,) and (m,)
        Held-out log odds of being labeled rather than unlabeled; s is their probability.

    Returns
    -------
    float
        Above 1 by chance where nothing is new.

    Examples
    --------
    >>> import numpy as np
    >>> known, unlabeled = np.zeros(10), np.repeat([0.0, -20.0], [6, 14])
    >>> round(elkan_noto(known, unlabeled), 3)
    0.3
    """
    # Imported here: `import eulac` stays as quick as scikit-learn's own base.
    from scipy.special import expit

    return float(np.mean(expit(unlabeled_scores)) / np.mean(expit(known_scores)))


class ElkanNotoProportion(ScoreProportion):
    """Elkan and Noto's ratio on cross-fitted scores: quick, smooth, and too high.

    Its excess over the known proportion is the mean probability of new rows, over that of known
    ones, times their share. Parameters are those of `ScoreProportion`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(np.repeat([[0.0], [6.0]], [600, 200], axis=0), 1.0, (800, 2))
    >>> estimator = ElkanNotoProportion(random_state=0)
    >>> estimate = estimator.fit(X[:400], np.zeros(400), X[400:]).estimate_
    >>> bool(0.45 < estimate.total < 0.6)  # the truth is 0.5
    True
    """

    method = "elkan_noto"

    def from_scores(self, known_scores: Array, unlabeled_scores: Array) -> ScoreEstimate:
        """Return the ratio; at its bound where it exceeds one."""
        value = elkan_noto(known_scores, unlabeled_scores)
        return ScoreEstimate(value, at_bound=value >= 1.0)
