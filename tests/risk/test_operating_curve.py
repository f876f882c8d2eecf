"""Precision and recall of new at every share called, against simulations."""

from statistics import NormalDist

import numpy as np
import pytest

from drawn_answers import drawn_answers
from eulac.risk.operating_curve import new_point, operating_curve
from eulac.risk.weights import labeled_weights


def curve(drawn, **options):
    weights = labeled_weights(drawn.y, drawn.per_class)
    return operating_curve(drawn.score, weights, drawn.unlabeled_score, **options)


def truth(drawn, cut):
    called, new = drawn.unlabeled_score > cut, drawn.truth == 3
    return np.mean(new[called]), np.mean(called[new])


def test_estimates_are_the_truth_on_average():
    apart = []
    for seed in range(200):
        drawn = drawn_answers(seed)
        found = curve(drawn, n_points=5)
        true = np.array([truth(drawn, cut) for cut in found.cut])
        apart.append(np.stack([found.precision, found.recall], axis=1) - true)
    error = np.std(apart, axis=0) / np.sqrt(200)
    # Ratios leave a bias below the noise of a single draw.
    assert np.all(np.abs(np.mean(apart, axis=0)) <= 4 * error + 0.005)


def test_intervals_cover_what_holds_of_the_distribution():
    covered = []
    for seed in range(100):
        found = curve(drawn_answers(seed), n_points=4)
        new, known = (NormalDist(mean).cdf for mean in (1.2816, -1.2816))
        for i, cut in enumerate(found.cut[:3]):
            recall, wrong = 1 - new(cut), 1 - known(cut)
            precision = 0.25 * recall / (0.25 * recall + 0.75 * wrong)
            ends = [found.interval(name) for name in ("precision", "recall")]
            truths = precision, recall
            covered.append(
                [low[i] <= t <= high[i] for (low, high), t in zip(ends, truths, strict=True)]
            )
    assert np.all(np.abs(np.mean(covered, axis=0) - 0.95) <= 0.05)


def test_all_rows_called_new_find_all_new_rows():
    last = curve(drawn_answers(0))
    assert last.called[-1] == 1.0
    assert last.cut[-1] == -np.inf
    assert last.recall[-1] == pytest.approx(1.0)
    assert last.precision[-1] == pytest.approx(0.25)
    assert np.all(np.diff(last.called) > 0)


def test_equal_scores_are_called_together():
    score = np.repeat([0.0, 1.0], 50)
    found = operating_curve(np.zeros(40), np.full(40, 0.5), score)
    np.testing.assert_array_equal(found.called, [0.5, 1.0])


def test_without_new_rows_there_is_no_recall_and_without_calls_no_precision():
    assert np.isnan(new_point(0.1, 0.1, 0.0, known=1.0, n_unlabeled=50).recall)
    assert np.isnan(new_point(0.0, 0.0, 0.0, known=0.5, n_unlabeled=50).precision)


def test_an_unsure_proportion_widens_intervals():
    sure, unsure = (curve(drawn_answers(0), proportion_error=error) for error in (0.0, 0.05))
    assert np.all(unsure.precision_error >= sure.precision_error)
    assert unsure.recall_error[5] > sure.recall_error[5]


def test_an_unsure_proportion_adds_as_much_as_the_shares_move_with_it():
    known, rate, called, step = 0.6, 0.2, 0.4, 1e-6
    one, two = (
        new_point(called, rate * share, 0.0, known=share, n_unlabeled=10**15, proportion_error=0.03)
        for share in (known, known + step)
    )
    for name in ("precision", "recall"):
        slope = (getattr(two, name) - getattr(one, name)) / step
        assert getattr(one, f"{name}_error") == pytest.approx(0.03 * abs(slope), rel=1e-4)


def test_where_nothing_is_known_no_call_is_wrong():
    point = new_point(0.5, 0.0, 0.0, known=0.0, n_unlabeled=100, proportion_error=0.1)
    assert (point.precision, point.precision_error) == (1.0, 0.0)


def test_cuts_call_evenly_spaced_shares_new():
    known, new = np.linspace(0, 1, 50), np.linspace(2, 3, 50)
    found = operating_curve(known, np.full(50, 0.5), np.append(known, new), n_points=4)
    np.testing.assert_array_equal(found.called, [0.25, 0.5, 0.75, 1.0])


def test_errors_are_those_of_both_shares_by_their_slopes():
    called, wrong, variance, n, step = 0.4, 0.1, 1e-4, 100, 1e-6

    def point(more_called=0.0, more_wrong=0.0):
        return new_point(
            called + more_called, wrong + more_wrong, variance, known=0.6, n_unlabeled=n
        )

    for name in ("precision", "recall"):
        base = getattr(point(), name)
        by_called = (getattr(point(more_called=step), name) - base) / step
        by_wrong = (getattr(point(more_wrong=step), name) - base) / step
        expected = by_called**2 * called * (1 - called) / n + by_wrong**2 * variance
        assert getattr(point(), f"{name}_error") ** 2 == pytest.approx(expected, rel=1e-3)


def test_cuts_stand_in_the_scores_and_only_rows_above_them_are_called():
    score = np.array([4.0, 3.0, 2.0, 1.0])
    found = operating_curve(np.array([0.5, 3.5]), np.full(2, 0.5), score, n_points=4)
    np.testing.assert_array_equal(found.cut, [3.0, 2.0, 1.0, -np.inf])
    np.testing.assert_array_equal(found.called, [0.25, 0.5, 0.75, 1.0])
    # Half of the known half lies above 3.
    np.testing.assert_allclose(found.precision, [0.0, 0.5, 2 / 3, 0.5])


def test_intervals_reach_as_many_standard_errors_as_asked_for_within_0_and_1():
    found = curve(drawn_answers(0), n_points=6)
    for name in ("precision", "recall"):
        value, error = getattr(found, name), getattr(found, f"{name}_error")
        for z, ends in ((1.96, found.interval(name)), (0.5, found.interval(name, 0.5))):
            np.testing.assert_allclose(ends[0], np.maximum(value - z * error, 0.0))
            np.testing.assert_allclose(ends[1], np.minimum(value + z * error, 1.0))
