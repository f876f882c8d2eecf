"""Feature maps: inner products are kernel values, and a row's features are its own."""

import numpy as np
import pytest

from eulac.maths.feature_maps import LANDMARK_CHOICES, FourierMap, NystroemMap, choose_landmarks
from eulac.maths.kernels import GaussianKernel

KERNEL = GaussianKernel(1.5)


def draw(n=300, seed=0):
    return np.random.default_rng(seed).normal(size=(n, 4))


def test_nystroem_is_exact_where_a_landmark_is_one_of_the_rows():
    X, new = draw(80), draw(50, seed=1)
    feature_map = NystroemMap.of(X, 1.5, cut=1e-13)
    inner = feature_map.transform(new) @ feature_map.transform(X).T
    np.testing.assert_allclose(inner, KERNEL.block(new, X), atol=1e-8)


def test_features_never_claim_more_than_the_kernel():
    feature_map = NystroemMap.of(draw(40), 1.5)
    squares = np.square(feature_map.transform(draw(500, seed=2))).sum(axis=1)
    assert squares.max() <= 1 + 1e-9


def test_landmarks_that_repeat_others_are_left_out():
    X = draw(30)
    feature_map = NystroemMap.of(np.vstack([X, X, X[:5] + 1e-9]), 1.5)
    assert feature_map.n_features == 30
    assert np.all(np.isfinite(feature_map.transform(X)))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("kind", ["nystroem", "fourier"])
def test_features_of_a_row_do_not_depend_on_its_chunk(kind, dtype):
    X = draw(2500)
    feature_map = (
        NystroemMap.of(X[:100], 1.5, dtype=dtype)
        if kind == "nystroem"
        else FourierMap.draw(4, 100, 1.5, random_state=0, dtype=dtype)
    )
    whole = feature_map.transform(X)
    assert whole.shape == (2500, feature_map.n_features)
    assert whole.dtype == dtype
    pieces = np.vstack([feature_map.transform(part) for part in np.array_split(X, 7)])
    np.testing.assert_allclose(pieces, whole, atol=1e-11 if dtype == "float64" else 1e-2)


def test_single_precision_stays_close_to_double():
    X = draw(500)
    double, single = (NystroemMap.of(X[:200], 1.5, dtype=d) for d in ("float64", "float32"))
    inner = [m.transform(X) @ m.transform(X[:50]).T for m in (double, single)]
    np.testing.assert_allclose(inner[1], inner[0], atol=2e-3)


def test_rows_far_beyond_single_precision_have_features():
    X = draw()
    for features in (
        NystroemMap.of(X[:20], 1.0, dtype="float32"),
        FourierMap.draw(X.shape[1], 20, 1.0, random_state=0, dtype="float32"),
    ):
        assert np.isfinite(features.transform(np.full((2, X.shape[1]), 1e70))).all()


def test_fourier_features_tend_to_the_kernel():
    X = draw(60)
    errors = []
    for n_features in (100, 10_000):
        features = FourierMap.draw(4, n_features, 1.5, random_state=0).transform(X)
        errors.append(np.abs(features @ features.T - KERNEL.block(X, X)).mean())
    assert errors[1] < 0.02 < errors[0]
    np.testing.assert_allclose(np.square(features).sum(axis=1), 1.0)


@pytest.mark.parametrize("choice", LANDMARK_CHOICES)
def test_landmarks_are_rows_and_no_two_the_same(choice):
    X = draw()
    landmarks = choose_landmarks(X, 40, 1.5, choice, random_state=0)
    assert landmarks.shape == (40, 4)
    assert len(np.unique(np.vstack([X, landmarks]), axis=0)) == len(X)
    assert len(np.unique(landmarks, axis=0)) == 40
    np.testing.assert_array_equal(landmarks, choose_landmarks(X, 40, 1.5, choice, random_state=0))
    assert choose_landmarks(X[:10], 40, 1.5, choice).shape == (10, 4)


def test_chosen_landmarks_leave_less_unexplained_than_the_first_rows():
    X = np.vstack([draw(280), draw(20, seed=1) + 8.0])

    def unexplained(choice):
        feature_map = NystroemMap.of(choose_landmarks(X, 40, 1.5, choice, random_state=0), 1.5)
        return 1.0 - np.square(feature_map.transform(X)).sum(axis=1).mean()

    assert max(unexplained("kmeans++"), unexplained("leverage")) < unexplained("uniform")


def test_an_unknown_choice_is_refused():
    with pytest.raises(ValueError, match="got 'best'"):
        choose_landmarks(draw(), 4, 1.0, "best")
