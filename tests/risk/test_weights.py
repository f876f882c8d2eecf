"""Row weights: labeled rows stand for the known part of the test distribution."""

from dataclasses import replace

import numpy as np
import pytest

from eulac.data.labels import LabelCodec
from eulac.data.lac_sample import LacSample
from eulac.risk.weights import class_weights, labeled_weights, sample_weights

LABELS = {
    "balanced": np.array([0, 1, 2, 0, 1, 2]),
    "uneven": np.array([0, 0, 0, 0, 1, 1, 2]),
    "one class": np.zeros(4, dtype=int),
}
each_labeling = pytest.mark.parametrize("y", LABELS.values(), ids=LABELS)


def frequency(y):
    return np.bincount(y) / len(y)


@each_labeling
@pytest.mark.parametrize("known_proportion", [0.0, 0.3, 1.0])
def test_shift_weights_reduce_to_base_when_priors_agree(y, known_proportion):
    weights = labeled_weights(y, known_proportion * frequency(y))
    np.testing.assert_allclose(weights, known_proportion, rtol=1e-12)


@each_labeling
def test_weights_of_a_class_sum_to_its_share_and_all_to_the_known_proportion(y):
    per_class = np.array([0.1, 0.25, 0.4])[: y.max() + 1]
    weights = labeled_weights(y, per_class)
    np.testing.assert_allclose(np.bincount(y, weights) / len(y), per_class, rtol=1e-12)
    assert weights.mean() == pytest.approx(per_class.sum(), rel=1e-12)


def test_a_class_without_labeled_rows_leaves_the_other_weights_alone():
    y = np.array([0, 0, 2, 2])
    np.testing.assert_allclose(labeled_weights(y, np.array([0.2, 0.3, 0.1])), [0.4, 0.4, 0.2, 0.2])


def test_weights_follow_their_rows():
    y, per_class = LABELS["uneven"], np.array([0.1, 0.25, 0.4])
    order = np.random.default_rng(0).permutation(len(y))
    np.testing.assert_array_equal(
        labeled_weights(y[order], per_class), labeled_weights(y, per_class)[order]
    )


def test_class_weights_average_to_the_known_proportion():
    per_class = np.array([0.1, 0.2, 0.3])
    for codes in ([0, 1, 2], [0, 0, 0, 1, 2, 2], [1, 1, 2, -1, -1, 3], [0, 3]):
        codes = np.array(codes)
        known = codes[(codes >= 0) & (codes < 3)]
        assert class_weights(codes, per_class)[known].mean() == pytest.approx(0.6)
    np.testing.assert_array_equal(class_weights(np.array([-1, 3]), per_class), 0)
    np.testing.assert_array_equal(class_weights(np.array([0, 1]), np.zeros(3)), 0)


def test_a_row_that_counts_as_several_weighs_as_much_as_they_do():
    y, per_class = LABELS["uneven"], np.array([0.1, 0.25, 0.4])
    times = np.array([1, 3, 0, 2, 1, 1, 4])
    weights = labeled_weights(y, per_class, times / times.mean())
    repeated = labeled_weights(np.repeat(y, times), per_class)
    together = np.bincount(np.repeat(np.arange(len(y)), times), repeated)
    np.testing.assert_allclose(weights / len(y), together / times.sum())


def test_a_sample_brings_the_importance_of_its_rows():
    codec = LabelCodec.from_labels([0, 1])
    y, importance = np.array([0, 0, 1, 1]), np.array([0.5, 1.5, 1.0, 1.0])
    sample = LacSample(np.zeros((4, 1)), y, np.zeros((2, 1)), codec)
    per_class = np.array([0.2, 0.4])
    np.testing.assert_allclose(sample_weights(sample, per_class), [0.4, 0.4, 0.8, 0.8])
    weighted = replace(sample, importance=importance)
    np.testing.assert_allclose(sample_weights(weighted, per_class), [0.2, 0.6, 0.8, 0.8])


def test_a_class_nobody_labeled_is_stood_in_for_by_the_others():
    weights = class_weights(np.array([0, 0, 2, -1]), np.array([0.2, 0.3, 0.1]))
    # All that is known, 0.6, as 0.2 to 0.1; the first class has two of three rows.
    np.testing.assert_allclose(weights[[0, 2]], [0.6, 0.6])
