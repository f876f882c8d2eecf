"""Numbers go to the estimators of the proportion; all else is told by the classifier's scores."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from any_classifier.easy_table import easy_table
from easy_mixture import easy_masked
from eulac import BestBinProportion, TwoStageEulacClassifier
from eulac.any_classifier.stages import Stages, fit_first_stage
from eulac.any_classifier.table_proportion import (
    estimate_table_proportion,
    readable_numbers,
    refines,
)


@pytest.fixture(scope="module")
def weighted():
    """Return a table whose rows count differently, and its held-out probabilities."""
    _, table = easy_table()
    table = replace(table, importance=np.where(table.y_labeled == 0, 1.5, 0.75))
    first = fit_first_stage(table, Stages(GaussianNB(), n_folds=3), by_class=True)
    return table, tuple(np.split(first.probabilities, [table.n_labeled]))


def estimate(weighted, known_proportion, shift):
    moves = shift, "auto"
    return estimate_table_proportion(*weighted, known_proportion, moves, seed=0, n_jobs=None)


@pytest.mark.parametrize(
    ("known_proportion", "refine_proportion", "expected"),
    [("auto", "auto", True), (0.5, "auto", False), (0.5, True, True), ("auto", False, False)],
)
def test_what_was_estimated_is_refined_and_what_was_given_only_if_asked(
    known_proportion, refine_proportion, expected
):
    classifier = TwoStageEulacClassifier(
        known_proportion=known_proportion, refine_proportion=refine_proportion
    )
    assert refines(classifier) is expected


def test_rows_that_count_differently_are_told_by_own_scores(weighted):
    assert readable_numbers(weighted[0]) is None
    found = estimate(weighted, "auto", False)
    assert found.method == "own_scores"
    assert found.total == pytest.approx(0.6, abs=0.1)


def test_a_given_number_keeps_its_total_where_priors_are_estimated(weighted):
    plain, moved = (estimate(weighted, 0.6, shift) for shift in (False, True))
    assert plain.total == pytest.approx(0.6)
    assert moved.total == pytest.approx(0.6)
    np.testing.assert_allclose(plain.per_class, [0.3, 0.15, 0.15])
    np.testing.assert_allclose(moved.per_class, [0.2, 0.2, 0.2], atol=0.03)  # the cycle's


def test_an_estimator_of_the_proportion_that_would_not_see_the_weights_is_refused():
    _, X, y = easy_masked()
    model = TwoStageEulacClassifier(GaussianNB(), known_proportion=BestBinProportion())
    with pytest.raises(ValueError, match="or there are sample weights"):
        model.fit(X, y, sample_weight=np.where(y == 0, 2.0, 1.0))
