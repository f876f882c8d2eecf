import numpy as np
import pytest

from eulac import GivenProportion, ShiftedProportion

rng = np.random.default_rng(0)
X = rng.normal(np.repeat([0.0, 9.0, 0.0, 9.0], [60, 60, 160, 40])[:, None], 1.0, (320, 2))
Y = np.repeat([0, 1, -1], [60, 60, 200])


def test_total_is_kept_and_divided_by_estimated_priors():
    estimate = ShiftedProportion(GivenProportion(0.9), random_state=0).fit(X, Y).estimate_
    assert estimate.total == pytest.approx(0.9)
    np.testing.assert_allclose(estimate.per_class, [0.72, 0.18], atol=0.05)
    assert estimate.diagnostics["priors_moved"]


def test_without_shift_the_inner_estimate_is_returned():
    inner = GivenProportion(0.9)
    estimate = ShiftedProportion(inner, shift=False).fit(X, Y).estimate_
    np.testing.assert_allclose(estimate.per_class, [0.45, 0.45])
