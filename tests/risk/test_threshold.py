import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eulac.risk.threshold import best_threshold, risk_by_threshold

seeds = st.integers(0, 2**32 - 1)


def drawn(seed):
    """Return scores with ties, right answers and weights of a small sample."""
    rng = np.random.default_rng(seed)
    labeled, unlabeled = rng.integers(0, 6, 12) / 5, rng.integers(0, 8, 15) / 5
    return labeled, rng.random(12) < 0.8, rng.uniform(0.2, 0.9, 12), unlabeled


def counted_risk(threshold, labeled, is_right, weights, unlabeled):
    """Return the label-free risk of one threshold, row by row."""
    known = weights * (is_right & (labeled <= threshold))
    called_new = weights * (labeled > threshold)
    return 1 - known.mean() - (unlabeled > threshold).mean() + called_new.mean()


@given(seeds)
def test_every_threshold_has_the_risk_that_counting_gives(seed):
    rows = drawn(seed)
    thresholds, risks = risk_by_threshold(*rows)
    counted = [counted_risk(t, *rows) for t in thresholds]
    # At minus infinity nobody is known, at plus infinity nobody new.
    np.testing.assert_allclose(risks, counted, atol=1e-12)


@given(seeds)
def test_no_threshold_is_better_than_the_chosen_one(seed):
    rows = drawn(seed)
    chosen = best_threshold(*rows)
    values = np.linspace(-0.5, 2, 400)
    assert chosen.risk <= min(counted_risk(t, *rows) for t in values) + 1e-12
    assert counted_risk(chosen.threshold, *rows) == pytest.approx(chosen.risk)


def test_of_equally_good_thresholds_the_middle_one_is_taken():
    right, weights = np.ones(2, dtype=bool), np.zeros(2)
    labeled, unlabeled = np.array([0.0, 1.0]), np.array([2.0, 3.0])
    # Rows of no weight do not matter: all cuts below the unlabeled rows are as good.
    chosen = best_threshold(labeled, right, weights, unlabeled)
    assert chosen.risk == 0
    assert chosen.threshold == 0.5


def test_infinite_scores_leave_thresholds_between_finite_ones():
    right, weights = np.ones(2, dtype=bool), np.full(2, 0.5)
    rows = np.array([0.0, -np.inf]), right, weights, np.array([0.0, np.inf])
    thresholds, risks = risk_by_threshold(*rows)
    assert not np.isnan(thresholds).any()
    assert (thresholds[1:] >= thresholds[:-1]).all()
    assert risks.min() == 0


def test_of_many_equally_good_thresholds_half_lie_on_either_side():
    right, weights = np.ones(6, dtype=bool), np.zeros(6)
    chosen = best_threshold(np.arange(6.0), right, weights, np.array([7.0, 8.0]))
    # Minus infinity, five between the labeled rows, and one above all of them.
    assert chosen.threshold == 2.5
