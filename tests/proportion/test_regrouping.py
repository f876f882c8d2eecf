"""Regrouping: which rows are copied, as what, and what it does to the estimator inside."""

import numpy as np
import pytest
from sklearn.base import clone

from eulac.data.lac_sample import LacSample
from eulac.proportion.best_bin import BestBinProportion
from eulac.proportion.dedpul import DedpulProportion
from eulac.proportion.elkan_noto import ElkanNotoProportion
from eulac.proportion.given import GivenProportion
from eulac.proportion.proportion_estimator import ProportionEstimator
from eulac.proportion.regrouping import RegroupedProportion, regroup
from eulac.proportion.tice import TiceProportion
from proportion.contract import assert_same_estimate, easy_mixture, parametrize_with_contract

DEDPUL = DedpulProportion(n_resamples=20, random_state=0)


@parametrize_with_contract(
    [
        (RegroupedProportion(DEDPUL, random_state=0), 0.1),
        (RegroupedProportion(TiceProportion(n_resamples=4, random_state=0), random_state=0), 0.35),
    ]
)
def test_contract(estimator, tolerance, check):
    check(estimator, tolerance)


def small_sample():
    X = np.array([[0.0], [10.0], [1.0], [8.0], [20.0], [4.0]])
    return LacSample.from_masked(X, [3, 9, -1, -1, -1, -1])


def test_the_rows_of_highest_score_are_copied_with_the_class_of_their_nearest_row():
    sample = small_sample()
    grown = regroup(sample, np.array([0.2, 0.9, 0.1, 0.9]), share=0.75)
    np.testing.assert_array_equal(grown.X_labeled.ravel(), [0, 10, 8, 4, 1])
    np.testing.assert_array_equal(grown.y_labeled, [0, 1, 1, 0, 0])
    np.testing.assert_array_equal(grown.X_unlabeled, sample.X_unlabeled)
    assert sample.n_labeled == 2


def test_no_row_is_copied_for_a_share_below_half_a_row():
    sample = small_sample()
    assert regroup(sample, np.arange(4.0), share=0.1) is sample


def test_without_copies_the_estimate_is_that_of_the_estimator_inside():
    X, y = easy_mixture(0.5)
    inner = clone(DEDPUL).fit(X, y).estimate_
    outer = RegroupedProportion(DEDPUL, share=0.0, random_state=0).fit(X, y).estimate_
    assert_same_estimate(outer, inner)
    assert outer.method == "regrouped_dedpul"
    assert outer.diagnostics["n_copied"] == 0


class Recorder(ProportionEstimator):
    """Remember the sample, and say half."""

    seen = ()

    def estimate(self, sample):
        self.seen.append(sample)
        return GivenProportion(0.5).estimate(sample)


def test_the_estimator_inside_sees_the_copies_and_the_result_does_not(monkeypatch):
    monkeypatch.setattr(Recorder, "seen", [])
    rng = np.random.default_rng(0)
    X = rng.normal(np.repeat([0.0, 9.0], [90, 70])[:, None], 1.0, (160, 2))
    y = np.repeat([0, 1, -1], [90, 30, 40])  # unlabeled rows are all of the second class
    estimate = RegroupedProportion(Recorder(), share=0.25, random_state=0).fit(X, y).estimate_
    (seen,) = Recorder.seen
    assert (seen.n_labeled, seen.n_unlabeled) == (120 + 10, 40)
    unlabeled = {tuple(row) for row in seen.X_unlabeled}
    assert sum(tuple(row) in unlabeled for row in seen.X_labeled) == 10
    assert (estimate.n_labeled, estimate.diagnostics["n_copied"]) == (120, 10)
    np.testing.assert_allclose(seen.labeled_frequency, [90 / 130, 40 / 130])
    np.testing.assert_allclose(estimate.per_class, [0.375, 0.125])


def test_shares_of_each_class_are_left_to_the_estimator_inside():
    inner = GivenProportion([0.1, 0.6])
    estimate = RegroupedProportion(inner, random_state=0).fit(*easy_mixture(0.5)).estimate_
    np.testing.assert_array_equal(estimate.per_class, [0.1, 0.6])
    assert estimate.method == "regrouped_given"


def overlapping_mixture(seed, n=200, m=400):
    """Return half known rows, half new ones of which two in five are where known ones are."""
    rng = np.random.default_rng(seed)
    center = np.repeat([0.0, 0.0, 6.0], [n + m // 2, m // 5, m - m // 2 - m // 5])
    return rng.normal(center[:, None], 1.0, (n + m, 2)), np.repeat([0, -1], [n, m])


@pytest.mark.slow
def test_it_pulls_down_what_overlap_has_pushed_up():
    """The truth is 0.5; without it no estimator can tell 0.5 from 0.7."""
    draws = [overlapping_mixture(seed) for seed in range(3)]
    for method in (DedpulProportion, ElkanNotoProportion, BestBinProportion):
        inner = method(n_resamples=5, random_state=0)
        plain = np.mean([clone(inner).fit(*draw).estimate_.total for draw in draws])
        regrouped = RegroupedProportion(inner, random_state=0)
        pulled = np.mean([regrouped.fit(*draw).estimate_.total for draw in draws])
        assert plain > 0.62
        assert pulled < plain


@pytest.mark.parametrize("share", [-0.1, 1.0, np.nan])
def test_a_share_outside_zero_to_one_is_refused(share):
    with pytest.raises(ValueError, match=rf"`share` must lie in \[0, 1\); got {share!r}\."):
        RegroupedProportion(DEDPUL, share=share).fit(*easy_mixture(0.5))


def test_parameters_of_the_estimator_inside_can_be_set():
    estimator = clone(RegroupedProportion(DEDPUL)).set_params(estimator__n_folds=3, share=0.2)
    assert clone(estimator).get_params()["estimator__n_folds"] == 3
    assert DEDPUL.n_folds == 5
