"""OVR-shift: one-versus-rest on labeled rows brought to the priors of deployment (appendix C.3)."""

from dataclasses import dataclass, replace
from typing import Any, Unpack, cast

import numpy as np
from numpy.typing import NDArray

from eulac.contenders.open_set_classifier import (
    N_FOLDS,
    Array,
    OpenSetClassifier,
    OpenSetEvidence,
    OpenSetModel,
    OpenSetParameters,
)
from eulac.data.folds import draw_folds
from eulac.data.lac_sample import LacSample
from eulac.maths.kernels import GaussianKernel, LinearKernel, median_distance
from eulac.proportion.estimate import ProportionEstimate
from eulac.risk.weights import labeled_weights
from eulac.solvers.search import SearchSettings, choose_solver, kernel_problems, search

__all__ = ["OvrShiftClassifier"]

BANDWIDTH_FACTORS = tuple(10 ** (power / 2) for power in range(-4, 3))
PENALTIES = tuple(10.0**power for power in range(-5, 2))


class OvrShiftClassifier(OpenSetClassifier):
    """One-versus-rest kernel classifiers with reweighted labeled rows; new where all are negative.

    A biased baseline of the paper: unlabeled rows only serve to estimate the priors of the known
    classes. Departs from the paper in the estimate of the priors (ours instead of KME-shift) and
    in the search grid (half-decades).

    Parameters
    ----------
    n_jobs : int, optional
    known_proportion, scale, threshold, ... : see `OpenSetClassifier`

    References
    ----------
    Zhang et al., "An Unbiased Risk Estimator for Learning with Augmented Classes", NeurIPS 2020,
    appendix C.3.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> centers = np.array([[0, 0], [6, 0], [3, 0]])
    >>> X = rng.normal(centers[[0] * 40 + [1] * 40 + [0] * 60 + [1] * 20 + [2] * 40], 0.5)
    >>> y = np.repeat([0, 1, -1], [40, 40, 120])
    >>> OvrShiftClassifier(2 / 3, random_state=0).fit(X, y).predict(centers[:2])
    array([0, 1])
    """

    needs_unlabeled = True
    labeled_matrices = 10
    fewest_known_classes = 1
    prior_shift = True

    def __init__(
        self,
        known_proportion: Any = "auto",
        *,
        n_jobs: int | None = None,
        **shared: Unpack[OpenSetParameters],
    ) -> None:
        super().__init__(known_proportion, **shared)
        self.n_jobs = n_jobs

    def _search(self, sample: LacSample, seed: int) -> SearchSettings:
        """Return kernel and penalty that minimize the held-out one-versus-rest risk."""
        priors, settings = self._priors(sample), self._settings(sample, seed)
        closed = at_priors(sample, priors, seed)
        weights = labeled_weights(sample.y_labeled, priors)
        folds = draw_folds(sample.y_labeled, closed.n_unlabeled, N_FOLDS, seed)
        best, _ = search(closed, weights, folds, settings)
        return replace(settings, kernels=[best.kernel], penalties=[best.penalty])

    def _fit_model(self, sample: LacSample, settings: SearchSettings, seed: int) -> OpenSetModel:
        """Minimize the one-versus-rest risk: the closed-set case of the LAC problem."""
        priors = self._priors(sample)
        closed = at_priors(sample, priors, seed)
        weights = labeled_weights(sample.y_labeled, priors)
        _, problem = next(kernel_problems(closed, weights, settings))
        solution = settings.solver.solve(problem, settings.penalties[0])
        coefficients = np.vstack([solution.labeled, solution.unlabeled])[:, :-1]
        rows = np.vstack([closed.X_labeled, closed.X_unlabeled])
        return OvrShiftModel(settings.kernels[0], rows, coefficients)

    def _settings(self, sample: LacSample, seed: int) -> SearchSettings:
        median = median_distance(sample.X_labeled, random_state=seed)
        kernels = [GaussianKernel(factor * median) for factor in BANDWIDTH_FACTORS]
        solver = choose_solver("square")
        return SearchSettings(kernels, PENALTIES, solver, "surrogate", n_jobs=self.n_jobs)

    def _priors(self, sample: LacSample) -> Array:
        """Return the estimated priors of the classes of a sample among each other."""
        present = np.isin(self.known_classes_, sample.codec.known)
        per_class = cast(ProportionEstimate, self.proportion_).per_class[present]
        return per_class / per_class.sum() if per_class.sum() > 0 else sample.labeled_frequency


@dataclass(frozen=True, eq=False)
class OvrShiftModel:
    """A kernel expansion, and the rule that a row is new where no score is positive."""

    kernel: GaussianKernel | LinearKernel
    rows: Array
    coefficients: Array
    threshold: float = 0.0

    def evidence(self, X: Array) -> OpenSetEvidence:
        """Return the scores of the known classes, and minus their largest."""
        scores = self.kernel.block(X, self.rows) @ self.coefficients
        return OpenSetEvidence(scores, -scores.max(axis=1))


def at_priors(sample: LacSample, priors: NDArray[np.float64], seed: int) -> LacSample:
    """Return the sample with labeled rows, drawn anew by the given priors, as its test rows."""
    rng = np.random.default_rng(seed)
    mass = (priors / sample.labeled_frequency)[sample.y_labeled]
    rows = rng.choice(sample.n_labeled, sample.n_labeled, p=mass / mass.sum())
    return replace(sample, X_unlabeled=sample.X_labeled[rows])
