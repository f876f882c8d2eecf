"""Kernel mean estimation: in total, per class and on raw rows; its limits are told."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from eulac.data.lac_sample import LacSample
from eulac.proportion.kernel_mean import KernelMeanProportion
from proportion.contract import easy_mixture, estimate_of, parametrize_with_contract

QUICK = KernelMeanProportion(n_resamples=2, random_state=0)


@parametrize_with_contract([(QUICK, 0.1)])
def test_contract(estimator, tolerance, check):
    check(estimator, tolerance)


@pytest.mark.parametrize("rule", ["gradient", "km1", "km2"])
@pytest.mark.parametrize("reduction", ["scores", "probabilities", None])
def test_every_rule_finds_half_on_every_reduction(rule, reduction):
    estimator = KernelMeanProportion(rule, reduction=reduction, n_resamples=2, random_state=0)
    estimate = estimate_of(estimator, *easy_mixture(0.5, 80, 120))
    # With so few rows the thresholds of Ramaswamy et al. are noisy on several columns.
    assert abs(estimate.total - 0.5) < (0.15 if rule == "gradient" else 0.25)
    np.testing.assert_allclose(estimate.per_class, estimate.total * np.array([0.75, 0.25]))
    assert estimate.method == f"kernel_mean_{rule}"
    assert not estimate.diagnostics["projected"]
    assert estimate.diagnostics["max_duality_gap"] < 1e-3
    assert len(estimate.diagnostics["slope_threshold"]) == 1


def moved_mixture(shares=(0.2, 0.4, 0.4), n_labeled=80, n_unlabeled=150):
    rng = np.random.default_rng(0)
    hidden = np.repeat(np.arange(3), np.round(np.array(shares) * n_unlabeled).astype(int))
    labels = np.arange(n_labeled) % 2
    X = rng.normal(8 * np.eye(3)[np.append(labels, hidden)])
    return X, np.append(labels, np.full(len(hidden), -1))


@pytest.mark.parametrize("reduction", ["scores", None])
def test_per_class_finds_shares_that_moved(reduction):
    estimator = KernelMeanProportion(
        per_class=True, reduction=reduction, n_resamples=2, random_state=0
    )
    estimate = estimate_of(estimator, *moved_mixture())
    np.testing.assert_allclose(estimate.per_class, [0.2, 0.4], atol=0.1)
    assert estimate.method == "kernel_mean_gradient_per_class"
    assert len(estimate.diagnostics["slope_threshold"]) == 2


def test_shares_that_sum_above_one_are_projected_and_flagged():
    """Two names for one class: each explains nearly everything."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(160, 2)), np.append(np.arange(60) % 2, np.full(100, -1))
    estimator = KernelMeanProportion(per_class=True, reduction=None, n_resamples=2, random_state=0)
    estimate = estimate_of(estimator, X, y)
    assert estimate.diagnostics["projected"]
    assert estimate.total == pytest.approx(1)
    assert np.all(estimate.per_class > 0.2)


def test_classes_at_their_bound_are_told_as_well():
    """A threshold no slope reaches puts every class at 0.9."""
    estimator = KernelMeanProportion(
        per_class=True, slope_threshold=10.0, n_resamples=0, random_state=0
    )
    estimate = estimate_of(estimator, *moved_mixture())
    assert estimate.total == pytest.approx(1)
    assert estimate.diagnostics["projected"]
    assert estimate.diagnostics["at_bound"]


def test_nothing_new_ends_at_the_bound_and_says_so():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(160, 2)), np.repeat([0, -1], [60, 100])
    estimator = KernelMeanProportion(
        reduction=None, max_known_proportion=0.8, n_resamples=0, random_state=0
    )
    estimate = estimate_of(estimator, X, y)
    assert estimate.diagnostics["at_bound"]
    assert estimate.total == pytest.approx(0.8, abs=0.02)
    assert estimate.standard_error == 0
    assert estimate.interval == (estimate.total, estimate.total)


def test_a_higher_slope_threshold_finds_more_known():
    X, y = easy_mixture(0.5, 80, 120)
    low, high = (
        estimate_of(
            KernelMeanProportion(slope_threshold=t, n_resamples=0, random_state=0), X, y
        ).total
        for t in (0.05, 0.6)
    )
    assert low < high


def test_another_classifier_may_reduce():
    estimator = KernelMeanProportion(classifier=LogisticRegression(), n_resamples=2, random_state=0)
    assert abs(estimate_of(estimator, *easy_mixture(0.5, 80, 120)).total - 0.5) < 0.15


@pytest.mark.parametrize("reduction", ["pca", "", "Scores"])
def test_a_bad_reduction_is_refused_with_what_it_is(reduction):
    estimator = KernelMeanProportion(reduction=reduction)
    message = r"`reduction` must be one of 'scores', 'probabilities', None; got"
    with pytest.raises(ValueError, match=message) as caught:
        estimator.fit(*easy_mixture(0.5, 20, 20))
    assert str(caught.value).endswith(f"got {reduction!r}.")


def test_a_bad_rule_is_refused_with_what_it_is():
    with pytest.raises(ValueError, match=r"`rule` must be one of gradient, km1, km2; got 'km3'"):
        KernelMeanProportion("km3").fit(*easy_mixture(0.5, 20, 20))


@pytest.mark.parametrize(
    ("options", "n_columns"),
    [
        ({"reduction": "scores"}, 2),
        ({"reduction": "scores", "per_class": True}, 3),
        ({"reduction": "probabilities"}, 3),
        ({"reduction": None}, 5),
    ],
    ids=str,
)
def test_rows_are_reduced_to_being_labeled_or_to_each_class_or_not_at_all(options, n_columns):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 5)), np.repeat([0, 1, -1], [10, 10, 20])
    estimator = KernelMeanProportion(classifier=LogisticRegression(), random_state=0, **options)
    for part in estimator._reduced(LacSample.from_masked(X, y)):
        assert part.shape == (20, n_columns)
