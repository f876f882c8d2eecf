"""Weibull distributions by maximum likelihood, many samples at once.

The likelihood equation in the shape k, ``sum z^k ln z / sum z^k - 1/k - mean ln z = 0``, has an
increasing left side, hence one root; the scale is ``(mean z^k)^(1/k)``. Newton's method in log k,
kept within a bracket, finds the roots of all rows together.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Weibull", "fit_weibull", "fit_weibull_low"]

Array = NDArray[np.float64]

SHAPE_LIMITS = (1e-2, 1e4)
"""Samples of equal values have an infinite shape; it stops at the upper limit."""

SMALLEST = 1e-300
N_STEPS = 100
TOLERANCE = 1e-12


class Weibull(NamedTuple):
    """Shapes and scales of one or more two-parameter Weibull distributions.

    Examples
    --------
    >>> float(Weibull(np.array(1.0), np.array(2.0)).survival(np.array(0.0)))
    1.0
    """

    shape: Array
    scale: Array

    def survival(self, z: Array) -> Array:
        """Return P(Z > z), 1 for z at or below zero; broadcasts against the parameters."""
        return np.asarray(np.exp(-self._hazard(z)))

    def cdf(self, z: Array) -> Array:
        """Return P(Z <= z), 0 for z at or below zero; broadcasts against the parameters."""
        return np.asarray(-np.expm1(-self._hazard(z)))

    def log_hazard(self, z: Array) -> Array:
        """Return ``log(-log(survival(z)))`` of positive z, exact where the survival underflows.

        Increases with z as the survival falls, without ties at 0 and 1.

        Examples
        --------
        >>> weibull = Weibull(np.array(50.0), np.array(1.0))
        >>> weibull.survival(np.array([2.0, 3.0])), weibull.log_hazard(np.array([2.0, 3.0])).round()
        (array([0., 0.]), array([35., 55.]))
        """
        return np.asarray(self.shape * (np.log(z) - np.log(self.scale)))

    def _hazard(self, z: Array) -> Array:
        """Minus the log of the survival, the cumulative hazard."""
        with np.errstate(over="ignore", under="ignore"):
            return np.asarray((np.maximum(z, 0.0) / self.scale) ** self.shape)


def fit_weibull(samples: Array, weights: Array | None = None) -> Weibull:
    """Return the maximum likelihood Weibull distribution of each sample along the last axis.

    Zeros, at which the likelihood has no maximum, count as the smallest positive number. A sample
    whose values all coincide has the largest shape allowed and those values as its scale.

    Parameters
    ----------
    samples : array of shape (..., n)
        Numbers that are not negative.
    weights : array of shape (..., n), optional
        How much each value counts; values of weight zero may be anything. Each sample needs at
        least one that counts.

    Returns
    -------
    Weibull
        Of parameters of shape (...).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> fitted = fit_weibull(3.0 * rng.weibull(2.0, (2, 10_000)))
    >>> np.round(fitted.shape, 1), np.round(fitted.scale, 1)
    (array([2., 2.]), array([3., 3.]))
    """
    samples, weights = _checked(samples, weights)
    samples = np.where(weights > 0, np.maximum(samples, SMALLEST), SMALLEST)
    largest = samples.max(axis=-1, keepdims=True)
    # Divided by the largest value, no power overflows.
    logs = np.where(weights > 0, np.log(samples / largest), 0.0)
    shape = np.exp(_log_shape(logs, weights))
    total = (weights * np.exp(shape[..., None] * logs)).sum(axis=-1)
    # Not the operator: on some processors it rounds a single number otherwise than many.
    return Weibull(shape, largest[..., 0] * np.power(total, 1.0 / shape))


def _checked(samples: Array, weights: Array | None) -> tuple[Array, Array]:
    """Return samples, and weights that sum to one."""
    samples = np.asarray(samples, dtype=float)
    weights = np.broadcast_to(1.0 if weights is None else np.asarray(weights, float), samples.shape)
    if not np.all(np.any(weights > 0, axis=-1)):
        raise ValueError("a Weibull fit needs at least one value per sample; got none.")
    used = samples[weights > 0]
    if not np.all((used >= 0) & np.isfinite(used)):
        raise ValueError(
            "values of a Weibull distribution must be finite and not negative; got "
            f"{used[~((used >= 0) & np.isfinite(used))][0]!r}."
        )
    return samples, weights / weights.sum(axis=-1, keepdims=True)


def _log_shape(logs: Array, weights: Array) -> Array:
    """Return the root of the likelihood equation of each row, within the limits."""
    mean_log = np.asarray((weights * logs).sum(axis=-1))
    variance = np.asarray((weights * (logs - mean_log[..., None]) ** 2).sum(axis=-1))
    low, high = (np.full(mean_log.shape, np.log(limit)) for limit in SHAPE_LIMITS)
    with np.errstate(divide="ignore"):
        start = np.log(np.pi / np.sqrt(6.0)) - 0.5 * np.log(variance)  # the moment estimate
    root = np.clip(start, low, high)
    moving = np.ones(root.shape, dtype=bool)
    for _ in range(N_STEPS):
        value, slope = _likelihood_equation(root, logs, weights, mean_log)
        low, high = np.where(value < 0, root, low), np.where(value < 0, high, root)
        step = root - value / slope
        step = np.where((step >= low) & (step <= high), step, 0.5 * (low + high))
        # Rows that have arrived stay, so that none depends on how long the others take.
        moved = np.where(moving, np.abs(step - root), 0.0)
        root = np.where(moving, step, root)
        moving = moved >= TOLERANCE
        if not moving.any():
            break
    return np.asarray(root)


def _likelihood_equation(
    log_shape: Array, logs: Array, weights: Array, mean_log: Array
) -> tuple[Array, Array]:
    """Left side of the equation, and its derivative in log shape."""
    shape = np.exp(log_shape)
    powers = weights * np.exp(shape[..., None] * logs)
    powers /= powers.sum(axis=-1, keepdims=True)
    first = (powers * logs).sum(axis=-1)
    second = (powers * logs**2).sum(axis=-1)
    value = first - 1.0 / shape - mean_log
    return value, shape * (second - first**2) + 1.0 / shape


def fit_weibull_low(values: Array, n_tail: int) -> tuple[Weibull, float]:
    """Return the Weibull distribution of the smallest values, and where it has its zero.

    Extreme value theory of minima as in libMR: values are negated, the tail of the largest is
    shifted so that its smallest member is 1. ``cdf(zero - value)`` then falls from 1 for values
    far below the tail to 0 above it; the probability of belonging to the sample is
    ``survival(zero - value)``.

    Examples
    --------
    >>> weibull, zero = fit_weibull_low(np.arange(10.0), n_tail=4)
    >>> zero
    4.0
    >>> bool(weibull.survival(zero - 5.0) > weibull.survival(zero - 0.0))
    True
    """
    tail = np.sort(np.asarray(values, dtype=float))[:n_tail]
    zero = float(tail[-1]) + 1.0
    return fit_weibull(zero - tail), zero
