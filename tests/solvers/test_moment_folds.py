import numpy as np
import pytest

from eulac.data.row_sketch import fold_of_rows, hash_rows
from eulac.maths.losses import LOSSES
from eulac.risk.unbiased import convex_lac_risk
from eulac.solvers.moment_folds import FoldMoments, held_out_solutions
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
