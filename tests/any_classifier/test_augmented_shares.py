"""Newness of unlabeled rows: posteriors where they are known, and the right mean everywhere."""

import numpy as np
import pytest

from eulac.any_classifier.augmented_shares import matched_shares, shares_of_new


@pytest.mark.parametrize("soft", [True, False])
@pytest.mark.parametrize("proportion", [0.0, 0.3, 0.8, 1.0])
def test_newness_averages_to_the_augmented_proportion(soft, proportion):
    rng = np.random.default_rng(0)
    known, unlabeled = rng.normal(size=200), rng.normal(-1, 2, size=300)
    newness = shares_of_new(known, np.full(200, proportion), unlabeled, soft=soft)
    assert newness.mean() == pytest.approx(1 - proportion, abs=1e-6)
    assert np.all((newness >= 0) & (newness <= 1))
    assert np.all(np.diff(newness[np.argsort(unlabeled)]) <= 1e-9)


def test_soft_newness_is_the_posterior_where_densities_are_known():
    rng = np.random.default_rng(0)
    n, proportion = 20_000, 0.5
    known = rng.normal(2, 1, n)
    unlabeled = np.where(rng.random(n) < proportion, rng.normal(2, 1, n), rng.normal(-2, 1, n))
    newness = shares_of_new(known, np.full(n, proportion), unlabeled)
    posterior = 1 / (1 + np.exp(4 * unlabeled))
    assert np.abs(newness - posterior).mean() < 0.02


def test_a_class_that_has_vanished_has_no_say():
    known, unlabeled = np.array([3.0, 4.0, -9.0, -8.0]), np.array([-9.5, -8.5, 3.5, 4.5])
    newness = shares_of_new(known, np.array([1.0, 1.0, 0.0, 0.0]), unlabeled)
    assert newness[:2].min() > 0.9
    assert newness[2:].max() < 0.1


def test_matched_shares_keep_their_order():
    shares = np.array([0.1, 0.9, 0.5])
    matched = matched_shares(shares, 0.2)
    assert matched.mean() == pytest.approx(0.2)
    np.testing.assert_array_equal(np.argsort(matched), np.argsort(shares))
