"""The one weight per labeled row that turns a labeled sample into the known part of the test law.

Base and generalized class shift differ in nothing else: under the base condition every weight
is the known proportion, under prior shift it is ``per_class[y] / labeled_frequency[y]``.
"""

import numpy as np
from numpy.typing import NDArray

from eulac.data.lac_sample import LacSample
from eulac.data.lac_table import LacTable

__all__ = ["class_weights", "labeled_weights", "sample_weights"]

Array = NDArray[np.float64]


def labeled_weights(
    y_labeled: NDArray[np.intp], per_class: Array, importance: Array | None = None
) -> Array:
    """Return the weight of each labeled row, so that weighted means estimate test expectations.

    Parameters
    ----------
    y_labeled : int array of shape (n_labeled,)
        Class codes 0..K-1.
    per_class : array of shape (n_known_classes,)
        Share of each known class in the test distribution; sums to the known proportion.
    importance : array of shape (n_labeled,), optional
        How much each labeled row counts beside the others, one on average.

    Returns
    -------
    array of shape (n_labeled,)
        Averages to ``per_class.sum()`` when every class has labeled rows.

    Examples
    --------
    >>> import numpy as np
    >>> labeled_weights(np.array([0, 0, 0, 1]), np.array([0.3, 0.1]))
    array([0.4, 0.4, 0.4, 0.4])
    >>> labeled_weights(np.array([0, 0]), np.array([0.5]), np.array([1.5, 0.5]))
    array([0.75, 0.25])
    """
    frequency = np.bincount(y_labeled, importance, minlength=len(per_class)) / len(y_labeled)
    ratio = np.divide(per_class, frequency, out=np.zeros(len(per_class)), where=frequency > 0)
    return ratio[y_labeled] if importance is None else ratio[y_labeled] * importance


def sample_weights(sample: LacSample | LacTable, per_class: Array) -> Array:
    """Return the weight of each labeled row of a sample, its importance included."""
    return labeled_weights(sample.y_labeled, per_class, sample.importance)


def class_weights(codes: NDArray[np.intp], per_class: Array) -> Array:
    """Return the weight of a labeled row of each class, whatever their shares among `codes`.

    Classes without a labeled row are stood in for by the others, so that weights of labeled rows
    still average to the known proportion.

    Examples
    --------
    >>> import numpy as np
    >>> class_weights(np.array([0, 0, 0, 1, -1]), np.array([0.3, 0.3]))
    array([0.4, 1.2])
    """
    counts = np.bincount(codes[codes >= 0], minlength=len(per_class))[: len(per_class)]
    seen = per_class[counts > 0].sum()
    if seen == 0:
        return np.zeros(len(per_class))
    return per_class * (per_class.sum() / seen) * counts.sum() / np.maximum(counts, 1)
