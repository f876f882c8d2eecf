import numpy as np
import pytest
from sklearn.base import clone

from eulac.any_classifier.kernel_features import KernelLandmarks, NearRows


@pytest.fixture
def rows():
    return np.random.default_rng(0).normal(size=(60, 3))


def test_with_all_rows_as_landmarks_products_are_the_kernel(rows):
    features = KernelLandmarks(random_state=0).fit(rows)
    Z = features.transform(rows)
    squares = ((rows[:, None] - rows[None]) ** 2).sum(axis=2)
    np.testing.assert_allclose(Z @ Z.T, np.exp(-features.map_.gamma * squares), atol=1e-6)


def test_the_width_follows_the_scale_of_the_rows(rows):
    one, two = (KernelLandmarks(random_state=0).fit(scale * rows) for scale in (1, 1000))
    np.testing.assert_allclose(one.transform(rows[:5]), two.transform(1000 * rows[:5]), atol=1e-6)


def test_rows_that_are_all_the_same_have_features(rows):
    features = KernelLandmarks(random_state=0).fit_transform(np.ones((20, 2)))
    assert np.isfinite(features).all()


def test_there_are_no_more_landmarks_than_asked_for(rows):
    assert KernelLandmarks(n_landmarks=7, random_state=0).fit_transform(rows).shape == (60, 7)


def test_the_seed_decides_and_survives_cloning(rows):
    features = KernelLandmarks(n_landmarks=7, random_state=0)
    one, two = features.fit_transform(rows), clone(features).fit_transform(rows)
    np.testing.assert_array_equal(one, two)


def test_neighbors_are_as_many_as_there_are_rows(rows):
    near = NearRows(n_neighbors=15).fit(rows[:4], [0, 1, 0, 1])
    np.testing.assert_allclose(near.predict_proba(rows[:2]), 0.5)
    assert near.kneighbors(rows[:2], return_distance=False).shape == (2, 4)
