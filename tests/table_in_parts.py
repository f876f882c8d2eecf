"""Rows of an easy mixture as a table of Arrow, and the fit engines must agree with."""

import numpy as np
import pyarrow as pa

from easy_mixture import easy_masked
from eulac import LandmarkEulacClassifier

CLASSIFIER = LandmarkEulacClassifier(
    0.6, n_landmarks=30, pilot_rows=240, bandwidth=0.5, random_state=0
)
NAMES = ("east", "north", "south", "west")  # sorted, as columns of arrays are


def labeled_table():
    """Return a table with labels in `kind`, and the same as features and masked labels."""
    _, X, y = easy_masked(n_labeled=300, n_unlabeled=500)
    columns = {name: X[:, place] for place, name in enumerate(NAMES)}
    return pa.table({**columns, "kind": y}), X, y


def assert_agree(one, two):
    """Compare coefficients, penalty and risk of two fits."""
    np.testing.assert_allclose(one.model_.coefficients, two.model_.coefficients, atol=1e-10)
    assert one.model_.penalty == two.model_.penalty
    np.testing.assert_allclose(one.risk_.raw, two.risk_.raw, atol=1e-10)
