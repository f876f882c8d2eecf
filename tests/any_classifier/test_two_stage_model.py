"""What both stages promise together."""

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from any_classifier.easy_table import easy_table, moved
from eulac.any_classifier.stages import Stages, fit_first_stage, table_folds
from eulac.any_classifier.two_stage_model import Repeat, fit_repeated, newest_rows
from eulac.proportion.given import GivenProportion


def test_the_newest_rows_are_the_new_ones():
    split, table = easy_table()
    first = fit_first_stage(table, Stages(GaussianNB(), n_folds=3))
    _, unlabeled = first.scores()
    is_new = split.y_unlabeled[table.places[table.n_labeled :] - table.n_labeled] == -2
    assert np.mean((newest_rows(-unlabeled, 0.4) == 1) == is_new) > 0.95


@pytest.mark.parametrize("share", [0.0, 0.3, 0.8, 1.0])
def test_as_many_rows_are_newest_as_asked_for(share):
    scores = np.random.default_rng(0).normal(size=300)
    chosen = newest_rows(scores, share)
    assert chosen.mean() == pytest.approx(share)
    assert np.all(np.diff(chosen[np.argsort(scores)]) >= 0)


def fit_once(table, estimate, first, stages, **options):
    return fit_repeated([Repeat(table, stages, first)], estimate, **options)


def test_rows_have_no_say_in_how_others_of_their_fold_are_judged():
    _, table = easy_table()
    stages = Stages(GaussianNB(), n_folds=4)
    estimate = GivenProportion(0.6).estimate(table.sample())
    inside = np.flatnonzero(table_folds(table, 4, 0) == 1)
    changed, others = np.array_split(inside[np.argsort(inside % 7)], 2)

    def held_out(table):
        model = fit_once(table, estimate, fit_first_stage(table, stages), stages)
        return np.vstack([model.held_out.labeled, model.held_out.unlabeled])

    before, after = held_out(table), held_out(moved(table, changed))
    np.testing.assert_array_equal(before[others], after[others])
    assert np.abs(before - after)[table_folds(table, 4, 0) != 1].max() > 0.01


def test_a_refined_proportion_is_nearer_and_no_model_is_trained_again():
    split, table = easy_table()
    stages = Stages(GaussianNB(), n_folds=3)
    first = fit_first_stage(table, stages)
    wrong = GivenProportion(0.75).estimate(table.sample())
    plain, refined = (
        fit_once(table, wrong, first, stages, refine=refine) for refine in (False, True)
    )
    truth = split.known_proportion
    assert abs(refined.estimate.total - truth) < 0.5 * abs(wrong.total - truth)
    assert refined.estimate.method == "refined"
    assert "upper bound" in refined.estimate.remark  # and no longer "given"
    assert plain.estimate is wrong
    rows = split.X_test[:5]
    np.testing.assert_array_equal(
        plain.model.probabilities(rows), refined.model.probabilities(rows)
    )
    assert abs(refined.risk.raw) < 0.05 < abs(plain.risk.raw)  # rows lie far apart: no errors


def test_nothing_known_stays_nothing():
    _, table = easy_table()
    stages = Stages(GaussianNB(), n_folds=3)
    nothing = GivenProportion(0.0).estimate(table.sample())
    first = fit_first_stage(table, stages)
    assert fit_once(table, nothing, first, stages, refine=True).estimate is nothing
