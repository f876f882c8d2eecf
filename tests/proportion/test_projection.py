"""Projection of shares: feasible, nearest, and flagged only when it moved something."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from eulac.proportion.kernel_mean import project_shares

shares = st.lists(st.floats(-2, 3), min_size=1, max_size=6).map(np.array)


def nearest_feasible(wanted):
    """Return the nearest feasible point as a general solver finds it."""
    return minimize(
        lambda x: np.sum((x - wanted) ** 2),
        np.full(len(wanted), 0.5 / len(wanted)),
        jac=lambda x: 2 * (x - wanted),
        bounds=[(0, 1)] * len(wanted),
        constraints={
            "type": "ineq",
            "fun": lambda x: 1 - x.sum(),
            "jac": lambda x: -np.ones(len(x)),
        },
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 500},
    ).x


@given(shares)
def test_the_result_is_feasible(wanted):
    projected, _ = project_shares(wanted)
    assert np.all(projected >= 0)
    assert projected.sum() <= 1 + 1e-9


@settings(max_examples=60, deadline=None)
@given(shares)
def test_the_result_is_the_nearest_feasible_point(wanted):
    projected, _ = project_shares(wanted)
    other = nearest_feasible(wanted)
    np.testing.assert_allclose(projected, other, atol=1e-4)
    assert np.linalg.norm(projected - wanted) <= np.linalg.norm(other - wanted) + 1e-6


@given(shares)
def test_projecting_twice_changes_nothing_more(wanted):
    once, _ = project_shares(wanted)
    twice, moved = project_shares(once)
    np.testing.assert_allclose(twice, once, atol=1e-12)
    assert not moved


@pytest.mark.parametrize("wanted", [[0.0], [1.0], [0.2, 0.3], [0.5, 0.5], [0.0, 0.0, 1.0]])
def test_feasible_shares_stay_and_are_not_flagged(wanted):
    projected, moved = project_shares(np.array(wanted))
    np.testing.assert_array_equal(projected, wanted)
    assert moved is False


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ([1.4], [1.0]),
        ([-0.1, 0.4], [0.0, 0.4]),
        ([0.9, 0.9], [0.5, 0.5]),
        ([1.2, 0.1], [1.0, 0.0]),  # the smaller share falls to zero before the sum is one
    ],
)
def test_others_are_moved_and_flagged(wanted, expected):
    projected, moved = project_shares(np.array(wanted))
    np.testing.assert_allclose(projected, expected, atol=1e-12)
    assert moved is True
