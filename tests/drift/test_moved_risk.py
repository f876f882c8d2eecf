"""The test error where known classes have moved."""

import numpy as np
import pytest

from eulac.drift.moved_risk import moved_risk
from eulac.risk.zero_one import RiskEstimate


def test_both_estimates_are_kept_and_the_interval_holds_them():
    probabilities = np.array([[0.8, 0.2], [0.3, 0.7]])  # a mean doubt of a quarter
    found = moved_risk(RiskEstimate(raw=0.01, standard_error=0.02), probabilities)
    assert found.raw == pytest.approx(0.13)
    assert found.diagnostics["as_labeled"] == 0.01
    assert found.diagnostics["mean_doubt"] == pytest.approx(0.25)
    low, high = found.interval
    assert low <= 0.01
    assert high >= 0.25


def test_where_both_agree_nothing_changes():
    probabilities = np.array([[0.9, 0.1]])
    risk = RiskEstimate(raw=0.1, standard_error=0.02, diagnostics={"macro_f1": 0.9})
    found = moved_risk(risk, probabilities)
    assert (found.raw, found.standard_error) == pytest.approx((0.1, 0.02))
    assert found.diagnostics["macro_f1"] == 0.9
