"""Both stages over again: what is averaged, in which order, and what it is for."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.naive_bayes import GaussianNB

from easy_mixture import easy_masked
from eulac import TwoStageEulacClassifier
from eulac.any_classifier.stages import Stages, table_folds
from eulac.any_classifier.two_stage_model import (
    fit_repeated,
    in_order_of,
    mean_parts,
    shuffled_repeats,
)
from eulac.data.lac_table import LacTable, in_value_order
from eulac.proportion.given import GivenProportion

TWICE = TwoStageEulacClassifier(
    GaussianNB(), known_proportion=0.6, n_repeats=2, n_folds=3, random_state=0
)


@pytest.fixture(scope="module")
def table():
    _, X, y = easy_masked()
    return in_value_order(LacTable.from_masked(X, y), 0)


@pytest.fixture(scope="module")
def repeats(table):
    return shuffled_repeats(table, Stages(GaussianNB(), n_folds=3), 3)


def test_each_repeat_has_other_folds(repeats):
    folds = [
        in_order_of(repeats[0].table, one.table, table_folds(one.table, 3, one.stages.seed))
        for one in repeats
    ]
    n_labeled = repeats[0].table.n_labeled
    for one, other in [(0, 1), (0, 2), (1, 2)]:
        assert np.any(folds[one][:n_labeled] != folds[other][:n_labeled])
        assert np.any(folds[one][n_labeled:] != folds[other][n_labeled:])


def test_rows_of_another_order_find_their_way_back(table, repeats):
    other = repeats[2].table
    assert np.any(other.places != table.places)
    np.testing.assert_array_equal(in_order_of(table, other, other.X), table.X)


def test_all_that_is_said_is_the_mean_of_what_each_repeat_says(table, repeats):
    estimate = GivenProportion(0.6).estimate(table.sample())
    model = fit_repeated(repeats, estimate)
    each = [fit_repeated([one], estimate) for one in repeats]
    said = [np.vstack([m.held_out.labeled, m.held_out.unlabeled]) for m in each]
    back = [in_order_of(table, one.table, rows) for one, rows in zip(repeats, said, strict=True)]
    found = np.vstack([model.held_out.labeled, model.held_out.unlabeled])
    np.testing.assert_allclose(found, np.mean(back, axis=0))
    np.testing.assert_allclose(
        model.model.probabilities(table.X),
        np.mean([m.model.probabilities(table.X) for m in each], axis=0),
    )
    firsts = [in_order_of(table, one.table, one.first.probabilities) for one in repeats]
    np.testing.assert_allclose(np.vstack(mean_parts(repeats)), np.mean(firsts, axis=0))


def test_the_order_of_the_rows_does_not_matter():
    split, X, y = easy_masked()
    order = np.random.default_rng(1).permutation(len(X))
    one, two = clone(TWICE).fit(X, y), clone(TWICE).fit(X[order], y[order])
    np.testing.assert_array_equal(one.predict_proba(split.X_test), two.predict_proba(split.X_test))
    np.testing.assert_array_equal(one.held_out_probabilities_[order], two.held_out_probabilities_)


def test_progress_counts_every_stage():
    _, X, y = easy_masked()
    calls = []
    clone(TWICE).fit(X, y, progress=lambda done, total: calls.append((done, total)))
    assert calls == [(1, 4), (2, 4), (3, 4), (4, 4)]


@pytest.mark.slow
def test_held_out_scores_depend_less_on_the_folds():
    """The spread over seeds of a held-out risk, with a classifier that is all chance otherwise."""
    _, X, y = easy_masked()
    rng = np.random.default_rng(0)
    X = X + rng.normal(0, 2.0, X.shape)
    risks = {
        n_repeats: [
            TwoStageEulacClassifier(
                ExtraTreesClassifier(10),
                known_proportion=0.6,
                n_repeats=n_repeats,
                n_folds=3,
                random_state=seed,
            )
            .fit(X, y)
            .risk_.raw
            for seed in range(8)
        ]
        for n_repeats in (1, 5)
    }
    assert np.std(risks[5]) < 0.8 * np.std(risks[1])


def test_the_default_forest_has_its_trees_in_all_repeats_together():
    assert TwoStageEulacClassifier()._base().n_estimators == 100
    assert TwoStageEulacClassifier(n_repeats=1)._base().n_estimators == 300
    assert TwoStageEulacClassifier(n_repeats=500)._base().n_estimators == 1


@pytest.mark.parametrize("value", [0, -1, 1.5, "thrice"])
def test_repeats_are_counted_from_one(value):
    _, X, y = easy_masked()
    for estimator in (GaussianNB(), None):
        with pytest.raises(ValueError, match="`n_repeats` must be 'auto' or a whole number"):
            clone(TWICE).set_params(estimator=estimator, n_repeats=value).fit(X, y)
