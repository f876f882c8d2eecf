import numpy as np
import pytest

from eulac.maths import hull_distance
from eulac.maths.hull_distance import HullDistance, nearest_point
from eulac.maths.kernels import GaussianKernel
from eulac.maths.low_rank import pivoted_cholesky
from oracles_hull import embed_exactly, slow_hull_distance


def cloud(n_points, n_dimensions, seed=0):
    return np.random.default_rng(seed).normal(size=(n_points, n_dimensions)) / n_dimensions**0.5


def factor_of(X, bandwidth, **options):
    kernel = GaussianKernel(bandwidth)
    return pivoted_cholesky(lambda i, j: kernel.block(X[i], X[j]), np.ones(len(X)), **options)


SAMPLES = {
    "line": np.random.default_rng(0).beta(2, 5, size=(300, 1)),
    "line, narrow kernel": 20 * np.random.default_rng(0).beta(2, 5, size=(300, 1)),
    "space": cloud(300, 3),
    "space with duplicates": np.repeat(cloud(60, 3), 5, axis=0),
    "one outlier": np.concatenate([cloud(299, 2), np.full((1, 2), 40.0)]),
    "few rows": cloud(3, 4),
}


@pytest.mark.parametrize("X", SAMPLES.values(), ids=SAMPLES)
@pytest.mark.parametrize("tolerance", [1e-4, 1e-8, 1e-12])
def test_factor_reproduces_the_kernel_to_its_tolerance(X, tolerance):
    factor = factor_of(X, 0.7, tolerance=tolerance, max_rank=300)
    error = np.abs(factor.rows @ factor.rows.T - GaussianKernel(0.7).block(X, X)).max()
    assert factor.residual <= tolerance
    assert error <= factor.residual + 1e-13


def test_factor_is_exact_on_its_pivots():
    X = cloud(500, 6)
    factor = factor_of(X, 1.0, max_rank=40)
    rows, pivots = factor.rows, factor.pivots
    expected = GaussianKernel(1.0).block(X[pivots], X)
    np.testing.assert_allclose(rows[pivots] @ rows.T, expected, atol=1e-10)
    assert len(np.unique(pivots)) == factor.rank == 40


def test_factor_stopped_at_its_largest_rank_says_how_much_is_missing():
    X = cloud(500, 6)
    coarse, fine = factor_of(X, 0.5, max_rank=30), factor_of(X, 0.5, max_rank=200)
    missing = 1.0 - np.einsum("ij,ij->i", coarse.rows, coarse.rows)
    assert coarse.residual == pytest.approx(missing.max())
    assert fine.residual < coarse.residual


def test_factor_needs_hardly_more_columns_than_the_best_one():
    X = np.random.default_rng(1).beta(2, 5, size=(400, 1))
    eigenvalues = np.linalg.eigvalsh(GaussianKernel(0.1).block(X, X))[::-1]
    best = int(np.sum(np.cumsum(eigenvalues[::-1]) > 400 * 1e-8))
    assert factor_of(X, 0.1).rank <= best + 8


def test_kernel_is_never_asked_for_a_square_block_of_all_rows():
    X, kernel, asked = cloud(9000, 4), GaussianKernel(0.5), []

    def kernel_block(rows, columns):
        block = kernel.block(X[rows], X[columns])
        asked.append(block.size)
        return block

    factor = pivoted_cholesky(kernel_block, np.ones(len(X)), max_rank=100)
    assert max(asked) <= 4096 * 129
    assert sum(asked) <= 3 * factor.rank * len(X)


def test_constant_rows_have_rank_one():
    factor = factor_of(np.ones((50, 2)), 1.0)
    assert factor.rank == 1
    np.testing.assert_allclose(factor.rows, 1.0)


def test_zero_kernel_has_rank_zero():
    factor = pivoted_cholesky(lambda i, j: np.zeros((len(i), len(j))), np.zeros(5))
    assert factor.rows.shape == (5, 0)


@pytest.mark.parametrize("n_dimensions", [1, 2, 5, 20, 100])
@pytest.mark.parametrize("reach", [0.3, 1.0, 4.0])
@pytest.mark.parametrize("seed", range(3))
def test_distance_agrees_with_non_negative_least_squares(n_dimensions, reach, seed):
    points = cloud(150, n_dimensions, seed)
    target = reach * cloud(1, n_dimensions, seed + 100)[0]
    found = nearest_point(points, target, tolerance=1e-9)
    assert found.gap <= 1e-9
    assert found.distance == pytest.approx(slow_hull_distance(points, target), abs=1e-7)


@pytest.mark.parametrize("X", SAMPLES.values(), ids=SAMPLES)
def test_distance_agrees_with_the_exact_kernel(X):
    kernel_matrix = GaussianKernel(0.7).block(X, X)
    half = len(X) // 2
    coefficients = np.where(np.arange(len(X)) < half, -1.5 / half, 2.5 / (len(X) - half))
    exact = embed_exactly(kernel_matrix)
    factor = factor_of(X, 0.7, max_rank=300)
    found = nearest_point(factor.rows, coefficients @ factor.rows)
    assert found.distance == pytest.approx(
        slow_hull_distance(exact, coefficients @ exact), abs=3e-4
    )


@pytest.mark.parametrize("n_dimensions", [2, 30, 100])
def test_weights_are_a_point_of_the_simplex_that_reaches_the_distance(n_dimensions):
    points, target = cloud(400, n_dimensions), cloud(1, n_dimensions, 7)[0]
    found = nearest_point(points, target)
    assert found.weights.min() >= 0.0
    assert found.weights.sum() == pytest.approx(1.0, abs=1e-12)
    reached = found.weights @ points[found.support] - target
    np.testing.assert_allclose(reached, found.offset, atol=1e-12)
    assert np.linalg.norm(reached) == pytest.approx(found.distance, abs=1e-12)
    assert len(np.unique(found.support)) == len(found.support) <= n_dimensions + 1


@pytest.mark.parametrize("tolerance", [1e-1, 1e-3, 1e-6, 1e-10])
def test_gap_is_within_the_tolerance_and_bounds_the_error(tolerance):
    points = factor_of(SAMPLES["line"], 0.3).rows
    target = 3.0 * points[:150].mean(axis=0) - 2.0 * points[150:].mean(axis=0)
    truth = slow_hull_distance(points, target)
    found = nearest_point(points, target, tolerance=tolerance)
    assert found.gap <= tolerance
    assert found.distance - found.gap - 1e-8 <= truth <= found.distance + 1e-8


def test_target_inside_the_hull_is_at_distance_zero():
    points = cloud(200, 3)
    found = nearest_point(points, points.mean(axis=0), tolerance=1e-9)
    assert found.distance <= 1e-9


def test_target_at_a_corner_is_that_corner():
    points = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    found = nearest_point(points, points[1])
    assert found.distance <= 1e-15
    assert found.support.tolist() == [1]


def test_one_point_is_a_hull():
    found = nearest_point(np.array([[3.0, 4.0]]), np.zeros(2))
    assert found.distance == pytest.approx(5.0)
    assert found.gap <= 1e-14


def test_points_without_dimensions_are_at_distance_zero():
    assert nearest_point(np.zeros((5, 0)), np.zeros(0)).distance == 0.0


def test_duplicates_do_not_change_the_distance():
    points, target = cloud(80, 4), 2.0 * cloud(1, 4, 3)[0]
    once = nearest_point(points, target, tolerance=1e-10)
    often = nearest_point(np.repeat(points, 4, axis=0), target, tolerance=1e-10)
    assert often.distance == pytest.approx(once.distance, abs=1e-10)


def test_points_on_a_segment_need_no_more_than_its_two_ends():
    points = np.linspace(0.0, 1.0, 1001)[:, None] * np.array([[1.0, 1.0, 0.0]])
    found = nearest_point(points, np.array([1.0, 0.0, 1.0]), tolerance=1e-12)
    assert found.distance == pytest.approx(np.sqrt(1.5))
    assert len(found.support) <= 2


def test_translation_moves_nothing():
    points, target, shift = cloud(80, 4), 2.0 * cloud(1, 4, 3)[0], np.full(4, 5.0)
    here = nearest_point(points, target, tolerance=1e-10)
    there = nearest_point(points + shift, target + shift, tolerance=1e-10)
    assert there.distance == pytest.approx(here.distance, abs=1e-9)
    np.testing.assert_allclose(there.offset, here.offset, atol=1e-6)


@pytest.mark.parametrize("n_dimensions", [3, 80])
def test_warm_start_and_cold_start_end_at_the_same_point(n_dimensions):
    points = cloud(600, n_dimensions)
    targets = cloud(6, n_dimensions, 5)
    warm = None
    for target in targets:
        cold = nearest_point(points, target, tolerance=1e-9)
        warm = nearest_point(points, target, start=warm, tolerance=1e-9)
        assert warm.distance == pytest.approx(cold.distance, abs=2e-9)
        np.testing.assert_allclose(warm.offset, cold.offset, atol=1e-4)


def test_a_start_is_left_as_it_was():
    points = cloud(200, 10)
    start = nearest_point(points, cloud(1, 10, 1)[0])
    before = start.weights.copy(), start.support.copy(), start.offset.copy()
    nearest_point(points, cloud(1, 10, 2)[0], start=start)
    for old, now in zip(before, (start.weights, start.support, start.offset), strict=True):
        np.testing.assert_array_equal(old, now)


@pytest.mark.parametrize("n_points", [500, 4000])
def test_groups_and_single_points_lead_to_the_same_distance(monkeypatch, n_points):
    X = cloud(n_points, 10)
    points = factor_of(X, 1.5, max_rank=100).rows
    half = n_points // 2
    target = 1.6 * points[:half].mean(axis=0) - 0.6 * points[half:].mean(axis=0) + 0.01 * points[0]
    in_groups = nearest_point(points, target, tolerance=1e-7)
    monkeypatch.setattr(hull_distance, "_FEW_DIMENSIONS", 100)
    one_by_one = nearest_point(points, target, tolerance=1e-7)
    assert max(in_groups.gap, one_by_one.gap) <= 1e-7
    assert in_groups.distance == pytest.approx(one_by_one.distance, abs=1e-7)


@pytest.mark.parametrize("limit", ["_MAX_EXCHANGES", "_MAX_FUTILE"])
def test_exchanges_that_lead_nowhere_are_given_up(monkeypatch, limit):
    """Of close neighbors on a line most that enter must leave: the distance is found even so."""
    monkeypatch.setattr(hull_distance, limit, 2)
    points = factor_of(20 * SAMPLES["line"], 0.4, tolerance=1e-10).rows
    assert points.shape[1] > 32
    target = 1.5 * points[:150].mean(axis=0) - 0.5 * points[150:].mean(axis=0)
    found = nearest_point(points, target)
    assert found.gap <= 1e-6
    assert found.distance == pytest.approx(slow_hull_distance(points, target), abs=1e-6)


def test_duplicates_in_many_dimensions_do_not_change_the_distance():
    points, target = np.repeat(cloud(120, 60), 3, axis=0), 0.5 * cloud(1, 60, 3)[0]
    found = nearest_point(points, target, tolerance=1e-9)
    assert found.gap <= 1e-9
    assert found.distance == pytest.approx(slow_hull_distance(points[::3], target), abs=1e-7)


def test_more_points_than_the_pool_are_all_looked_at():
    angle = np.linspace(0.0, 2.0 * np.pi, 5000, endpoint=False)
    points = np.column_stack([np.cos(angle), np.sin(angle)])
    found = nearest_point(points, np.array([-3.0, 4.0]), tolerance=1e-10)
    assert found.distance == pytest.approx(4.0, abs=1e-6)


@pytest.fixture(scope="module")
def line():
    rng = np.random.default_rng(0)
    known = rng.normal(size=(450, 2))
    X = np.concatenate([known, rng.normal(size=(150, 2)) + 4.0])
    rows = factor_of(X, 1.5).rows
    return rows, rows[200:].mean(axis=0), rows[:200].mean(axis=0)


SCALES = np.concatenate([np.linspace(1.0, 2.5, 16), [3.0, 5.0, 9.0]])


def test_distance_along_the_line_is_convex_and_never_falls_beyond_one(line):
    hull = HullDistance(*line, tolerance=1e-9)
    distances = np.array([hull.at(scale).distance for scale in SCALES])
    slopes = np.diff(distances) / np.diff(SCALES)
    assert slopes.min() >= -1e-7
    assert np.diff(slopes).min() >= -1e-6
    assert distances[0] <= 1e-9 < distances[-1]


def test_distance_between_the_two_ends_is_zero(line):
    hull = HullDistance(*line)
    assert max(hull.at(scale).distance for scale in (0.0, 0.3, 0.7, 1.0)) <= 1e-6
    assert hull.slope(0.5) == 0.0


@pytest.mark.parametrize("scale", [1.5, 1.8, 2.5, 6.0])
def test_envelope_slope_is_the_limit_of_differences(line, scale):
    hull = HullDistance(*line, tolerance=1e-11)
    wide = (hull.at(scale + 1e-4).distance - hull.at(scale - 1e-4).distance) / 2e-4
    assert hull.slope(scale) == pytest.approx(wide, abs=1e-4)


def test_slope_never_exceeds_the_speed_of_the_point(line):
    hull = HullDistance(*line)
    slopes = [hull.slope(scale) for scale in SCALES]
    assert max(slopes) <= np.linalg.norm(hull.direction) + 1e-9
    assert min(slopes) >= 0.0


def test_order_of_questions_does_not_change_the_distances(line):
    forward, backward = HullDistance(*line), HullDistance(*line)
    up = [forward.at(scale).distance for scale in SCALES]
    down = [backward.at(scale).distance for scale in SCALES[::-1]][::-1]
    np.testing.assert_allclose(up, down, atol=1e-6)


def test_a_scale_asked_for_twice_is_solved_once(line):
    hull = HullDistance(*line)
    assert hull.at(2.0) is hull.at(2.0)


def test_one_point_in_place_of_both_ends_keeps_the_distance_at_zero():
    points = cloud(50, 3)
    hull = HullDistance(points, points[0], points[0])
    assert hull.at(7.0).distance <= 1e-12
    assert hull.slope(7.0) == 0.0
