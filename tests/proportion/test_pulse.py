"""PULSE: ratios of the known classes first, their total second."""

import numpy as np
import pytest
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression

from eulac.data.folds import in_canonical_order
from eulac.data.lac_sample import LacSample
from eulac.proportion.pulse import PulseProportion, class_marginal
from eulac.proportion.reduction import extra_trees
from proportion.contract import assert_same_estimate, easy_mixture, estimate_of

# A linear model tells the corners of a simplex apart, and is quicker than a forest.
LINEAR = LogisticRegression()
QUICK = PulseProportion(LINEAR, n_resamples=20, random_state=0)


def moved(shares, n_labeled=120, n_unlabeled=200, seed=0):
    """Return classes labeled alike, and unlabeled rows of given shares, new ones last."""
    rng = np.random.default_rng(seed)
    n_known = len(shares) - 1
    hidden = np.repeat(
        np.arange(n_known + 1), np.round(np.multiply(shares, n_unlabeled)).astype(int)
    )
    labels = np.arange(n_labeled) % n_known
    X = rng.normal(8 * np.eye(n_known + 1)[np.append(labels, hidden)])
    return X, np.append(labels, np.full(len(hidden), -1))


@pytest.mark.parametrize(
    "shares", [(0.5, 0.1, 0.4), (0.3, 0.3, 0.4), (0.4, 0.3, 0.1, 0.2), (0.6, 0.4)]
)
def test_shares_and_total_are_found(shares):
    estimate = estimate_of(QUICK, *moved(shares))
    np.testing.assert_allclose(estimate.per_class, shares[:-1], atol=0.12)
    assert abs(estimate.total - sum(shares[:-1])) < 0.12
    low, high = estimate.interval
    assert low <= estimate.total <= high
    assert estimate.method == "pulse"


def test_forests_are_the_default():
    estimate = estimate_of(PulseProportion(n_resamples=10, random_state=0), *moved((0.5, 0.1, 0.4)))
    assert estimate.per_class[0] > 2.5 * estimate.per_class[1]
    assert abs(estimate.total - 0.6) < 0.12


def test_the_known_priors_are_told_and_sum_to_one():
    estimate = estimate_of(QUICK, *moved((0.5, 0.1, 0.4)))
    priors = np.array(estimate.diagnostics["known_priors"])
    assert priors.sum() == pytest.approx(1)
    np.testing.assert_allclose(estimate.per_class, estimate.total * priors)


def test_ratios_of_the_known_classes_follow_the_unlabeled_rows():
    sample = in_canonical_order(LacSample.from_masked(*moved((0.5, 0.17, 0.33))), 0)
    priors = class_marginal(sample, extra_trees(0), 3, 0)
    assert priors.sum() == pytest.approx(1)
    np.testing.assert_allclose(priors, [0.75, 0.25], atol=0.12)


def test_one_known_class_has_prior_one_and_needs_no_classifier():
    X, y = moved((0.6, 0.4))
    sample = LacSample.from_masked(X, y)
    np.testing.assert_array_equal(class_marginal(sample, None, 5, 0), [1.0])


def test_nothing_known_gives_the_labeled_priors():
    """No share is left to be divided when no unlabeled row is like any class."""

    class Never(LogisticRegression):
        def predict_proba(self, X):
            own = super().predict_proba(X)
            return np.where(X[:, -1:] > 4, 0.0, own)  # new rows are like no class

    X, y = moved((0.0, 0.0, 1.0))
    sample = LacSample.from_masked(X, y)
    np.testing.assert_allclose(class_marginal(sample, Never(), 5, 0), sample.labeled_frequency)


def test_row_order_and_seed():
    X, y = easy_mixture(0.5, 80, 120)
    order = np.random.default_rng(1).permutation(len(y))
    assert_same_estimate(estimate_of(QUICK, X, y), estimate_of(QUICK, X[order], y[order]))


def test_a_forest_may_be_given():
    estimator = PulseProportion(ExtraTreesClassifier(20), n_resamples=5, random_state=0)
    estimator.fit(*moved((0.5, 0.1, 0.4)))


def test_where_a_fold_leaves_one_class_it_has_all():
    X = np.array([[0.0], [4.0], [0.1], [0.2], [4.1], [9.0]])
    y = np.array([0, 1, -1, -1, -1, -1])
    estimate = PulseProportion(LogisticRegression(), n_resamples=5, random_state=0).fit(X, y)
    assert 0 <= estimate.estimate_.total <= 1
    assert sum(estimate.estimate_.diagnostics["known_priors"]) == pytest.approx(1.0)


class Asked(LogisticRegression):
    """Remember which rows were learned from, and which were asked about."""

    log = ()

    def fit(self, X, y):
        self.learned_ = X[:, 0]
        return super().fit(X, y)

    def predict_proba(self, X):
        self.log.append((self.learned_, X[:, 0]))
        return super().predict_proba(X)


def test_each_row_is_asked_about_once_and_of_a_model_that_has_not_seen_it(monkeypatch):
    monkeypatch.setattr(Asked, "log", [])
    sample = LacSample.from_masked(*moved((0.3, 0.3, 0.4)))
    class_marginal(sample, Asked(), 4, 0)
    asked = np.concatenate([rows for _, rows in Asked.log])
    everyone = np.append(sample.X_labeled[:, 0], sample.X_unlabeled[:, 0])
    np.testing.assert_array_equal(np.sort(asked), np.sort(everyone))
    pool = [np.isin(rows, sample.X_unlabeled[:, 0]).sum() for _, rows in Asked.log]
    assert [n for n in pool if n] == 4 * [sample.n_unlabeled // 4]
    for learned, rows in Asked.log:
        assert not set(learned) & set(rows)
