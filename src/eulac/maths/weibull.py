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
        with np.errstate(over="ignore", under="ignore"):
            return np.asarray(np.exp(-((np.maximum(z, 0.0) / self.scale) ** self.shape)))

    def cdf(self, z: Array) -> Array:
        """Return P(Z <= z), 0 for z at or below zero; broadcasts against the parameters."""
        with np.errstate(over="ignore", under="ignore"):
            return np.asarray(-np.expm1(-((np.maximum(z, 0.0) / self.scale) ** self.shape)))


def fit_weibull(samples: Array) -> Weibull:
    """Return the maximum likelihood Weibull distribution of each sample along the last axis.

    Values must not be negative; zeros count as the smallest positive number. A sample whose
    values all coincide has the largest shape allowed and those values as its scale.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> fitted = fit_weibull(3.0 * rng.weibull(2.0, (2, 10_000)))
    >>> np.round(fitted.shape, 1), np.round(fitted.scale, 1)
    (array([2., 2.]), array([3., 3.]))
    """
    samples = np.maximum(np.asarray(samples, dtype=float), SMALLEST)
    largest = samples.max(axis=-1, keepdims=True)
    # Divided by the largest value, no power overflows.
    logs = np.log(samples / largest)
    mean_log = logs.mean(axis=-1)
    spread = logs.std(axis=-1)
    low, high = (np.full(mean_log.shape, np.log(limit)) for limit in SHAPE_LIMITS)
    with np.errstate(divide="ignore"):
        start = np.log(np.pi / np.sqrt(6.0)) - np.log(spread)  # the moment estimate
    log_shape = np.clip(start, low, high)
    for _ in range(N_STEPS):
        value, slope = _likelihood_equation(log_shape, logs, mean_log)
        low, high = np.where(value < 0, log_shape, low), np.where(value < 0, high, log_shape)
        step = log_shape - value / slope
        following = np.where((step > low) & (step < high), step, 0.5 * (low + high))
        done = np.max(np.abs(following - log_shape), initial=0.0) < TOLERANCE
        log_shape = following
        if done:
            break
    shape = np.exp(log_shape)
    powers = np.exp(shape[..., None] * logs)
    return Weibull(shape, largest[..., 0] * powers.mean(axis=-1) ** (1.0 / shape))


def _likelihood_equation(log_shape: Array, logs: Array, mean_log: Array) -> tuple[Array, Array]:
    """Left side of the equation, and its derivative in log shape."""
    shape = np.exp(log_shape)
    weights = np.exp(shape[..., None] * logs)
    weights /= weights.sum(axis=-1, keepdims=True)
    first = (weights * logs).sum(axis=-1)
    second = (weights * logs**2).sum(axis=-1)
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
