"""DEDPUL: the mode of the density ratio over known rows, or a sentence saying why there is none."""

import numpy as np
import pytest
from scipy.optimize import isotonic_regression
from scipy.stats import norm
from sklearn.dummy import DummyClassifier

from eulac.proportion.dedpul import DedpulProportion, dedpul, density_ratio
from proportion.contract import easy_mixture, parametrize_with_contract

QUICK = DedpulProportion(n_resamples=20, random_state=0)


@parametrize_with_contract([(QUICK, 0.08)])
def test_contract(estimator, tolerance, check):
    check(estimator, tolerance)


def mixture_scores(theta, *, gap=5.0, n=400, m=800, seed=0):
    """Return scores of known rows, and of unlabeled ones of which some are `gap` lower."""
    rng = np.random.default_rng(seed)
    n_known = round(theta * m)
    new = rng.normal(-gap, 1, m - n_known)
    return rng.normal(size=n), np.append(rng.normal(size=n_known), new)


def naive_ratio(known, unlabeled):
    """Return the ratio of two sums of Gaussian bumps, made monotone."""
    width = min(len(known), len(unlabeled)) ** -0.2 * np.std(np.append(known, unlabeled))
    at = np.sort(known)[:, None]
    bumps = (norm.pdf(at, scores, width).mean(axis=1) for scores in (unlabeled, known))
    return isotonic_regression(np.divide(*bumps), increasing=False).x


@pytest.mark.parametrize(("n", "m"), [(300, 200), (40, 500), (3, 4)])
def test_binned_densities_give_the_ratio_of_plain_ones(n, m):
    scores = mixture_scores(0.5, n=n, m=m)
    np.testing.assert_allclose(density_ratio(*scores), naive_ratio(*scores), rtol=5e-3, atol=1e-5)


def test_the_ratio_never_increases_with_the_score():
    assert np.all(np.diff(density_ratio(*mixture_scores(0.5, gap=1.0))) <= 1e-12)


@pytest.mark.parametrize("theta", [0.1, 0.3, 0.5, 0.7, 0.9, 1.0])
def test_the_proportion_is_found_where_scores_separate(theta):
    values = [dedpul(*mixture_scores(theta, seed=seed)).value for seed in range(4)]
    assert abs(np.mean(values) - theta) < 0.05


def test_smoothing_leaves_the_proportion_of_a_mixture_alone():
    known = np.random.default_rng(0).normal(size=300)
    for n_new in (100, 300, 900):
        unlabeled = np.append(known, np.linspace(-60, -40, n_new))
        expected = 300 / (300 + n_new)
        assert dedpul(known, unlabeled).value == pytest.approx(expected, rel=0.01)
        assert dedpul(known, unlabeled).diagnostics["support"] == 1.0


def em(ratio, tolerance=1e-5):
    """Return the paper's fixed point, from the ratio over known rows."""
    value = 1.0
    for _ in range(1000):
        gap = np.maximum(value - ratio, 0).mean()
        if gap < tolerance:
            break
        value -= gap
    return value


def test_em_of_either_ratio_is_the_same_step():
    """Mean of min(1, t r) over unlabeled rows is t less the mean of max(t - g, 0) over known."""
    known, unlabeled = np.array([0.1, 0.3, 0.6]), np.array([0.5, 0.3, 0.2])  # shares of three bins
    r, g = known / unlabeled, unlabeled / known
    for t in (0.2, 0.5, 1.0):
        step = unlabeled @ np.minimum(1, t * r)
        assert step == pytest.approx(t - known @ np.maximum(t - g, 0))


def test_the_mode_errs_less_than_em():
    errors = []
    for theta in (0.1, 0.5, 0.9, 1.0):
        for seed in range(3):
            scores = mixture_scores(theta, gap=3.0, seed=seed)
            estimates = dedpul(*scores).value, em(density_ratio(*scores))
            errors.append(np.abs(np.array(estimates) - theta))
    by_mode, by_em = np.mean(errors, axis=0)
    assert by_mode < 0.04 < by_em


def test_neither_order_nor_units_of_scores_matter():
    known, unlabeled = mixture_scores(0.4)
    plain = dedpul(known, unlabeled)
    assert dedpul(known[::-1], unlabeled[::-1]).value == pytest.approx(plain.value)
    moved = dedpul(20 * known + 7, 20 * unlabeled + 7)
    assert moved.value == pytest.approx(plain.value, rel=0.01)


def test_the_ends_are_flagged():
    known, new = mixture_scores(0.0, gap=40.0)
    all_new, nothing_new = dedpul(known, new), dedpul(known, known)
    assert (all_new.value, all_new.at_bound) == (0.0, True)
    assert (nothing_new.value, nothing_new.at_bound) == (1.0, True)
    assert not dedpul(*mixture_scores(0.5)).at_bound


@pytest.mark.parametrize("seed", [5, 8, 18])
def test_no_more_than_all_rows_are_known(seed):
    rng = np.random.default_rng(seed)  # the density of ratios still rises where they are one
    known, unlabeled = rng.normal(size=60), rng.normal(size=60)
    assert dedpul(known, unlabeled).value == 1.0


@pytest.mark.parametrize("value", [0.0, 0.3, -7.25])
def test_equal_scores_are_refused(value):
    with pytest.raises(ValueError, match=rf"scores that differ; all 7 are {value:.6g}\. Use a"):
        dedpul(np.full(3, value), np.full(4, value))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_scores_must_be_finite(bad):
    with pytest.raises(ValueError, match=r"got 2 of known and 3 of unlabeled rows, 4 of all fin"):
        dedpul(np.array([0.0, bad]), np.arange(3.0))


def test_both_samples_must_have_scores():
    with pytest.raises(ValueError, match=r"finite scores of both samples; got 0 of known and 3"):
        dedpul(np.empty(0), np.arange(3.0))


def test_a_classifier_that_says_nothing_is_no_estimate_of_one():
    X, y = easy_mixture(0.5)
    estimator = DedpulProportion(DummyClassifier(strategy="constant", constant=1))
    with pytest.raises(ValueError, match=r"scores that differ; all 400 are"):
        estimator.fit(X, y)


def test_the_support_is_the_share_of_known_rows_whose_ratio_is_within_a_fifth():
    scores = mixture_scores(0.5, gap=1.5)
    found, ratio = dedpul(*scores), density_ratio(*scores)
    near = (ratio >= 0.8 * found.value) & (ratio <= 1.2 * found.value)
    assert found.diagnostics["support"] == np.mean(near)
    assert 0.2 < np.mean(near) < 0.9
