"""Additive moments: equal to the kernel's closed form, and to themselves however they are added."""

import numpy as np
import pytest

from eulac.data.row_sketch import fold_of_rows, hash_rows
from eulac.maths.feature_maps import NystroemMap
from eulac.maths.kernels import GaussianKernel
from eulac.maths.losses import LOSSES
from eulac.risk.unbiased import convex_lac_risk
from eulac.risk.weights import labeled_weights
from eulac.solvers.closed_form import solve_closed_form
from eulac.solvers.moment_folds import FoldMoments, held_out_solutions
from eulac.solvers.moments import LacMoments, moment_coefficients
from eulac.solvers.problem import KernelProblem

PER_CLASS = np.array([0.3, 0.15, 0.2])


def draw(n_labeled=40, n_unlabeled=70, seed=0):
    rng = np.random.default_rng(seed)
    codes = np.append(np.resize([0, 1, 1, 2], n_labeled), np.full(n_unlabeled, -1))
    return rng.normal(size=(len(codes), 3)), codes


def assert_close(one, two, atol):
    for name in ("second", "unlabeled_sum", "n_unlabeled", "class_sums", "class_counts"):
        np.testing.assert_allclose(getattr(one, name), getattr(two, name), atol=atol, rtol=0)


@pytest.mark.parametrize("penalty", [1e-4, 1e-2, 1.0])
def test_with_all_rows_as_landmarks_the_fit_is_the_kernels(penalty):
    X, codes = draw()
    kernel, hidden = GaussianKernel(1.0), codes < 0
    L, U, y = X[~hidden], X[hidden], codes[~hidden]
    weights = labeled_weights(y, PER_CLASS)
    blocks = (kernel.block(U, U), kernel.block(L, U), kernel.block(L, L))
    solution = solve_closed_form(KernelProblem(*blocks, y, weights, 3), penalty)
    new = np.random.default_rng(1).normal(size=(20, 3))
    expected = solution.scores(kernel.block(new, L), kernel.block(new, U))
    feature_map = NystroemMap.of(X, 1.0, cut=1e-12)
    moments = LacMoments.of(feature_map.transform(X), codes, 3)
    scores = feature_map.transform(new) @ moments.solve(PER_CLASS, penalty)
    np.testing.assert_allclose(scores, expected, atol=1e-8)


def test_any_split_of_the_rows_has_the_same_sum():
    X, codes = draw()
    whole = LacMoments.of(X, codes, 3)
    rng = np.random.default_rng(0)
    for n_parts in (1, 2, 3, 7):
        order = rng.permutation(len(X))
        parts = [LacMoments.of(X[i], codes[i], 3) for i in np.array_split(order, n_parts)]
        assert_close(LacMoments.merge(parts), whole, 1e-11)


def test_ten_thousand_rows_added_and_removed_leave_nothing():
    rng = np.random.default_rng(0)
    start = LacMoments.of(*draw(), 3)
    moments = start
    rows, codes = rng.normal(size=(10_000, 3)), rng.integers(-1, 3, 10_000)
    for row, code in zip(rows, codes, strict=True):
        moments = moments + LacMoments.of(row[None], np.array([code]), 3)
    for row, code in zip(rows[::-1], codes[::-1], strict=True):
        moments = moments - LacMoments.of(row[None], np.array([code]), 3)
    assert_close(moments, start, 1e-8)
    np.testing.assert_allclose(
        moments.solve(PER_CLASS, 1e-3), start.solve(PER_CLASS, 1e-3), atol=1e-8
    )


def test_forgetting_is_weighting_unlabeled_rows():
    X, codes = draw()
    moments = LacMoments.of(X, codes, 3)
    half = moments.decayed(0.5)
    assert half.n_unlabeled == moments.n_unlabeled / 2
    np.testing.assert_array_equal(half.class_sums, moments.class_sums)
    np.testing.assert_allclose(half.solve(PER_CLASS, 0.1), moments.solve(PER_CLASS, 0.1))
    with pytest.raises(ValueError, match=r"\[0, 1\]; got 1.5"):
        moments.decayed(1.5)


def test_every_proportion_follows_from_one_factorization():
    moments = LacMoments.of(*draw(), 3)
    solved = moments.solved_means(0.01)
    for per_class in (PER_CLASS, np.zeros(3), np.full(3, 1 / 3)):
        np.testing.assert_array_equal(
            moment_coefficients(solved, per_class), moments.solve(per_class, 0.01)
        )


def test_density_ratios_solve_the_least_squares_system():
    X, codes = draw()
    moments = LacMoments.of(X, codes, 3)
    U = X[codes < 0]
    expected = np.linalg.solve(U.T @ U / len(U) + 0.1 * np.eye(3), moments.class_means.T)
    np.testing.assert_allclose(moments.density_ratios(0.1), expected)


def test_a_class_can_be_put_between_others():
    X, codes = draw()
    full = LacMoments.of(X, codes, 3)
    two = LacMoments.of(X, np.where(codes == 1, -2, np.minimum(codes, 1)), 2)
    middle = codes == 1
    joined = two.with_class(1, X[middle].sum(axis=0), middle.sum())
    np.testing.assert_allclose(joined.class_sums, full.class_sums)
    np.testing.assert_array_equal(joined.class_counts, full.class_counts)


def test_a_stored_file_keeps_every_bit_and_no_draft(tmp_path):
    moments = LacMoments.of(*draw(), 3)
    moments.save(tmp_path / "sums.npz")
    assert_close(LacMoments.load(tmp_path / "sums.npz"), moments, 0)
    assert [path.name for path in tmp_path.iterdir()] == ["sums.npz"]


def test_moments_of_other_features_are_refused():
    one = LacMoments.zeros(3, 2)
    for two in (LacMoments.zeros(4, 2), LacMoments.zeros(3, 3)):
        with pytest.raises(ValueError, match="same classes and features"):
            _ = one + two
    with pytest.raises(ValueError, match="got none"):
        LacMoments.merge([])


def test_without_unlabeled_rows_there_is_nothing_to_fit():
    X, codes = draw()
    known = codes >= 0
    assert np.all(LacMoments.of(X[known], codes[known], 3).solve(PER_CLASS, 0.1) == 0)


def test_single_precision_features_are_summed_in_double():
    X, codes = draw(400, 4000)
    single = LacMoments.of(X.astype(np.float32), codes, 3)
    assert single.second.dtype == single.class_sums.dtype == np.float64
    assert_close(single, LacMoments.of(X, codes, 3), 1e-2)


def test_leaving_a_fold_out_is_refitting_and_its_risk_is_the_rows():
    X, codes = draw(60, 90)
    hashes = hash_rows(X)
    folds = FoldMoments.of(lambda rows: rows, X, codes, hashes, n_folds=4, n_known=3)
    fold, hidden = fold_of_rows(hashes, 4), codes < 0
    for solution in held_out_solutions(folds, PER_CLASS, [1e-3, 0.1]):
        scores = np.empty((len(X), 4))
        for index in range(4):
            kept = fold != index
            refit = LacMoments.of(X[kept], codes[kept], 3)
            scores[~kept] = X[~kept] @ refit.solve(PER_CLASS, solution.penalty)
        np.testing.assert_allclose(solution.scores(X, fold), scores, atol=1e-10)
        weights = labeled_weights(codes[~hidden], PER_CLASS)
        risk = convex_lac_risk(
            scores[~hidden], codes[~hidden], weights, scores[hidden], LOSSES["square"]
        )
        assert solution.surrogate == pytest.approx(float(risk), abs=1e-12)


def test_the_order_of_rows_does_not_change_a_bit():
    X, codes = draw(200, 300)
    order = np.random.default_rng(3).permutation(len(X))

    def moments(rows):
        hashes = hash_rows(X[rows])
        return FoldMoments.of(
            lambda block: block, X[rows], codes[rows], hashes, n_folds=3, n_known=3
        )

    one, two = moments(np.arange(len(X))), moments(order)
    for first, second in zip(one.parts, two.parts, strict=True):
        assert_close(first, second, 0)


def test_folds_add_subtract_and_merge_part_by_part():
    X, codes = draw()
    halves = [
        FoldMoments.of(lambda rows: rows, X[i], codes[i], hash_rows(X[i]), n_folds=3, n_known=3)
        for i in np.array_split(np.arange(len(X)), 2)
    ]
    total = FoldMoments.merge(halves)
    assert_close((halves[0] + halves[1]).total, total.total, 1e-12)
    assert_close((total - halves[0]).total, halves[1].total, 1e-12)
    assert total.decayed(0.5).total.n_unlabeled == total.total.n_unlabeled / 2


def test_labeled_frequencies_are_shares_of_the_labeled_rows():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, -1], [6, 2, 5])
    moments = LacMoments.of(rng.normal(size=(13, 3)), y, n_known=2)
    np.testing.assert_allclose(moments.labeled_frequency, [0.75, 0.25])


def test_forgetting_to_less_than_a_row_leaves_the_fit_as_it_was():
    moments = LacMoments.of(*draw(), 3)
    little = moments.decayed(1e-3)
    assert 0 < little.n_unlabeled < 1
    np.testing.assert_allclose(little.solve(PER_CLASS, 0.1), moments.solve(PER_CLASS, 0.1))


def test_all_or_nothing_can_be_forgotten_and_no_more():
    moments = LacMoments.of(*draw(), 3)
    assert_close(moments.decayed(1.0), moments, 0)
    gone = moments.decayed(0.0)
    assert (gone.n_unlabeled, np.abs(gone.second).max()) == (0.0, 0.0)
    np.testing.assert_array_equal(gone.class_sums, moments.class_sums)
    with pytest.raises(ValueError, match=r"\[0, 1\]; got -0.1"):
        moments.decayed(-0.1)


def test_a_class_without_rows_has_a_mean_of_zero_and_no_frequency():
    X, codes = draw()
    moments = LacMoments.of(X[codes != 1], codes[codes != 1], 3)
    np.testing.assert_array_equal(moments.class_means[1], 0.0)
    np.testing.assert_allclose(moments.class_means[2], X[codes == 2].mean(axis=0))
    np.testing.assert_allclose(moments.labeled_frequency, [0.5, 0.0, 0.5])
    np.testing.assert_array_equal(LacMoments.zeros(3, 2).labeled_frequency, [0.0, 0.0])


def test_a_row_that_counts_as_several_has_the_sums_of_as_many_rows():
    X, codes = draw()
    times = np.random.default_rng(2).integers(0, 4, len(X))
    weighted = LacMoments.of(X, codes, 3, times.astype(float))
    repeated = LacMoments.of(np.repeat(X, times, axis=0), np.repeat(codes, times), 3)
    assert_close(weighted, repeated, 1e-10)


def test_moments_print_their_sizes():
    moments = LacMoments.of(*draw(), 3).decayed(0.25)
    assert repr(moments) == (
        "LacMoments(3 features, 40 labeled rows of 3 known classes, 17.5 unlabeled rows)"
    )
