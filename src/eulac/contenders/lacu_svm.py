"""LACU-SVM: one-versus-rest machines whose boundaries avoid the unlabeled rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np

from eulac.contenders.lacu_problem import TOLERANCE, LacuMachine, LacuProblem, with_mean_row
from eulac.contenders.open_set_classifier import (
    Array,
    OpenSetEvidence,
    OpenSetModel,
    OpenSetParameters,
)
from eulac.contenders.ovr_svm import OvrSvmClassifier
from eulac.contenders.rbf_svm import SvmSettings
from eulac.data.lac_sample import LacSample
from eulac.exceptions import EulacWarning, warn_caller
from eulac.maths.kernels import GaussianKernel

__all__ = ["LacuSvmClassifier"]


class LacuSvmClassifier(OvrSvmClassifier):
    """One-versus-rest support vector machines drawn in to where few unlabeled rows lie.

    Each known class has a machine that also minimizes the ramp loss of unlabeled rows with either
    sign, which keeps its boundary out of dense regions; a constraint keeps about as many unlabeled
    rows on the positive side as the class has among the labeled rows, or fewer, and another keeps
    labeled rows of other classes at a distance. Where a machine is positive, the machine of the
    labeled rows alone speaks in its place. New is what all call negative.

    Needs labeled rows of two or more classes and unlabeled rows; without the latter it is the
    plain machines and nothing is new. With two classes the balance leaves little room for new
    rows. Forms the kernel matrix of labeled and unlabeled rows.

    Each convex problem of the concave-convex procedure is solved to a duality gap of one millionth
    with its constraints in force, where the authors' release runs a sequential method. Departures:

    - The bandwidth is searched on labeled rows. The release has ``sqrt(n_features / 2)`` if none is
      given; the cost of 1 is its own.
    - The distance kept from other classes follows from the machines of the labeled rows; the
      release takes it anew after each step, so that no objective need fall. Figures are the same.
    - The mean of the unlabeled rows, which the balance constraint brings into the machines, is
      predicted with; the release has the mean of the labeled rows in its place. The published
      figures as a contender are those of the release with its own cost and bandwidth and this.
    - Limits of the balance constraint that exclude each other, where a class has most of the
      labeled rows or less than 1 in 20 of them, are put in order.
    - Constraints that no machine can meet are missed by as little as can be, with a warning.

    Parameters
    ----------
    bandwidth : float or sequence of floats, optional
        Gaussian bandwidth, or candidates; by default searched by cross-validated accuracy of
        one-versus-rest machines on the labeled rows.
    cost : float or sequence of floats, default=1.0
        Weight of the hinge loss; None searches it too.
    known_proportion, scale, threshold, ... : see `OpenSetClassifier`

    Attributes
    ----------
    classes_, known_classes_, proportion_, risk_ : see `OpenSetClassifier`
    threshold_ : float
        Minus the largest decision value a new row may have.
    model_ : LacuSvmModel
        Its `machines` tell, for each class, the path of the objective, the duality gaps, the
        constraints, and by how much they are missed. `OvrSvmModel` without unlabeled rows.

    References
    ----------
    Da, Yu and Zhou, "Learning with Augmented Class by Exploiting Unlabeled Data", AAAI 2014.
    Collobert, Sinz, Weston and Bottou, "Large Scale Transductive SVMs", JMLR 2006.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> centers = np.array([[0, 0], [6, 0], [0, 6], [6, 6]])
    >>> y = np.repeat([0, 1, 2], 20)
    >>> X, U = rng.normal(centers[y], 0.5), rng.normal(np.repeat(centers, 25, axis=0), 0.5)
    >>> lacu = LacuSvmClassifier(bandwidth=0.3, cost=1.0).fit(X, y, X_unlabeled=U)
    >>> lacu.predict([[0, 0], [6, 0], [6, 6]])
    array([ 0,  1, -2])
    >>> [machine.is_relaxed for machine in lacu.model_.machines]
    [False, False, False]
    """

    needs_unlabeled = True
    labeled_matrices, pooled_matrices = 0, 3

    _problem = LacuProblem

    def __init__(
        self,
        known_proportion: Any = "auto",
        *,
        bandwidth: Any = None,
        cost: Any = 1.0,
        **shared: Unpack[OpenSetParameters],
    ) -> None:
        super().__init__(known_proportion, bandwidth=bandwidth, cost=cost, **shared)

    def _needs_proportion(self) -> bool:
        # The machines learn from unlabeled rows, but not how many of them are known.
        return self.threshold == "label_free"

    def _fit_model(self, sample: LacSample, settings: SvmSettings, seed: int) -> OpenSetModel:
        if self.closed_set_:
            return super()._fit_model(sample, settings, seed)
        kernel = GaussianKernel(settings.bandwidth)
        rows = np.vstack([sample.X_labeled, sample.X_unlabeled])
        K = with_mean_row(kernel.block(rows, rows), sample.n_labeled)
        machines = []
        for k, name in enumerate(sample.codec.known):
            machines.append(self._problem(K, sample.y_labeled == k, settings.cost).solve())
            _warn_of_doubtful_machine(machines[-1], name)
        return LacuSvmModel(kernel, rows, tuple(machines))


def _warn_of_doubtful_machine(machine: LacuMachine, name: Any) -> None:
    if machine.is_relaxed:
        warn_caller(
            f"the constraints of class {name!r} must leave room for a machine; they are missed by "
            f"{machine.violation:.2g}. Unlabeled rows should not all coincide with labeled rows "
            "of other classes, nor the bandwidth or the cost be extreme.",
            EulacWarning,
        )
    elif max(machine.gaps) > TOLERANCE:
        warn_caller(
            f"the machine of class {name!r} should have a relative duality gap of {TOLERANCE:g} at "
            f"most; got {max(machine.gaps):.2g}. Use a smaller `cost`.",
            EulacWarning,
        )


@dataclass(frozen=True, eq=False)
class LacuSvmModel:
    """Machines over shared rows, and the rule that a row is new where none of them is positive.

    Attributes
    ----------
    kernel : GaussianKernel
    rows : array of shape (n_labeled + n_unlabeled, n_features)
        Labeled rows first.
    machines : tuple of LacuMachine
    """

    kernel: GaussianKernel
    rows: Array
    machines: tuple[LacuMachine, ...]
    threshold: float = 0.0

    def evidence(self, X: Array) -> OpenSetEvidence:
        """Return decision values, and minus their largest."""
        block = self.kernel.block(X, self.rows)
        careful = _outputs(block, self.machines)
        plain = _outputs(block, [machine.labeled_only for machine in self.machines])
        decision = np.where(careful > 0.0, plain, careful)
        return OpenSetEvidence(decision, -decision.max(axis=1))


def _outputs(block: Array, machines: Sequence[Any]) -> Array:
    """Return a column per machine; those with fewer coefficients have them for the first rows."""
    coefficients = np.column_stack([machine.coefficients for machine in machines])
    intercepts = np.array([machine.intercept for machine in machines])
    return block[:, : len(coefficients)] @ coefficients + intercepts
