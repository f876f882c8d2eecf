"""The known share of held-out scores: truth within the interval, and when that is wide."""

import warnings

import numpy as np
import pytest

from eulac.exceptions import WeakScoreWarning
from eulac.frozen.score_proportion import (
    proportion_of_newness,
    separation_of,
    warn_of_weak_score,
)
from eulac.proportion.known_priors import UsedPriors

ONE = UsedPriors(np.ones(1), np.ones(1))


def log_ratios(distance, known_share, n=800, seed=0):
    rng = np.random.default_rng(seed)
    new = rng.random(n) >= known_share
    labeled, pool = rng.normal(size=n), rng.normal(distance * new)
    return tuple(distance * part - 0.5 * distance**2 for part in (labeled, pool))


def estimated(scores):
    n = len(scores[0])
    strata = np.arange(n) % 5, np.arange(n) % 5
    return proportion_of_newness({"score": scores}, ONE, np.zeros(n, int), strata, seed=0)


def test_overlapping_scores_give_the_share_and_no_warning():
    covered = 0
    for seed, known_share in enumerate([0.3, 0.5, 0.7, 0.3, 0.5, 0.7]):
        estimate = estimated(log_ratios(3.0, known_share, seed=seed))
        assert estimate.total == pytest.approx(known_share, abs=0.1)
        covered += estimate.interval[0] <= known_share <= estimate.interval[1]
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warn_of_weak_score(estimate)
    assert covered >= 5


def test_scores_alike_in_both_samples_say_nothing():
    estimate = estimated(log_ratios(3.0, 1.0))
    assert estimate.diagnostics["nothing_new_p_value"] > 0.05
    assert estimate.interval == (0.0, 1.0)
    low, _ = estimate.diagnostics["interval_if_score_tells"]
    assert low > 0.5
    with pytest.warns(WeakScoreWarning, match=f"{low:.0%} to 100% of the pool is known"):
        warn_of_weak_score(estimate)


def test_a_weak_score_gives_an_upper_bound_only():
    estimate = estimated(log_ratios(0.5, 0.2, n=3000))
    assert estimate.diagnostics["nothing_new_p_value"] < 0.05
    assert estimate.diagnostics["separation"] < 0.75
    assert estimate.interval[0] == 0.0
    assert estimate.standard_error > 0.2


def test_estimates_that_disagree_are_warned_of():
    estimate = estimated(log_ratios(1.6, 0.3, n=1500))
    assert not estimate.diagnostics["weak_score"]
    assert not estimate.diagnostics["scores_agree"]
    with pytest.warns(WeakScoreWarning, match=r"disagree \(tilt 0\.\d\d, score 0\.\d\d\)"):
        warn_of_weak_score(estimate)


@pytest.mark.parametrize(("distance", "area"), [(0.0, 0.5), (1.0, 0.76), (5.0, 1.0)])
def test_separation_is_the_area_of_new_against_known_rows(distance, area):
    rng = np.random.default_rng(1)
    pool = np.append(rng.normal(size=6000), rng.normal(distance, 1, 6000))
    labeled = rng.normal(size=6000)
    assert separation_of(labeled, pool, 0.5) == pytest.approx(area, abs=0.03)
    weights = np.ones(6000)
    assert separation_of(labeled, pool, 0.5, weights) == separation_of(labeled, pool, 0.5)
