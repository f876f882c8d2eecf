"""Priors of the known classes added to any estimate of their total."""

from dataclasses import replace
from typing import Any

from eulac.data.lac_sample import LacSample
from eulac.proportion.estimate import ProportionEstimate, ProportionEstimator
from eulac.proportion.known_priors import choose_priors, known_priors
from eulac.proportion.reduction import cross_fitted_probabilities, extra_trees

__all__ = ["ShiftedProportion"]


class ShiftedProportion(ProportionEstimator):
    """Take the total from another estimator, and how it divides among classes from the rows.

    Parameters
    ----------
    estimator : proportion estimator
        Gives the total.
    shift : {"auto", True, False}, default="auto"
        Use estimated priors of the known classes always, never, or where they moved.
    n_jobs : int, optional
    random_state : int, optional

    Examples
    --------
    >>> import numpy as np
    >>> from eulac import GivenProportion
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(np.repeat([0.0, 9.0, 0.0, 9.0], [50, 50, 90, 10])[:, None], 1.0, (200, 2))
    >>> y = np.repeat([0, 1, -1], [50, 50, 100])
    >>> fitted = ShiftedProportion(GivenProportion(1.0), random_state=0).fit(X, y)
    >>> fitted.estimate_.per_class.round(1)
    array([0.9, 0.1])
    """

    def __init__(
        self,
        estimator: Any,
        *,
        shift: Any = "auto",
        n_jobs: int | None = None,
        random_state: int | None = None,
    ):
        self.estimator = estimator
        self.shift = shift
        self.n_jobs = n_jobs
        self.random_state = random_state

    def estimate(self, sample: LacSample) -> ProportionEstimate:
        """Return the inner estimate, its total divided by the chosen priors."""
        inner: ProportionEstimate = self.estimator.estimate(sample)
        if self.shift is False:
            return inner
        forest = extra_trees(self.random_state, self.n_jobs)
        by_class = cross_fitted_probabilities(sample, forest, random_state=self.random_state)
        estimated = known_priors(sample, *by_class, random_state=self.random_state)
        priors = choose_priors(estimated, self.shift)
        return replace(
            inner,
            per_class=inner.total * priors.used,
            diagnostics={**inner.diagnostics, **priors.diagnostics()},
        )
