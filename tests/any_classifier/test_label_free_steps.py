"""Steps that see no labels are fitted once, to all rows, and never see one."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.preprocessing import MinMaxScaler

from eulac import TwoStageEulacClassifier
from eulac.any_classifier.label_free_steps import (
    ColumnBins,
    LabelFreeSteps,
    SoftmaxRegression,
    split_steps,
)


class Watched(TransformerMixin, BaseEstimator):
    """Counts what it is fitted to."""

    def __init__(self, seen=None):
        self.seen = seen

    def fit(self, X, y=None):
        self.seen.append((len(X), y is None))
        self.fitted_ = True
        return self

    def transform(self, X):
        return X

    def __sklearn_clone__(self):
        return Watched(self.seen)


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    kinds = np.repeat([0, 1, 2], 60)
    X = rng.normal(np.array([[0, 0], [5, 0], [0, 5]])[kinds], 0.7)
    return X, np.where((np.arange(180) % 3 == 0) & (kinds < 2), kinds, -1), kinds


def test_two_stages_fit_them_once_to_all_rows_without_labels(table):
    X, y, kinds = table
    seen = []
    base = LabelFreeSteps([("watched", Watched(seen)), ("model", SoftmaxRegression())])
    classifier = TwoStageEulacClassifier(base, known_proportion=0.6, n_repeats=2, random_state=0)
    classifier.fit(X, y)
    assert seen == [(180, True)]
    hidden = y == -1
    true = np.where(kinds == 2, -2, kinds)
    assert np.mean(classifier.held_out_labels_[hidden] == true[hidden]) > 0.95


def test_without_unlabeled_rows_they_are_fitted_once_too(table):
    X, y, _ = table
    seen = []
    base = LabelFreeSteps([("watched", Watched(seen)), ("model", SoftmaxRegression())])
    with pytest.warns(UserWarning, match="unlabeled"):
        TwoStageEulacClassifier(base, random_state=0).fit(X[y >= 0], y[y >= 0])
    assert seen == [(40, True)]


def test_other_bases_are_left_whole():
    trees = ExtraTreesClassifier()
    assert split_steps(trees, np.eye(3), 0) == (None, trees)


def test_open_random_states_of_the_steps_are_set():
    steps = LabelFreeSteps([("scale", MinMaxScaler()), ("trees", ExtraTreesClassifier())])
    prepare, base = split_steps(steps, np.eye(3), 7)
    assert base.random_state == 7
    assert np.array_equal(prepare.transform(np.eye(3)), np.eye(3))
    assert steps.named_steps["trees"].random_state is None


def test_bins_keep_order_and_gaps():
    values = np.random.default_rng(0).normal(size=(500, 1))
    values[::50] = np.nan
    bins = ColumnBins(16).fit_transform(values)
    there = ~np.isnan(values[:, 0])
    assert np.array_equal(np.isnan(bins), np.isnan(values))
    order = np.argsort(values[there, 0])
    assert np.all(np.diff(bins[there, 0][order]) >= 0)
    assert 12 <= len(np.unique(bins[there])) <= 16


def test_few_values_have_a_bin_each():
    bins = ColumnBins(4).fit(np.array([[1.0], [2.0], [2.0], [7.0]]))
    assert bins.transform([[0.0], [1.4], [1.6], [100.0]]).ravel().tolist() == [0, 0, 1, 2]


def test_a_few_rows_far_out_have_a_bin_of_their_own():
    values = np.append(np.random.default_rng(0).normal(size=1000), [50.0, 51.0])[:, None]
    bins = ColumnBins(32).fit_transform(values).ravel()
    assert bins[-2] > bins[:-2].max()
