"""The optimization behind LACU-SVM: one class against the others, with unlabeled rows.

A machine f minimizes ``1/2 ||f||^2``, the hinge loss of labeled rows and the ramp loss of unlabeled
rows with either sign, subject to

- ``low <= mean of f over unlabeled rows <= high``: about as many of them are of the class as among
  the labeled rows, or fewer;
- ``f <= -margin`` on the labeled rows of other classes.

The ramp is a hinge minus a shifted hinge. The concave-convex procedure replaces the latter by its
tangent, over and over; each convex problem that is left is one of `fit_piecewise_machine`: the two
copies of an unlabeled row merge into one loss with two kinks, the bound on a labeled row adds a
kink to its hinge, and the mean over unlabeled rows is one more row of the kernel matrix.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eulac.maths.piecewise_machine import PiecewiseMachine, fit_piecewise_machine
from eulac.maths.two_kink_losses import TwoKinkLosses

__all__ = ["LacuMachine", "LacuProblem", "with_mean_row"]

Array = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

RAMP = -0.3  # where the ramp loss ends: within 0.3 of zero an unlabeled row costs the same
BALANCE, LOWEST_MEAN = 1.3, -0.9
EXTRA_MARGIN, FALLBACK_MARGIN = 0.1, 0.5
MAX_STEPS = 10
TOLERANCE = 1e-6  # duality gap of a convex problem, relative to the hinge loss of f = 0
VIOLATION = 1e-5  # what a constraint may be off before it counts as relaxed
PRICE = 100.0  # most that a constraint may cost, for each labeled row and unit of cost
LARGEST_DUAL = 10.0  # typical of costs above it too: few rows need the whole cost


@dataclass(frozen=True, eq=False)
class LacuMachine:
    """A machine for one class, and how it came about.

    Attributes
    ----------
    coefficients : array of shape (n_labeled + n_unlabeled,)
    intercept : float
    labeled_only : PiecewiseMachine
        The support vector machine of the labeled rows alone, where the procedure started.
    margin : float
        Labeled rows of other classes are held below minus this.
    mean_limits : tuple of float
        Within which the mean over unlabeled rows is held.
    objectives : tuple of float
        Penalized hinge and ramp loss after each convex problem: does not rise, unless it has to
        in order to miss constraints by less.
    gaps : tuple of float
        Duality gap of each convex problem, relative to the hinge loss of f = 0.
    violation : float
        By how much the worst constraint is missed: rounding, unless they contradict each other.
    """

    coefficients: Array
    intercept: float
    labeled_only: PiecewiseMachine
    margin: float
    mean_limits: tuple[float, float]
    objectives: tuple[float, ...]
    gaps: tuple[float, ...]
    violation: float

    @property
    def is_relaxed(self) -> bool:
        """Whether the constraints could not all be met."""
        return self.violation > VIOLATION


def with_mean_row(K: Array, n_labeled: int) -> Array:
    """Return the kernel matrix with one more row and column: the mean of the unlabeled rows.

    Examples
    --------
    >>> with_mean_row(np.array([[2.0, 0.0, 1.0], [0.0, 2.0, 1.0], [1.0, 1.0, 2.0]]), 1)[-1]
    array([0.5, 1.5, 1.5, 1.5])
    """
    n_rows = len(K)
    wide = np.empty((n_rows + 1, n_rows + 1))
    wide[:-1, :-1] = K
    wide[-1, :-1] = wide[:-1, -1] = K[n_labeled:].mean(axis=0)
    wide[-1, -1] = wide[-1, n_labeled:-1].mean()
    return wide


class LacuProblem:
    """One class against the others.

    A constraint has a high price instead of being absolute: with multipliers below the price the
    answer is that of the absolute constraint, and where no f meets them all, or one of huge norm
    only, the least violation is found instead. (Multipliers of the margins sum to three times the
    cost of all labeled rows at most, unless the lower limit of the mean pulls too.)

    Parameters
    ----------
    K : array of shape (n_labeled + n_unlabeled + 1, n_labeled + n_unlabeled + 1)
        Kernel matrix of labeled rows, unlabeled rows, and the mean of the latter.
    is_positive : bool array of shape (n_labeled,)
        Labeled rows of the class.
    cost : float
        Weight of the hinge loss of a labeled row; unlabeled rows together weigh as much as the
        labeled ones.
    """

    def __init__(self, K: Array, is_positive: BoolArray, cost: float):
        self.K, self.is_positive, self.cost = K, is_positive, cost
        self.n_labeled, self.n_unlabeled = len(is_positive), len(K) - len(is_positive) - 1
        self.scale = cost * self.n_labeled
        self.unlabeled_cost = self.scale / self.n_unlabeled
        self.softness = 1.0 / min(cost, LARGEST_DUAL)
        self.mean_limits = mean_limits(2.0 * float(is_positive.mean()) - 1.0)

    def solve(self) -> LacuMachine:
        """Return the machine after at most `MAX_STEPS` convex problems.

        The procedure ends before where no unlabeled row changes sides: the next problem would be
        the same.
        """
        labeled_only = self.solve_labeled_only()
        margin = smallest_margin(labeled_only.outputs[self.is_positive])
        coefficients = np.append(labeled_only.coefficients, np.zeros(self.n_unlabeled + 1))
        machine = PiecewiseMachine.of(self.K, coefficients, labeled_only.intercept)
        sides = np.zeros(self.n_unlabeled)
        objectives: list[float] = []
        gaps: list[float] = []
        for _ in range(MAX_STEPS):
            tangents = self.tangents(machine.outputs)
            if objectives and np.array_equal(tangents, sides):
                break
            machine = self.solve_convex(machine, margin, tangents, tangents - sides)
            sides = tangents
            objectives.append(self.objective(machine))
            gaps.append(machine.gap / self.scale)
        return LacuMachine(
            coefficients=self.row_coefficients(machine),
            intercept=machine.intercept,
            labeled_only=labeled_only,
            margin=margin,
            mean_limits=self.mean_limits,
            objectives=tuple(objectives),
            gaps=tuple(gaps),
            violation=self.violation(machine.outputs, margin),
        )

    def solve_labeled_only(self) -> PiecewiseMachine:
        """Return the support vector machine of the labeled rows."""
        n, C = self.n_labeled, self.cost
        signs = np.where(self.is_positive, 1.0, -1.0)
        slopes = np.where(self.is_positive[:, None], [-C, 0.0, 0.0], [0.0, 0.0, C])
        losses = TwoKinkLosses(np.column_stack([signs, signs]), slopes)
        K = np.ascontiguousarray(self.K[:n, :n])
        tolerance = TOLERANCE * self.scale
        return fit_piecewise_machine(K, losses, np.full(n, self.softness), tolerance=tolerance)

    def tangents(self, outputs: Array) -> Array:
        """Return the slopes of the concave part at unlabeled rows: -1 above 0.3, 1 below -0.3."""
        unlabeled = outputs[self.n_labeled : -1]
        return np.subtract(unlabeled < RAMP, unlabeled > -RAMP, dtype=float)

    def solve_convex(
        self, start: PiecewiseMachine, margin: float, tangents: Array, change: Array
    ) -> PiecewiseMachine:
        """Return the solution of a convex problem, from that of the last one.

        A tangent only moves the coefficients of its row, so they start with its change.
        """
        coefficients = start.coefficients.copy()
        coefficients[self.n_labeled : -1] -= self.unlabeled_cost * change
        # The mean is one row that stands for many: its multiplier is as large as all of theirs.
        softness = np.full(len(self.K), self.softness)
        softness[-1] /= self.n_unlabeled
        return fit_piecewise_machine(
            self.K,
            self.losses(margin, tangents),
            softness,
            tolerance=TOLERANCE * self.scale,
            start=PiecewiseMachine.of(self.K, coefficients, start.intercept),
        )

    def losses(self, margin: float, tangents: Array) -> TwoKinkLosses:
        """Return the losses of a convex problem: labeled rows, unlabeled rows, their mean."""
        C, price = self.cost, PRICE * self.n_labeled * max(1.0, self.cost)
        # The slope changes at -1, where the hinge begins, and at -margin, where the bound does.
        middle = C if margin < 1.0 else price
        kinks = sorted([-1.0, -margin])
        of_labeled = np.where(self.is_positive[:, None], [1.0, 1.0], kinks)
        slopes = np.where(self.is_positive[:, None], [-C, 0.0, 0.0], [0.0, middle, C + price])
        of_unlabeled = np.tile([-1.0, 1.0], (self.n_unlabeled, 1))
        tilted = self.unlabeled_cost * (tangents[:, None] + [-1.0, 0.0, 1.0])
        return TwoKinkLosses(
            np.vstack([of_labeled, of_unlabeled, self.mean_limits]),
            np.vstack([slopes, tilted, [-price, 0.0, price]]),
        )

    def row_coefficients(self, machine: PiecewiseMachine) -> Array:
        """Return the coefficients with that of the mean divided among the unlabeled rows."""
        coefficients = machine.coefficients[:-1].copy()
        coefficients[self.n_labeled :] += machine.coefficients[-1] / self.n_unlabeled
        return coefficients

    def objective(self, machine: PiecewiseMachine) -> float:
        """Return the penalized hinge and ramp loss, whatever the constraints say."""
        norm = float(machine.coefficients @ (machine.outputs - machine.intercept))
        labeled, unlabeled = np.split(machine.outputs[:-1], [self.n_labeled])
        hinge = np.maximum(0.0, 1.0 - np.where(self.is_positive, labeled, -labeled)).sum()
        ramp = (ramp_loss(unlabeled) + ramp_loss(-unlabeled)).sum()
        return 0.5 * norm + self.cost * float(hinge) + self.unlabeled_cost * float(ramp)

    def violation(self, outputs: Array, margin: float) -> float:
        """Return by how much the outputs miss the worst constraint."""
        low, high = self.mean_limits
        others = outputs[: self.n_labeled][~self.is_positive]
        return float(max(0.0, others.max() + margin, low - outputs[-1], outputs[-1] - high))


def ramp_loss(outputs: Array) -> Array:
    """Return the hinge loss, constant where it would exceed that of `RAMP`."""
    return np.clip(1.0 - outputs, 0.0, 1.0 - RAMP)


def smallest_margin(outputs: Array) -> float:
    """Return the margin of the other classes, from what the labeled rows of a class get.

    Examples
    --------
    >>> smallest_margin(np.array([0.75, 1.5])), smallest_margin(np.array([-0.2, 1.5]))
    (0.85, 0.5)
    """
    smallest = max(0.0, float(outputs.min()))
    # Rounding must not decide about the fallback.
    return smallest + EXTRA_MARGIN if smallest > VIOLATION else FALLBACK_MARGIN


def mean_limits(mean_label: float) -> tuple[float, float]:
    """Return the limits of the mean over unlabeled rows, from the mean label of labeled rows.

    Examples
    --------
    >>> mean_limits(-0.5), mean_limits(-0.8), mean_limits(0.5)
    ((-0.65, -0.5), (-0.9, -0.8), (0.35, 0.5))
    """
    # The release has BALANCE * mean_label, which is above the upper limit where most labeled rows
    # are of the class, and -0.9 also where the upper limit is below (more than 20 classes).
    low = max(LOWEST_MEAN, mean_label - (BALANCE - 1.0) * abs(mean_label))
    return min(low, mean_label), mean_label
