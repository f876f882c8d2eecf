"""Samples of rows that no order, chunk or worker changes."""

import numpy as np
import pytest

from eulac.data.row_sketch import RowSketch, RowSurvey, fold_of_rows, hash_rows

PARTS = ("rows", "codes", "hashes", "counts")


def draw(n=500, width=3, seed=0):
    return np.random.default_rng(seed).normal(size=(n, width))


def assert_same(one, two):
    for name in PARTS:
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))


def test_a_hash_depends_on_values_places_and_seed_only():
    X = draw()
    hashes = hash_rows(X)
    np.testing.assert_array_equal(hashes, hash_rows(np.asfortranarray(X)))
    np.testing.assert_array_equal(hashes[::2], hash_rows(X[::2]))
    assert len(np.unique(hashes)) == len(X)
    assert not np.any(hashes == hash_rows(X, seed=1))
    assert not np.any(hashes == hash_rows(X[:, ::-1]))


def test_small_whole_numbers_hash_without_collisions_and_evenly():
    rows = np.stack(np.meshgrid(*[np.arange(40.0)] * 3), axis=-1).reshape(-1, 3)
    hashes = hash_rows(rows)
    assert len(np.unique(hashes)) == len(rows)
    # 64,000 rows in 16 bins: 4,000 each, standard deviation 61.
    for counts in (
        np.bincount((hashes >> np.uint64(60)).astype(int), minlength=16),
        np.bincount(fold_of_rows(hashes, 16), minlength=16),
    ):
        assert np.abs(counts - 4000).max() < 300


def test_folds_say_nothing_about_which_rows_are_kept():
    hashes = hash_rows(draw(20_000))
    low = np.sort(hashes)[:2000]
    counts = np.bincount(fold_of_rows(low, 5), minlength=5)
    assert np.abs(counts - 400).max() < 100


@pytest.mark.parametrize("n_parts", [1, 2, 5])
def test_the_sketch_of_parts_is_the_sketch_of_the_whole(n_parts):
    X, codes = draw(), np.resize([0, 1, 0, 2], 500)
    codes[7] = 3  # a class with a single row
    options = {"capacity": 50, "floor": 4}
    whole = RowSketch.of(X, codes, hash_rows(X), **options)
    order = np.random.default_rng(1).permutation(len(X))
    parts = [
        RowSketch.of(X[i], codes[i], hash_rows(X[i]), **options)
        for i in np.array_split(order, n_parts)
    ]
    merged = parts[0]
    for part in parts[1:]:
        merged = part.merge(merged)
    assert_same(merged, whole)
    assert 3 in whole.codes
    assert 50 <= len(whole.rows) <= 50 + 4 * 4


def test_copies_are_counted_once_kept():
    X = np.repeat(draw(30), np.arange(1, 31), axis=0)
    halves = [RowSketch.of(part, capacity=10) for part in (X[::2], X[1::2])]
    merged = halves[0].merge(halves[1])
    distinct, counts = np.unique(X, axis=0, return_counts=True)
    place = {tuple(row): count for row, count in zip(distinct, counts, strict=True)}
    assert [place[tuple(row)] for row in merged.rows] == merged.counts.tolist()
    rows, _, hashes, _ = merged.sample(limit=10**6)
    assert len(rows) == merged.counts.sum() == len(hashes)
    few, _, _, _ = merged.sample(limit=12)
    assert len(few) == 12


def test_a_sample_is_drawn_evenly():
    X = np.linspace(0, 1, 20_000)[:, None]
    rows = RowSketch.of(X, capacity=2000).sample().rows
    assert len(rows) == 2000
    assert abs(rows.mean() - 0.5) < 4 * np.sqrt(1 / 12 / 2000)


def test_surveys_merge_labels_seen_in_different_chunks():
    X = draw(90)
    labels = np.array(["ant", "bee", "cow"])
    codes = np.resize([0, 1, 2, -1], 90)
    whole = RowSurvey.of(X, codes, labels, n_kept=60)
    first = np.isin(codes, [1, -1])
    parts = [
        RowSurvey.of(X[first], np.where(codes[first] == 1, 0, -1), labels[1:2], n_kept=60),
        RowSurvey.of(X[~first], codes[~first] // 2, labels[[0, 2]], n_kept=60),
    ]
    for merged in (RowSurvey.merged(parts), RowSurvey.merged(parts[::-1])):
        np.testing.assert_array_equal(merged.labels, labels)
        np.testing.assert_array_equal(merged.class_counts, whole.class_counts)
        assert merged.n_unlabeled == whole.n_unlabeled
        assert_same(merged.labeled, whole.labeled)
        assert_same(merged.unlabeled, whole.unlabeled)


def test_surveys_of_texts_and_numbers_do_not_mix():
    X = draw(4)
    one = RowSurvey.of(X, np.zeros(4, dtype=int), np.array(["a"]), n_kept=9)
    two = RowSurvey.of(X, np.zeros(4, dtype=int), np.array([1]), n_kept=9)
    empty = RowSurvey.of(X, np.full(4, -1), np.array([], dtype=int), n_kept=9)
    with pytest.raises(ValueError, match="all strings or all numbers"):
        one.merge(two)
    assert empty.merge(one).labels.tolist() == ["a"]
