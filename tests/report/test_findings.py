"""What is found out about a pool, before a word is written."""

import numpy as np
import pytest

from eulac import EulacClassifier
from eulac.contenders.osnn import OsnnClassifier
from eulac.exceptions import SeparatingColumnWarning
from eulac.kernel.kernel_classifier import KernelEulacClassifier
from eulac.report.findings import Settings, answer_pool, examine

QUICK = Settings(map="pca", n_folds=0)


def test_answers_are_those_of_the_classifier_and_new_rows_are_grouped(examined, mixture):
    pool, truth = examined.pool, mixture[3]
    assert pool.labels == ["ant", "bee", "new"]
    assert pool.was_fitted_on
    is_new = np.isin(np.arange(len(truth)), pool.new)
    assert np.mean(is_new == np.isin(truth, ["cow", "dog"])) > 0.97
    np.testing.assert_array_equal(pool.answers == 2, is_new)
    assert pool.groups.n_classes == 2
    assert pool.answer_shares.sum() == pytest.approx(1.0)
    assert pool.answer_shares[-1] == pytest.approx(0.5, abs=0.03)


def test_what_is_new_scores_above_what_is_known(examined):
    scores, new = examined.pool.scores, examined.pool.new
    assert scores[new].min() > np.delete(scores, new).max()


def test_labeled_rows_give_errors_by_class_and_the_estimates_come_along(examined, fitted):
    assert [one.label for one in examined.quality] == ["ant", "bee", "new"]
    assert len(examined.labeled) == 120
    assert examined.proportion is fitted.proportion_
    assert examined.risk is fitted.risk_
    assert len(examined.sensitivity.kept) == len(examined.sensitivity.known_proportion)
    assert len(examined.map.points) == 280


def test_columns_that_were_left_out_are_named_and_move_no_class(mixture):
    X, y, pool, _ = mixture
    numbers = np.split(np.arange(float(len(X) + len(pool))), [len(X)])
    X, pool = (np.column_stack(pair) for pair in zip((X, pool), numbers, strict=True))
    with pytest.warns(SeparatingColumnWarning):
        model = EulacClassifier(random_state=0).fit(X, y, pool)
    names = [*(f"x{j}" for j in range(X.shape[1] - 1)), "number"]
    found = examine(model, pool, X, y, settings=Settings(map="pca"), feature_names=names)
    assert not any(one.moved for one in found.moved)
    [check] = [one for one in found.checks if "'number'" in one.text]
    assert model.left_out_columns_.tolist() == [3]
    assert check.title == "Columns were left out"
    assert check.level == "note"


def test_without_folds_nothing_is_said_by_class(fitted, mixture):
    found = examine(fitted, mixture[2], settings=QUICK)
    assert found.held_out is None
    assert found.quality == []
    assert found.moved == []
    assert found.sensitivity is None


def test_a_method_without_a_proportion_leaves_out_what_needs_one(mixture):
    X, y, pool, _ = mixture
    found = examine(OsnnClassifier(random_state=0).fit(X, y), pool, X, y, settings=QUICK)
    assert found.proportion is None
    assert found.risk is None
    assert found.held_out is None
    assert len(found.labeled) == 120
    assert set(np.unique(found.pool.answers)) <= {0, 1, 2}


def test_a_known_class_called_new_keeps_its_name(mixture):
    X, y, pool, _ = mixture
    renamed = np.where(y == "ant", "new", y)
    classifier = KernelEulacClassifier(0.5, bandwidth=0.3, penalty=1e-3, random_state=0)
    classifier.fit(X, renamed, X_unlabeled=pool)
    answers = answer_pool(classifier, pool, QUICK)
    assert answers.labels == ["bee", "new", "augmented"]
    assert answers.reserved == ["augmented", "-1"]


def test_rows_of_elsewhere_were_not_in_the_fit(fitted, mixture):
    other = mixture[2] + 0.01
    assert not answer_pool(fitted, other, QUICK).was_fitted_on


def test_a_pool_without_rows_is_refused_by_their_number(fitted):
    with pytest.raises(ValueError, match="the pool has 0"):
        answer_pool(fitted, np.empty((0, 3)), QUICK)
