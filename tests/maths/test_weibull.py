import numpy as np
import pytest
from scipy.stats import weibull_min

from eulac.maths.weibull import SHAPE_LIMITS, Weibull, fit_weibull, fit_weibull_low


def draw_samples(random_state=0, n_samples=20, n=30):
    """Return samples of Weibull distributions of many shapes and scales."""
    rng = np.random.default_rng(random_state)
    shape, scale = np.exp(rng.normal(0, 1, (2, n_samples, 1)))
    return scale * rng.weibull(shape, (n_samples, n))


def log_likelihood(sample, shape, scale):
    return weibull_min.logpdf(sample, shape, scale=scale).sum()


@pytest.mark.parametrize("n", [2, 5, 30, 200])
def test_fit_is_as_likely_as_the_fit_of_scipy_and_its_equal(n):
    samples = draw_samples(n, n_samples=10, n=n)
    fitted = fit_weibull(samples)
    for sample, shape, scale in zip(samples, *fitted, strict=True):
        theirs = weibull_min.fit(sample, floc=0)
        np.testing.assert_allclose([shape, 0, scale], theirs, rtol=2e-3)
        assert log_likelihood(sample, shape, scale) >= log_likelihood(sample, *theirs[::2]) - 1e-9


def test_fit_solves_the_likelihood_equations():
    samples = draw_samples()
    shape, scale = fit_weibull(samples)
    for z, k, s in zip(samples, shape, scale, strict=True):
        assert np.sum(z**k * np.log(z)) / np.sum(z**k) - 1 / k == pytest.approx(np.log(z).mean())
        assert s**k == pytest.approx(np.mean(z**k))


def test_fit_finds_the_truth_in_large_samples():
    rng = np.random.default_rng(0)
    shape, scale = fit_weibull(0.3 * rng.weibull(4.0, 100_000))
    # Asymptotic standard errors: 0.78 shape / sqrt(n) and 1.05 scale / (shape sqrt(n)).
    assert shape == pytest.approx(4.0, abs=4 * 0.78 * 4.0 / np.sqrt(1e5))
    assert scale == pytest.approx(0.3, abs=4 * 1.05 * 0.3 / 4.0 / np.sqrt(1e5))


@pytest.mark.parametrize("factor", [1e-60, 1e-3, 7.0, 1e60])
def test_scale_follows_the_unit_and_shape_does_not(factor):
    samples = draw_samples()
    plain, scaled = fit_weibull(samples), fit_weibull(factor * samples)
    np.testing.assert_allclose(scaled.shape, plain.shape, rtol=1e-9)
    np.testing.assert_allclose(scaled.scale, factor * plain.scale, rtol=1e-9)


@pytest.mark.parametrize("power", [0.5, 3.0])
def test_powers_of_values_divide_the_shape(power):
    samples = draw_samples()
    plain, bent = fit_weibull(samples), fit_weibull(samples**power)
    np.testing.assert_allclose(bent.shape, plain.shape / power, rtol=1e-9)
    np.testing.assert_allclose(bent.scale, plain.scale**power, rtol=1e-9)


def test_samples_do_not_depend_on_each_other_nor_on_the_order_of_values():
    samples = np.vstack([draw_samples(), np.ones((1, 30)), np.linspace(0, 1, 30)[None]])
    together = fit_weibull(samples)
    for row, sample in enumerate(samples):
        alone = fit_weibull(sample)
        assert (alone.shape, alone.scale) == (together.shape[row], together.scale[row])
    turned = fit_weibull(samples[:, ::-1])
    np.testing.assert_allclose(turned.shape, together.shape, rtol=1e-10)


def test_samples_may_have_any_number_of_axes():
    samples = draw_samples()
    flat, cube = fit_weibull(samples), fit_weibull(samples.reshape(4, 5, 30))
    np.testing.assert_array_equal(cube.shape.ravel(), flat.shape)
    np.testing.assert_array_equal(cube.scale.ravel(), flat.scale)
    assert fit_weibull(samples[0]).shape.shape == ()


def test_weights_count_values():
    rng = np.random.default_rng(0)
    samples, counts = draw_samples(), rng.integers(0, 4, (20, 30))
    fitted = fit_weibull(samples, counts)
    for row, (sample, count) in enumerate(zip(samples, counts, strict=True)):
        repeated = fit_weibull(np.repeat(sample, count))
        assert fitted.shape[row] == pytest.approx(repeated.shape, rel=1e-9)
        assert fitted.scale[row] == pytest.approx(repeated.scale, rel=1e-9)


@pytest.mark.parametrize("nothing", [np.inf, np.nan, -1.0, 0.0, 1e308])
def test_values_of_weight_zero_may_be_anything(nothing):
    samples = draw_samples()
    padded = np.hstack([samples, np.full((20, 5), nothing)])
    fitted = fit_weibull(padded, np.arange(35) < 30)
    np.testing.assert_allclose(fitted.shape, fit_weibull(samples).shape, rtol=1e-10)
    np.testing.assert_allclose(fitted.scale, fit_weibull(samples).scale, rtol=1e-10)


@pytest.mark.parametrize("n", [1, 2, 50])
@pytest.mark.parametrize("value", [1e-200, 0.3, 1e200])
def test_equal_values_give_a_step_at_that_value(n, value):
    weibull = fit_weibull(np.full(n, value))
    assert weibull.shape == pytest.approx(SHAPE_LIMITS[1])
    assert weibull.scale == pytest.approx(value)
    np.testing.assert_allclose(weibull.survival(value * np.array([0.99, 1.01])), [1, 0], atol=1e-9)


def test_two_values_that_differ_have_a_fit_between_them():
    weibull = fit_weibull(np.array([1.0, 3.0]))
    assert 1 < weibull.scale < 3
    assert SHAPE_LIMITS[0] < weibull.shape < SHAPE_LIMITS[1]


@pytest.mark.parametrize("sample", [[0.0], [0.0, 0.0], [0.0, 1.0], [0.0, 1.0, 2.0, 3.0]])
def test_zeros_leave_parameters_positive_and_finite(sample):
    weibull = fit_weibull(np.array(sample))
    assert SHAPE_LIMITS[0] * (1 - 1e-9) <= weibull.shape <= SHAPE_LIMITS[1] * (1 + 1e-9)
    assert 0 < weibull.scale < np.inf


@pytest.mark.parametrize(("value", "quoted"), [(-0.5, "-0.5"), (np.nan, "nan"), (np.inf, "inf")])
def test_values_no_weibull_distribution_takes_are_refused(value, quoted):
    with pytest.raises(ValueError, match=rf"finite and not negative; got .*{quoted}"):
        fit_weibull(np.array([1.0, value]))


def test_samples_without_values_are_refused():
    with pytest.raises(ValueError, match="at least one value per sample"):
        fit_weibull(np.empty((2, 0)))
    with pytest.raises(ValueError, match="at least one value per sample"):
        fit_weibull(np.ones((2, 3)), np.array([[1, 0, 0], [0, 0, 0]]))


def test_survival_and_cdf_are_those_of_scipy():
    weibull = fit_weibull(draw_samples())
    z = np.linspace(-1, 20, 50)[:, None]
    theirs = weibull_min(weibull.shape, scale=weibull.scale)
    np.testing.assert_allclose(weibull.survival(z), theirs.sf(z), atol=1e-14)
    np.testing.assert_allclose(weibull.cdf(z), theirs.cdf(z), atol=1e-14)
    np.testing.assert_allclose(weibull.cdf(z) + weibull.survival(z), 1, rtol=1e-14)
    assert np.all(weibull.survival(z[z <= 0][:, None]) == 1)


def test_cdf_of_small_values_keeps_its_digits():
    weibull = Weibull(np.array(2.0), np.array(1.0))
    assert weibull.cdf(np.array(1e-9)) == pytest.approx(1e-18, rel=1e-12)


def test_log_hazard_is_the_double_log_of_survival_and_goes_on_where_that_vanishes():
    weibull = Weibull(np.array(30.0), np.array(2.0))
    z = np.linspace(1, 2.2, 20)
    np.testing.assert_allclose(weibull.log_hazard(z), np.log(-np.log(weibull.survival(z))))
    far = np.geomspace(3, 1e30, 20)
    assert np.all(weibull.survival(far) == 0)
    assert np.all(np.diff(weibull.log_hazard(far)) > 0)


def test_low_fit_is_that_of_the_tail_turned_round_and_shifted_by_one():
    values = np.random.default_rng(0).normal(size=100)
    weibull, zero = fit_weibull_low(values, n_tail=20)
    tail = np.sort(values)[:20]
    assert zero == tail[-1] + 1
    expected = fit_weibull(1 + tail[-1] - tail)
    assert (weibull.shape, weibull.scale) == (expected.shape, expected.scale)


def test_low_fit_calls_values_below_the_tail_extreme_and_those_above_not():
    values = np.random.default_rng(0).normal(size=100)
    weibull, zero = fit_weibull_low(values, n_tail=20)
    extreme = weibull.cdf(zero - np.array([-9.0, -2.0, -1.5, 0.0, 5.0]))
    assert np.all(np.diff(extreme) <= 0)
    assert extreme[0] > 0.999
    assert extreme[-1] == 0


@pytest.mark.parametrize("values", [[1.0], [1.0, 2.0], [3.0, 3.0, 3.0]])
def test_low_fit_of_few_or_equal_values_is_defined(values):
    weibull, zero = fit_weibull_low(np.array(values), n_tail=50)
    assert zero == max(values) + 1
    assert weibull.cdf(np.asarray(zero - min(values) + 1)) > 0.5
    assert np.isfinite(weibull.scale)
    assert weibull.scale > 0
