"""Row weights: labeled rows stand for the known part of the test distribution."""

import numpy as np
import pytest

from eulac.risk.weights import class_weights, labeled_weights

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
