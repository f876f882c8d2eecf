"""One `fit` for classifiers of tables: what the user gives arrives as it came."""

import inspect

import numpy as np
import pytest

import eulac
from eulac.classifier.table_fitting import TableClassifier

FAMILIES = (
    eulac.EulacClassifier,
    eulac.KernelEulacClassifier,
    eulac.LandmarkEulacClassifier,
    eulac.LinearEulacClassifier,
    eulac.BoostedEulacClassifier,
)


class Kept(TableClassifier):
    """Keeps what it was given."""

    def __init__(self):
        pass

    def _fit(self, rows, progress):
        self.rows, self.progress = rows, progress


def test_fit_hands_on_what_it_was_given_and_returns_itself():
    X, more, weights = np.eye(2), np.ones((3, 2)), [1.0, 2.0]
    kept = Kept()
    assert kept.fit(X, ["a", "b"], more, sample_weight=weights, progress=print) is kept
    assert kept.rows == (X, ["a", "b"], more, weights)
    assert kept.progress is print


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_of_tables_has_this_fit(family):
    assert inspect.signature(family.fit) == inspect.signature(TableClassifier.fit)
    assert family.fit is TableClassifier.fit
