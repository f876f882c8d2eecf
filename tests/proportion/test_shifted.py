"""Priors added to any estimator: the total stays, its division follows the rows."""

import numpy as np
import pytest
from sklearn.ensemble import ExtraTreesClassifier

from eulac.proportion import shifted
from eulac.proportion.best_bin import BestBinProportion
from eulac.proportion.estimate import ProportionEstimator
from eulac.proportion.given import GivenProportion
from eulac.proportion.shifted import ShiftedProportion
from proportion.contract import easy_mixture, estimate_of


@pytest.fixture(autouse=True)
def small_forest(monkeypatch):
    """Ten trees are enough for classes this far apart, and ten times as quick."""

    def ten_trees(random_state, n_jobs):
        return ExtraTreesClassifier(10, min_samples_leaf=2, random_state=random_state)

    monkeypatch.setattr(shifted, "extra_trees", ten_trees)


def moved(shares=(0.6, 0.1, 0.3), n_labeled=100, n_unlabeled=150, seed=0):
    """Return two classes labeled alike, and unlabeled rows of given shares, new ones last."""
    rng = np.random.default_rng(seed)
    hidden = np.repeat(np.arange(3), np.round(np.array(shares) * n_unlabeled).astype(int))
    labels = np.arange(n_labeled) % 2
    X = rng.normal(8 * np.eye(3)[np.append(labels, hidden)])
    return X, np.append(labels, np.full(len(hidden), -1))


@pytest.mark.parametrize("shift", ["auto", True])
def test_the_total_is_divided_by_estimated_priors(shift):
    estimator = ShiftedProportion(GivenProportion(0.7), shift=shift, random_state=0)
    estimate = estimate_of(estimator, *moved())
    assert estimate.total == pytest.approx(0.7)
    np.testing.assert_allclose(estimate.per_class, [0.6, 0.1], atol=0.05)
    assert estimate.diagnostics["priors_moved"]
    assert estimate.diagnostics["priors_moved_p_value"] < 0.01


def test_priors_that_did_not_move_stay_as_labeled():
    estimator = ShiftedProportion(GivenProportion(0.7), random_state=0)
    estimate = estimate_of(estimator, *moved((0.35, 0.35, 0.3)))
    np.testing.assert_allclose(estimate.per_class, [0.35, 0.35])
    assert not estimate.diagnostics["priors_moved"]


def test_without_shift_the_inner_estimate_is_returned_untouched():
    class Once(ProportionEstimator):
        def estimate(self, sample):
            self.said = GivenProportion(0.5).estimate(sample)
            return self.said

    inner = Once()
    estimate = ShiftedProportion(inner, shift=False).fit(*moved()).estimate_
    assert estimate is inner.said


def test_interval_error_method_and_diagnostics_are_those_of_the_inner_estimate():
    X, y = easy_mixture(0.5, 80, 120)
    inner = BestBinProportion(n_resamples=10, random_state=0)
    plain = estimate_of(inner, X, y)
    shifted = estimate_of(ShiftedProportion(inner, random_state=0), X, y)
    assert shifted.total == pytest.approx(plain.total)
    assert (shifted.interval, shifted.method) == (plain.interval, "best_bin")
    assert shifted.standard_error == plain.standard_error
    assert set(plain.diagnostics) < set(shifted.diagnostics)


def test_a_bad_shift_is_refused_with_what_it_is():
    estimator = ShiftedProportion(GivenProportion(0.5), shift="often", random_state=0)
    with pytest.raises(ValueError, match=r"`shift` must be 'auto', True or False; got 'often'"):
        estimator.fit(*moved())
