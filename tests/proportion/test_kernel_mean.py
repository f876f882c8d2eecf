import numpy as np
import pytest

from eulac import KernelMeanProportion

rng = np.random.default_rng(1)
PLACES = [[0.0, 0.0], [6.0, 0.0], [0.0, 0.0], [6.0, 0.0], [3.0, 6.0]]
CENTERS = np.repeat(PLACES, [90, 90, 60, 60, 120], axis=0)
X = rng.normal(CENTERS, 1.0)
Y = np.repeat([0, 1, -1], [90, 90, 240])


@pytest.mark.parametrize("rule", ["gradient", "km1", "km2"])
def test_total_is_close_on_separated_classes(rule):
    estimate = KernelMeanProportion(rule, n_resamples=3, random_state=0).fit(X, Y).estimate_
    assert estimate.total == pytest.approx(0.5, abs=0.13)
    assert estimate.method == f"kernel_mean_{rule}"
    assert estimate.interval[0] <= estimate.total <= estimate.interval[1]


@pytest.mark.parametrize("reduction", ["scores", "probabilities", None])
def test_every_reduction_gives_a_share(reduction):
    options = {"reduction": reduction, "n_resamples": 0, "random_state": 0}
    estimate = KernelMeanProportion(**options).fit(X, Y).estimate_
    assert 0.3 < estimate.total <= 0.9
    assert estimate.diagnostics["max_duality_gap"] < 1e-3


def test_per_class_shares_are_estimated_apart():
    options = {"per_class": True, "n_resamples": 0, "random_state": 0}
    estimate = KernelMeanProportion(**options).fit(X, Y).estimate_
    np.testing.assert_allclose(estimate.per_class, [0.25, 0.25], atol=0.12)
    assert estimate.method == "kernel_mean_gradient_per_class"


def test_shares_above_one_are_projected_and_said():
    # A threshold no slope reaches puts every class at its bound of 0.9.
    options = {"per_class": True, "slope_threshold": 10.0, "n_resamples": 0, "random_state": 0}
    estimate = KernelMeanProportion(**options).fit(X, Y).estimate_
    assert estimate.total == pytest.approx(1.0)
    assert estimate.diagnostics["projected"]
    assert estimate.diagnostics["at_bound"]


def test_unknown_reduction_is_refused_with_its_value():
    with pytest.raises(ValueError, match=r"`reduction` must be one of .*; got 'pca'"):
        KernelMeanProportion(reduction="pca").fit(X, Y)
