"""DEDPUL: the proportion at which most known rows find their density among the unlabeled ones.

Source: Ivanov, DEDPUL: difference-of-estimated-densities-based positive-unlabeled learning,
ICMLA 2020 (arXiv 1902.06965, 2019). Let g = f_unlabeled / f_known at the scores of known rows,
the reciprocal of the paper's ratio r. As f_unlabeled >= proportion * f_known, g is at least the
known proportion, and equal to it where no new row scores. The paper's gap between a proportion t
and the mean of min(1, t r) over unlabeled rows is ``D(t) = mean of max(t - g, 0)`` over known
rows: zero up to min g, convex after.

The paper has two rules. EM, ``t <- t - D(t)`` from 1, ends at min g, an extreme of a noisy curve;
the other takes t where the second difference of D is largest. As D'' is the density of g over
known rows, that is its mode, and smoothing it as densities are smoothed makes it stable. Mean
error on 72 simulated mixtures (500 and 1000 rows, proportions 0.1 to 1), and on 72 fresh ones: EM
0.16 and 0.17 (0.05 and 0.03 with the paper's rolling medians), second differences 0.06 and 0.020,
smoothed mode 0.024 and 0.017. The last is used.
"""

import numpy as np
from numpy.typing import NDArray

from eulac.proportion.on_scores import ScoreEstimate, ScoreProportion

__all__ = ["DedpulProportion", "dedpul", "density_ratio"]

Array = NDArray[np.float64]

GRID_SIZE = 2048
"""Points on which densities are kept; costs then hardly depend on the number of rows."""

RATIO_WIDTH = 0.2
"""Bandwidth of log g: what noise makes of a constant ratio at some hundred rows."""

LARGEST_RATIO = 10.0
"""Ratios above are cut: proportions lie below one, and only their neighborhood matters."""


def dedpul(known_scores: Array, unlabeled_scores: Array) -> ScoreEstimate:
    """Return the mode of ``f_unlabeled / f_known`` over known rows, at most one.

    Parameters
    ----------
    known_scores, unlabeled_scores : arrays of shape (n,) and (m,)
        Held-out scores, bigger meaning more like a known class; best as log odds.

    Returns
    -------
    ScoreEstimate
        Zero, and at its bound, where most known rows have no unlabeled row near them. The
        diagnostic "support" is the share of known rows whose ratio is within 20 % of the value.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> known = rng.normal(0, 1, 500)
    >>> unlabeled = np.append(rng.normal(0, 1, 300), rng.normal(-6, 1, 700))
    >>> bool(abs(dedpul(known, unlabeled).value - 0.3) < 0.05)
    True
    """
    ratio = density_ratio(known_scores, unlabeled_scores)
    # Half an unlabeled row is none.
    smallest = 0.5 / len(unlabeled_scores)
    # Half of the grid lies between `smallest` and one; noise may carry ratios beyond.
    one = GRID_SIZE // 2
    grid = np.log(smallest) * (1.0 - np.arange(GRID_SIZE) / one)
    logs = np.log(np.clip(ratio, smallest, LARGEST_RATIO))
    best = int(_binned_density(logs, grid, RATIO_WIDTH)[: one + 1].argmax())
    value = float(np.exp(grid[best])) if best else 0.0
    support = float(np.mean(np.abs(ratio - value) <= 0.2 * value))
    return ScoreEstimate(value, at_bound=best in (0, one), diagnostics={"support": support})


def density_ratio(known_scores: Array, unlabeled_scores: Array) -> Array:
    """Return ``f_unlabeled / f_known`` at the sorted scores of known rows, never increasing.

    Both densities are smoothed by the same kernel, of the width Scott's rule gives the smaller
    sample: a mixture smoothed is the mixture of its parts smoothed, so that the proportion stays
    what it is. More like a known class means a smaller ratio; isotonic regression sees to it.

    Examples
    --------
    >>> import numpy as np
    >>> scores = np.linspace(-1, 1, 50)
    >>> np.allclose(density_ratio(scores, scores), 1.0)
    True
    """
    # Imported here: `import eulac` stays as quick as scikit-learn's own base.
    from scipy.optimize import isotonic_regression

    pooled = np.concatenate([known_scores, unlabeled_scores])
    n_rows = min(len(known_scores), len(unlabeled_scores))
    if not n_rows or not np.all(np.isfinite(pooled)):
        raise ValueError(
            f"DEDPUL needs finite scores of both samples; got {len(known_scores)} of known and "
            f"{len(unlabeled_scores)} of unlabeled rows, {np.isfinite(pooled).sum()} of all finite."
        )
    width = float(n_rows**-0.2 * pooled.std())
    grid = np.linspace(pooled.min() - 4.0 * width, pooled.max() + 4.0 * width, GRID_SIZE)
    if not grid[1] - grid[0] > 1e-12 * np.abs(grid).max():
        raise ValueError(
            f"DEDPUL needs scores that differ; all {len(pooled)} are {pooled[0]:.6g}. Use a "
            "classifier that tells labeled from unlabeled rows better than a constant."
        )
    at = np.sort(known_scores)
    known, unlabeled = (
        np.interp(at, grid, _binned_density(scores, grid, width))
        for scores in (known_scores, unlabeled_scores)
    )
    return np.asarray(isotonic_regression(unlabeled / known, increasing=False).x)


def _binned_density(values: Array, grid: Array, width: float) -> Array:
    """Return a Gaussian kernel density on an even grid, each value shared by two neighbors."""
    step = grid[1] - grid[0]
    position = (values - grid[0]) / step
    left = np.clip(position.astype(np.intp), 0, len(grid) - 2)
    share = np.clip(position - left, 0.0, 1.0)
    counts = np.bincount(left, 1.0 - share, len(grid)) + np.bincount(left + 1, share, len(grid))
    reach = min(int(np.ceil(4.0 * width / step)), (len(grid) - 1) // 2)
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) * step / width) ** 2)
    density = np.convolve(counts, kernel / kernel.sum(), mode="same")
    return np.asarray(density / (len(values) * step))


class DedpulProportion(ScoreProportion):
    """DEDPUL on cross-fitted scores, the mode instead of EM.

    Parameters are those of `ScoreProportion`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(np.repeat([[0.0], [6.0]], [700, 100], axis=0), 1.0, (800, 2))
    >>> found = DedpulProportion(random_state=0).fit(X[:400], np.zeros(400), X[400:]).estimate_
    >>> bool(abs(found.total - 0.75) < 0.1)
    True
    """

    method = "dedpul"

    def from_scores(self, known_scores: Array, unlabeled_scores: Array) -> ScoreEstimate:
        """Return the estimate with its support."""
        return dedpul(known_scores, unlabeled_scores)
