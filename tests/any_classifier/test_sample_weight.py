"""Labeled rows that count differently: whoever sampled them unevenly can say so."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy.optimize import minimize_scalar
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from easy_mixture import easy_masked
from eulac import EulacClassifier, LandmarkEulacClassifier, TwoStageEulacClassifier
from eulac.data.lac_table import LacTable, in_value_order
from eulac.exceptions import SmallClassWarning
from eulac.risk.evidence import LogProbabilities
from eulac.risk.weights import labeled_weights

CENTERS = np.array([[0.0, 0.0], [4.0, 0.0], [2.0, 3.5]])
THINNED = 5.0
QUICK = TwoStageEulacClassifier(GaussianNB(), n_folds=3, known_proportion=0.6, random_state=0)


@pytest.fixture(scope="module")
def thinned():
    """Return rows of which four in five labeled ones below the axis were lost, and a test set."""
    rng = np.random.default_rng(0)

    def known(n):
        y = rng.integers(0, 2, n)
        return rng.normal(CENTERS[y], 1.0), y

    X, y = known(2000)
    kept = rng.random(len(y)) < np.where(X[:, 1] > 0, 1.0, 1.0 / THINNED)
    unlabeled = np.vstack([known(600)[0], rng.normal(CENTERS[2], 0.7, (400, 2))])
    X_test, y_test = known(1500)
    X_test = np.vstack([X_test, rng.normal(CENTERS[2], 0.7, (1000, 2))])
    weights = np.where(X[kept][:, 1] > 0, 1.0, THINNED)
    return X[kept], y[kept], unlabeled, weights, X_test, np.append(y_test, np.full(1000, -2))


@pytest.mark.filterwarnings("ignore::eulac.exceptions.EulacWarning")
@pytest.mark.parametrize(
    "base",
    [
        LogisticRegression(),
        ExtraTreesClassifier(15, min_samples_leaf=3),
        KNeighborsClassifier(15),  # takes no weights: rows are drawn in proportion to them
    ],
)
def test_weights_undo_uneven_sampling(base, thinned):
    X, y, unlabeled, weights, X_test, y_test = thinned
    found = {}
    for name, given in {"even": None, "weighted": weights}.items():
        model = TwoStageEulacClassifier(base, n_folds=3, drift=False, random_state=0)
        model.fit(X, y, unlabeled, sample_weight=given)
        error = np.mean(model.predict(X_test) != y_test)
        found[name] = abs(model.proportion_.total - 0.6), error, abs(model.risk_.raw - error)
    even, weighted = found.values()
    assert even[0] > 0.15
    assert weighted[0] < 0.08
    assert weighted[1] < even[1] - 0.1
    assert weighted[2] < 0.05


def test_weighted_means_of_labeled_rows_estimate_means_of_the_test_distribution(thinned):
    X, y, _, weights, X_test, y_test = thinned
    table = LacTable.from_masked(X, y, X[:5], weights)
    row_weights = labeled_weights(y, np.array([0.3, 0.3]), table.importance)
    below = np.mean((X_test[:, 1] < 0) & (y_test >= 0))
    assert np.mean(row_weights * (X[:, 1] < 0)) == pytest.approx(below, abs=0.03)
    assert row_weights.mean() == pytest.approx(0.6)
    np.testing.assert_allclose(np.bincount(y, row_weights) / len(y), [0.3, 0.3])


def test_equal_weights_change_nothing():
    split, X, y = easy_masked()
    plain = QUICK.fit(X, y).predict_proba(split.X_test)
    weighted = QUICK.fit(X, y, sample_weight=np.full(len(y), 7.0)).predict_proba(split.X_test)
    np.testing.assert_array_equal(plain, weighted)


def test_weights_follow_their_rows():
    split, X, y = easy_masked()
    X, y = np.repeat(X, 2, axis=0), np.repeat(y, 2)  # copies may weigh differently
    weights = np.where(y < 0, 1.0, 1.0 + np.random.default_rng(1).random(len(y)))
    turned = np.random.default_rng(0).permutation(len(y))
    one = QUICK.fit(X, y, sample_weight=weights).predict_proba(split.X_test)
    two = QUICK.fit(X[turned], y[turned], sample_weight=weights[turned])
    np.testing.assert_array_equal(one, two.predict_proba(split.X_test))
    apart = QUICK.fit(X[y >= 0], y[y >= 0], X[y < 0], sample_weight=weights[y >= 0])
    np.testing.assert_array_equal(one, apart.predict_proba(split.X_test))


def test_a_row_that_weighs_nothing_teaches_nothing():
    split, X, y = easy_masked()
    lost = np.flatnonzero(y >= 0)[::7]
    weights = np.ones(len(y))
    weights[lost] = 0.0
    wrong = y.copy()
    wrong[lost] = (y[lost] + 1) % 3
    model = QUICK.fit(X, wrong, sample_weight=weights)
    assert model.score(split.X_test, split.y_test) > 0.95
    assert model.risk_.value < 0.05


def test_class_shares_are_those_of_the_weighted_rows():
    _, X, y = easy_masked()
    weights = np.where(y == 0, 4.0, 1.0)
    estimate = QUICK.fit(X, y, sample_weight=weights).proportion_
    expected = np.bincount(y[y >= 0], weights[y >= 0])
    np.testing.assert_allclose(estimate.per_class, 0.6 * expected / expected.sum())


@pytest.mark.filterwarnings("ignore::eulac.exceptions.NoUnlabeledRowsWarning")
def test_without_unlabeled_rows_probabilities_are_calibrated_to_the_weighted_ones():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 800)
    hard = rng.random(800) < 0.2
    X = rng.normal(3.0 * y[:, None] * ~hard[:, None], 1.0, (800, 2))
    weights = np.where(hard, 10.0, 1.0)
    model = TwoStageEulacClassifier(GaussianNB(), n_folds=3, random_state=0)
    model.fit(X, y, sample_weight=weights)
    rule, held_out = model.model_.rule, model.model_.held_out

    def weighted_brier(sharpness):
        decision = rule.decide(LogProbabilities().of(held_out.labeled))
        p = replace(rule, sharpness=sharpness).probabilities(decision)
        errors = ((p - np.eye(2)[held_out.y_labeled]) ** 2).sum(axis=1)
        return np.average(errors, weights=held_out.weights)

    best = minimize_scalar(lambda log: weighted_brier(np.exp(log)), bounds=(-2, 2)).fun
    assert weighted_brier(rule.sharpness) < 1.02 * best


@pytest.mark.filterwarnings("ignore::eulac.exceptions.ProportionAtBoundWarning")
def test_a_few_rows_that_count_leave_a_warning_and_an_estimate():
    rng = np.random.default_rng(0)
    y = np.resize([0, 1], 100)
    X, U = rng.normal(CENTERS[y], 0.7), rng.normal(CENTERS[np.resize([0, 1, 2], 150)], 0.7)
    weights = np.zeros(100)
    weights[:4] = 1.0
    model = TwoStageEulacClassifier(GaussianNB(), n_folds=3, random_state=0)
    with pytest.warns(SmallClassWarning, match=r"0 \(2\), 1 \(2\)"):
        model.fit(X, y, U, sample_weight=weights)
    assert np.isfinite(model.proportion_.total)


def test_repeats_take_weights_along(thinned):
    X, y, unlabeled, weights, X_test, y_test = thinned
    model = TwoStageEulacClassifier(
        LogisticRegression(), n_folds=3, n_repeats=2, known_proportion=0.6, random_state=0
    )
    model.fit(X, y, unlabeled, sample_weight=weights)
    assert model.model_.held_out.weights.mean() == pytest.approx(0.6)
    assert np.ptp(model.model_.held_out.weights[model.model_.held_out.y_labeled == 0]) > 0
    assert model.score(X_test, y_test) > 0.95


def test_a_pipeline_hands_weights_on_where_they_are_asked_for():
    split, X, y = easy_masked()
    weights = np.where(y == 0, 2.0, 1.0)
    alone = QUICK.fit(X, y, sample_weight=weights).predict(split.X_test)
    with sklearn.config_context(enable_metadata_routing=True):
        asking = clone(QUICK).set_fit_request(sample_weight=True)
        piped = make_pipeline(FunctionTransformer(), asking).fit(X, y, sample_weight=weights)
        np.testing.assert_array_equal(piped.predict(split.X_test), alone)


def test_priors_are_estimated_from_weighted_rows():
    rng = np.random.default_rng(1)
    codes, moved = rng.integers(0, 2, 600), (rng.random(900) < 0.8).astype(int)
    moved[::3] = 2
    X, U = rng.normal(CENTERS[codes], 0.7), rng.normal(CENTERS[moved], 0.7)
    weights = rng.uniform(0.5, 1.5, 600)
    model = TwoStageEulacClassifier(GaussianNB(), n_folds=3, shift=True, random_state=0)
    shares = model.fit(X, codes, U, sample_weight=weights).proportion_.per_class
    np.testing.assert_allclose(shares / shares.sum(), [0.2, 0.8], atol=0.05)


def test_order_of_a_table_takes_the_weights_along():
    X = np.arange(8.0)[:, None]
    weights = np.array([1.0, 2, 3, 4, 5, 6, 9, 9])
    table = LacTable.from_masked(X, [0, 1, 0, 1, 0, 1, -1, -1], None, weights)
    shuffled = in_value_order(table, 3)
    np.testing.assert_allclose(shuffled.importance * 3.5, shuffled.X[:6, 0] + 1)


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        (lambda y: np.arange(len(y)), "must be the same for all unlabeled rows"),
        (lambda y: np.where(y == 1, 0.0, 1.0), "all rows of 1 weigh zero"),
        (lambda y: np.where(y == 1, -1.0, 1.0), "Negative values"),
        (lambda y: np.ones(3), r"sample_weight.shape == \(3,\)"),
    ],
)
def test_weights_that_make_no_sense_are_refused(weights, sentence):
    _, X, y = easy_masked()
    with pytest.raises(ValueError, match=sentence):
        QUICK.fit(X, y, sample_weight=weights(y))


def test_weights_may_be_a_column_of_a_frame():
    split, X, y = easy_masked()
    frame = pd.DataFrame(X).assign(counts=np.where(y == 0, 2, 1))
    counts = frame.pop("counts")
    model = QUICK.fit(frame, y, sample_weight=counts)
    assert model.score(pd.DataFrame(split.X_test), split.y_test) > 0.95


AUTO = EulacClassifier(
    {"bayes": TwoStageEulacClassifier(GaussianNB(), n_folds=3)},
    known_proportion=0.6,
    n_folds=3,
    random_state=0,
)


def test_wrong_labels_that_weigh_nothing_do_not_disturb_the_mixture():
    split, X, y = easy_masked()
    wrong, weights = y.copy(), np.ones(len(y))
    labeled = np.flatnonzero(y >= 0)[::2]
    wrong[labeled] = (y[labeled] + 1) % 3
    weights[labeled] = 0.0
    disturbed, right = clone(AUTO).fit(X, wrong), clone(AUTO).fit(X, wrong, sample_weight=weights)
    assert right.score(split.X_test, split.y_test) > 0.9
    assert right.score(split.X_test, split.y_test) > disturbed.score(split.X_test, split.y_test)
    assert right.risk_.value < disturbed.risk_.value


def test_equal_weights_change_nothing_in_the_mixture():
    split, X, y = easy_masked()
    plain, weighted = clone(AUTO).fit(X, y), clone(AUTO).fit(X, y, sample_weight=np.full(len(y), 3))
    np.testing.assert_array_equal(
        plain.predict_proba(split.X_test), weighted.predict_proba(split.X_test)
    )


class Unweighted(LandmarkEulacClassifier):
    """A candidate that takes no weights of rows."""

    def fit(self, X, y, *, X_unlabeled=None, progress=None):
        return super().fit(X, y, X_unlabeled=X_unlabeled, progress=progress)


def test_a_candidate_that_takes_no_weights_is_named():
    _, X, y = easy_masked()
    auto = EulacClassifier([Unweighted()], known_proportion=0.6, n_folds=3)
    with pytest.raises(ValueError, match="Unweighted does not"):
        auto.fit(X, y, sample_weight=np.linspace(1, 2, len(y)) * (y >= 0) + (y < 0))
