"""Label-free error: what the loops say, exact where labels are known, honest about its spread."""

import math
import warnings

import numpy as np
import pytest

from drawn_answers import drawn_answers
from eulac.exceptions import ScoreAboveOneWarning
from eulac.risk.weights import labeled_weights
from eulac.risk.zero_one import (
    RiskEstimate,
    cost_risk,
    macro_f1_of_shares,
    masked_accuracy,
    zero_one_risk,
)
from oracles import draw_fully_labeled, slow_zero_one_risk


def draw_predictions(n_labeled=30, n_unlabeled=50, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=n_labeled)
    weights = labeled_weights(y, np.array([0.1, 0.2, 0.4]))
    return rng.integers(4, size=n_labeled), y, weights, rng.integers(4, size=n_unlabeled)


@pytest.mark.parametrize("seed", range(5))
def test_the_risk_is_what_the_loops_say(seed):
    arguments = draw_predictions(seed=seed)
    expected = slow_zero_one_risk(*arguments, augmented=3)
    assert zero_one_risk(*arguments, augmented=3).raw == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_with_all_labels_known_the_risk_is_the_plain_error(seed):
    rows = draw_fully_labeled(seed=seed)
    risk = zero_one_risk(
        rows.scores_labeled.argmax(axis=1),
        rows.y_labeled,
        rows.weights,
        rows.scores.argmax(axis=1),
        augmented=3,
    )
    assert risk.raw == pytest.approx(np.mean(rows.scores.argmax(axis=1) != rows.y), rel=1e-12)


@pytest.mark.parametrize("known_proportion", [0.0, 0.3, 1.0])
def test_trivial_predictors_have_the_risks_they_must_have(known_proportion):
    y, weights = np.array([0, 1, 0, 1]), np.full(4, known_proportion)
    all_new = zero_one_risk(np.full(4, 2), y, weights, np.full(9, 2), augmented=2)
    assert all_new.raw == pytest.approx(known_proportion)
    all_first = zero_one_risk(np.zeros(4), y, weights, np.zeros(9), augmented=2)
    assert all_first.raw == pytest.approx(1 - known_proportion / 2)


def simulate(rng, *, base, right=(0.9, 0.6), n_labeled=80, n_unlabeled=120):
    """Draw predictions for a test distribution of two known classes (0.3, 0.3) and a new one."""
    y = rng.choice(2, n_labeled)
    wrong = np.where(rng.random(n_labeled) < 0.5, 2, 1 - y)
    predicted = np.where(rng.random(n_labeled) < np.array(right)[y], y, wrong)
    unlabeled = rng.choice(3, n_unlabeled, p=[0.3, 0.2, 0.5])
    weights = np.full(n_labeled, 0.6) if base else labeled_weights(y, np.array([0.3, 0.3]))
    return zero_one_risk(predicted, y, weights, unlabeled, augmented=2)


def spread_and_standard_error(n_simulations=2000, **how):
    rng = np.random.default_rng(0)
    risks = [simulate(rng, **how) for _ in range(n_simulations)]
    return np.std([risk.raw for risk in risks]), np.mean([risk.standard_error for risk in risks])


@pytest.mark.parametrize(
    "how",
    [
        {"base": True, "right": (0.8, 0.8)},
        {"base": False},
        {"base": False, "right": (1.0, 0.2)},
        {"base": True, "right": (1.0, 0.2)},
    ],
    ids=["base", "shift", "shift, uneven classes", "base, uneven classes"],
)
def test_the_standard_error_is_the_spread_of_the_estimate(how):
    spread, standard_error = spread_and_standard_error(**how)
    # The spread of 2000 simulations is known to 1.6 %, its four standard errors are 6.3 %.
    assert standard_error == pytest.approx(spread, rel=0.065)


def test_intervals_hold_the_truth_as_often_as_they_say():
    rng = np.random.default_rng(1)
    truth = 1 - 0.3 * (0.9 + 0.6) - (0.5 - 0.3 * (0.05 + 0.2))
    risks = [simulate(rng, base=False) for _ in range(2000)]
    held = np.mean([low <= truth <= high for low, high in (risk.interval for risk in risks)])
    assert held == pytest.approx(0.95, abs=4 * math.sqrt(0.95 * 0.05 / 2000) + 0.01)


def test_the_error_of_the_proportion_is_carried_into_the_risk():
    arguments = draw_predictions()
    without = zero_one_risk(*arguments, augmented=3).standard_error
    carried = zero_one_risk(*arguments, augmented=3, proportion_error=0.1).standard_error
    labeled, y, weights, unlabeled = arguments
    step = 1e-6
    more = zero_one_risk(labeled, y, weights * (1 + step), unlabeled, augmented=3).raw
    slope = (more - zero_one_risk(*arguments, augmented=3).raw) / (step * weights.mean())
    assert carried**2 - without**2 == pytest.approx((0.1 * slope) ** 2, rel=1e-4)


def test_a_known_proportion_of_zero_has_no_slope_to_divide_by():
    labeled, y, weights, unlabeled = draw_predictions()
    risk = zero_one_risk(labeled, y, 0 * weights, unlabeled, augmented=3, proportion_error=0.1)
    assert risk.raw == pytest.approx(np.mean(unlabeled != 3))


@pytest.mark.parametrize(("raw", "value"), [(-0.02, 0.0), (0.3, 0.3), (1.1, 1.0)])
def test_the_value_is_clipped_and_the_raw_estimate_kept(raw, value):
    risk = RiskEstimate(raw=raw, standard_error=0.01)
    assert (risk.raw, risk.value, float(risk)) == (raw, value, value)
    assert risk.accuracy == 1 - value


def test_the_interval_is_normal_and_stays_within_0_and_1():
    low, high = RiskEstimate(raw=0.5, standard_error=0.1).interval
    assert (low, high) == pytest.approx((0.5 - 0.1959964, 0.5 + 0.1959964), abs=1e-6)
    narrow = RiskEstimate(raw=0.5, standard_error=0.1, confidence=0.5).interval
    assert narrow == pytest.approx((0.5 - 0.0674490, 0.5 + 0.0674490), abs=1e-6)
    assert RiskEstimate(raw=-0.02, standard_error=0.1).interval[0] == 0.0
    assert RiskEstimate(raw=1.05, standard_error=0.1).interval[1] == 1.0


def test_the_estimate_prints_value_and_interval():
    risk = RiskEstimate(raw=-0.01, standard_error=0.02, confidence=0.9)
    assert repr(risk) == "RiskEstimate(0.000, 90% interval 0.000 to 0.023)"


def test_without_unlabeled_rows_masked_accuracy_is_plain_accuracy():
    predicted, y = np.array([0, 1, 2, 2, 0]), np.array([0, 1, 2, 0, 1])
    assert masked_accuracy(predicted, y, np.array([0.3, 0.3])) == 0.6


@pytest.mark.parametrize("unlabeled", [-1, -7])
def test_with_unlabeled_rows_masked_accuracy_is_one_minus_the_risk(unlabeled):
    predicted, y, _, predicted_unlabeled = draw_predictions()
    class_weights = np.array([0.4, 0.5, 0.9])
    risk = zero_one_risk(predicted, y, class_weights[y], predicted_unlabeled, augmented=3)
    rng = np.random.default_rng(2)
    order = rng.permutation(len(y) + len(predicted_unlabeled))
    masked = np.append(y, np.full(len(predicted_unlabeled), unlabeled))[order]
    everything = np.append(predicted, predicted_unlabeled)[order]
    accuracy = masked_accuracy(everything, masked, class_weights, unlabeled=unlabeled)
    assert accuracy == pytest.approx(1 - risk.raw, rel=1e-12)


def test_rows_labeled_augmented_do_not_count_beside_unlabeled_ones():
    predicted, y = np.array([0, 1, 2, 1]), np.array([0, 1, -1, -1])
    weights = np.array([0.5, 0.5])
    more = masked_accuracy(np.append(predicted, 0), np.append(y, 2), weights)
    assert more == masked_accuracy(predicted, y, weights)


@pytest.mark.parametrize("y", [[-1, -1, -1], [2, -1, -1]], ids=["unlabeled", "only augmented"])
def test_masked_accuracy_without_a_known_label_is_refused_in_a_sentence(y):
    with pytest.raises(
        ValueError,
        match=r"`y` has unlabeled rows but no labeled row of a known class, so the accuracy "
        r"cannot be estimated\. Pass labeled rows too, or true labels for all rows\.",
    ):
        masked_accuracy(np.array([0, 1, 2]), np.array(y), np.array([0.5, 0.5]))


@pytest.mark.parametrize("accuracy", [1.0, 0.95, 0.7])
def test_standard_error_is_the_spread_over_draws_where_weights_differ_within_classes(accuracy):
    rng = np.random.default_rng(0)
    found = []
    for _ in range(400):
        y = rng.integers(0, 2, 300)
        importance = np.where(rng.random(300) < 0.3, 5.0, 1.0)
        weights = labeled_weights(y, np.array([0.4, 0.2]), importance / importance.mean())
        answers = np.where(rng.random(300) < accuracy, y, 1 - y)
        risk = zero_one_risk(answers, y, weights, np.full(10, 2), augmented=2)
        found.append((risk.raw, risk.standard_error))
    raw, errors = np.transpose(found)
    assert np.mean(errors) == pytest.approx(raw.std(), rel=0.15, abs=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_costs_of_one_for_every_error_are_the_error(seed):
    parts = drawn_answers(seed, (0.1, 0.2, 0.5)).parts
    one, other = (
        cost_risk(*parts, 1 - np.eye(4), proportion_error=0.03),
        zero_one_risk(*parts, augmented=3, proportion_error=0.03),
    )
    assert one.raw == pytest.approx(other.raw, abs=1e-12)
    assert one.standard_error == pytest.approx(other.standard_error, rel=1e-12)


def test_mean_costs_are_the_true_ones_on_average():
    cost = np.random.default_rng(0).random((4, 4))
    draws = [drawn_answers(seed, (0.1, 0.2, 0.5)) for seed in range(200)]
    apart = [
        cost_risk(*drawn.parts, cost).raw - cost[drawn.truth, drawn.unlabeled_answer].mean()
        for drawn in draws
    ]
    assert abs(np.mean(apart)) <= 4 * np.std(apart) / np.sqrt(200)


def test_an_accuracy_above_one_explains_itself():
    # Half of the pool is known and got labels: what stays unlabeled is new, and called so.
    predicted, y = np.repeat([0, 1, 2], 50), np.repeat([0, 1, -1], 50)
    with pytest.warns(ScoreAboveOneWarning, match=r"is 1\.500, above 1 .* part of the pool itself"):
        assert masked_accuracy(predicted, y, np.full(2, 0.5)) == pytest.approx(1.5)


def test_an_accuracy_above_one_by_chance_is_not_warned_of():
    predicted = np.repeat([0, 1, 0, 1, 2], [20, 20, 9, 9, 22])
    y = np.repeat([0, 1, -1], [20, 20, 40])
    assert masked_accuracy(predicted, y, np.full(2, 0.5)) == pytest.approx(1.05)


def test_a_class_that_is_neither_there_nor_called_has_an_f1_of_zero():
    in_class, hits = np.array([0.5, 0.0, 0.0]), np.array([0.5, 0.0, 0.0])
    found = macro_f1_of_shares(in_class, hits, np.array([0.5, 0.0, 0.5]), 0.0)
    assert float(found) == pytest.approx(2 / 3)


def test_a_warning_of_an_accuracy_above_one_points_to_who_called_score():
    def score():
        return masked_accuracy(np.repeat([0, 1, 2], 50), np.repeat([0, 1, -1], 50), np.full(2, 0.5))

    with pytest.warns(ScoreAboveOneWarning) as caught:
        score()
    assert caught[0].filename == __file__


@pytest.mark.parametrize(("n_new", "warned"), [(28, False), (30, True)])
def test_three_standard_errors_above_one_are_more_than_chance(n_new, warned):
    # Known rows are answered rightly: 0.5 of all, and as many unlabeled rows may be called known.
    predicted = np.repeat([0, 1, 0, 2], [20, 20, 40 - n_new, n_new])
    y = np.repeat([0, 1, -1], [20, 20, 40])
    share = n_new / 40
    error = math.sqrt(share * (1 - share) / 40)
    assert ((share - 0.5 - 0.01) / error > 3.0) is warned
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert masked_accuracy(predicted, y, np.full(2, 0.5)) == pytest.approx(0.5 + share)
    assert (len(caught) > 0) is warned


def test_chance_carries_no_f1_beyond_0_and_1():
    in_class, hits = np.array([[0.5, 0.0], [0.5, 0.0]]), np.array([[0.9, 0.0], [-0.1, 0.0]])
    called, false_new = np.array([[0.5, 0.5], [0.5, 0.5]]), np.array([0.0, 0.6])
    np.testing.assert_array_equal(macro_f1_of_shares(in_class, hits, called, false_new), [1.0, 0.0])


def test_what_is_handed_over_for_a_macro_f1_stays_as_it_is():
    shares = [np.array([0.25, 0.25, 0.0]), np.array([0.25, 0.2, 0.0]), np.array([0.25, 0.2, 0.55])]
    kept = [part.copy() for part in shares]
    macro_f1_of_shares(*shares, 0.05)
    np.testing.assert_array_equal(shares, kept)


def test_a_class_of_one_row_that_has_a_share_of_its_own_adds_no_spread():
    y, weights = np.array([0, 1, 1, 1]), np.array([0.1, 0.4, 0.4, 0.4])
    found = zero_one_risk(np.array([0, 2, 2, 2]), y, weights, np.full(8, 2), augmented=2)
    assert found.standard_error == pytest.approx(0.0, abs=1e-12)
