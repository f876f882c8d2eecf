"""Cross-fitted scores: known rows rank first, and no row scores itself."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import KNeighborsClassifier

from eulac.data.labels import LabelCodec
from eulac.data.lac_sample import LacSample
from eulac.proportion.reduction import (
    cross_fit_folds,
    cross_fitted_probabilities,
    cross_fitted_scores,
    log_odds,
    nystroem_logistic,
)


def noise(n_labeled=80, n_unlabeled=100, shift=0.0, n_classes=2, seed=0):
    """Return a sample whose unlabeled rows are `shift` away from the labeled ones."""
    rng = np.random.default_rng(seed)
    X, U = rng.normal(size=(n_labeled, 3)), rng.normal(shift, 1, (n_unlabeled, 3))
    codec = LabelCodec.from_labels(np.arange(n_classes))
    return LacSample(X, np.resize(np.arange(n_classes), n_labeled), U, codec)


def auc(known, unlabeled):
    is_known = np.repeat([1, 0], [len(known), len(unlabeled)])
    return roc_auc_score(is_known, np.append(known, unlabeled))


def test_a_memorizing_classifier_cannot_score_the_rows_it_has_seen():
    """In sample one nearest neighbor is always right; on noise, out of fold, it is a coin."""
    sample, memory = noise(), KNeighborsClassifier(1)
    X = np.vstack([sample.X_labeled, sample.X_unlabeled])
    is_labeled = np.arange(len(X)) < sample.n_labeled
    assert memory.fit(X, is_labeled).score(X, is_labeled) == 1
    areas = [auc(*cross_fitted_scores(noise(seed=s), memory, random_state=0)) for s in range(8)]
    assert abs(np.mean(areas) - 0.5) < 0.05


class Recorder(ClassifierMixin, BaseEstimator):
    """Remember which rows were trained on, and which were asked for."""

    log = ()

    def fit(self, X, y):
        self.classes_, self.trained_ = np.unique(y), X[:, 0]
        return self

    def predict_proba(self, X):
        self.log.append((self.trained_, X[:, 0]))
        return np.full((len(X), len(self.classes_)), 1 / len(self.classes_))


@pytest.mark.parametrize(("n_labeled", "n_unlabeled"), [(80, 100), (7, 23), (3, 50), (50, 2)])
def test_every_row_is_scored_once_by_a_model_without_it(monkeypatch, n_labeled, n_unlabeled):
    monkeypatch.setattr(Recorder, "log", [])
    sample = noise(n_labeled, n_unlabeled)
    known, unlabeled = cross_fitted_scores(sample, Recorder(), random_state=0)
    assert (len(known), len(unlabeled)) == (n_labeled, n_unlabeled)
    asked = np.concatenate([held_out for _, held_out in Recorder.log])
    everyone = np.append(sample.X_labeled[:, 0], sample.X_unlabeled[:, 0])
    np.testing.assert_array_equal(np.sort(asked), np.sort(everyone))
    for trained, held_out in Recorder.log:
        assert not set(trained) & set(held_out)
        assert len(trained) + len(held_out) == len(everyone)


@pytest.mark.parametrize("classifier", [None, LogisticRegression(), KNeighborsClassifier(5)])
def test_known_rows_score_higher_where_unlabeled_ones_are_new(classifier):
    known, unlabeled = cross_fitted_scores(noise(shift=3.0), classifier, random_state=0)
    assert auc(known, unlabeled) > 0.95
    assert np.all(np.isfinite(np.append(known, unlabeled)))


@pytest.mark.parametrize("by_class", [False, True])
def test_scores_do_not_depend_on_calls_before_and_leave_the_classifier_alone(by_class):
    classifier = LogisticRegression()
    options = {"by_class": by_class, "random_state": 3}
    one = cross_fitted_scores(noise(), classifier, **options)
    two = cross_fitted_scores(noise(), classifier, **options)
    for first, second in zip(one, two, strict=True):
        np.testing.assert_array_equal(first, second)
    assert not hasattr(classifier, "coef_")


@pytest.mark.parametrize(("n_labeled", "n_unlabeled"), [(1, 50), (50, 1)])
def test_one_row_cannot_be_held_out_and_trained_on(n_labeled, n_unlabeled):
    sample = noise(n_labeled, n_unlabeled, n_classes=1)
    with pytest.raises(ValueError, match=rf"two unlabeled .* got {n_labeled} and {n_unlabeled}\."):
        cross_fitted_scores(sample, random_state=0)


def test_a_class_of_one_row_is_no_obstacle():
    sample = noise()
    lonely = LacSample(
        sample.X_labeled,
        np.append(np.zeros(79, dtype=np.intp), 1),
        sample.X_unlabeled,
        sample.codec,
    )
    for by_class in (False, True):
        scores = cross_fitted_scores(lonely, LogisticRegression(), by_class=by_class)
        assert np.all(np.isfinite(np.concatenate(scores)))


def test_log_odds_are_odd_around_one_half_and_bounded():
    p = np.array([0.0, 0.2, 0.5, 0.8, 1.0])
    np.testing.assert_allclose(log_odds(p), -log_odds(1 - p), atol=1e-12)
    np.testing.assert_allclose(log_odds(p)[[0, 2]], [np.log(1e-3 / 0.999), 0], atol=1e-12)
    assert np.all(np.diff(log_odds(p)) > 0)


@pytest.mark.parametrize("spread", [0.0, 1e-160, 1e-60, 1.0, 1e60])
def test_the_kernel_follows_the_scale_of_the_rows(spread):
    X = spread * np.random.default_rng(0).normal(size=(40, 2))
    model = nystroem_logistic(X, random_state=0).fit(X, np.arange(40) % 2)
    assert np.all(np.isfinite(model.predict_proba(X)))


@pytest.mark.parametrize("reduce", [cross_fitted_scores, cross_fitted_probabilities])
def test_rows_are_held_out_by_fifths_unless_told_otherwise(monkeypatch, reduce):
    for options, n_folds in (({}, 5), ({"n_folds": 3}, 3)):
        monkeypatch.setattr(Recorder, "log", [])
        reduce(noise(), Recorder(), random_state=0, **options)
        assert len(Recorder.log) == n_folds
        for fold in cross_fit_folds(noise(), random_state=0, **options):
            np.testing.assert_array_equal(np.unique(fold), np.arange(n_folds))


def test_unlabeled_rows_left_over_join_the_last_fold():
    _, unlabeled = cross_fit_folds(noise(20, 23), 5, 0)
    np.testing.assert_array_equal(np.bincount(unlabeled), [4, 4, 4, 4, 7])


@pytest.mark.parametrize("unit", [1e-6, 1e6])
def test_units_of_all_rows_do_not_change_kernel_scores(unit):
    X = np.random.default_rng(0).normal(size=(40, 2))
    y = np.arange(40) % 2
    plain, moved = (
        nystroem_logistic(rows, random_state=0).fit(rows, y).predict_proba(rows)
        for rows in (X, unit * X)
    )
    np.testing.assert_allclose(moved, plain, atol=1e-3)


def test_each_known_class_is_told_from_the_unlabeled_rows_or_all_together():
    sample = noise(n_classes=3)
    for by_class, n_columns in ((True, 4), (False, 2)):
        for part in cross_fitted_probabilities(
            sample, LogisticRegression(), by_class=by_class, random_state=0
        ):
            assert part.shape[1] == n_columns
            np.testing.assert_allclose(part.sum(axis=1), 1.0)
