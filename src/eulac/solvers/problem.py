"""The kernel learning problem of Eq. (8) and its solution, as plain data.

Every score function is ``offset + sum_i a_i k(., x_i) + sum_j b_j k(., u_j)``. In each convex
form the labeled rows enter linearly, so their coefficients are known at once; solvers look for
the coefficients b of the unlabeled rows only.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["KernelProblem", "KernelSolution"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class KernelProblem:
    """Kernel blocks, labels and row weights.

    Parameters
    ----------
    K_uu : array of shape (n_unlabeled, n_unlabeled)
    K_lu : array of shape (n_labeled, n_unlabeled)
    K_ll : array of shape (n_labeled, n_labeled)
    y_labeled : int array of shape (n_labeled,)
        Class codes 0..K-1.
    weights : array of shape (n_labeled,)
        From `eulac.risk.weights.labeled_weights`.
    n_known_classes : int
    offset : float, default=0.0
        Constant part of the scores, from 0 (the paper's form) to 1: minus it for known classes,
        plus it for the augmented one, so that rows far from all data are called augmented.
    augmented_weight : float, optional
        One weight for all labeled rows in the augmented score, instead of `weights`: the biased
        variant EULAC-base++ of appendix C.3.
    """

    K_uu: Array
    K_lu: Array
    K_ll: Array
    y_labeled: NDArray[np.intp]
    weights: Array
    n_known_classes: int
    offset: float = 0.0
    augmented_weight: float | None = None

    @property
    def n_labeled(self) -> int:
        """Number of labeled rows."""
        return len(self.K_ll)

    @property
    def n_unlabeled(self) -> int:
        """Number of unlabeled rows."""
        return len(self.K_uu)

    @property
    def signs(self) -> Array:
        """What an unlabeled row pulls each score to: -1 for known classes, +1 for augmented."""
        return np.append(-np.ones(self.n_known_classes), 1.0)

    @property
    def offsets(self) -> Array:
        """Constant part of each score."""
        # Paper: has no constant, so far from the data every score is 0 and the answer arbitrary.
        return self.offset * self.signs

    def labeled_pull(self) -> Array:
        """Return minus the derivative of the labeled part in each score: ``w_i s_ik / n_l``.

        A labeled row pulls its own class up and the augmented class down.
        """
        pull = np.zeros((self.n_labeled, self.n_known_classes + 1))
        pull[np.arange(self.n_labeled), self.y_labeled] = self.weights
        pull[:, -1] = -(self.weights if self.augmented_weight is None else self.augmented_weight)
        return pull / self.n_labeled

    def subset(self, labeled: NDArray[np.intp], unlabeled: NDArray[np.intp]) -> "KernelProblem":
        """Return the problem on some of the rows, with their weights unchanged."""
        return KernelProblem(
            self.K_uu[np.ix_(unlabeled, unlabeled)],
            self.K_lu[np.ix_(labeled, unlabeled)],
            self.K_ll[np.ix_(labeled, labeled)],
            self.y_labeled[labeled],
            self.weights[labeled],
            self.n_known_classes,
            self.offset,
            self.augmented_weight,
        )


@dataclass(frozen=True, eq=False)
class KernelSolution:
    """Coefficients of the K + 1 score functions on labeled and unlabeled rows."""

    labeled: Array
    unlabeled: Array
    offsets: Array

    def scores(self, K_xl: Array, K_xu: Array) -> Array:
        """Return scores of rows whose kernel values with both samples are given."""
        return K_xl @ self.labeled + K_xu @ self.unlabeled + self.offsets

    def squared_norms(self, problem: KernelProblem) -> Array:
        """Return the squared RKHS norm of each score function, its constant left out."""
        on_labeled = problem.K_ll @ self.labeled + problem.K_lu @ self.unlabeled
        on_unlabeled = problem.K_lu.T @ self.labeled + problem.K_uu @ self.unlabeled
        cross = (self.labeled * on_labeled).sum(axis=0) + (self.unlabeled * on_unlabeled).sum(
            axis=0
        )
        return np.maximum(cross, 0.0)
