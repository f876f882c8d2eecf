"""Held-out rows: parts of them, functions of them, and label-free risks that are the true ones."""

import numpy as np
import pytest

from eulac.risk.held_out import HeldOut, answers_risk, brier_terms
from eulac.risk.zero_one import label_free_macro_f1, zero_one_risk
from held_out_rows import calibrated_rows


def test_the_brier_risk_is_that_of_the_hidden_labels():
    rows, truth = calibrated_rows()
    estimated = sum(terms.mean() for terms in brier_terms(rows))
    true = ((rows.unlabeled - np.eye(3)[truth]) ** 2).sum(axis=1).mean()
    assert abs(estimated - true) < 0.08


def test_the_risk_of_answers_is_the_zero_one_risk_with_its_macro_f1():
    rows, _ = calibrated_rows()
    answers = rows.labeled.argmax(axis=1), rows.unlabeled.argmax(axis=1)
    parts = answers[0], rows.y_labeled, rows.weights, answers[1]
    risk = answers_risk(rows, answers, 0.02)
    assert risk.raw == zero_one_risk(*parts, augmented=2).raw
    assert (
        risk.standard_error
        == zero_one_risk(*parts, augmented=2, proportion_error=0.02).standard_error
    )
    sure = answers_risk(rows, answers)
    assert sure.standard_error == zero_one_risk(*parts, augmented=2).standard_error
    assert risk.diagnostics == {"macro_f1": label_free_macro_f1(*parts, augmented=2)}


def test_a_part_of_the_rows_keeps_the_proportion_and_its_interval():
    rows, _ = calibrated_rows()
    rows = HeldOut(rows.labeled, rows.unlabeled, rows.y_labeled, rows.weights, (0.5, 0.7))
    part = rows.taken(np.arange(900) < 450, np.arange(1500) < 700)
    assert part.weights.mean() == pytest.approx(0.6)
    assert len(part.unlabeled) == 700
    assert part.interval == (0.5, 0.7)


def test_rows_without_weight_can_be_taken():
    rows = HeldOut(np.zeros((3, 2)), np.zeros((2, 2)), np.zeros(3, int), np.array([0.0, 0.0, 0.9]))
    part = rows.taken(np.array([0, 1]), np.array([0]))
    np.testing.assert_array_equal(part.weights, [0.0, 0.0])


def test_a_function_of_the_outputs_leaves_the_rest_alone():
    rows, _ = calibrated_rows()
    doubled = rows.mapped(lambda part: 2 * part)
    np.testing.assert_array_equal(doubled.unlabeled, 2 * rows.unlabeled)
    assert doubled.y_labeled is rows.y_labeled
    assert doubled.augmented == 2


def test_rows_are_answered_by_their_largest_column():
    rows, _ = calibrated_rows()
    of_labeled, y, weights, of_unlabeled = rows.answered()
    np.testing.assert_array_equal(of_labeled, np.argmax(rows.labeled, axis=1))
    np.testing.assert_array_equal(of_unlabeled, np.argmax(rows.unlabeled, axis=1))
    assert (y is rows.y_labeled, weights is rows.weights) == (True, True)


def test_a_single_row_that_is_taken_weighs_the_whole_proportion():
    rows = HeldOut(np.zeros((3, 2)), np.zeros((2, 2)), np.zeros(3, int), np.array([0.3, 0.6, 0.9]))
    np.testing.assert_allclose(rows.taken(np.array([0]), np.array([1])).weights, [0.6])
