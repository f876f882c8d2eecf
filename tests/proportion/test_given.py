"""GivenProportion: the user's numbers, unchanged, or a sentence on why they cannot be."""

import numpy as np
import pytest
from sklearn.base import clone

from eulac.proportion.best_bin import BestBinProportion
from eulac.proportion.given import GivenProportion, ReadyProportion

X, Y = np.eye(6), [0, 0, 0, 1, -1, -1]


def estimate_of(given):
    return GivenProportion(given).fit(X, Y).estimate_


@pytest.mark.parametrize("given", [0.4, np.float64(0.4), "0.4"])
def test_one_number_is_shared_out_by_labeled_frequency(given):
    estimate = estimate_of(given)
    np.testing.assert_allclose(estimate.per_class, [0.3, 0.1])
    assert estimate.total == pytest.approx(0.4)


@pytest.mark.parametrize("given", [[0.1, 0.5], (0.1, 0.5), np.array([0.1, 0.5])])
def test_numbers_per_class_are_taken_as_they_are(given):
    np.testing.assert_array_equal(estimate_of(given).per_class, [0.1, 0.5])


def test_what_is_given_has_no_uncertainty_and_says_so():
    estimate = estimate_of(0.4)
    assert estimate.interval == (pytest.approx(0.4), pytest.approx(0.4))
    assert estimate.standard_error == 0
    assert estimate.method == "given"
    assert estimate.remark == "Given by the user."
    assert (estimate.n_labeled, estimate.n_unlabeled) == (4, 2)


@pytest.mark.parametrize("given", [0, 1, [0, 1], [0.0, 0.0]])
def test_extremes_are_allowed(given):
    assert 0 <= estimate_of(given).total <= 1


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (1.5, r"`known_proportion` must lie in \[0, 1\]; got 1\.5\."),
        (-0.5, r"must lie in \[0, 1\]; got -0\.5\."),
        (np.nan, r"must lie in \[0, 1\]; got nan\."),
        ("half", r"must lie in \[0, 1\]; got 'half'\."),
        ({"ant": 0.5}, r"must lie in \[0, 1\]; got \{'ant': 0\.5\}\."),
        ([0.5, -0.1], r"must lie in \[0, 1\]; got \[0\.5, -0\.1\]\."),
        ([[0.5, 0.1]], r"must lie in \[0, 1\]; got \[\[0\.5, 0\.1\]\]\."),
        ([0.5], r"one number or one per known class \(2\); got 1 numbers\."),
        ([0.7, 0.7], r"must sum to at most 1; got 1\.4\."),
    ],
)
def test_what_cannot_be_is_refused_with_its_value(given, message):
    with pytest.raises(ValueError, match=message):
        estimate_of(given)


def test_it_can_be_cloned():
    assert clone(GivenProportion(0.3)).known_proportion == 0.3


def test_a_ready_estimate_is_returned_whatever_the_rows():
    estimate = GivenProportion(0.4).fit(np.eye(4), [0, 1, -1, -1]).estimate_
    ready = ReadyProportion(estimate)
    assert ready.fit(np.eye(5), [0, 0, 0, 1, -1]).estimate_ is estimate
    np.testing.assert_array_equal(clone(ready).ready.per_class, estimate.per_class)


def test_only_estimators_need_the_rows():
    assert not GivenProportion.reads_rows
    assert not ReadyProportion.reads_rows
    assert BestBinProportion.reads_rows
