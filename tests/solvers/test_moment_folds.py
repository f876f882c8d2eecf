import operator

import numpy as np
import pytest

from eulac.data.row_sketch import fold_of_rows, hash_rows
from eulac.maths.losses import LOSSES
from eulac.risk.unbiased import convex_lac_risk
from eulac.solvers.moment_folds import BLOCK_ROWS, FoldMoments, held_out_solutions
from eulac.solvers.moments import LacMoments

N_FOLDS = 4
PER_CLASS = np.array([0.3, 0.2])


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1, -1], [20, 30, 50])
    return rng.normal(codes[:, None], size=(100, 3)), codes


def folded(X, codes):
    return FoldMoments.of(lambda part: part, X, codes, hash_rows(X), n_folds=N_FOLDS, n_known=2)


def assert_same(one, two, **tolerance):
    for part, other in zip(one.parts, two.parts, strict=True):
        np.testing.assert_allclose(part.second, other.second, **tolerance)
        np.testing.assert_allclose(part.class_sums, other.class_sums, **tolerance)
        assert part.n_unlabeled == pytest.approx(other.n_unlabeled)


def test_folds_add_up_to_the_moments_of_all_rows(rows):
    X, codes = rows
    total, direct = folded(X, codes).total, LacMoments.of(X, codes, 2)
    np.testing.assert_allclose(total.second, direct.second)
    np.testing.assert_allclose(total.class_sums, direct.class_sums)
    assert total.n_unlabeled == 50


def test_the_order_of_rows_does_not_change_a_bit(rows):
    X, codes = rows
    order = np.random.default_rng(1).permutation(len(X))
    assert_same(folded(X, codes), folded(X[order], codes[order]), rtol=0, atol=0)


def test_chunks_add_up_and_can_be_taken_out_again(rows):
    X, codes = rows
    parts = [folded(X[::2], codes[::2]), folded(X[1::2], codes[1::2])]
    whole = folded(X, codes)
    assert_same(parts[0] + parts[1], whole)
    assert_same(FoldMoments.merge(parts), whole)
    assert_same(whole - parts[1], parts[0], atol=1e-12)


def test_without_a_fold_its_rows_have_no_part(rows):
    X, codes = rows
    outside = fold_of_rows(hash_rows(X), N_FOLDS) != 1
    direct = LacMoments.of(X[outside], codes[outside], 2)
    np.testing.assert_allclose(folded(X, codes).without(1).second, direct.second)


def test_decay_concerns_unlabeled_rows_alone(rows):
    whole = folded(*rows)
    half = whole.decayed(0.5).total
    assert half.n_unlabeled == pytest.approx(25)
    np.testing.assert_allclose(half.class_sums, whole.total.class_sums)


def test_a_fold_without_rows_knows_its_number_of_features():
    X = np.ones((2, 3))
    moments = folded(X, np.array([0, -1]))
    assert all(part.second.shape == (3, 3) for part in moments.parts)


def test_the_surrogate_is_the_convex_risk_of_held_out_scores(rows):
    X, codes = rows
    fold, hidden = fold_of_rows(hash_rows(X), N_FOLDS), codes < 0
    for solution in held_out_solutions(folded(X, codes), PER_CLASS, [0.01, 1.0]):
        scores = solution.scores(X, fold)
        y = codes[~hidden]
        weights = (PER_CLASS / (np.bincount(y) / len(y)))[y]
        risk = convex_lac_risk(scores[~hidden], y, weights, scores[hidden], LOSSES["square"])
        assert solution.surrogate == pytest.approx(float(risk), abs=1e-10)


def test_a_row_that_counts_as_several_has_the_moments_of_as_many_rows(rows):
    X, codes = rows
    times = np.random.default_rng(2).integers(0, 4, len(X))

    def of(X, codes, importance=None):
        return FoldMoments.of(
            lambda part: part,
            X,
            codes,
            hash_rows(X),
            n_folds=N_FOLDS,
            n_known=2,
            importance=importance,
        )

    weighted = of(X, codes, times.astype(float))
    assert_same(weighted, of(np.repeat(X, times, axis=0), np.repeat(codes, times)), atol=1e-10)
    order = np.random.default_rng(1).permutation(len(X))
    turned = of(X[order], codes[order], times[order].astype(float))
    assert_same(weighted, turned, rtol=0, atol=0)
    assert_same(of(X, codes, np.ones(len(X))), of(X, codes), atol=1e-10)


def test_more_rows_than_fit_a_block_are_all_counted():
    X = np.arange(2.0 * BLOCK_ROWS + 30)[:, None] / BLOCK_ROWS
    codes, seen = np.where(np.arange(len(X)) < 20, 0, -1), []

    def encode(rows):
        seen.append(len(rows))
        return rows

    folds = FoldMoments.of(encode, X, codes, hash_rows(X), n_folds=2, n_known=1)
    assert max(seen) <= BLOCK_ROWS
    assert (folds.total.n_unlabeled, folds.total.class_counts[0]) == (len(X) - 20, 20)
    assert folds.total.second[0, 0] == pytest.approx(np.sum(X[20:] ** 2))
    one = FoldMoments.of(encode, X, codes, hash_rows(X), n_folds=1, n_known=1)
    assert one.total.unlabeled_sum[0] == pytest.approx(np.sum(X[20:]))


def test_moments_of_other_numbers_of_folds_are_neither_added_nor_taken_away(rows):
    X, codes = rows
    three = FoldMoments.of(lambda part: part, X, codes, hash_rows(X), n_folds=3, n_known=2)
    for combine in (operator.add, operator.sub, lambda *both: FoldMoments.merge(both)):
        with pytest.raises(ValueError, match="argument 2 is"):
            combine(three, folded(X, codes))


def test_old_rows_leave_the_risk_on_held_out_rows_as_it_was(rows):
    plain, faded = (
        held_out_solutions(moments, PER_CLASS, [0.1])[0]
        for moments in (folded(*rows), folded(*rows).decayed(1e-3))
    )
    assert faded.surrogate == pytest.approx(plain.surrogate)
    np.testing.assert_allclose(faded.coefficients, plain.coefficients)
