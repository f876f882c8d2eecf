"""Forests in flat arrays answer as the forests they were made of, and forged ones are refused."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

from eulac.maths.compact_forest import CompactForest, compact_forest
from eulac.maths.quick_forest import fit_extra_trees


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 5)).round(1)
    return X, (X[:, 0] + rng.normal(size=200) > 0).astype(int) + (X[:, 1] > 1)


@pytest.mark.parametrize("leaf", [1, 5])
@pytest.mark.parametrize("kind", [ExtraTreesClassifier, RandomForestClassifier])
def test_answers_are_those_of_the_forest(rows, kind, leaf):
    X, codes = rows
    forest = kind(20, min_samples_leaf=leaf, random_state=0).fit(X, codes)
    compact = compact_forest(forest)
    assert isinstance(compact, CompactForest)
    others = np.random.default_rng(1).normal(size=(500, 5)).round(1)
    assert np.allclose(compact.predict_proba(others), forest.predict_proba(others), atol=1e-12)


def test_quick_trees_are_stored_too(rows):
    X, codes = rows
    forest = fit_extra_trees(ExtraTreesClassifier(5, random_state=0), X, codes)
    assert np.allclose(compact_forest(forest).predict_proba(X), forest.predict_proba(X))


def test_gaps_go_where_the_forest_sends_them(rows):
    X, codes = rows
    X = X.copy()
    X[::7, 0] = np.nan
    forest = ExtraTreesClassifier(20, random_state=0).fit(X, codes)
    assert np.allclose(compact_forest(forest).predict_proba(X), forest.predict_proba(X))


@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csc_array])
def test_sparse_rows_are_answered_as_dense_ones(rows, kind):
    X, codes = rows
    compact = compact_forest(ExtraTreesClassifier(20, random_state=0).fit(X, codes))
    assert np.array_equal(compact.predict_proba(kind(X)), compact.predict_proba(X))


def test_a_forest_takes_ten_bytes_a_node(rows):
    X, codes = rows
    compact = compact_forest(ExtraTreesClassifier(20, random_state=0).fit(X, codes))
    assert sum(part.nbytes for part in (compact.right_, compact.feature_, compact.threshold_)) == (
        10 * len(compact.right_)
    )


def test_thresholds_between_two_single_numbers_do_not_move_a_row():
    X = np.array([[16.0], [np.nextafter(np.float32(16.0), np.float32(17.0))]])
    forest = ExtraTreesClassifier(30, random_state=0).fit(X, [0, 1])
    assert np.array_equal(compact_forest(forest).predict(X), [0, 1])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("right_", lambda old: np.where(old > 0, len(old), old).astype(old.dtype)),
        ("right_", lambda old: np.where(old > 0, 1, old).astype(old.dtype)),
        ("right_", lambda old: old[:-1]),
        ("feature_", lambda old: old + 100),
        ("feature_", lambda old: -old - 1),
        ("feature_", lambda old: old.astype(float)),
        ("threshold_", lambda old: old[:-1]),
        ("starts_", lambda old: old[1:]),
        ("starts_", lambda old: old[::-1].copy()),
        ("mixed_", lambda old: np.zeros((0, 99))),
        ("n_features_in_", lambda old: 0),
    ],
)
def test_forged_arrays_are_refused(rows, name, value):
    X, codes = rows
    compact = compact_forest(ExtraTreesClassifier(5, random_state=0).fit(X, codes))
    setattr(compact, name, value(getattr(compact, name)))
    with pytest.raises(ValueError, match=r"arrays of a stored forest must fit each other|features"):
        compact.predict_proba(X)
