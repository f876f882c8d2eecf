import numpy as np
import pytest

from eulac.maths.two_kink_losses import TwoKinkLosses

GRID = np.linspace(-8.0, 8.0, 16_001)


def draw_losses(random_state, n=12):
    """Return random losses, some with kinks that coincide or that are none."""
    rng = np.random.default_rng(random_state)
    kinks, slopes = rng.normal(0, 1, (n, 2)), rng.normal(0, 2, (n, 3))
    kinks[:3, 1] = kinks[:3, 0]
    slopes[2:5, 1] = slopes[2:5, 2]
    slopes[5:7, 1] = slopes[5:7, 0]
    return TwoKinkLosses(np.sort(kinks), np.sort(slopes))


def one_of(losses, i):
    return TwoKinkLosses(
        np.repeat(losses.kinks[i : i + 1], len(GRID), axis=0),
        np.repeat(losses.slopes[i : i + 1], len(GRID), axis=0),
    )


@pytest.mark.parametrize("random_state", range(3))
def test_slopes_between_the_kinks_are_those_given(random_state):
    losses = draw_losses(random_state)
    for i in range(len(losses.kinks)):
        differences = np.diff(one_of(losses, i).values(GRID)) / np.diff(GRID)
        middle = 0.5 * (GRID[1:] + GRID[:-1])
        piece = np.searchsorted(losses.kinks[i], middle)
        is_clear = np.abs(middle[:, None] - losses.kinks[i]).min(axis=1) > 1e-3
        np.testing.assert_allclose(differences[is_clear], losses.slopes[i, piece[is_clear]])


@pytest.mark.parametrize("random_state", range(3))
def test_conjugates_are_the_largest_differences_from_a_line(random_state):
    losses = draw_losses(random_state)
    rng = np.random.default_rng(random_state)
    left, _, right = losses.slopes.T
    for duals in (left, right, left + rng.uniform(0, 1, len(left)) * (right - left)):
        conjugates = losses.conjugates(duals)
        for i, dual in enumerate(duals):
            brute = np.max(dual * GRID - one_of(losses, i).values(GRID))
            assert conjugates[i] == pytest.approx(brute, abs=1e-2)
            assert conjugates[i] >= brute - 1e-9


@pytest.mark.parametrize("random_state", range(3))
def test_envelope_slopes_are_those_of_the_smoothed_loss(random_state):
    losses = draw_losses(random_state)
    rng = np.random.default_rng(random_state)
    outputs, softness = rng.normal(0, 1.5, 12), np.exp(rng.normal(-1, 1, 12))
    slopes, pieces = losses.envelope_slopes(outputs, softness)
    for i in range(12):
        smoothed = one_of(losses, i).values(GRID) + (GRID - outputs[i]) ** 2 / (2 * softness[i])
        nearest = GRID[smoothed.argmin()]
        # The grid is 0.001 wide.
        assert slopes[i] == pytest.approx(
            (outputs[i] - nearest) / softness[i], abs=2e-3 / softness[i]
        )
        if pieces[i] % 2:
            assert nearest == pytest.approx(losses.kinks[i, pieces[i] // 2], abs=1e-3)
        else:
            assert slopes[i] == losses.slopes[i, pieces[i] // 2]


def test_a_kink_that_is_none_has_no_piece():
    hinge = TwoKinkLosses(np.array([[1.0, 1.0]] * 9), np.array([[-1.0, 0.0, 0.0]] * 9))
    _, pieces = hinge.envelope_slopes(np.linspace(-1.0, 2.0, 9), np.full(9, 0.5))
    assert set(pieces) == {0, 1, 4}
