"""OSNN one row at a time."""

import math

import numpy as np


def slow_distances(x, rows):
    return [math.sqrt(sum((a - b) ** 2 for a, b in zip(x, row, strict=True))) for row in rows]


def slow_osnn(x, rows, codes, ratio):
    """Return the code of a row (-1 if it is new) and its ratio."""
    distances = slow_distances(x, rows)
    t = min(range(len(rows)), key=lambda i: distances[i])
    others = [i for i in range(len(rows)) if codes[i] != codes[t]]
    u = min(others, key=lambda i: distances[i])
    R = 1.0 if distances[u] == 0.0 else distances[t] / distances[u]
    return (codes[t] if ratio >= R else -1), R


def slow_merit(X, y, playing, training, ratios):
    """Return, for each ratio, the mean of the accuracies on rows that play known and new."""
    merits = []
    rows, codes = [X[i] for i in training], [y[i] for i in training]
    for ratio in ratios:
        right = {True: [], False: []}
        for i in range(len(X)):
            if i in training:
                continue
            answer, _ = slow_osnn(X[i], rows, codes, ratio)
            is_new = y[i] in playing
            right[is_new].append(answer == (-1 if is_new else y[i]))
        merits.append(0.5 * np.mean(right[True]) + 0.5 * np.mean(right[False]))
    return merits
