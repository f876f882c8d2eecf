"""Rows around three known centers and, never labeled, around one between them."""

import numpy as np
from sklearn.metrics import roc_auc_score

from eulac.data.labels import AUGMENTED

CENTERS = np.array([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0], [2.0, 2.0]])


def blobs(n_per_class, classes, seed=0):
    """Return rows around some of the centers and their classes; the last is between the others."""
    y = np.repeat(classes, n_per_class)
    return np.random.default_rng(seed).normal(CENTERS[y], 0.5), np.where(y == 3, AUGMENTED, y)


def blob_task():
    """Return labeled rows of the known classes and their labels, then test rows of all."""
    return *blobs(60, [0, 1, 2]), *blobs(100, [0, 1, 2, 3], seed=1)


def assert_known_told_apart_and_rows_between_found(fitted, X_test, y_test):
    np.testing.assert_array_equal(fitted.classes_, [0, 1, 2, AUGMENTED])
    assert fitted.score(X_test, y_test) > 0.85
    score = fitted.augmented_score(X_test)
    assert roc_auc_score(y_test == AUGMENTED, score) > 0.95
    np.testing.assert_array_equal(score > 0, fitted.predict(X_test) == AUGMENTED)
