"""The class view: what forests of the known classes say of rows they were not trained on."""

import numpy as np
import pytest
from scipy import sparse

from eulac.drift import class_view
from eulac.drift.class_view import fit_class_view, held_out_class_view


@pytest.fixture(autouse=True)
def small_forests(monkeypatch):
    monkeypatch.setattr(class_view, "N_TREES", 20)


def two_classes(n=60, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return rng.normal(size=(n, 3)) + 5.0 * y[:, None], y


def test_nearness_is_the_share_of_trees_with_a_common_leaf():
    X, y = two_classes()
    fold = np.arange(len(y)) % 3
    view = fit_class_view(X, y, fold, 2, seed=0)
    forest, trained = view.forests[1], X[fold != 1]
    leaves, own = forest.apply(trained), forest.apply(X[:1])
    shares = np.sort((leaves == own).mean(axis=1))[::-1][: class_view.N_NEAREST]
    seen = view.seen_by(X[:1], np.array([1]))
    assert seen.nearness[0] == pytest.approx(shares.mean(), abs=1e-6)
    np.testing.assert_allclose(seen.probabilities[0], forest.predict_proba(X[:1])[0])


def test_every_row_is_seen_by_the_forest_of_its_fold_alone():
    X, y = two_classes()
    fold = np.arange(len(y)) % 3
    view = fit_class_view(X, y, fold, 2, seed=0)
    seen = view.seen_by(X, fold)
    for index in range(3):
        rows = fold == index
        again = view.seen_by(X[rows], fold[rows])
        np.testing.assert_allclose(seen.columns[rows], again.columns)
        np.testing.assert_allclose(seen.typicality[rows], again.typicality)


def test_a_column_in_which_only_the_domain_moved_hardly_changes_the_view():
    X, y = two_classes(200)
    noise = np.random.default_rng(1).normal(size=(200, 1))
    labeled, unlabeled = np.hstack([X, noise])[:100], np.hstack([X, noise + 20.0])[100:]
    both = held_out_class_view(labeled, y[:100], unlabeled, n_known_classes=2)
    seen, other = both.labeled, both.unlabeled
    sure, also = (part.probabilities.max(axis=1).mean() for part in (seen, other))
    assert abs(sure - also) < 0.05


def test_a_class_missing_from_a_fold_has_probability_zero_there():
    X, y = two_classes(30)
    y[0] = 2  # the only row of its class
    fold = np.where(np.arange(30) == 0, 0, np.arange(30) % 3)
    seen = fit_class_view(X, y, fold, 3, seed=0).seen_by(X[:1], np.array([0]))
    assert seen.probabilities[0, 2] == 0.0


def test_sparse_rows_and_gaps_are_seen_too():
    X, y = two_classes()
    dense = held_out_class_view(X, y, X, n_known_classes=2).labeled
    same = held_out_class_view(
        sparse.csr_array(X), y, sparse.csr_array(X), n_known_classes=2
    ).labeled
    assert same.columns.shape == dense.columns.shape
    X[0, 0] = np.nan
    assert np.isfinite(held_out_class_view(X, y, X, n_known_classes=2).unlabeled.typicality).all()
