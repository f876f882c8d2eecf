import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from eulac.proportion.projection import project_shares

SHARES = st.lists(st.floats(-0.5, 1.5), min_size=1, max_size=5).map(np.array)


@settings(max_examples=60, deadline=None)
@given(SHARES)
def test_result_is_feasible_and_kept_when_it_was(shares):
    projected, moved = project_shares(shares)
    assert np.all(projected >= 0)
    assert projected.sum() <= 1 + 1e-12
    if np.all(shares >= 0) and shares.sum() <= 1:
        np.testing.assert_array_equal(projected, shares)
        assert not moved


@settings(max_examples=25, deadline=None)
@given(SHARES)
def test_result_is_the_nearest_feasible_point(shares):
    nearest = minimize(
        lambda x: ((x - shares) ** 2).sum(),
        np.full(len(shares), 0.5 / len(shares)),
        bounds=[(0, 1)] * len(shares),
        constraints={"type": "ineq", "fun": lambda x: 1 - x.sum()},
        method="SLSQP",
        options={"ftol": 1e-12},
    ).x
    np.testing.assert_allclose(project_shares(shares)[0], nearest, atol=1e-4)


def test_moving_is_reported():
    assert project_shares(np.array([0.9, 0.9]))[1]
    assert project_shares(np.array([-0.1, 0.5]))[1]
    assert project_shares(np.array([0.9, 0.9]))[0].sum() == pytest.approx(1.0)
