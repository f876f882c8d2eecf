"""Convex losses with at most two kinks, one per row: values, conjugates and Moreau envelopes.

Hinges, tubes around an interval, bounds on an output with a price, and sums of two of those.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["TwoKinkLosses"]

Array = NDArray[np.float64]
IntArray = NDArray[np.intp]


class TwoKinkLosses(NamedTuple):
    """One convex loss per row: linear left of, between and right of two kinks.

    Attributes
    ----------
    kinks : array of shape (n_rows, 2)
        In ascending order.
    slopes : array of shape (n_rows, 3)
        In ascending order. Constants do not matter; a loss passes through zero at zero if its
        kinks leave zero between them.

    Examples
    --------
    >>> hinge = TwoKinkLosses(np.array([[1.0, 1.0]]), np.array([[-1.0, 0.0, 0.0]]))
    >>> hinge.values(np.array([-0.5])), hinge.values(np.array([2.0]))
    (array([1.5]), array([0.]))
    """

    kinks: Array
    slopes: Array

    def values(self, outputs: Array) -> Array:
        """Return the loss of each row."""
        (first, second), (left, middle, right) = self.kinks.T, self.slopes.T
        below, above = np.maximum(first - outputs, 0.0), np.maximum(outputs - second, 0.0)
        return middle * outputs + (middle - left) * below + (right - middle) * above

    def conjugates(self, duals: Array) -> Array:
        """Return the convex conjugate of each loss, for duals within the slopes."""
        beyond = duals - self.slopes[:, 1]
        return np.where(beyond > 0.0, self.kinks[:, 1], self.kinks[:, 0]) * beyond

    def envelope_slopes(self, outputs: Array, softness: Array) -> tuple[Array, IntArray]:
        """Return the slopes of the Moreau envelopes, and the pieces they are on.

        Pieces count from the left: 0, 2 and 4 are the linear ones, 1 and 3 the kinks, around
        which the envelope is quadratic with the inverse softness for its curvature.
        """
        left, middle, right = self.slopes.T
        first = (outputs - self.kinks[:, 0]) / softness
        second = (outputs - self.kinks[:, 1]) / softness
        on_left = np.minimum(np.maximum(first, left), middle)
        slopes = np.where(second > middle, np.minimum(second, right), on_left)
        pieces = (first > left).astype(np.intp)
        for passed in (first > middle, second > middle, second > right):
            pieces += passed
        return slopes, pieces
