"""The extreme value machine as a textbook would write it: one row, one number at a time."""

import numpy as np
from scipy.optimize import brentq

SMALLEST_SHAPE, LARGEST_SHAPE = 1e-2, 1e4


def distance(a, b):
    return float(np.sqrt(np.sum((a - b) ** 2)))


def fit_one_weibull(values):
    """Return shape and scale of the most likely Weibull distribution of positive numbers."""
    largest = max(values)
    z = [value / largest for value in values]
    mean_log = sum(np.log(v) for v in z) / len(z)

    def equation(shape):
        powers = [v**shape for v in z]
        weighted = sum(p * np.log(v) for p, v in zip(powers, z, strict=True))
        return weighted / sum(powers) - 1 / shape - mean_log

    if equation(LARGEST_SHAPE) < 0:
        shape = LARGEST_SHAPE
    else:
        shape = brentq(equation, SMALLEST_SHAPE, LARGEST_SHAPE, xtol=1e-13, rtol=1e-14)
    return shape, largest * (sum(v**shape for v in z) / len(z)) ** (1 / shape)


def fit_margin(i, X, y, tail_size):
    """Return shape and scale of row i, by half its distances to rows of other classes."""
    distances = [distance(X[i], X[j]) for j in range(len(y)) if y[j] != y[i]]
    tail = sorted(0.5 * d for d in distances if d > 0)[:tail_size]
    if not tail:
        others = [d for row in X if (d := distance(X[i], row)) > 0]
        tail = [0.5 * min(others)] if others else [1.0]
    return fit_one_weibull(tail)


def inclusion(d, shape, scale):
    with np.errstate(over="ignore"):
        return float(np.exp(-((np.float64(d) / scale) ** shape)))


def extreme_vectors_of_class(rows, X, margins, cover_threshold):
    """Return the rows of a class that cover it, by greedy choice; the first of equals."""
    reach = {
        i: {
            j
            for j in rows
            if j == i or inclusion(distance(X[i], X[j]), *margins[i]) >= cover_threshold
        }
        for i in rows
    }
    left, chosen = set(rows), []
    while left:
        best = rows[0]
        for i in rows[1:]:
            if len(reach[i] & left) > len(reach[best] & left):
                best = i
        chosen.append(best)
        left -= reach[best]
    return sorted(chosen)


def fit(X, y, tail_size=50, cover_threshold=0.5):
    """Return shape and scale of every row, and the rows kept of every class."""
    margins = [fit_margin(i, X, y, tail_size) for i in range(len(y))]
    kept = [
        extreme_vectors_of_class(
            [i for i in range(len(y)) if y[i] == code], X, margins, cover_threshold
        )
        for code in range(max(y) + 1)
    ]
    return margins, kept


def probabilities(X_new, X, margins, kept, n_average=1):
    """Return the probability with which every class includes every new row."""
    table = []
    for row in X_new:
        cells = []
        for rows in kept:
            best = sorted((inclusion(distance(row, X[i]), *margins[i]) for i in rows), reverse=True)
            cells.append(sum(best[:n_average]) / len(best[:n_average]))
        table.append(cells)
    return np.array(table)
