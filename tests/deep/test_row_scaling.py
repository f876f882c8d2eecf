import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra `deep`")
from eulac.deep.row_scaling import RowScaling, as_channels_first


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ((2, 5), (2, 5)),
        ((2, 8, 9), (2, 1, 8, 9)),
        ((2, 3, 8, 9), (2, 3, 8, 9)),
        ((2, 8, 9, 3), (2, 3, 8, 9)),
        ((2, 1, 8, 3), (2, 1, 8, 3)),  # channels first wins where both would do
    ],
)
def test_channels_come_first(shape, expected):
    assert as_channels_first(np.zeros(shape)).shape == expected


@pytest.mark.parametrize("shape", [(2,), (2, 5, 6, 7), (2, 3, 4, 5, 6)])
def test_other_shapes_are_refused_and_quoted(shape):
    with pytest.raises(ValueError, match=r"got the shape \(" + ", ".join(map(str, shape))):
        as_channels_first(np.zeros(shape))


@pytest.mark.parametrize("shape", [(200, 4), (50, 3, 6, 6)])
def test_scaled_rows_have_mean_zero_and_spread_one_in_each_channel(shape):
    X = np.random.default_rng(0).normal(5, 3, shape)
    scaled = RowScaling.of(X).scaled(X)
    assert scaled.dtype == np.float32
    axes = (0, 2, 3) if len(shape) == 4 else (0,)
    np.testing.assert_allclose(scaled.mean(axis=axes), 0, atol=1e-5)
    np.testing.assert_allclose(scaled.std(axis=axes), 1, atol=1e-5)


def test_a_constant_feature_becomes_zero():
    X = np.full((10, 2), 7.0)
    assert (RowScaling.of(X).scaled(X) == 0).all()


def test_rows_beyond_single_precision_are_moved_in():
    scaling = RowScaling.of(np.array([[0.0, 1e-3], [1.0, 2e-3]]))
    scaled = scaling.scaled(np.array([[1e60, -1e60], [0.5, 1.5e-3]]))
    assert np.isfinite(np.square(scaled)).all()
    np.testing.assert_allclose(scaled[1], 0.0, atol=1e-5)
    assert scaled[0, 0] > 1e14 > -1e14 > scaled[0, 1]
