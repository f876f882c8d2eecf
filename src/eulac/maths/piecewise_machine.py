"""Kernel machines whose losses are convex and piecewise linear, solved to a duality gap.

`fit_piecewise_machine` minimizes ``1/2 ||g||^2 + sum_i loss_i(g(x_i) + intercept)`` where each row
has a loss of its own with at most two kinks: hinges, tubes, bounds on an output and sums of those.

The augmented Lagrangian method replaces each loss by its Moreau envelope around the last dual
values; semismooth Newton steps minimize the smooth function that is left. A Newton step solves a
system in the rows that sit at a kink only, which are few, and a round that starts near the answer
takes a handful of them. Rounds go on with sharper envelopes until the gap is small.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from eulac.maths.two_kink_losses import TwoKinkLosses

__all__ = ["PiecewiseMachine", "fit_piecewise_machine"]

Array = NDArray[np.float64]
IntArray = NDArray[np.intp]

_MAX_ROUNDS, _MAX_STEPS = 40, 200
_SHARPENING = 0.2  # softness of a round in terms of the last one
_SHARPEST = 1e-9  # softness at which it stays, in terms of the first
_INTERCEPT_WEIGHT = 0.1  # of the proximal term of the intercept, in terms of the softness
_LINE_PRECISION = 0.1  # a step ends where the slope along it is this share of the first
_MAX_TRIALS = 40
_ROUND_PRECISION = 1e-3  # a round may end this share of the tolerance above its minimum
_RIDGE = 1e-9  # for systems that rounding makes indefinite


@dataclass(frozen=True, eq=False)
class PiecewiseMachine:
    """A machine ``sum_i coefficients[i] k(x_i, .) + intercept`` and how exact it is.

    Attributes
    ----------
    coefficients : array of shape (n_rows,)
        Minus a subgradient of each row's loss, hence feasible for the dual problem.
    intercept : float
    outputs : array of shape (n_rows,)
        What the machine says of its own rows.
    gap : float
        The objective is at most this far above its minimum.
    n_steps : int
        Newton steps taken.
    """

    coefficients: Array
    intercept: float
    outputs: Array
    gap: float = np.inf
    n_steps: int = 0

    @classmethod
    def of(cls, K: Array, coefficients: Array, intercept: float) -> "PiecewiseMachine":
        """Return the machine with the given coefficients."""
        return cls(coefficients, intercept, K @ coefficients + intercept)


def fit_piecewise_machine(
    K: Array,
    losses: TwoKinkLosses,
    softness: Array,
    *,
    tolerance: float,
    start: PiecewiseMachine | None = None,
) -> PiecewiseMachine:
    """Return the machine with the smallest norm-penalized loss.

    Parameters
    ----------
    K : array of shape (n_rows, n_rows)
        Kernel matrix. Singular ones will do.
    losses : TwoKinkLosses
    softness : array of shape (n_rows,)
        Of the envelopes in the first round: about the size of outputs over that of duals. It
        decides about speed, not about the answer.
    tolerance : float
        Duality gap to reach. After many rounds the best machine so far is returned all the same,
        with its gap.
    start : PiecewiseMachine, optional
        Where to begin; the closer the faster.

    Examples
    --------
    Two rows at -1 and 1 that a hinge wants on either side:

    >>> losses = TwoKinkLosses(np.array([[-1.0, -1.0], [1.0, 1.0]]),
    ...                        np.array([[0.0, 0.0, 9.0], [-9.0, 0.0, 0.0]]))
    >>> K = np.array([[1.0, -1.0], [-1.0, 1.0]])
    >>> machine = fit_piecewise_machine(K, losses, np.full(2, 0.1), tolerance=1e-9)
    >>> np.round(machine.outputs, 6), bool(machine.gap < 1e-9)
    (array([-1.,  1.]), True)
    """
    point = PiecewiseMachine.of(K, np.zeros(len(K)), 0.0) if start is None else start
    best, n_steps = replace(point, gap=np.inf), 0
    for sharpness in np.maximum(_SHARPENING ** np.arange(_MAX_ROUNDS), _SHARPEST):
        round_ = _Round(K, losses, softness * sharpness, point, _ROUND_PRECISION * tolerance)
        coefficients, intercept = round_.minimize()
        n_steps += round_.n_steps
        point = _certified(K, losses, coefficients, intercept, n_steps)
        best = point if point.gap <= best.gap else best
        if best.gap <= tolerance:
            break
    return best


def _certified(
    K: Array, losses: TwoKinkLosses, coefficients: Array, intercept: float, n_steps: int
) -> PiecewiseMachine:
    """Make the coefficients dual feasible, and sum up the gaps of the Fenchel inequalities."""
    duals = np.clip(-coefficients, losses.slopes[:, 0], losses.slopes[:, 2])
    outputs = intercept - K @ duals
    gaps = losses.values(outputs) + losses.conjugates(duals) - duals * outputs
    # The coefficients of a minimum sum to zero; those of a round do so but for its proximal term.
    unbalanced = abs(duals.sum()) * max(1.0, abs(intercept))
    gap = float(np.maximum(gaps, 0.0).sum() + unbalanced)
    return PiecewiseMachine(-duals, intercept, outputs, gap, n_steps)


class _Round:
    """One minimization of the augmented Lagrangian around a machine."""

    def __init__(
        self,
        K: Array,
        losses: TwoKinkLosses,
        softness: Array,
        center: PiecewiseMachine,
        precision: float,
    ):
        self.K, self.losses, self.softness, self.precision = K, losses, softness, precision
        self.shift = -softness * center.coefficients
        self.anchor = center.intercept
        self.weight = _INTERCEPT_WEIGHT * float(softness.max())
        self.coefficients, self.intercept = center.coefficients, center.intercept
        self.outputs = center.outputs
        self.n_steps = 0

    def minimize(self) -> tuple[Array, float]:
        """Take Newton steps until a whole one stays on the pieces it was computed for."""
        last, is_whole = np.empty(0, dtype=np.intp), False
        while self.n_steps < _MAX_STEPS:
            slopes, pieces = self._envelope(self.outputs)
            if is_whole and np.array_equal(pieces, last):
                break
            last = pieces
            length, decrease = self._step(*self._newton_target(slopes, pieces))
            is_whole = length == 1.0
            if decrease <= self.precision:
                break
        return self.coefficients, self.intercept

    def _envelope(self, outputs: Array) -> tuple[Array, IntArray]:
        return self.losses.envelope_slopes(outputs + self.shift, self.softness)

    def _newton_target(self, slopes: Array, pieces: IntArray) -> tuple[Array, float]:
        """Minimize the quadratic function that agrees with the round's on the present pieces.

        Rows on a linear piece have minus its slope for their coefficient; those at a kink solve
        ``output + softness * coefficient = kink - shift``.
        """
        at_kink = pieces % 2 == 1
        target = np.where(at_kink, 0.0, -slopes)
        total = target.sum()
        rows = np.flatnonzero(at_kink)
        if not rows.size:
            return target, self.anchor + total / self.weight
        kinks = self.losses.kinks[rows, pieces[rows] // 2]
        wanted = kinks - self.shift[rows] - (self.K @ target)[rows]
        solved, ones = self._solve(rows, np.column_stack([wanted, np.ones(len(rows))])).T
        intercept = (solved.sum() + total + self.weight * self.anchor) / (ones.sum() + self.weight)
        target[rows] = solved - intercept * ones
        return target, float(intercept)

    def _solve(self, rows: IntArray, right: Array) -> Array:
        for ridge in (0.0, _RIDGE, 1e3 * _RIDGE):
            system = self.K[np.ix_(rows, rows)]
            system.flat[:: len(rows) + 1] += self.softness[rows] + ridge
            try:
                factor = cho_factor(system, lower=True, overwrite_a=True, check_finite=False)
            except LinAlgError:
                continue
            return cho_solve(factor, right, check_finite=False)
        return np.asarray(np.linalg.lstsq(system, right)[0], dtype=np.float64)

    def _step(self, target: Array, intercept: float) -> tuple[float, float]:
        """Go towards the target; return how far, and the slope down which it went."""
        change, raised = target - self.coefficients, intercept - self.intercept
        image = self.K @ change
        linear, square = float(self.coefficients @ image), float(change @ image)
        moved = image + raised
        pull = self.intercept - self.anchor

        def slope(length: float) -> float:
            envelope = self._envelope(self.outputs + length * moved)[0]
            lifted = self.weight * (pull + length * raised) * raised
            return float(linear + length * square + envelope @ moved + lifted)

        length, first = _step_length(slope)
        self.coefficients = self.coefficients + length * change
        self.intercept += length * raised
        self.outputs = self.outputs + length * moved
        self.n_steps += 1
        return length, -first


def _step_length(slope: Callable[[float], float]) -> tuple[float, float]:
    """Return 1, or a shorter length at which a rising slope is near zero; and the first slope."""
    first, last = slope(0.0), slope(1.0)
    enough = _LINE_PRECISION * abs(first)
    if first >= 0.0 or last <= enough:
        return float(first < 0.0), first
    low, high, at_low, at_high, went = 0.0, 1.0, first, last, 0
    length = 0.0
    for _ in range(_MAX_TRIALS):  # regula falsi that halves the end it is stuck at
        length = (low * at_high - high * at_low) / (at_high - at_low)
        here = slope(length)
        if abs(here) <= enough:
            break
        if here > 0.0:
            high, at_high, at_low = length, here, at_low * (0.5 if went > 0 else 1.0)
        else:
            low, at_low, at_high = length, here, at_high * (0.5 if went < 0 else 1.0)
        went = 1 if here > 0.0 else -1
    return length, first
