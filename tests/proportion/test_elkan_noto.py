"""Elkan and Noto's ratio: exact where new rows cannot be labeled, an upper bound everywhere."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from eulac.proportion.elkan_noto import ElkanNotoProportion, elkan_noto
from eulac.proportion.tice import known_share
from proportion.contract import parametrize_with_contract

QUICK = ElkanNotoProportion(n_resamples=20, random_state=0)

scores = st.lists(st.floats(-9, 9), min_size=1, max_size=20).map(np.array)


# With nothing new it has a standard deviation of 0.05 at the contract's sizes.
@parametrize_with_contract([(QUICK, 0.1)])
def test_contract(estimator, tolerance, check):
    check(estimator, tolerance)


@given(known=scores, unlabeled=scores)
def test_it_is_the_ratio_of_mean_probabilities(known, unlabeled):
    def mean_probability(log_odds):
        return sum(1 / (1 + math.exp(-s)) for s in log_odds) / len(log_odds)

    expected = mean_probability(unlabeled) / mean_probability(known)
    assert elkan_noto(known, unlabeled) == pytest.approx(expected)


@given(known=scores, unlabeled=scores, lift=st.floats(0, 5))
def test_unlabeled_rows_more_like_known_ones_never_lower_it(known, unlabeled, lift):
    higher = elkan_noto(known, unlabeled + lift)
    assert higher >= elkan_noto(known, unlabeled) * (1 - 1e-12)


@given(known=scores, new=scores)
def test_its_excess_is_what_new_rows_score(known, new):
    """With the known rows themselves among the unlabeled ones the noise is gone."""
    theta = len(known) / (len(known) + len(new))
    excess = elkan_noto(known, np.append(known, new)) - theta
    assert excess == pytest.approx((1 - theta) * elkan_noto(known, new))
    assert excess >= 0


def drawn_scores(theta, rng, *, gap, n=400, m=800):
    """Return true log odds of being labeled: known rows N(0, 1), new rows `gap` lower."""
    known = rng.normal(size=n)
    unlabeled = rng.normal(size=m) - gap * (rng.random(m) >= theta)

    def log_odds(x):
        density = theta * norm.pdf(x) + (1 - theta) * norm.pdf(x, -gap)
        return np.log(n * norm.pdf(x) / (m * density))

    return log_odds(known), log_odds(unlabeled)


@pytest.mark.parametrize("theta", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("gap", [1.0, 3.0])
def test_it_bounds_the_proportion_from_above_in_the_mean(theta, gap):
    rng = np.random.default_rng(0)
    values = [elkan_noto(*drawn_scores(theta, rng, gap=gap)) for _ in range(60)]
    error = np.std(values) / math.sqrt(len(values))
    assert np.mean(values) > theta - 4 * error
    if gap == 1.0:  # where new rows overlap with known ones the bound is far from tight
        assert np.mean(values) > theta + 0.2 * (1 - theta)


def test_scores_without_calibration_bound_it_too():
    rng = np.random.default_rng(0)
    known, unlabeled = drawn_scores(0.5, rng, gap=2.0, n=20_000, m=20_000)
    for spoiled in (lambda s: 3 * s + 1, lambda s: -s, np.tanh, lambda s: 0 * s):
        assert elkan_noto(spoiled(known), spoiled(unlabeled)) > 0.48


def test_calibrated_scores_give_what_the_label_frequency_gives():
    """The paper's c, with both samples as one population, leads to the same number."""
    n, m = 30_000, 60_000
    known, unlabeled = drawn_scores(0.4, np.random.default_rng(0), gap=3.0, n=n, m=m)
    frequency = np.mean(1 / (1 + np.exp(-known)))
    assert elkan_noto(known, unlabeled) == pytest.approx(known_share(frequency, n, m), abs=0.01)


def test_extreme_log_odds_are_probabilities_too():
    assert elkan_noto(np.array([900.0]), np.array([900.0, -900.0])) == pytest.approx(0.5)


def test_above_one_it_is_at_its_bound():
    low, high = np.full(5, -1.0), np.full(5, 1.0)
    assert QUICK.from_scores(low, high).at_bound
    assert not QUICK.from_scores(high, low).at_bound


def test_at_one_it_is_at_its_bound():
    same = np.linspace(-1.0, 1.0, 8)
    found = QUICK.from_scores(same, same)
    assert (found.value, found.at_bound) == (1.0, True)
