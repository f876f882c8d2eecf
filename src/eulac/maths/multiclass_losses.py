"""Losses of a row's logits and its class, for the generalized risk, which takes any of them.

All are losses of the softmax. The log loss punishes confident errors without bound; the Brier and
the generalized cross entropy are bounded, so a few rows that are far off weigh less.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp, softmax

__all__ = [
    "MULTICLASS_LOSSES",
    "MulticlassLoss",
    "generalized_cross_entropy",
    "get_multiclass_loss",
    "require_sound",
]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]
OfRows = Callable[[Array, Codes], Array]


@dataclass(frozen=True)
class MulticlassLoss:
    """A loss of logits of shape (n, n_classes) and class codes of shape (n,).

    The augmented class is the last one.

    Parameters
    ----------
    name : str
    value : callable
        Loss of each row, of shape (n,).
    slope : callable
        Its gradient in the logits, of shape (n, n_classes).
    curvature : callable
        How fast the slope grows with each logit, of shape (n, n_classes): what Newton steps are
        divided by. Never negative: where the second derivative may be, the part of it that is not.
    symmetric : bool, default=False
        Whether classes may change places in logits and codes, and the loss stay the same.

    Examples
    --------
    >>> brier = MULTICLASS_LOSSES["brier"]
    >>> brier.value(np.zeros((1, 2)), np.array([0]))
    array([0.5])
    """

    name: str
    value: OfRows
    slope: OfRows
    curvature: OfRows
    symmetric: bool = False

    def renumbered(self, columns: Codes) -> "MulticlassLoss":
        """Return the loss for logits whose column ``columns[k]`` is that of class k.

        Examples
        --------
        >>> first_only = MulticlassLoss("first", lambda f, y: f[:, 0], None, None)
        >>> first_only.renumbered(np.array([1, 0])).value(np.array([[3.0, 7.0]]), np.array([0]))
        array([7.])
        """
        if self.symmetric:
            return self
        classes = np.argsort(columns)
        return MulticlassLoss(
            self.name,
            lambda logits, y: self.value(logits[:, columns], classes[y]),
            lambda logits, y: self.slope(logits[:, columns], classes[y])[:, classes],
            lambda logits, y: self.curvature(logits[:, columns], classes[y])[:, classes],
        )


def get_multiclass_loss(loss: Any) -> MulticlassLoss:
    """Return the loss of that name, or the loss itself, or say which names there are.

    Examples
    --------
    >>> get_multiclass_loss("log").name
    'log'
    """
    if isinstance(loss, MulticlassLoss):
        return loss
    if not isinstance(loss, str) or loss not in MULTICLASS_LOSSES:
        known = ", ".join(map(repr, MULTICLASS_LOSSES))
        raise ValueError(f"`loss` must be one of {known}, or a MulticlassLoss; got {loss!r}.")
    return MULTICLASS_LOSSES[loss]


def require_sound(loss: MulticlassLoss, n_classes: int) -> None:
    """Refuse a loss of one's own whose parts do not fit each other, tried on a few logits."""
    rng = np.random.default_rng(0)
    logits, y = rng.normal(size=(2 * n_classes, n_classes)), np.arange(2 * n_classes) % n_classes
    step = 1e-5 * rng.normal(size=logits.shape)
    value, ahead, behind = (loss.value(logits + move, y) for move in (0.0, step, -step))
    slope, curvature = loss.slope(logits, y), loss.curvature(logits, y)
    shapes = [np.shape(part) for part in (value, slope, curvature)]
    if shapes != [y.shape, logits.shape, logits.shape]:
        raise ValueError(
            f"`value`, `slope` and `curvature` of the loss {loss.name!r} must have shapes (n,), "
            f"(n, n_classes) and (n, n_classes); for n = {len(y)}, n_classes = {n_classes} they "
            f"have {shapes[0]}, {shapes[1]} and {shapes[2]}."
        )
    if not all(np.isfinite(part).all() for part in (value, slope, curvature)):
        raise ValueError(f"the loss {loss.name!r} must be finite wherever logits are; it is not.")
    if np.min(curvature) < 0:
        raise ValueError(f"`curvature` of the loss {loss.name!r} must not be negative; it is.")
    difference = np.abs((ahead - behind) / 2 - (slope * step).sum(axis=1))
    if np.median(difference) > 1e-3 * np.abs(step).max() * (1.0 + np.abs(slope).max()):
        raise ValueError(
            f"`slope` of the loss {loss.name!r} must be the gradient of `value`; differences of "
            "`value` disagree."
        )


def generalized_cross_entropy(q: float = 0.7) -> MulticlassLoss:
    """Return the loss ``(1 - p_y ** q) / q``: towards the log loss for small q, ``1 - p_y`` for 1.

    References
    ----------
    Zhang and Sabuncu, "Generalized Cross Entropy Loss for Training Deep Neural Networks with Noisy
    Labels", NeurIPS 2018.

    Examples
    --------
    >>> generalized_cross_entropy(1.0).value(np.zeros((1, 4)), np.array([2]))
    array([0.75])
    """
    if not 0.0 < q <= 1.0:
        raise ValueError(f"`q` must be greater than 0 and at most 1; got {q!r}.")
    return MulticlassLoss(
        "gce",
        partial(_gce_value, q=q),
        partial(_gce_slope, q=q),
        partial(_gce_curvature, q=q),
        symmetric=True,
    )


def _gce_value(logits: Array, y: Codes, q: float) -> Array:
    return np.asarray(-np.expm1(-q * _log_value(logits, y)) / q)


def _gce_slope(logits: Array, y: Codes, q: float) -> Array:
    return np.asarray(np.exp(-q * _log_value(logits, y))[:, None] * _log_slope(logits, y))


def _gce_curvature(logits: Array, y: Codes, q: float) -> Array:
    """Without the part that comes from the slope's fading, which is the negative one."""
    return np.asarray(np.exp(-q * _log_value(logits, y))[:, None] * _log_curvature(logits, y))


def _log_value(logits: Array, y: Codes) -> Array:
    return np.asarray(logsumexp(logits, axis=1) - logits[np.arange(len(y)), y])


def _log_slope(logits: Array, y: Codes) -> Array:
    return _errors(softmax(logits, axis=1), y)


def _log_curvature(logits: Array, y: Codes) -> Array:
    likely = softmax(logits, axis=1)
    return np.asarray(likely * (1.0 - likely))


def _brier_value(logits: Array, y: Codes) -> Array:
    return np.asarray((_errors(softmax(logits, axis=1), y) ** 2).sum(axis=1))


def _brier_slope(logits: Array, y: Codes) -> Array:
    likely = softmax(logits, axis=1)
    errors = _errors(likely.copy(), y)
    mean = (likely * errors).sum(axis=1, keepdims=True)
    return np.asarray(2.0 * likely * (errors - mean))


def _brier_curvature(logits: Array, y: Codes) -> Array:
    """Twice the squared slopes of the probabilities: without the part that may be negative."""
    likely = softmax(logits, axis=1)
    squares = likely**2
    others = squares.sum(axis=1, keepdims=True) - squares
    return np.asarray(2.0 * squares * ((1.0 - likely) ** 2 + others))


def _errors(likely: Array, y: Codes) -> Array:
    """Take one from the probability of each row's class, in place."""
    likely[np.arange(len(y)), y] -= 1.0
    return likely


MULTICLASS_LOSSES: dict[str, MulticlassLoss] = {
    loss.name: loss
    for loss in (
        MulticlassLoss("log", _log_value, _log_slope, _log_curvature, symmetric=True),
        MulticlassLoss("brier", _brier_value, _brier_slope, _brier_curvature, symmetric=True),
        generalized_cross_entropy(),
    )
}
