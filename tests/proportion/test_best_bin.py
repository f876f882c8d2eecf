"""Best bin estimation: exact where scores separate, corrected where choosing is optimistic."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from eulac.proportion.best_bin import (
    BestBinProportion,
    best_bin,
    corrected_best_bin,
    shares_above,
)

values = st.lists(st.integers(-5, 5).map(float), min_size=1, max_size=30).map(np.array)


def mixture_scores(known_proportion, n=400, gap=6.0, seed=0):
    """Return scores of known rows, and of unlabeled ones of which some are `gap` lower."""
    rng = np.random.default_rng(seed)
    n_known = round(known_proportion * n)
    new = rng.normal(-gap, 1, n - n_known)
    return rng.normal(size=n), np.append(rng.normal(size=n_known), new)


@given(known=values, unlabeled=values)
def test_shares_above_count_the_rows(known, unlabeled):
    thresholds = np.unique(known)
    shares = shares_above(thresholds, known, unlabeled)
    for scores, share in zip((known, unlabeled), shares, strict=True):
        np.testing.assert_allclose(share, [(scores >= t).mean() for t in thresholds])


@given(known=values, unlabeled=values)
def test_the_estimate_is_the_ratio_at_a_score_of_a_known_row(known, unlabeled):
    value, threshold = best_bin(known, unlabeled)
    assert threshold in known
    ratio = np.mean(unlabeled >= threshold) / np.mean(known >= threshold)
    assert value == pytest.approx(ratio)
    assert value >= 0


@given(known=values, unlabeled=values, scale=st.sampled_from([0.5, 2.0]))
def test_only_the_order_of_scores_matters(known, unlabeled, scale):
    plain = best_bin(known, unlabeled)
    moved = best_bin(np.exp(scale * known), np.exp(scale * unlabeled))
    assert moved[0] == pytest.approx(plain[0])
    assert moved[1] == pytest.approx(np.exp(scale * plain[1]))


@pytest.mark.parametrize("known_proportion", [0.0, 0.2, 0.5, 0.8, 1.0])
def test_the_proportion_is_found_where_scores_separate(known_proportion):
    estimate = corrected_best_bin(*mixture_scores(known_proportion), random_state=0)
    assert abs(estimate.value - known_proportion) < max(0.06, 4 * estimate.standard_error)
    assert 0 <= estimate.value <= 1
    assert estimate.standard_error >= 0


def test_the_correction_takes_bias_away():
    """With nothing new the smallest of many ratios is below one; corrected it is less so."""
    estimates = [
        corrected_best_bin(*mixture_scores(1.0, n=200, seed=s), n_resamples=50, random_state=0)
        for s in range(20)
    ]
    raw, value = (np.mean([getattr(e, name) for e in estimates]) for name in ("raw", "value"))
    assert raw < value <= 1
    assert np.mean([e.optimism for e in estimates]) > 0


def test_the_same_seed_gives_the_same_estimate():
    scores = mixture_scores(0.5)
    assert corrected_best_bin(*scores, random_state=1) == corrected_best_bin(
        *scores, random_state=1
    )
    other = corrected_best_bin(*scores, random_state=2)
    assert other.raw == corrected_best_bin(*scores, random_state=1).raw


def rows(known_proportion, n=150, seed=0):
    """Return features and masked labels of two known classes, and of new rows far away."""
    rng = np.random.default_rng(seed)
    codes = np.append(np.arange(n) % 2, np.resize([0, 1], n))
    codes[n + round(known_proportion * n) :] = 2
    means = np.array([[0.0, 0.0], [4.0, 0.0], [2.0, 7.0]])
    return rng.normal(means[codes]), np.append(np.arange(n) % 2, np.full(n, -1))


@pytest.mark.parametrize("known_proportion", [0.3, 0.7])
def test_the_estimator_finds_the_proportion_and_its_interval_covers(known_proportion):
    estimate = BestBinProportion(random_state=0).fit(*rows(known_proportion)).estimate_
    assert abs(estimate.total - known_proportion) < 0.12
    low, high = estimate.interval
    assert 0 <= low <= known_proportion <= high <= 1
    np.testing.assert_allclose(estimate.per_class, estimate.total / 2)
    assert estimate.method == "best_bin"
    assert {"raw", "optimism", "threshold"} <= set(estimate.diagnostics)


def test_masked_and_separate_rows_in_any_order_give_the_same_number():
    X, y = rows(0.5)
    estimator = BestBinProportion(n_resamples=10, random_state=0)
    masked = clone(estimator).fit(X, y).estimate_
    separate = clone(estimator).fit(X[y >= 0], y[y >= 0], X_unlabeled=X[y < 0]).estimate_
    order = np.random.default_rng(0).permutation(len(y))
    shuffled = clone(estimator).fit(X[order], y[order]).estimate_
    assert masked.total == separate.total == shuffled.total
    assert masked.interval == separate.interval == shuffled.interval


def test_another_classifier_may_score():
    estimator = BestBinProportion(LogisticRegression(), n_folds=3, random_state=0)
    assert abs(estimator.fit(*rows(0.5)).estimate_.total - 0.5) < 0.12
    assert clone(estimator).get_params()["classifier__C"] == 1.0


def test_without_unlabeled_rows_there_is_nothing_to_estimate():
    X, _ = rows(0.5)
    with pytest.raises(ValueError, match=r"no unlabeled rows.*Mark them with -1, or pass"):
        BestBinProportion().fit(X, np.arange(len(X)) % 2)


def test_an_estimate_of_one_is_at_the_bound():
    scores = np.linspace(0.0, 1.0, 200)
    estimator = BestBinProportion(n_resamples=5, random_state=0)
    same, apart = estimator.from_scores(scores, scores), estimator.from_scores(scores, scores - 3.0)
    assert (same.value, same.at_bound) == (1.0, True)
    assert not apart.at_bound


def published(known, unlabeled, weights, delta=0.1, gamma=0.01):
    """Return ratio and threshold of the smallest upper bound, one threshold after the other."""
    n_known = weights.sum() ** 2 / (weights**2).sum()  # rows that count the same
    slack = [math.sqrt(math.log(4 / delta) / (2 * n)) for n in (len(unlabeled), n_known)]
    found = []
    for threshold in sorted(set(known[weights > 0])):
        share = weights[known >= threshold].sum() / weights.sum()
        ratio = np.mean(unlabeled >= threshold) / share
        found.append((ratio + (slack[0] + (1 + gamma) * slack[1]) / share, ratio, threshold))
    return min(found)[1:]


@pytest.mark.parametrize("seed", range(12))
def test_the_bin_is_the_one_whose_upper_bound_is_smallest(seed):
    rng = np.random.default_rng(seed)
    n, m = rng.integers(15, 60, 2)
    known = rng.normal(size=n)
    unlabeled = np.append(rng.normal(size=m), rng.normal(-1.5, 1, m // 2))
    weights = rng.uniform(0.0, 3.0, n) * (rng.random(n) < 0.8)
    np.testing.assert_allclose(
        best_bin(known, unlabeled), published(known, unlabeled, np.ones(n)), rtol=1e-9
    )
    ratio, _ = published(known, unlabeled, weights)
    assert best_bin(known, unlabeled, weights)[0] == pytest.approx(ratio)


@pytest.mark.parametrize("change", [{"delta": 0.6}, {"gamma": 4.0}], ids=str)
def test_how_sure_the_bound_must_be_can_be_said(change):
    changed = 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        known = rng.normal(size=40)
        unlabeled = np.append(rng.normal(size=30), rng.normal(-1.5, 1, 30))
        found = best_bin(known, unlabeled, **change)
        np.testing.assert_allclose(found, published(known, unlabeled, np.ones(40), **change))
        changed += found != best_bin(known, unlabeled)
    assert changed > 0


@given(known=values, unlabeled=values, data=st.data())
def test_shares_above_of_rows_that_count_as_several_are_those_of_as_many_rows(
    known, unlabeled, data
):
    size = {"min_size": len(known), "max_size": len(known)}
    times = np.array(data.draw(st.lists(st.integers(0, 3), **size)))
    times[0] += 1
    thresholds = np.unique(known)
    weighted = shares_above(thresholds, known, unlabeled, times.astype(float))
    repeated = shares_above(thresholds, np.repeat(known, times), unlabeled)
    np.testing.assert_allclose(weighted, repeated, atol=1e-12)


def test_the_optimism_is_by_how_much_ratios_grow_from_resamples_to_the_rows():
    known, unlabeled = mixture_scores(0.9, n=60)
    found = corrected_best_bin(known, unlabeled, n_resamples=30, random_state=5)
    rng, gaps, ratios = np.random.default_rng(5), [], []
    for _ in range(30):
        rows = rng.integers(0, 60, 60), rng.integers(0, 60, 60)
        ratio, threshold = best_bin(known[rows[0]], unlabeled[rows[1]])
        gaps.append(np.mean(unlabeled >= threshold) / np.mean(known >= threshold) - ratio)
        ratios.append(ratio)
    assert found.optimism == pytest.approx(np.mean(gaps))
    assert found.standard_error == pytest.approx(np.std(ratios))
    assert (found.raw, found.threshold) == best_bin(known, unlabeled)
    assert found.value == pytest.approx(min(found.raw + found.optimism, 1.0))
