"""Samples: the two ways to hand over unlabeled rows are one, and nothing is lost on the way."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eulac.data.lac_sample import LacSample

LABELS = {
    "numbers": np.array([5, 3, 5, 8]),
    "floats": np.array([5.0, 3.0, 5.0, 8.0]),
    "strings": np.array(["cow", "ant", "cow", "fox"]),
    "objects": np.array(["cow", "ant", "cow", "fox"], dtype=object),
}


def assert_same(one, two):
    np.testing.assert_array_equal(one.X_labeled, two.X_labeled)
    np.testing.assert_array_equal(one.y_labeled, two.y_labeled)
    np.testing.assert_array_equal(one.X_unlabeled, two.X_unlabeled)
    assert one.codec.known.tolist() == two.codec.known.tolist()
    assert one.codec.augmented_label == two.codec.augmented_label


@pytest.fixture
def rows():
    return np.random.default_rng(0).normal(size=(7, 2))


@pytest.mark.parametrize("y", LABELS.values(), ids=LABELS)
@pytest.mark.parametrize("marker", [-1, "?"])
def test_masked_rows_and_further_rows_make_the_same_sample(y, marker, rows):
    masked = np.concatenate([y.astype(object), np.full(3, marker, dtype=object)])
    options = {"unlabeled_label": marker}
    apart = LacSample.from_masked(rows[:4], y, X_unlabeled=rows[4:], **options)
    assert_same(LacSample.from_masked(rows, masked, **options), apart)
    np.testing.assert_array_equal(apart.y_labeled, [1, 0, 1, 2])


def test_further_rows_come_after_masked_ones(rows):
    sample = LacSample.from_masked(rows[:4], [0, -1, 1, -1], X_unlabeled=rows[4:])
    np.testing.assert_array_equal(sample.X_unlabeled, rows[[1, 3, 4, 5, 6]])
    assert (sample.n_labeled, sample.n_unlabeled, sample.n_known_classes) == (2, 5, 2)


@pytest.mark.parametrize("y", LABELS.values(), ids=LABELS)
@pytest.mark.parametrize("marker", [-1, "?"])
def test_the_masked_form_gives_the_sample_back(y, marker, rows):
    sample = LacSample.from_masked(rows[:4], y, X_unlabeled=rows[4:], unlabeled_label=marker)
    X, masked = sample.as_masked()
    np.testing.assert_array_equal(X, rows)
    assert masked[:4].tolist() == y.tolist()
    assert_same(LacSample.from_masked(X, masked, unlabeled_label=marker), sample)


@given(codes=st.lists(st.integers(0, 3), min_size=1))
def test_labeled_frequencies_are_the_shares_of_the_classes(codes):
    sample = LacSample.from_masked(np.zeros((len(codes), 1)), codes)
    shares = [codes.count(code) / len(codes) for code in sorted(set(codes))]
    np.testing.assert_allclose(sample.labeled_frequency, shares)


def test_a_sample_without_unlabeled_rows_has_none(rows):
    sample = LacSample.from_masked(rows, [0, 1, 0, 1, 0, 1, 0])
    assert sample.X_unlabeled.shape == (0, 2)
    assert repr(sample) == (
        "LacSample(7 labeled rows of 2 known classes, 0 unlabeled rows, 2 features)"
    )


def weighted_sample(rows):
    sample = LacSample.from_masked(rows, ["b", "a", "b", "a", "-1", "-1", "-1"])
    return replace(sample, importance=np.array([0.5, 1.5, 1.0, 1.0]))


@pytest.mark.parametrize(
    ("labeled", "unlabeled"),
    [
        (np.array([3, 0]), np.array([2])),
        (np.array([True, False, False, True]), np.array([False, False, True])),
        (slice(2), slice(0)),
    ],
    ids=["numbers", "masks", "slices"],
)
def test_taken_rows_keep_their_labels_importance_and_classes(labeled, unlabeled, rows):
    sample = weighted_sample(rows)
    part = sample.taken(labeled, unlabeled)
    np.testing.assert_array_equal(part.X_labeled, sample.X_labeled[labeled])
    np.testing.assert_array_equal(part.y_labeled, sample.y_labeled[labeled])
    np.testing.assert_array_equal(part.importance, sample.importance[labeled])
    np.testing.assert_array_equal(part.X_unlabeled, sample.X_unlabeled[unlabeled])
    assert part.codec is sample.codec
    assert replace(sample, importance=None).taken(labeled, unlabeled).importance is None


def test_other_rows_keep_labels_importance_and_classes(rows):
    sample = weighted_sample(rows)
    other = sample.with_rows(X_labeled=2 * sample.X_labeled, X_unlabeled=rows[:1])
    np.testing.assert_array_equal(other.X_labeled, 2 * sample.X_labeled)
    np.testing.assert_array_equal(other.X_unlabeled, rows[:1])
    assert other.y_labeled is sample.y_labeled
    assert other.importance is sample.importance
    assert other.codec is sample.codec
    assert sample.with_rows().X_labeled is sample.X_labeled


def test_other_labeled_rows_must_be_as_many(rows):
    with pytest.raises(ValueError, match=r"a row per label, 4; got 2\. Use `taken`"):
        weighted_sample(rows).with_rows(X_labeled=rows[:2])
