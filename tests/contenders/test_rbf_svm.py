import numpy as np
import pytest
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC, _libsvm

from eulac.contenders.rbf_svm import (
    BANDWIDTH_FACTORS,
    COSTS,
    SvmSettings,
    fit_ovr_machines,
    search_ovr_svm,
)
from eulac.data.folds import draw_folds
from eulac.maths.kernels import GaussianKernel, median_distance


def instance(seed, n_classes=3, n_rows=40, spread=1.0):
    rng = np.random.default_rng(seed)
    y = np.resize(np.arange(n_classes), n_rows)
    centers = rng.normal(scale=2.0, size=(n_classes, 3))
    return rng.normal(centers[y], spread), y, rng.normal(scale=2.0, size=(50, 3))


@pytest.mark.parametrize("seed", range(8))
def test_machines_are_those_of_scikit_learn(seed):
    X, y, X_test = instance(seed, n_classes=3 + seed % 3)
    bandwidth, cost = (0.3, 1.0, 3.0, 30.0)[seed % 4], (0.1, 1.0, 100.0)[seed % 3]
    ours = fit_ovr_machines(X, y, SvmSettings(bandwidth, cost))
    theirs = OneVsRestClassifier(SVC(C=cost, gamma=1 / (2 * bandwidth**2))).fit(X, y)
    expected = theirs.decision_function(X_test)
    np.testing.assert_allclose(ours.decision(X_test), expected, atol=1e-6)
    np.testing.assert_array_equal(ours.predict(X_test), theirs.predict(X_test))
    counts = [machine.n_support_ for machine in theirs.estimators_]
    np.testing.assert_array_equal(ours.n_support, counts)


def test_two_classes_have_two_machines_that_mirror_each_other():
    X, y, X_test = instance(0, n_classes=2)
    decision = fit_ovr_machines(X, y, SvmSettings(1.0, 1.0)).decision(X_test)
    np.testing.assert_allclose(decision[:, 0], -decision[:, 1], atol=5e-3)


def test_only_rows_that_support_a_machine_are_kept():
    X, y, _ = instance(1, spread=0.2)
    machines = fit_ovr_machines(X, y, SvmSettings(3.0, 10.0))
    assert 0 < len(machines.rows) < len(X)
    assert np.all(np.any(machines.coefficients != 0, axis=1))
    np.testing.assert_allclose(machines.coefficients.sum(axis=0), 0.0, atol=1e-9)


def slow_hits(X, y, settings, seed):
    """Held-out rows with the right class and a decision value that does not reject."""
    fold = draw_folds(y, len(y), 5, seed).labeled
    hits = 0
    for i in range(5):
        kept = np.flatnonzero(fold != i)
        machine = OneVsRestClassifier(
            SVC(C=settings.cost, gamma=1 / (2 * settings.bandwidth**2))
        ).fit(X[kept], y[kept])
        for j in np.flatnonzero(fold == i):
            values = machine.decision_function(X[[j]])[0]
            hits += int(values.max() >= 0 and machine.classes_[values.argmax()] == y[j])
    return hits


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.slow
def test_the_search_finds_the_best_of_slow_loops_and_the_smoothest_of_equals(seed):
    X, y, _ = instance(seed, n_rows=30)
    bandwidths, costs = [4.0, 1.0, 0.25], [0.1, 1.0, 10.0, 1000.0]
    chosen = search_ovr_svm(X, y, bandwidth=bandwidths, cost=costs, random_state=seed)
    grid = [SvmSettings(bandwidth, cost) for bandwidth in bandwidths for cost in costs]
    hits = [slow_hits(X, y, settings, seed) for settings in grid]
    assert chosen == grid[int(np.argmax(hits))]
    assert min(hits) < max(hits)


def test_what_is_not_given_is_searched_around_the_median_distance():
    X, y, _ = instance(0, n_rows=15)
    median = median_distance(X)
    chosen = search_ovr_svm(X, y)
    assert np.any(np.isclose(chosen.bandwidth, np.multiply(BANDWIDTH_FACTORS, median)))
    assert chosen.cost in COSTS
    assert search_ovr_svm(X, y, bandwidth=0.7).bandwidth == 0.7
    assert search_ovr_svm(X, y, cost=3.0).cost == 3.0
    assert search_ovr_svm(X, y, bandwidth=0.7, cost=3.0) == SvmSettings(0.7, 3.0)


def test_the_search_follows_the_units_of_the_features():
    X, y, _ = instance(2, n_rows=20)
    one, two = search_ovr_svm(X, y), search_ovr_svm(4.0 * X, y)
    assert two.bandwidth == pytest.approx(4.0 * one.bandwidth)
    assert two.cost == one.cost


def test_classes_of_one_row_and_coinciding_rows_can_be_searched():
    assert search_ovr_svm(np.eye(2), np.array([0, 1])).cost == COSTS[0]
    X = np.vstack([np.zeros((4, 2)), np.ones((1, 2))])
    y = np.array([0, 1, 0, 1, 2])
    settings = search_ovr_svm(X, y)
    assert np.all(np.isfinite(fit_ovr_machines(X, y, settings).decision(X)))
    assert np.isfinite(search_ovr_svm(np.ones((6, 2)), np.arange(6) % 2).bandwidth)


@pytest.mark.parametrize("value", [0.0, -1.0, np.nan, "wide", []])
def test_only_positive_numbers_are_candidates(value):
    X, y, _ = instance(0, n_rows=9)
    with pytest.raises(ValueError, match="`bandwidth` must be one or more positive numbers"):
        search_ovr_svm(X, y, bandwidth=value)


@pytest.mark.parametrize("cost", [0.1, 10.0, 1000.0])
@pytest.mark.parametrize("share", [0.02, 0.4])
def test_machines_are_those_of_scikit_learn_to_the_last_bit(cost, share):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 3)), (rng.random(100) < share).astype(int)
    settings = SvmSettings(0.7, cost)
    machines = fit_ovr_machines(X, y, settings)
    K, dual = GaussianKernel(0.7).block(X, X), np.zeros((100, 2))
    for k in range(2):
        usual = SVC(C=cost, kernel="precomputed", random_state=0).fit(K, y == k)
        np.testing.assert_array_equal(machines.n_support[k], usual.n_support_)
        assert machines.intercepts[k] == usual.intercept_[0]
        dual[usual.support_, k] = usual.dual_coef_[0]
    used = dual.any(axis=1)
    np.testing.assert_array_equal(machines.rows, X[used])
    np.testing.assert_array_equal(machines.coefficients, dual[used])


def test_nothing_is_printed_whatever_was_asked_of_the_solver_before(capfd):
    _libsvm.set_verbosity_wrap(1)
    fit_ovr_machines(*instance(0)[:2], SvmSettings(1.0, 1.0))
    assert capfd.readouterr() == ("", "")
