from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold

from eulac.proportion.reduction import extra_trees
from eulac.report.held_out_answers import HeldOutAnswers
from eulac.report.moved_classes import moved_classes, two_sample_auc
from eulac.risk.class_quality import quality_by_class


def answered(moved_by, n=120, wrong=0, seed=0):
    """One known class, all answered rightly, but for some rows from elsewhere among the answers."""
    rng = np.random.default_rng(seed)
    X, pool = rng.normal(size=(n, 4)), rng.normal(size=(n, 4))
    pool[:, 2] += moved_by
    if wrong:
        pool[:wrong] = rng.normal(4, 1, (wrong, 4))
    zeros = np.zeros(n, dtype=np.intp)
    return HeldOutAnswers(
        X, zeros, zeros, zeros, -np.ones(n), pool, zeros, -np.ones(n), np.array([1 - wrong / n])
    )


def result_of(held_out):
    quality = quality_by_class(held_out.table(), ["a", "new"])
    return moved_classes(held_out, quality)[0]


def test_a_class_that_moved_is_seen_and_the_column_named():
    result = result_of(answered(1.5))
    assert result.moved
    assert result.feature == 2
    assert result.difference == pytest.approx(1.5, abs=0.4)
    assert result.p_value < 0.001


def test_columns_nobody_looks_at_move_no_class():
    held_out = answered(1.5)
    quality = quality_by_class(held_out.table(), ["a", "new"])
    assert not moved_classes(held_out, quality, left_out=[2])[0].moved
    assert moved_classes(held_out, quality, left_out=[0, 1])[0].feature == 2


@pytest.mark.slow
def test_a_class_that_stayed_raises_no_alarm():
    alarms = [result_of(answered(0.0, n=60, seed=seed)).moved for seed in range(6)]
    assert sum(alarms) == 0


def test_wrong_answers_among_the_rows_are_allowed_for():
    result = result_of(answered(0.0, wrong=24))
    assert result.auc > 0.55  # the forest does find them
    assert result.allowed >= 0.6 - 1e-12
    assert not result.moved


def test_few_rows_are_not_judged():
    result = result_of(answered(3.0, n=15))
    assert np.isnan(result.auc)
    assert not result.moved


def test_rows_answered_otherwise_do_not_count():
    held_out = answered(0.0)
    far = held_out.X_unlabeled.copy()
    far[:60] += 10
    answers = np.where(np.arange(120) < 60, 1, 0)
    half = replace(
        held_out,
        X_unlabeled=far,
        unlabeled_answer=answers,
        unlabeled_score=np.where(answers == 1, 1.0, -1.0),
        per_class=np.array([0.5]),
    )
    result = result_of(half)
    assert result.n_unlabeled == 60
    assert not result.moved


def test_area_is_one_half_for_equal_and_one_for_distant_samples():
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(150, 3)), rng.normal(size=(150, 3))
    assert two_sample_auc(A, B) == pytest.approx(0.5, abs=0.12)
    assert two_sample_auc(A, B + 8) == 1.0


def test_quick_trees_tell_samples_apart_as_scikit_learn_does():
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(60, 4)), rng.normal(0.4, 1, size=(50, 4))
    X, is_second = np.vstack([A, B]), np.repeat([0, 1], [60, 50])
    folds = StratifiedKFold(3, shuffle=True, random_state=0).split(X, is_second)
    areas = []
    for kept, held_out in folds:
        forest = extra_trees(0).fit(X[kept], is_second[kept])
        areas.append(roc_auc_score(is_second[held_out], forest.predict_proba(X[held_out])[:, 1]))
    assert two_sample_auc(A, B) == pytest.approx(np.mean(areas), abs=1e-12)
