"""The test error where known classes have moved."""

import pytest

from eulac.drift.moved_risk import moved_risk
from eulac.risk.zero_one import RiskEstimate


def test_both_estimates_are_kept_and_the_interval_holds_them():
    found = moved_risk(RiskEstimate(raw=0.01, standard_error=0.02), 0.25)
    assert found.raw == 0.25
    assert found.diagnostics["as_labeled"] == 0.01
    assert found.diagnostics["disagreement"] == 0.25
    low, high = found.interval
    assert low <= 0.015
    assert high >= 0.25


def test_where_both_agree_nothing_changes():
    risk = RiskEstimate(raw=0.1, standard_error=0.02, diagnostics={"macro_f1": 0.9})
    found = moved_risk(risk, 0.1)
    assert (found.raw, found.standard_error) == pytest.approx((0.1, 0.02))
    assert found.diagnostics["macro_f1"] == 0.9
