"""Kernel mean estimation of the known proportion, in total (KME-base) or per class (KME-shift).

The paper's estimator: Algorithm 1 and its relatives on raw rows, or on the held-out probabilities
of a classifier, where it works better (appendix A.2).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from eulac.data.lac_sample import LacSample
from eulac.maths.mean_embedding import KernelMeanResult, kernel_mean_proportion
from eulac.proportion.estimate import ProportionEstimate, ProportionEstimator, interval_around
from eulac.proportion.reduction import cross_fitted_probabilities

__all__ = ["KernelMeanProportion"]

Array = NDArray[np.float64]

REDUCTIONS = ("scores", "probabilities", None)


class KernelMeanProportion(ProportionEstimator):
    """Estimate the known proportion from kernel mean embeddings.

    Parameters
    ----------
    rule : {"gradient", "km1", "km2"}, default="gradient"
        Threshold rule: Algorithm 1 as printed, or those of Ramaswamy et al. (2016).
    per_class : bool, default=False
        Estimate each known class apart (KME-shift); shares that sum above 1 are projected, and
        `diagnostics` says so.
    reduction : {"scores", "probabilities", None}, default="scores"
        Estimate on the held-out probability of being labeled, on those of every class, or on the
        rows themselves.
    classifier : scikit-learn classifier, optional
        What the rows are reduced with; default: kernel logistic regression.
    slope_threshold, max_known_proportion : float, optional
        See `kernel_mean_proportion` in `eulac.maths.mean_embedding`; by default the paper's 0.25
        and 0.9.
    n_resamples : int, default=20
        Bootstrap resamples behind the interval.
    random_state : int, optional

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(np.repeat([[0.0], [6.0]], [600, 200], axis=0), 1.0, (800, 2))
    >>> y = np.repeat([0, -1], [400, 400])
    >>> estimate = KernelMeanProportion(random_state=0).fit(X, y).estimate_
    >>> bool(abs(estimate.total - 0.5) < 0.1)
    True
    """

    def __init__(
        self,
        rule: str = "gradient",
        *,
        per_class: bool = False,
        reduction: str | None = "scores",
        classifier: Any = None,
        slope_threshold: float | None = None,
        max_known_proportion: float | None = None,
        n_resamples: int = 20,
        random_state: int | None = None,
    ):
        self.rule = rule
        self.per_class = per_class
        self.reduction = reduction
        self.classifier = classifier
        self.slope_threshold = slope_threshold
        self.max_known_proportion = max_known_proportion
        self.n_resamples = n_resamples
        self.random_state = random_state

    def estimate(self, sample: LacSample) -> ProportionEstimate:
        """Return the estimate with its bootstrap interval."""
        known, unlabeled = self._reduced(sample)
        groups = self._groups(known, sample)
        results = [self._one(rows, unlabeled) for rows in groups]
        shares, projected = project_shares(np.array([r.known_proportion for r in results]))
        total = float(shares.sum())
        error = self._bootstrap_error(groups, unlabeled)
        return ProportionEstimate(
            shares if self.per_class else total * sample.labeled_frequency,
            interval_around(total, error),
            f"kernel_mean_{self.rule}" + ("_per_class" if self.per_class else ""),
            sample.n_labeled,
            sample.n_unlabeled,
            standard_error=error,
            diagnostics={
                "at_bound": any(r.at_bound for r in results),
                "projected": projected,
                "max_duality_gap": max(r.max_duality_gap for r in results),
                "slope_threshold": [r.threshold for r in results],
            },
        )

    def _reduced(self, sample: LacSample) -> tuple[Array, Array]:
        if self.reduction not in REDUCTIONS:
            raise ValueError(
                f"`reduction` must be one of {', '.join(map(repr, REDUCTIONS))}; "
                f"got {self.reduction!r}."
            )
        if self.reduction is None:
            return sample.X_labeled, sample.X_unlabeled
        by_class = self.reduction == "probabilities" or self.per_class
        return cross_fitted_probabilities(
            sample, self.classifier, by_class=by_class, random_state=self.random_state
        )

    def _groups(self, known: Array, sample: LacSample) -> list[Array]:
        if not self.per_class:
            return [known]
        return [known[sample.y_labeled == k] for k in range(sample.n_known_classes)]

    def _one(self, known: Array, unlabeled: Array) -> KernelMeanResult:
        return kernel_mean_proportion(
            known,
            unlabeled,
            rule=self.rule,
            slope_threshold=self.slope_threshold,
            max_known_proportion=self.max_known_proportion,
            random_state=self.random_state,
        )

    def _bootstrap_error(self, groups: list[Array], unlabeled: Array) -> float:
        rng = np.random.default_rng(self.random_state)
        totals = []
        for _ in range(self.n_resamples):
            mixture = rng.choice(unlabeled, len(unlabeled))
            shares = [
                self._one(rng.choice(rows, len(rows)), mixture).known_proportion for rows in groups
            ]
            totals.append(project_shares(np.array(shares))[0].sum())
        return float(np.std(totals)) if totals else 0.0


def project_shares(shares: Array) -> tuple[Array, bool]:
    """Return the nearest shares that are non-negative and sum to at most 1, and if that moved any.

    Examples
    --------
    >>> import numpy as np
    >>> project_shares(np.array([0.8, 0.6]))
    (array([0.6, 0.4]), True)
    >>> project_shares(np.array([0.2, 0.3]))
    (array([0.2, 0.3]), False)
    """
    # Paper: class priors estimated one by one may sum above 1; no rule is given for that.
    positive = np.maximum(shares, 0.0)
    if positive.sum() > 1.0:
        # Projection on the simplex: all are lowered by one amount and clipped. Where the n largest
        # stay above zero it is cuts[n - 1], and as many stay as lie above their cut.
        falling = np.sort(shares)[::-1]
        cuts = (np.cumsum(falling) - 1.0) / np.arange(1, len(shares) + 1)
        last = np.flatnonzero(falling > cuts)[-1]
        positive = np.maximum(shares - cuts[last], 0.0)
    return positive, not np.allclose(positive, shares)
