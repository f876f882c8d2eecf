"""Choosing along a path: by held-out risk, with rows that a model has not seen."""

import numpy as np
import pytest

from easy_mixture import easy_masked
from eulac.direct_risk.path_classifier import DirectRiskClassifier
from eulac.risk.evidence import LogProbabilities
from eulac.risk.weights import labeled_weights


class NearestMeans:
    """Probabilities that fall with the distance from each mean; `setting` is how sharply."""

    def __init__(self, means, setting):
        self.means, self.setting = means, setting

    def probabilities(self, X):
        distances = np.linalg.norm(X[:, None] - self.means, axis=2)
        odds = np.exp(-self.setting * distances)
        return odds / odds.sum(axis=1, keepdims=True)


class MeansClassifier(DirectRiskClassifier):
    """A path over sharpness: at zero every row looks alike."""

    def __init__(self, settings=(0.0, 1.0, 4.0), known_proportion=0.6, random_state=0, n_folds=5):
        super().__init__(known_proportion, False, n_folds, -1, "auto", None, random_state)
        self.settings = settings
        self.loss = "log"

    def _settings(self):
        self.walks_ = []
        return list(self.settings)

    def _path(self, sample, weights, settings, seed):
        self.walks_.append((sample.n_labeled, sample.n_unlabeled, tuple(settings)))
        known = range(sample.n_known_classes)
        means = [sample.X_labeled[sample.y_labeled == k].mean(axis=0) for k in known]
        centers = np.stack(means)
        far = np.linalg.norm(sample.X_unlabeled[:, None] - centers, axis=2).min(axis=1)
        means.append(sample.X_unlabeled[far > np.median(far)].mean(axis=0))
        for setting in settings:
            yield NearestMeans(np.stack(means), setting)

    def _keep(self, setting):
        self.setting_ = setting


@pytest.fixture(scope="module")
def fitted():
    split, X, y = easy_masked()
    return split, MeansClassifier().fit(X, y)


def test_the_setting_with_the_smallest_held_out_risk_is_kept(fitted):
    split, classifier = fitted
    assert classifier.setting_ > 0.0
    assert classifier.risk_.raw < 0.1
    assert np.mean(classifier.predict(split.X_test) == split.y_test) > 0.9


def test_each_fold_walks_the_whole_path_and_the_last_fit_stops_at_the_winner(fitted):
    _, classifier = fitted
    *folds, last = classifier.walks_
    assert len(folds) == 5
    assert all(walk == (48, 96, (0.0, 1.0, 4.0)) for walk in folds)
    assert last[:2] == (60, 120)
    assert last[2] == (0.0, 1.0, 4.0)[: 1 + (0.0, 1.0, 4.0).index(classifier.setting_)]


def test_held_out_probabilities_are_in_the_order_of_the_rows():
    _, X, y = easy_masked()
    one = MeansClassifier().fit(X, y)
    assert one.held_out_probabilities_.shape == (len(X), 4)
    np.testing.assert_allclose(one.held_out_probabilities_.sum(axis=1), 1.0)
    is_labeled = y != -1
    right = one.held_out_labels_[is_labeled] == y[is_labeled]
    assert right.mean() > 0.9


def test_rows_left_over_by_folds_of_one_size_are_answered_too():
    _, X, y = easy_masked(n_unlabeled=122)
    one = MeansClassifier().fit(X, y)
    assert np.isfinite(one.held_out_probabilities_).all()
    assert len(one.held_out_probabilities_) == len(X)


def test_the_decision_is_the_rule_on_log_probabilities_of_scaled_rows(fitted):
    split, classifier = fitted
    scaled = classifier.scaler_.transform(split.X_test)
    evidence = LogProbabilities().of(classifier.scores_.probabilities(scaled))
    expected = classifier.classes_[classifier.rule_.answers(evidence)]
    np.testing.assert_array_equal(classifier.predict(split.X_test), expected)


def test_the_path_gets_the_weights_of_the_known_proportion():
    seen = []

    class Watching(MeansClassifier):
        def _path(self, sample, weights, settings, seed):
            seen.append((sample.y_labeled, weights))
            return super()._path(sample, weights, settings, seed)

    _, X, y = easy_masked()
    classifier = Watching().fit(X, y)
    codes, weights = seen[-1]
    np.testing.assert_allclose(weights, labeled_weights(codes, classifier.proportion_.per_class))
    assert weights.mean() == pytest.approx(0.6)


@pytest.mark.parametrize(("options", "message"), [({"n_folds": 1}, "`n_folds`.*at least 2; got 1")])
def test_parameters_are_checked_before_any_walk(options, message):
    _, X, y = easy_masked()
    classifier = MeansClassifier(**options)
    with pytest.raises(ValueError, match=message):
        classifier.fit(X, y)
    assert not hasattr(classifier, "walks_")
