"""Warnings point at the line of the user's, however deep they were found."""

import warnings

import numpy as np

import eulac
from eulac import exceptions
from eulac.exceptions import SmallClassWarning, warn_caller


def test_a_warning_points_beyond_the_package(monkeypatch):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn_caller("here", UserWarning)
    assert caught[0].filename == __file__
    monkeypatch.setattr(exceptions, "PACKAGE", __file__)  # all of this file is taken for ours
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn_caller("above", UserWarning)
    assert caught[0].filename != __file__


def test_the_families_point_at_the_call_whatever_lies_between():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), np.repeat([0, 1, -1], [18, 2, 40])
    X[18:20] += 5.0
    for classifier in (
        eulac.KernelEulacClassifier(0.5, bandwidth=1.0, penalty=0.1),
        eulac.LinearEulacClassifier(0.5),
        eulac.OsnnClassifier(),
    ):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            classifier.fit(X, y)
        ours = [one for one in caught if issubclass(one.category, SmallClassWarning)]
        assert all(one.filename == __file__ for one in ours)
        assert ours or isinstance(classifier, eulac.OsnnClassifier)
