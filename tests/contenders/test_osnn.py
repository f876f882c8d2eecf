from itertools import pairwise

import numpy as np
import pytest

from contenders.oracles_osnn import slow_merit, slow_osnn
from contract import (
    check_unlabeled_rows_change_nothing,
    check_without_unlabeled_rows_it_warns_and_knows_no_new_class,
    parametrize_with_contract,
    parametrize_with_scikit_learn_checks,
)
from eulac import AUGMENTED
from eulac.contenders import osnn
from eulac.contenders.osnn import OsnnClassifier, OsnnModel, distance_ratio, nearest_by_class
from eulac.contenders.simulated_openness import simulated_openness_threshold

LABEL_FREE = {"threshold": "label_free", "known_proportion": 0.6, "random_state": 0}


def instance(seed, n_classes=3, n_rows=24, n_features=3):
    rng = np.random.default_rng(seed)
    y = np.resize(np.arange(n_classes), n_rows)
    centers = rng.normal(scale=3.0, size=(n_classes, n_features))
    return rng.normal(centers[y]), y, rng.normal(scale=3.0, size=(40, n_features))


@parametrize_with_contract([OsnnClassifier(random_state=0)], check_unlabeled_rows_change_nothing)
def test_contract(classifier, check):
    check(classifier)


@pytest.mark.slow
@parametrize_with_contract(
    [OsnnClassifier(**LABEL_FREE)], check_without_unlabeled_rows_it_warns_and_knows_no_new_class
)
def test_contract_of_the_label_free_threshold(classifier, check):
    check(classifier)


@parametrize_with_scikit_learn_checks([OsnnClassifier()])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("seed", range(5))
def test_answers_and_ratios_are_those_of_slow_loops(seed):
    X, y, X_test = instance(seed, n_classes=2 + seed % 3)
    classifier = OsnnClassifier(ratio=0.7, scale=None).fit(X, y)
    slow = [slow_osnn(x, X, y, 0.7) for x in X_test]
    expected = [AUGMENTED if code == -1 else code for code, _ in slow]
    np.testing.assert_array_equal(classifier.predict(X_test), expected)
    np.testing.assert_allclose(
        classifier.augmented_score(X_test), [ratio - 0.7 for _, ratio in slow]
    )
    assert {AUGMENTED} < set(expected)


@pytest.mark.parametrize("seed", range(4))
def test_the_ratio_is_the_best_of_a_simulation_by_slow_loops(seed):
    X, y, _ = instance(seed, n_classes=4, n_rows=20)
    seen = []

    def fit(rows, codes):
        seen.append(rows)
        return OsnnModel(rows, codes, np.nan)

    chosen = simulated_openness_threshold(fit, X, y, osnn.RATIOS, n_draws=2, random_state=seed)
    merit = np.zeros(len(osnn.RATIOS))
    for rows in seen:
        training = {int(np.flatnonzero((row == X).all(axis=1))[0]) for row in rows}
        playing = set(y) - {y[i] for i in training}
        assert len(playing) == 2
        merit += slow_merit(X, y, playing, training, osnn.RATIOS)
    assert merit[np.flatnonzero(chosen == osnn.RATIOS)[0]] == pytest.approx(merit.max())


def test_the_ratio_is_searched_for_three_or_more_classes_and_fixed_for_two():
    X, y, _ = instance(0, n_classes=2)
    assert OsnnClassifier(random_state=0).fit(X, y).threshold_ == 0.8
    found = {
        OsnnClassifier(random_state=0).fit(*instance(seed)[:2]).threshold_ for seed in range(4)
    }
    assert found <= set(osnn.RATIOS)
    assert found != {0.8}


def test_a_given_ratio_is_used_as_it_is():
    X, y, _ = instance(0, n_classes=5, n_rows=40)
    assert OsnnClassifier(ratio=0.123).fit(X, y).threshold_ == 0.123


def test_a_larger_ratio_calls_fewer_rows_new():
    X, y, X_test = instance(1)
    new = [
        set(np.flatnonzero(OsnnClassifier(ratio=r).fit(X, y).predict(X_test) == AUGMENTED))
        for r in (0.0, 0.3, 0.6, 0.9, 1.0)
    ]
    assert all(more >= fewer for more, fewer in pairwise(new))
    assert len(new[0]) == len(X_test)
    assert not new[-1]


def test_the_ratio_does_not_change_with_the_unit_or_the_origin():
    X, y, X_test = instance(2)
    plain = OsnnClassifier(ratio=0.8, scale=None).fit(X, y)
    moved = OsnnClassifier(ratio=0.8, scale=None).fit(1e3 * X + 5.0, y)
    np.testing.assert_allclose(
        moved.augmented_score(1e3 * X_test + 5.0), plain.augmented_score(X_test)
    )


def test_rows_far_away_are_new():
    X, y, _ = instance(3)
    far = 1e6 * np.eye(3)
    classifier = OsnnClassifier(ratio=0.9).fit(X, y)
    np.testing.assert_array_equal(classifier.predict(far), [AUGMENTED] * 3)
    np.testing.assert_array_equal(classifier.predict(1e200 * far), [AUGMENTED] * 3)


def test_labeled_rows_get_their_label_unless_two_classes_share_them():
    X, y, _ = instance(4)
    classifier = OsnnClassifier(ratio=0.6).fit(X, y)
    np.testing.assert_array_equal(classifier.predict(X), y)
    shared = OsnnClassifier(ratio=0.6).fit(np.vstack([X, X[:1]]), np.append(y, (y[0] + 1) % 3))
    assert shared.predict(X[:1])[0] == AUGMENTED
    np.testing.assert_array_equal(shared.predict(X[1:]), y[1:])


def test_copies_of_a_row_change_nothing():
    X, y, X_test = instance(5)
    once = OsnnClassifier(ratio=0.7).fit(X, y)
    twice = OsnnClassifier(ratio=0.7).fit(np.vstack([X, X]), np.append(y, y))
    np.testing.assert_array_equal(once.predict(X_test), twice.predict(X_test))


def test_distances_of_nearly_equal_rows_keep_their_digits():
    rows = np.array([[1e4, 1e4], [2e4, 1e4]])
    near = rows[:1] + np.array([1e-7, 0.0])
    distance = nearest_by_class(near, rows, np.array([0, 1]))
    assert distance[0, 0] == pytest.approx(1e-7, rel=1e-4)


def test_pieces_are_put_together_in_order(monkeypatch):
    X, y, X_test = instance(6)
    whole = nearest_by_class(X_test, X, y)
    monkeypatch.setattr(osnn, "ROWS_AT_ONCE", 7)
    np.testing.assert_allclose(nearest_by_class(X_test, X, y), whole, rtol=1e-12)


def test_the_ratio_lies_between_zero_and_one_and_none_by_none_is_one():
    distance = np.abs(np.random.default_rng(0).normal(size=(50, 4)))
    assert np.all((distance_ratio(distance) >= 0) & (distance_ratio(distance) <= 1))
    np.testing.assert_array_equal(distance_ratio(np.zeros((2, 2))), [1.0, 1.0])


def test_classes_of_one_row_and_constant_features_can_be_learned():
    X = np.array([[0.0, 1.0], [4.0, 1.0], [8.0, 1.0], [12.0, 1.0]])
    classifier = OsnnClassifier(random_state=0).fit(X, list("abcd"))
    np.testing.assert_array_equal(classifier.predict(X), list("abcd"))


def test_one_known_class_is_refused():
    with pytest.raises(ValueError, match="needs labeled rows of 2 or more known classes"):
        OsnnClassifier().fit(np.eye(3), [0, 0, -1])


@pytest.mark.parametrize("ratio", [-0.1, 1.5, "0.8"])
def test_ratios_outside_zero_and_one_are_refused(ratio):
    X, y, _ = instance(0)
    with pytest.raises(ValueError, match=rf"`ratio` must lie in \[0, 1\]; got {ratio!r}"):
        OsnnClassifier(ratio=ratio).fit(X, y)


def test_less_than_one_draw_is_refused():
    X, y, _ = instance(0)
    with pytest.raises(ValueError, match=r"`n_draws` must be a whole number .* got 0"):
        OsnnClassifier(n_draws=0).fit(X, y)
