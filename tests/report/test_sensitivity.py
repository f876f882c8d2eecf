import numpy as np
import pytest

from eulac.discovery.labeled_rows import labeled_rows
from eulac.proportion.estimate import ProportionEstimate
from eulac.report.held_out_answers import held_out_answers
from eulac.report.sensitivity import proportion_sensitivity


@pytest.fixture(scope="module")
def held_out(fitted, mixture):
    X, y, pool, _ = mixture
    return held_out_answers(fitted, labeled_rows(fitted, X, y), pool)


def test_at_the_estimate_the_kept_answers_have_the_risk_of_the_answers(held_out, fitted):
    estimate = fitted.proportion_
    at = ProportionEstimate(estimate.per_class, (estimate.total,) * 2, "given", 1, 1)
    result = proportion_sensitivity(held_out, at, n_points=1, margin=0.0)
    assert result.known_proportion[0] == pytest.approx(estimate.total)
    assert result.kept[0] == pytest.approx(held_out.risk().value)


def test_the_grid_covers_the_interval_and_stays_within_zero_and_one(held_out, fitted):
    result = proportion_sensitivity(held_out, fitted.proportion_)
    low, high = fitted.proportion_.interval
    assert 0 <= result.known_proportion[0] <= low
    assert high <= result.known_proportion[-1] <= 1
    assert np.all((result.kept >= 0) & (result.recut <= 1))


def test_answers_that_follow_the_proportion_are_new_for_all_or_none_at_its_ends(held_out):
    whole = ProportionEstimate(held_out.per_class, (0.0, 1.0), "given", 1, 1)
    result = proportion_sensitivity(held_out, whole, margin=0.0)
    # Nothing known and all called new: no error. All known and none called new: that of the
    # known classes among each other.
    assert result.recut[0] == pytest.approx(0.0, abs=1e-9)
    assert result.recut[-1] < 0.1
