"""Held-out scores to a rule: what it pulls, matches and reports."""

import numpy as np
import pytest

from eulac.risk.decision_rule import fit_score_rule
from held_out_rows import LOSSES, held_out_scores


@pytest.mark.parametrize("loss", LOSSES)
def test_answers_are_new_as_often_as_the_proportion_says(loss):
    fitted = fit_score_rule(held_out_scores(loss=loss), loss)
    assert fitted.answer_shares[-1] == pytest.approx(0.4, abs=0.02)
    assert fitted.answer_shares.sum() == pytest.approx(1.0)
    assert fitted.evidence.loss == loss
    assert fitted.evidence.outlier_pull > 0
    assert 0 < fitted.risk.value < 1


@pytest.mark.parametrize("options", [{"matched": False}, {"closed_set": True}], ids=repr)
def test_nothing_is_pulled_or_shifted_unless_matched(options):
    fitted = fit_score_rule(held_out_scores(), "square", **options)
    assert (fitted.rule.shift, fitted.evidence.outlier_pull) == (0.0, 0.0)


def test_a_closed_set_is_answered_with_known_classes():
    assert fit_score_rule(held_out_scores(), "square", closed_set=True).answer_shares[-1] == 0


def test_an_uncertain_proportion_makes_the_risk_less_sure():
    sure, unsure = (
        fit_score_rule(held_out_scores(), "square", proportion_error=error).risk
        for error in (0.0, 0.1)
    )
    assert unsure.raw == sure.raw
    assert unsure.standard_error > sure.standard_error


def test_the_largest_score_wins_where_the_proportion_is_not_matched():
    scores = held_out_scores()
    fitted = fit_score_rule(scores, "square", matched=False)
    expected = np.bincount(scores.unlabeled.argmax(axis=1), minlength=3) / len(scores.unlabeled)
    np.testing.assert_allclose(fitted.answer_shares, expected)


def test_a_proportion_is_taken_for_certain_unless_its_error_is_told():
    rows = held_out_scores(seed=1)
    plain, sure, unsure = (
        fit_score_rule(rows, "square", **options).risk.standard_error
        for options in ({}, {"proportion_error": 0.0}, {"proportion_error": 0.1})
    )
    assert plain == sure < unsure
