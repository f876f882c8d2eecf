"""Folds: equal, stratified, complete; and the same whatever the order of the rows."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from eulac.data.folds import (
    draw_folds,
    in_canonical_order,
    rows_standing_in,
    with_twins_together,
)
from eulac.data.lac_sample import LacSample

codes = st.lists(st.integers(0, 4), min_size=2, max_size=60).map(np.array)
matrices = arrays(
    float,
    array_shapes(min_dims=2, max_dims=2, min_side=2, max_side=8),
    elements=st.floats(allow_nan=False),
)
seeds = st.integers(0, 999)


def differ_by_at_most_one(counts):
    return max(counts) - min(counts) <= 1


@given(y=codes, n_unlabeled=st.integers(0, 60), n_folds=st.integers(2, 7), seed=seeds)
def test_folds_are_stratified_equal_and_complete(y, n_unlabeled, n_folds, seed):
    folds = draw_folds(y, n_unlabeled, n_folds, seed)
    held_labeled = [rows for rows, _ in folds]
    np.testing.assert_array_equal(np.sort(np.concatenate(held_labeled)), np.arange(len(y)))
    assert differ_by_at_most_one([len(rows) for rows in held_labeled])
    for code in set(y.tolist()):
        assert differ_by_at_most_one([np.sum(y[rows] == code) for rows in held_labeled])
    held_unlabeled = [np.arange(n_unlabeled)[piece] for _, piece in folds]
    np.testing.assert_array_equal(np.concatenate(held_unlabeled), np.arange(folds.n_held_out))
    assert {len(rows) for rows in held_unlabeled} == {folds.fold_size}
    assert n_unlabeled - folds.n_held_out < folds.n_folds


@pytest.mark.parametrize(("n_labeled", "n_unlabeled"), [(40, 3), (3, 40)])
def test_too_few_rows_make_fewer_folds(n_labeled, n_unlabeled):
    folds = draw_folds(np.zeros(n_labeled, dtype=int), n_unlabeled, n_folds=5, random_state=0)
    assert folds.n_folds == 3
    assert all(len(rows) for rows, _ in folds)
    assert folds.fold_size == n_unlabeled // 3


def test_a_class_with_one_row_is_held_out_once():
    y = np.array([0] * 9 + [1])
    folds = draw_folds(y, n_unlabeled=20, n_folds=5, random_state=0)
    assert sum(9 in rows for rows, _ in folds) == 1


def test_which_fold_a_row_falls_in_depends_on_the_seed_alone():
    y = np.repeat([0, 1, 2], 7)
    one, two, other = (draw_folds(y, 21, 5, seed).labeled for seed in (0, 0, 1))
    np.testing.assert_array_equal(one, two)
    assert np.any(one != other)


@given(X=matrices, data=st.data())
def test_the_canonical_order_does_not_depend_on_the_order_of_rows(X, data):
    y = np.array(data.draw(st.lists(st.integers(-1, 1), min_size=len(X), max_size=len(X))))
    y[0] = 0
    order = np.array(data.draw(st.permutations(range(len(X)))))
    one = in_canonical_order(LacSample.from_masked(X, y), random_state=3)
    two = in_canonical_order(LacSample.from_masked(X[order], y[order]), random_state=3)
    np.testing.assert_array_equal(one.X_labeled, two.X_labeled)
    np.testing.assert_array_equal(one.y_labeled, two.y_labeled)
    np.testing.assert_array_equal(one.X_unlabeled, two.X_unlabeled)


def test_a_column_of_huge_values_does_not_hide_the_others():
    X = np.column_stack([np.full(8, 1e18), np.arange(8.0)])
    y = np.repeat([0, -1], 4)
    one = in_canonical_order(LacSample.from_masked(X, y), random_state=0)
    two = in_canonical_order(LacSample.from_masked(X[::-1], y[::-1]), random_state=0)
    np.testing.assert_array_equal(one.X_unlabeled, two.X_unlabeled)


def test_the_canonical_order_keeps_rows_with_their_labels_and_follows_the_seed():
    X = np.arange(60.0).reshape(30, 2)
    sample = LacSample.from_masked(X, np.arange(30) % 4 - 1)
    shuffled, other = in_canonical_order(sample, 0), in_canonical_order(sample, 1)
    np.testing.assert_array_equal(shuffled.y_labeled, shuffled.X_labeled[:, 0] / 2 % 4 - 1)
    np.testing.assert_array_equal(np.sort(shuffled.X_unlabeled, axis=0), sample.X_unlabeled)
    assert shuffled.codec is sample.codec
    assert np.any(shuffled.X_unlabeled != other.X_unlabeled)


def test_labeled_rows_are_held_out_with_their_copies_among_the_unlabeled():
    rng = np.random.default_rng(0)
    U, X, y = rng.normal(size=(23, 3)), rng.normal(size=(12, 3)), np.arange(12) % 3
    X[:5] = U[[0, 7, 14, 19, 22]]
    sample = LacSample.from_masked(X, y, X_unlabeled=U)
    plain = draw_folds(sample.y_labeled, sample.n_unlabeled, 5, random_state=0)
    folds = with_twins_together(plain, sample)
    assert folds.labeled[:4].tolist() == [0, 1, 3, 4]
    # Row 22 is never held out as an unlabeled one, and rows without a copy stay where they are.
    np.testing.assert_array_equal(folds.labeled[4:], plain.labeled[4:])


def test_folds_without_copies_are_left_as_they_are():
    rng = np.random.default_rng(0)
    sample = LacSample.from_masked(
        rng.normal(size=(9, 2)), np.arange(9) % 2, X_unlabeled=rng.normal(size=(11, 2))
    )
    plain = draw_folds(sample.y_labeled, sample.n_unlabeled, 3, random_state=1)
    np.testing.assert_array_equal(with_twins_together(plain, sample).labeled, plain.labeled)


def test_folds_stay_where_copies_abound_or_one_fold_would_hold_out_all():
    ones, y = np.ones((6, 2)), [0, 0, 0, 1, 1, 1]
    rest = np.arange(16.0).reshape(8, 2) + 2
    for U in (np.ones((9, 2)), np.vstack([np.ones((1, 2)), rest])):
        sample = LacSample.from_masked(ones, y, X_unlabeled=U)
        plain = draw_folds(sample.y_labeled, sample.n_unlabeled, 3, random_state=0)
        np.testing.assert_array_equal(with_twins_together(plain, sample).labeled, plain.labeled)


@given(codes, st.integers(2, 40), st.integers(2, 5), st.integers(1, 6), seeds)
def test_some_labeled_row_is_always_left_to_train_on(y, n_unlabeled, n_folds, n_values, seed):
    rng = np.random.default_rng(seed)
    X, U = rng.integers(0, n_values, (len(y), 1)), rng.integers(0, n_values, (n_unlabeled, 1))
    sample = LacSample.from_masked(X.astype(float), y, X_unlabeled=U.astype(float))
    folds = with_twins_together(draw_folds(y, n_unlabeled, n_folds, seed), sample)
    assert np.bincount(folds.labeled).max() < len(y)


def test_the_canonical_order_keeps_importance_with_its_rows():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 2)), np.repeat([0, 1, -1], 10)
    X[1], X[2] = X[0], X[0]  # copies that count differently
    importance = rng.uniform(0.5, 1.5, 20)
    sample = replace(LacSample.from_masked(X, y), importance=importance)
    one = in_canonical_order(sample, 0)
    back = np.random.default_rng(1).permutation(20)
    two = in_canonical_order(sample.taken(back, np.arange(10)[::-1]), 0)
    np.testing.assert_array_equal(one.importance, two.importance)
    np.testing.assert_array_equal(one.y_labeled, two.y_labeled)
    given, found = (
        np.column_stack([part.X_labeled, part.importance]).tolist() for part in (sample, one)
    )
    assert sorted(given) == sorted(found)


def test_rows_stand_in_for_a_pool_as_often_as_they_count():
    times = np.array([1, 3, 0, 2, 2, 1])
    stand_ins = rows_standing_in(times / times.mean(), seed=0)
    np.testing.assert_array_equal(np.bincount(stand_ins, minlength=6), times)


def test_rows_of_uneven_weights_stand_in_in_proportion():
    weights = np.random.default_rng(0).uniform(0.2, 1.8, 500)
    importance = weights / weights.mean()
    counts = np.bincount(rows_standing_in(importance, seed=1), minlength=500)
    assert counts.sum() == 500
    assert np.abs(counts - importance).max() <= 1.0


def test_few_rows_that_count_a_hundred_times_make_no_huge_pool():
    times = np.where(np.arange(300) < 150, 1.0, 100.0)
    assert len(rows_standing_in(times / times.mean(), seed=0)) == 300
