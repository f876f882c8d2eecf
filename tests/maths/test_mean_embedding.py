from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from eulac.maths.hull_distance import HullDistance
from eulac.maths.kernels import GaussianKernel, median_distance
from eulac.maths.low_rank import pivoted_cholesky
from eulac.maths.mean_embedding import kernel_mean_proportion, widest_embedding_bandwidth
from oracles_hull import algorithm_1, embed_exactly, slow_hull_distance


def mixture(n_h, n_f, known_proportion, n_features=1, gap=6.0, seed=0):
    """Samples of N(0, I) and of its mixture with N(gap along the diagonal, I); exact shares."""
    rng = np.random.default_rng(seed)
    F = rng.normal(size=(n_f, n_features))
    F[round(known_proportion * n_f) :] += gap / np.sqrt(n_features)
    return rng.normal(size=(n_h, n_features)), F


def scores(n_h, n_f, known_proportion, seed=0):
    """One-dimensional scores as a classifier of labeled against unlabeled rows gives them."""
    rng = np.random.default_rng(seed)
    known = rng.random(n_f) < known_proportion
    F = np.where(known, rng.beta(5, 2, n_f), rng.beta(2, 8, n_f))
    return rng.beta(5, 2, (n_h, 1)), F[:, None]


def slow_distance(H, F, bandwidth):
    X = np.concatenate([H, F])
    points = embed_exactly(GaussianKernel(bandwidth).block(X, X))
    mean_h, mean_f = points[: len(H)].mean(axis=0), points[len(H) :].mean(axis=0)
    return lambda scale: slow_hull_distance(points, scale * mean_f + (1.0 - scale) * mean_h)


@pytest.mark.parametrize("n_features", [1, 2, 10])
@pytest.mark.parametrize("known_proportion", [0.3, 0.6])
def test_gradient_rule_is_algorithm_1_line_by_line(n_features, known_proportion):
    H, F = mixture(60, 90, known_proportion, n_features, seed=1)
    bandwidth = median_distance(np.concatenate([H, F]))
    expected = algorithm_1(slow_distance(H, F, bandwidth), threshold=0.25)
    assert kernel_mean_proportion(H, F).mixture_scale == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("slope_threshold", [0.02, 0.1, 0.4, 0.6])
def test_any_threshold_and_step_end_where_the_plain_bisection_ends(slope_threshold):
    H, F = scores(50, 80, 0.5, seed=2)
    options = {"slope_threshold": slope_threshold, "search_step": 0.1}
    result = kernel_mean_proportion(H, F, bandwidth=0.2, max_known_proportion=0.8, **options)
    distance = slow_distance(H, F, 0.2)
    expected = algorithm_1(distance, slope_threshold, step=0.1, upper=5.0)
    assert result.mixture_scale == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("known_proportion", [0.0, 0.2, 0.5, 0.9])
@pytest.mark.parametrize("seed", range(3))
def test_bounds_on_the_slope_answer_as_the_distances_would(known_proportion, seed):
    H, F = mixture(200, 300, known_proportion, n_features=10, gap=5.0, seed=seed)
    X, bandwidth = np.concatenate([H, F]), 4.0
    kernel = GaussianKernel(bandwidth)
    rows = pivoted_cholesky(
        lambda i, j: kernel.block(X[i], X[j]), np.ones(len(X)), max_rank=256
    ).rows
    hull = HullDistance(rows, rows[200:].mean(axis=0), rows[:200].mean(axis=0), tolerance=1e-9)
    expected = algorithm_1(lambda scale: hull.at(scale).distance, threshold=0.25)
    result = kernel_mean_proportion(H, F, bandwidth=bandwidth)
    assert result.mixture_scale == pytest.approx(expected, rel=1e-12)


def test_few_scales_need_to_be_solved():
    """A plain bisection of [1, 10] down to 0.02 solves eighteen."""
    for known_proportion in (0.2, 0.5, 0.8):
        assert len(kernel_mean_proportion(*scores(300, 500, known_proportion)).scales) <= 10
    rng = np.random.default_rng(0)
    same = kernel_mean_proportion(rng.normal(size=(300, 1)), rng.normal(size=(400, 1)))
    assert same.scales == pytest.approx([10.0])


def test_evaluated_distances_are_those_of_the_exact_kernel():
    H, F = scores(60, 90, 0.5, seed=3)
    result = kernel_mean_proportion(H, F, bandwidth=0.3, exact_slope=True)
    distance = slow_distance(H, F, 0.3)
    expected = [distance(scale) for scale in result.scales]
    np.testing.assert_allclose(result.distances, expected, atol=1e-4)


@pytest.mark.parametrize("rule", ["gradient", "km1", "km2"])
@pytest.mark.parametrize("n_features", [1, 2])
@pytest.mark.parametrize("known_proportion", [0.2, 0.5, 0.65])
def test_well_separated_mixture_is_taken_apart(rule, n_features, known_proportion):
    H, F = mixture(600, 800, known_proportion, n_features, gap=8.0)
    result = kernel_mean_proportion(H, F, rule=rule)
    assert result.known_proportion == pytest.approx(known_proportion, abs=0.08)
    assert not result.at_bound


@pytest.mark.parametrize("exact_slope", [False, True])
def test_more_known_rows_never_lower_the_estimate(exact_slope):
    shares = [0.1, 0.3, 0.5, 0.7]
    found = [
        kernel_mean_proportion(*scores(300, 500, share), exact_slope=exact_slope).known_proportion
        for share in shares
    ]
    assert np.all(np.diff(found) > 0.0)


def test_exact_slope_stays_within_the_smoothing_of_the_difference():
    for seed in range(4):
        H, F = scores(300, 500, 0.5, seed)
        smooth = kernel_mean_proportion(H, F).mixture_scale
        exact = kernel_mean_proportion(H, F, exact_slope=True).mixture_scale
        assert abs(exact - smooth) <= 2 * 0.02


def test_proportion_follows_from_the_scale():
    result = kernel_mean_proportion(*scores(100, 200, 0.4))
    assert result.known_proportion == 1.0 - 1.0 / result.mixture_scale
    assert (result.n_h, result.n_f) == (100, 200)


@pytest.mark.parametrize("bound", [0.5, 0.8, 0.9])
def test_same_distribution_ends_at_the_upper_bound_and_says_so(bound):
    rng = np.random.default_rng(0)
    H, F = rng.normal(size=(300, 1)), rng.normal(size=(400, 1))
    result = kernel_mean_proportion(H, F, max_known_proportion=bound)
    assert result.at_bound
    assert bound - 0.01 <= result.known_proportion < bound


def test_disjoint_samples_end_at_the_lower_bound_and_say_so():
    H, F = mixture(200, 300, 0.0, gap=20.0)
    result = kernel_mean_proportion(H, F)
    assert result.at_bound
    assert 0.0 <= result.known_proportion <= 0.02


def test_threshold_above_the_mean_distance_can_only_end_at_the_bound():
    H, F = mixture(200, 300, 0.5)
    result = kernel_mean_proportion(H, F, slope_threshold=1.5)
    assert result.threshold > result.mean_distance
    assert result.at_bound


@pytest.mark.parametrize("rule", ["gradient", "km1", "km2"])
def test_constant_samples_end_at_the_bound(rule):
    result = kernel_mean_proportion(np.ones((20, 2)), np.ones((30, 2)), rule=rule)
    assert result.at_bound
    assert result.rank == 1
    assert max(result.distances) == pytest.approx(0.0, abs=1e-7)


def test_two_values_are_counted():
    H, F = np.zeros((50, 1)), np.repeat([0.0, 1.0], [30, 70])[:, None]
    result = kernel_mean_proportion(H, F, bandwidth=0.2)
    assert result.known_proportion == pytest.approx(0.3, abs=0.02)
    assert result.rank == 2


def test_repeated_rows_change_nothing():
    H, F = scores(60, 90, 0.5)
    once = kernel_mean_proportion(H, F, bandwidth=0.3)
    thrice = kernel_mean_proportion(np.repeat(H, 3, axis=0), np.tile(F, (3, 1)), bandwidth=0.3)
    assert thrice.mixture_scale == once.mixture_scale


@pytest.mark.parametrize("rule", ["gradient", "km1", "km2"])
def test_shift_scale_and_order_of_the_rows_change_nothing(rule):
    H, F = mixture(150, 200, 0.5, n_features=2)
    there = kernel_mean_proportion(1e3 * H[::-1] + 1e5, 1e3 * F[::-1] + 1e5, rule=rule)
    here = kernel_mean_proportion(H, F, rule=rule)
    assert there.mixture_scale == here.mixture_scale
    assert there.bandwidth == pytest.approx(1e3 * here.bandwidth)


@pytest.mark.parametrize("rule", ["gradient", "km1", "km2"])
def test_distances_are_certified(rule):
    result = kernel_mean_proportion(*scores(300, 500, 0.5), rule=rule)
    assert 0.0 <= result.max_duality_gap <= 5e-4 * 0.04
    assert result.residual <= 1e-8


def test_evaluated_slopes_never_fall_with_the_scale():
    result = kernel_mean_proportion(*scores(300, 500, 0.5))
    slopes = np.array(result.slopes)[np.argsort(result.scales)]
    assert np.diff(slopes).min() >= -1e-3
    assert slopes.max() <= result.mean_distance + 1e-3


def test_km1_threshold_lies_between_the_first_and_the_largest_slope():
    H, F = mixture(150, 250, 0.4)
    distance = slow_distance(H, F, widest_embedding_bandwidth(H, F))
    for weight in (0.0, 0.25, 1.0):
        result = kernel_mean_proportion(H, F, rule="km1", slope_threshold=weight)
        expected = (1 - weight) * distance(1.05) / 0.05 + weight * result.mean_distance
        assert result.threshold == pytest.approx(expected, abs=1e-3)


def test_km2_threshold_is_the_noise_of_the_smaller_sample():
    assert kernel_mean_proportion(*mixture(100, 400, 0.4), rule="km2").threshold == 0.1


def test_km2_uses_the_threshold_of_km1_where_its_own_is_out_of_reach():
    H, F = mixture(16, 50, 0.95, gap=1.0)
    km1, km2 = (kernel_mean_proportion(H, F, rule=rule, bandwidth=3.0) for rule in ("km1", "km2"))
    assert 1.0 / np.sqrt(16) > 0.9 * km2.mean_distance
    assert km2.threshold == km1.threshold


def test_widest_embedding_bandwidth_is_the_best_of_five():
    H, F = mixture(80, 120, 0.3, n_features=3)
    X = np.concatenate([H, F])
    candidates = median_distance(X) * np.array([0.1, 10**-0.5, 1.0, 10**0.5, 10.0])

    def apart(bandwidth):
        kernel = GaussianKernel(bandwidth)
        within = kernel.block(H, H).mean() + kernel.block(F, F).mean()
        return within - 2.0 * kernel.block(H, F).mean()

    assert widest_embedding_bandwidth(H, F) == pytest.approx(max(candidates, key=apart))


def test_large_samples_are_thinned_the_same_way_for_the_same_seed():
    H, F = scores(3000, 3000, 0.5)
    first, second = (widest_embedding_bandwidth(H, F, random_state=3) for _ in range(2))
    assert first == second
    results = [kernel_mean_proportion(H, F, random_state=3) for _ in range(2)]
    assert results[0] == results[1]


def test_largest_rank_is_kept_to_and_what_is_lost_is_reported():
    H, F = mixture(300, 400, 0.4, n_features=10)
    coarse = kernel_mean_proportion(H, F, max_rank=64)
    fine = kernel_mean_proportion(H, F, max_rank=700)
    assert (coarse.rank, fine.residual <= 1e-8) == (64, True)
    assert coarse.residual > 1e-3
    assert coarse.known_proportion == pytest.approx(fine.known_proportion, abs=0.05)


def test_unknown_rule_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match="must be one of gradient, km1, km2; got 'km3'"):
        kernel_mean_proportion(np.zeros((2, 1)), np.ones((2, 1)), rule="km3")


def test_result_is_frozen_and_prints_what_matters():
    result = kernel_mean_proportion(*scores(50, 50, 0.5))
    with pytest.raises(FrozenInstanceError):
        result.known_proportion = 0.5
    assert "known_proportion=" in repr(result)
    assert "slopes" not in repr(result)
