"""True against answered shares: against the truth of simulations, and of the closed set."""

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix, f1_score, precision_score, recall_score

from drawn_answers import drawn_answers
from eulac.risk.contingency import contingency_table
from eulac.risk.zero_one import zero_one_risk


def true_table(drawn):
    return confusion_matrix(drawn.truth, drawn.unlabeled_answer, labels=range(4), normalize="all")


@pytest.mark.parametrize("per_class", [(0.25, 0.25, 0.25), (0.1, 0.2, 0.5)], ids=["base", "moved"])
def test_means_over_draws_are_the_true_shares(per_class):
    draws = [drawn_answers(seed, per_class) for seed in range(200)]
    apart = np.array([drawn.table().shares - true_table(drawn) for drawn in draws])
    error = apart.std(axis=0) / np.sqrt(len(draws))
    assert np.all(np.abs(apart.mean(axis=0)) <= 4 * error + 1e-12)


@pytest.mark.parametrize("per_class", [(0.25, 0.25, 0.25), (0.1, 0.2, 0.5)], ids=["base", "moved"])
def test_standard_errors_are_the_spread_over_draws(per_class):
    tables = [drawn_answers(seed, per_class).table() for seed in range(400)]
    spread = np.std([table.shares for table in tables], axis=0)
    claimed = np.sqrt(np.mean([table.errors**2 for table in tables], axis=0))
    # Given priors fix the sums of rows, as weights that differ say; equal ones leave them open.
    np.testing.assert_allclose(claimed[-1], spread[-1], rtol=0.2)
    assert np.all(claimed[:-1] > 0.8 * spread[:-1])


def test_rows_and_columns_add_up():
    drawn = drawn_answers(3, (0.1, 0.2, 0.5))
    table = drawn.table()
    np.testing.assert_allclose(table.true_shares, [0.1, 0.2, 0.5, 0.2])
    np.testing.assert_allclose(
        table.called_shares, np.bincount(drawn.unlabeled_answer, minlength=4) / 400
    )
    assert table.error == pytest.approx(zero_one_risk(*drawn.parts, augmented=3).raw)


def test_where_nothing_is_new_it_is_the_table_of_labeled_rows():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 500)
    answer = np.where(rng.random(500) < 0.8, y, rng.integers(0, 3, 500))
    table = contingency_table(answer, y, np.ones(500), answer, augmented=3)
    np.testing.assert_allclose(
        table.shares[:3, :3], confusion_matrix(y, answer, normalize="all"), atol=1e-12
    )
    np.testing.assert_allclose(table.shares[3], 0.0, atol=1e-12)
    for found, metric in (
        (table.precision, precision_score),
        (table.recall, recall_score),
        (table.f1, f1_score),
    ):
        np.testing.assert_allclose(found[:3], metric(y, answer, average=None), atol=1e-12)


def test_an_unsure_proportion_widens_all_errors_of_known_rows():
    sure, unsure = (drawn_answers(0).table(error) for error in (0.0, 0.1))
    assert np.all(unsure.errors[:3, :3] > sure.errors[:3, :3])
    np.testing.assert_array_equal(sure.shares, unsure.shares)


def test_a_proportion_is_taken_for_certain_unless_its_error_is_told():
    drawn = drawn_answers(0)
    plain = contingency_table(*drawn.parts, augmented=3)
    np.testing.assert_array_equal(plain.errors, drawn.table(0.0).errors)
    assert (plain.proportion_error, drawn.table(0.1).proportion_error) == (0.0, 0.1)


def test_chance_carries_no_share_of_a_class_beyond_one():
    # All labeled rows are answered rightly, and fewer unlabeled ones called so than there must be.
    y = np.zeros(10, dtype=int)
    table = contingency_table(y, y, np.full(10, 0.9), np.repeat([0, 1], 5), augmented=1)
    np.testing.assert_allclose(table.shares, [[0.9, 0.0], [-0.4, 0.5]])
    for found in (table.precision, table.recall, table.f1):
        np.testing.assert_array_equal(found, 1.0)
    assert table.error == pytest.approx(-0.4)


def test_answers_that_nobody_gives_have_no_precision_and_classes_without_rows_no_recall():
    y = np.array([0, 0, 1, 1])
    weights = np.array([0.0, 0.0, 2.0, 2.0])  # the first class is gone, and nothing is new
    table = contingency_table(np.ones(4, int), y, weights, np.ones(8, int), augmented=2)
    np.testing.assert_array_equal(table.precision, [np.nan, 1.0, np.nan])
    np.testing.assert_array_equal(table.recall, [np.nan, 1.0, np.nan])
    np.testing.assert_array_equal(table.f1, [0.0, 1.0, 0.0])
