"""The rule on held-out probabilities: matched, calibrated, honest about risk."""

import numpy as np
import pytest

from eulac.classifier.probability_rule import (
    HeldOutProbabilities,
    ProbabilityRule,
    brier_terms,
    fit_probability_rule,
    held_out_risk,
)
from eulac.proportion.estimate import ProportionEstimate

ESTIMATE = ProportionEstimate(np.full(2, 0.3), (0.6, 0.6), "given", 900, 1500)


def held_out(sharpness=1.0, seed=0):
    """Return calibrated probabilities raised to a power, and the true codes of unlabeled rows."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(3, 1500, p=[0.3, 0.3, 0.4])
    y = np.resize([0, 1], 900)
    spread = 1.5 * np.eye(3)
    parts = []
    for codes in (y, truth):
        points = spread[codes] + rng.normal(size=(len(codes), 3))
        density = np.exp(-0.5 * ((points[:, None] - spread) ** 2).sum(axis=2)) * [0.3, 0.3, 0.4]
        power = density**sharpness
        parts.append(power / power.sum(axis=1, keepdims=True))
    return HeldOutProbabilities(*parts, y, np.full(900, 0.6)), truth


def test_as_many_rows_are_called_new_as_the_proportion_says():
    rows, _ = held_out()
    answers = fit_probability_rule(rows).answers(rows.unlabeled)
    assert np.mean(answers == 2) == pytest.approx(0.4, abs=0.002)


@pytest.mark.parametrize("sharpness", [0.3, 1.0, 3.0])
def test_probabilities_that_are_too_sharp_or_too_flat_are_mended(sharpness):
    rows, truth = held_out(sharpness)
    rule = fit_probability_rule(rows)
    assert rule.sharpness * sharpness == pytest.approx(1.0, abs=0.4)
    probabilities = rule.probabilities(rule.decide(rows.unlabeled))
    right = probabilities.argmax(axis=1) == truth
    assert abs(probabilities.max(axis=1).mean() - right.mean()) < 0.05


def test_the_brier_risk_is_that_of_the_hidden_labels():
    rows, truth = held_out()
    estimated = sum(terms.mean() for terms in brier_terms(rows))
    true = ((rows.unlabeled - np.eye(3)[truth]) ** 2).sum(axis=1).mean()
    assert abs(estimated - true) < 0.08


def test_the_risk_is_the_error_on_the_hidden_labels():
    rows, truth = held_out()
    rule = fit_probability_rule(rows)
    risk = held_out_risk(rows, rule, ESTIMATE)
    true = np.mean(rule.answers(rows.unlabeled) != truth)
    assert abs(risk.raw - true) < 4 * risk.standard_error


def test_a_closed_set_never_answers_new():
    rows, _ = held_out()
    rule = fit_probability_rule(rows, closed_set=True)
    assert rule.decide(rows.unlabeled).shape[1] == 2
    assert set(rule.answers(rows.unlabeled)) == {0, 1}


def test_certainty_is_finite():
    decision = ProbabilityRule().decide(np.array([[1.0, 0.0, 0.0]]))
    assert np.all(np.isfinite(decision))


def test_a_part_of_the_rows_keeps_the_proportion():
    rows, _ = held_out()
    part = rows.taken(np.arange(900) < 450, np.arange(1500) < 700)
    assert part.weights.mean() == pytest.approx(0.6)
    assert len(part.unlabeled) == 700


def test_a_clear_gap_within_the_interval_is_used():
    known, new = np.array([0.95, 0.05]), np.array([0.05, 0.95])
    unlabeled = np.vstack([np.tile(known, (70, 1)), np.tile(new, (30, 1))])
    labeled, y, weights = np.tile(known, (20, 1)), np.zeros(20, np.intp), np.full(20, 0.6)
    unsure = HeldOutProbabilities(labeled, unlabeled, y, weights, (0.5, 0.8))
    assert fit_probability_rule(unsure).answers(unlabeled).sum() == 30
    assert abs(fit_probability_rule(unsure).shift) < 1e-9
    some = unsure.taken(np.arange(10), np.arange(0, 100, 2))
    assert some.interval == unsure.interval
