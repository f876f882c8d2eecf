"""Folds, and what the first stage promises."""

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from any_classifier.easy_table import easy_table, moved
from eulac.any_classifier.stages import (
    Stages,
    fit_first_stage,
    guessed_stage,
    guesses_by_place,
    table_folds,
)


def test_every_row_is_held_out_once():
    _, table = easy_table()
    fold = table_folds(table, 7, 0)
    assert len(fold) == table.n_labeled + table.n_unlabeled
    assert set(fold) == set(range(7))


@pytest.mark.parametrize("by_class", [True, False])
def test_the_first_stage_tells_new_rows(by_class):
    _, table = easy_table()
    stages = Stages(GaussianNB(), n_folds=3)
    first = fit_first_stage(table, stages, by_class=by_class)
    labeled, unlabeled = np.split(first.probabilities, [table.n_labeled])
    assert labeled.shape == (table.n_labeled, 4 if by_class else 2)
    np.testing.assert_allclose(unlabeled.sum(axis=1), 1)
    assert unlabeled[:, -1].mean() > labeled[:, -1].mean() + 0.2


@pytest.mark.parametrize(("fold", "n_folds"), [(0, 3), (2, 3), (1, 5)])
def test_the_first_stage_without_a_fold_knows_nothing_of_it(fold, n_folds):
    _, table = easy_table()
    stages = Stages(GaussianNB(), n_folds=n_folds)
    inside = table_folds(table, n_folds, 0) == fold
    before, after = (
        fit_first_stage(t, stages).without[fold] for t in (table, moved(table, inside))
    )
    np.testing.assert_array_equal(np.isnan(before), inside)
    np.testing.assert_array_equal(before, after)


def test_two_folds_of_tiny_samples_are_enough_to_fit():
    _, table = easy_table()
    first = fit_first_stage(table, Stages(GaussianNB(), n_folds=2))
    assert np.isfinite(first.probabilities).all()
    assert np.isnan(first.without).sum() == len(first.probabilities)


def test_guesses_take_the_place_of_the_first_stage():
    _, table = easy_table()
    guesses = np.resize([0, table.n_known_classes, -1], table.n_unlabeled)
    first = guessed_stage(table, guesses)
    _, unlabeled = first.scores()
    assert unlabeled[0] > unlabeled[1]  # a known class looks labeled, a new row does not
    assert first.guesses is guesses


def test_guesses_are_wanted_for_each_unlabeled_row():
    _, table = easy_table()
    with pytest.raises(ValueError, match=rf"{table.n_unlabeled} unlabeled rows; got shape \(3,\)"):
        guesses_by_place(table, [0, 1, 1])
