"""The test error where known classes have moved."""

import numpy as np
import pytest

from eulac.drift.moved_risk import less_sure, moved_risk, risk_after_drift
from eulac.proportion.estimate import ProportionEstimate
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


@pytest.mark.parametrize(
    ("drift", "error"),
    [
        ({}, 0.02),
        ({"used": False, "disagreement": 0.3}, 0.02),
        ({"used": True, "disagreement": 0.3}, 0.3),
        ({"used": True}, 0.25),
    ],
    ids=["other estimate", "not used", "used", "one known class"],
)
def test_the_error_follows_the_reading_that_is_used(drift, error):
    estimate = ProportionEstimate(
        np.array([0.5]), (0.4, 0.6), "two_readings", 10, 2, diagnostics={"drift": drift}
    )
    probabilities = np.array([[0.8, 0.2], [0.3, 0.7]])  # a mean doubt of a quarter
    risk = RiskEstimate(raw=0.02, standard_error=0.01)
    both = probabilities, probabilities
    assert risk_after_drift(risk, estimate, both).value == pytest.approx(error)


@pytest.mark.parametrize("known_proportion", [0.02, 0.9])
def test_where_nothing_looks_labeled_the_error_may_be_anything(known_proportion):
    drift = {"nothing_looks_labeled": True, "used": known_proportion > 0.5}
    estimate = ProportionEstimate(
        np.array([known_proportion]), (0.0, 1.0), "two_readings", 9, 9, diagnostics={"drift": drift}
    )
    assert risk_after_drift(RiskEstimate(raw=0.0, standard_error=0.01), estimate).interval == (0, 1)


def test_pool_rows_that_are_less_sure_of_their_class_widen_the_interval_and_no_more():
    estimate = ProportionEstimate(np.array([0.5]), (0.4, 0.6), "two_readings", 10, 2)
    labeled = np.array([[0.9, 0.1, 0.0], [0.1, 0.9, 0.0]])
    unsure = np.array(
        [[0.6, 0.4, 0.0], [0.0, 0.0, 1.0]]
    )  # of the first row's class, not of newness
    risk = RiskEstimate(raw=0.1, standard_error=0.04)
    found = risk_after_drift(risk, estimate, (labeled, unsure))
    assert found.raw == 0.1
    assert found.standard_error == pytest.approx(np.hypot(0.04, 0.3))
    assert risk_after_drift(risk, estimate, (unsure, labeled)).standard_error == 0.04
    assert risk_after_drift(risk, estimate).standard_error == 0.04
    assert less_sure(labeled, labeled) == 0.0


def test_with_one_known_class_or_nothing_known_no_row_is_less_sure():
    one = np.array([[0.7, 0.3], [0.2, 0.8]])
    assert less_sure(one, one[::-1]) == 0.0
    assert less_sure(one, np.array([[0.0, 1.0]])) == 0.0


def test_rows_that_may_be_known_after_all_reach_into_the_interval_of_the_error():
    options = {"diagnostics": {"reach": 0.3}}
    estimate = ProportionEstimate(np.array([0.4]), (0.3, 0.7), "two_readings", 10, 2, **options)
    found = risk_after_drift(RiskEstimate(raw=0.1, standard_error=0.02), estimate)
    assert found.raw == 0.1
    assert found.interval[1] >= 0.4  # as if all of them were known, and called new
