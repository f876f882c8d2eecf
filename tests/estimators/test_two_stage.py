"""Folds, and what both stages promise."""

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from estimators.easy_mixture import easy_masked
from eulac.estimators.rows import LacTable, in_value_order
from eulac.estimators.two_stage import (
    Stages,
    fit_two_stage,
    fold_of_rows,
    membership_probabilities,
)
from eulac.proportion.given import GivenProportion


def easy_table():
    split, X, y = easy_masked()
    return split, in_value_order(LacTable.from_masked(X, y), 0)


def test_every_row_is_held_out_once():
    _, table = easy_table()
    fold = fold_of_rows(table, 7, 0)
    assert len(fold) == table.n_labeled + table.n_unlabeled
    assert set(fold) == set(range(7))


@pytest.mark.parametrize("by_class", [True, False])
def test_the_first_stage_tells_new_rows(by_class):
    _, table = easy_table()
    stages = Stages(GaussianNB(), n_folds=3)
    labeled, unlabeled = membership_probabilities(table, stages, by_class=by_class)
    assert labeled.shape == (table.n_labeled, 4 if by_class else 2)
    np.testing.assert_allclose(unlabeled.sum(axis=1), 1)
    assert unlabeled[:, -1].mean() > labeled[:, -1].mean() + 0.2


def test_the_newest_rows_are_the_new_ones():
    split, table = easy_table()
    stages = Stages(GaussianNB(), n_folds=3, rounds=2)
    first = membership_probabilities(table, stages)
    model = fit_two_stage(table, GivenProportion(0.6).estimate(table.sample()), first, stages)
    is_new = split.y_unlabeled[table.places[table.n_labeled :] - table.n_labeled] == -2
    assert np.mean((model.newness == 1) == is_new) > 0.95
    assert model.risk.raw == min(model.risks)
