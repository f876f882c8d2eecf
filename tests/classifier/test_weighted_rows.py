"""Labeled rows that count differently, in classifiers of rows of numbers."""

import numpy as np
import pytest
from sklearn.base import clone

from easy_mixture import easy_masked, easy_split
from eulac import BoostedEulacClassifier, KernelEulacClassifier, LinearEulacClassifier
from eulac.data.lac_sample import LacSample
from eulac.direct_risk.linear_model import fit_linear_scores
from eulac.maths.multiclass_losses import MULTICLASS_LOSSES
from eulac.risk.weights import labeled_weights, sample_weights

CENTERS = np.array([[0.0, 0.0], [4.0, 0.0], [2.0, 3.5]])
THINNED = 5.0
GIVEN = {"known_proportion": 0.6, "n_folds": 3, "random_state": 0}
QUICK = [
    KernelEulacClassifier(**GIVEN, bandwidth=0.3, penalty=1e-3),
    LinearEulacClassifier(**GIVEN, penalty=1e-2),
    BoostedEulacClassifier(**GIVEN, n_trees=20),
]
quick = pytest.mark.parametrize("classifier", QUICK, ids=lambda one: type(one).__name__)
closed = pytest.mark.filterwarnings("ignore::eulac.exceptions.NoUnlabeledRowsWarning")


def counted_rows():
    """Return labeled rows, how often each counts, a pool, and rows to ask about."""
    split = easy_split()
    sample = split.sample
    times = np.random.default_rng(0).integers(0, 4, sample.n_labeled)
    return sample.X_labeled, sample.y_labeled, times, sample.X_unlabeled, split.X_test


@closed
@pytest.mark.parametrize("loss", ["square", "logistic"])
@pytest.mark.parametrize("open_set", [True, False], ids=["pool", "no pool"])
def test_kernel_scores_of_weighted_rows_are_those_of_repeated_rows(loss, open_set):
    X, y, times, pool, asked = counted_rows()
    pool = pool if open_set else None
    machine = clone(QUICK[0]).set_params(loss=loss)
    weighted = clone(machine).fit(X, y, pool, sample_weight=times)
    repeated = clone(machine).fit(np.repeat(X, times, axis=0), np.repeat(y, times), pool)
    one, two = (
        model.model_.expansion.scores(model.scaler_.transform(asked))
        for model in (weighted, repeated)
    )
    np.testing.assert_allclose(one, two, atol=1e-6)
    np.testing.assert_allclose(weighted.proportion_.per_class, repeated.proportion_.per_class)


@closed
def test_linear_scores_of_weighted_rows_are_those_of_repeated_rows_without_a_pool():
    X, y, times, _, asked = counted_rows()
    weighted = clone(QUICK[1]).fit(X, y, sample_weight=times)
    repeated = clone(QUICK[1]).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(weighted.scaler_.mean_, repeated.scaler_.mean_)
    np.testing.assert_allclose(weighted.scaler_.scale_, repeated.scaler_.scale_)
    one, two = (
        model.scores_.probabilities(model.scaler_.transform(asked))
        for model in (weighted, repeated)
    )
    np.testing.assert_allclose(one, two, atol=2e-3)


def test_linear_scores_of_weighted_rows_are_those_of_repeated_rows_with_a_pool():
    X, y, times, pool, asked = counted_rows()
    codes = np.unique(y, return_inverse=True)[1]
    sample = LacSample.from_masked(X, codes, X_unlabeled=pool)
    repeated = sample.taken(np.repeat(np.arange(len(y)), times), slice(None))
    per_class, loss = np.array([0.3, 0.2, 0.1]), MULTICLASS_LOSSES["log"]
    weights = labeled_weights(sample.y_labeled, per_class, times / times.mean())
    found = [
        fit_linear_scores(sample, weights, 1e-2, loss),
        fit_linear_scores(repeated, sample_weights(repeated, per_class), 1e-2, loss),
    ]
    one, two = (scores.probabilities(asked) for scores in found)
    np.testing.assert_allclose(one, two, atol=2e-3)


@quick
@closed
def test_a_row_that_weighs_nothing_teaches_nothing(classifier):
    rng = np.random.default_rng(0)
    y, codes = np.resize([0, 1], 200), np.resize([0, 1, 2, 0, 2], 300)
    X, pool, asked = (rng.normal(CENTERS[kinds], 0.4) for kinds in (y, codes, codes))
    truth = np.where(codes == 2, -2, codes)
    kept = rng.random(len(y)) > 0.6
    wrong = np.where(kept, y, 1 - y)
    disturbed = clone(classifier).fit(X, wrong, pool).score(asked, truth)
    right = clone(classifier).fit(X, wrong, pool, sample_weight=kept).score(asked, truth)
    assert right > max(0.95, disturbed + 0.2)
    alone = clone(classifier).fit(X, wrong, sample_weight=kept)
    assert alone.score(asked[truth >= 0], truth[truth >= 0]) > 0.95


@quick
@closed
def test_weights_follow_their_rows(classifier):
    _, X, y = easy_masked()
    asked = easy_split().X_test
    weights = np.where(y < 0, 1.0, 1.0 + np.random.default_rng(1).random(len(y)))
    turned = np.random.default_rng(0).permutation(len(y))
    for rows in (np.arange(len(y)), np.flatnonzero(y >= 0)):
        one = clone(classifier).fit(X[rows], y[rows], sample_weight=weights[rows])
        other = turned[np.isin(turned, rows)]
        two = clone(classifier).fit(X[other], y[other], sample_weight=weights[other])
        np.testing.assert_array_equal(one.predict_proba(asked), two.predict_proba(asked))


@pytest.mark.filterwarnings("ignore::eulac.exceptions.EulacWarning")
@pytest.mark.parametrize(
    "classifier",
    [
        KernelEulacClassifier(bandwidth=0.2, penalty=1e-3, n_folds=3, random_state=0),
        BoostedEulacClassifier(n_trees=20, n_folds=3, random_state=0),
    ],
    ids=lambda one: type(one).__name__,
)
def test_weights_undo_uneven_sampling(classifier):
    rng = np.random.default_rng(0)

    def known(n):
        y = rng.integers(0, 2, n)
        return rng.normal(CENTERS[y], 1.0), y

    X, y = known(1000)
    kept = rng.random(len(y)) < np.where(X[:, 1] > 0, 1.0, 1.0 / THINNED)
    X, y = X[kept], y[kept]
    pool = np.vstack([known(360)[0], rng.normal(CENTERS[2], 0.7, (240, 2))])
    X_test, y_test = known(900)
    X_test = np.vstack([X_test, rng.normal(CENTERS[2], 0.7, (600, 2))])
    y_test = np.append(y_test, np.full(600, -2))
    errors, shares = {}, {}
    for name, weights in {"even": None, "weighted": np.where(X[:, 1] > 0, 1.0, THINNED)}.items():
        model = clone(classifier).set_params(drift=False)
        model.fit(X, y, pool, sample_weight=weights)
        errors[name] = np.mean(model.predict(X_test) != y_test)
        shares[name] = abs(model.proportion_.total - 0.6)
    assert shares["weighted"] < min(0.1, shares["even"])
    assert errors["weighted"] < errors["even"] - 0.05


def test_the_biased_variant_refuses_weights_that_differ():
    X, y, times, pool, _ = counted_rows()
    model = clone(QUICK[0]).set_params(shift="base++")
    with pytest.raises(ValueError, match="same for all rows with shift='base\\+\\+'"):
        model.fit(X, y, pool, sample_weight=times)
    model.fit(X, y, pool, sample_weight=np.full(len(y), 2.0))
