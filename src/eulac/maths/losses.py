"""Binary surrogate losses of a margin z, bigger z meaning more right, and what each can do.

The convex risk of Eq. (6) needs ``value(z) - value(-z) = -z``; each loss says in
`linear_odd_part` whether it has that property. What else depends on the loss, the solver that
minimizes it and how its scores become class shares, follows from the other attributes: nobody asks
for a loss by its name. Values work on arrays and tensors alike: they use operators, and take `exp`
and its kin from the library the argument comes from.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = [
    "LOSSES",
    "Loss",
    "clipped_score",
    "get_loss",
    "half_tanh",
    "library_of",
    "require_linear_odd_part",
    "smoothed_double_hinge",
]

Margin = Any  # a float, an array or a tensor


@dataclass(frozen=True)
class Loss:
    """A margin loss with its first two derivatives.

    Parameters
    ----------
    name : str
    value, derivative, second_derivative : callable
        Elementwise functions of the margin.
    linear_odd_part : bool
        Whether ``value(z) - value(-z) = -z`` holds for every z.
    lipschitz : callable
        Bound on ``abs(derivative)`` over ``[-radius, radius]``, given the radius.
    quadratic : bool, default=False
        Whether scores are linear in the labels: there is a closed form, and the sum of a row's
        scores does not depend on the labels.
    newton : bool, default=False
        Whether Newton's method minimizes it: convex and twice differentiable.
    smoothed : callable, optional
        Upper bound that Newton's method minimizes, given how far it may exceed a convex loss that
        is not differentiable itself.
    certainty : callable, optional
        From a score to the ``2 P(class) - 1`` it stands for, in [-1, 1].

    Examples
    --------
    >>> LOSSES["square"].value(1.0), LOSSES["square"].value(-1.0)
    (0.0, 1.0)
    """

    name: str
    value: Callable[[Margin], Margin]
    derivative: Callable[[Margin], Margin]
    second_derivative: Callable[[Margin], Margin]
    linear_odd_part: bool
    lipschitz: Callable[[float], float]
    quadratic: bool = False
    newton: bool = False
    smoothed: "Callable[[float], Loss] | None" = None
    certainty: Callable[[Margin], Margin] | None = None


def get_loss(name: str) -> Loss:
    """Return the loss of that name, or say which names there are.

    Examples
    --------
    >>> get_loss("logistic").linear_odd_part
    True
    """
    if name not in LOSSES:
        raise ValueError(f"unknown loss {name!r}. Known: {', '.join(LOSSES)}.")
    return LOSSES[name]


def require_linear_odd_part(loss: Loss) -> None:
    """Refuse a loss for which the convex risk is not the risk."""
    if not loss.linear_odd_part:
        raise ValueError(
            f"loss {loss.name!r} does not satisfy loss(z) - loss(-z) = -z, so the convex risk "
            f"does not apply. Use {_listed_with_linear_odd_part()}."
        )


def _listed_with_linear_odd_part() -> str:
    *first, last = (repr(name) for name, loss in LOSSES.items() if loss.linear_odd_part)
    return f"{', '.join(first)} or {last}"


def smoothed_double_hinge(temperature: float) -> Loss:
    """Return a smooth upper bound of the double hinge, within ``temperature * log(3)`` of it.

    The double hinge is the largest of ``-z``, ``0`` and ``(1 - z) / 2``; their soft maximum keeps
    the odd part linear, so the convex risk applies at every temperature.

    Examples
    --------
    >>> smooth = smoothed_double_hinge(0.01)
    >>> bool(abs(smooth.value(0.0) - LOSSES["double_hinge"].value(0.0)) < 0.011)
    True
    """

    def weights(z: Margin) -> tuple[Margin, Margin, Margin]:
        # Shares of the pieces with slopes -1, -1/2 and 0, computed without overflow.
        top = LOSSES["double_hinge"].value(z)
        pieces = [np.exp((piece - top) / temperature) for piece in (-z, 0.5 * (1.0 - z), 0.0 * z)]
        total = sum(pieces)
        return pieces[0] / total, pieces[1] / total, total

    def value(z: Margin) -> Margin:
        return LOSSES["double_hinge"].value(z) + temperature * np.log(weights(z)[2])

    def derivative(z: Margin) -> Margin:
        steep, middle, _ = weights(z)
        return -steep - 0.5 * middle

    def second_derivative(z: Margin) -> Margin:
        steep, middle, _ = weights(z)
        return (steep + 0.25 * middle - (steep + 0.5 * middle) ** 2) / temperature

    return Loss(
        "double_hinge",
        value,
        derivative,
        second_derivative,
        linear_odd_part=True,
        lipschitz=lambda radius: 1.0,
        newton=True,
        certainty=clipped_score,
    )


def clipped_score(z: Margin) -> Margin:
    """Return the score within [-1, 1].

    Examples
    --------
    >>> clipped_score(np.array([-3.0, 0.5]))
    array([-1. ,  0.5])
    """
    return np.clip(z, -1.0, 1.0)


def half_tanh(z: Margin) -> Margin:
    """Return ``2 / (1 + exp(-z)) - 1``, what log odds of z say.

    Examples
    --------
    >>> half_tanh(np.array([0.0, 100.0]))
    array([0., 1.])
    """
    return np.tanh(0.5 * z)


def library_of(z: Margin) -> Any:
    """Return the module (numpy, torch) whose functions act on `z`."""
    name = type(z).__module__.partition(".")[0]
    return sys.modules[name] if name == "torch" else np


def _larger(a: Margin, b: Margin) -> Margin:
    return 0.5 * (a + b + abs(a - b))


def _logistic(z: Margin) -> Margin:
    library = library_of(z)
    return _larger(-z, 0.0 * z) + library.log1p(library.exp(-abs(z)))


def _sigmoid(z: Margin) -> Margin:
    """Decreasing sigmoid 1 / (1 + exp(z)), stable on both sides."""
    return 0.5 * (1.0 - library_of(z).tanh(0.5 * z))


def _double_hinge_slope(z: Margin) -> Margin:
    return -1.0 * (z < -1.0) - 0.5 * ((z >= -1.0) & (z < 1.0))


LOSSES: dict[str, Loss] = {
    loss.name: loss
    for loss in (
        Loss(
            "square",
            lambda z: 0.25 * (1.0 - z) ** 2,
            lambda z: 0.5 * (z - 1.0),
            lambda z: 0.5 + 0.0 * z,
            linear_odd_part=True,
            lipschitz=lambda radius: 0.5 * (1.0 + radius),
            quadratic=True,
            newton=True,
            certainty=clipped_score,
        ),
        Loss(
            "logistic",
            _logistic,
            lambda z: -_sigmoid(z),
            lambda z: _sigmoid(z) * _sigmoid(-z),
            linear_odd_part=True,
            lipschitz=lambda radius: 1.0,
            newton=True,
            certainty=half_tanh,
        ),
        Loss(
            "double_hinge",
            lambda z: _larger(-z, _larger(0.0 * z, 0.5 * (1.0 - z))),
            _double_hinge_slope,
            lambda z: 0.0 * z,
            linear_odd_part=True,
            lipschitz=lambda radius: 1.0,
            smoothed=smoothed_double_hinge,
            certainty=clipped_score,
        ),
        Loss(
            "sigmoid",
            _sigmoid,
            lambda z: -_sigmoid(z) * _sigmoid(-z),
            lambda z: _sigmoid(z) * _sigmoid(-z) * (_sigmoid(-z) - _sigmoid(z)),
            linear_odd_part=False,
            lipschitz=lambda radius: 0.25,
        ),
    )
}
