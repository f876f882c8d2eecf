"""Answers by cost or by a wanted precision of new."""

import numpy as np
import pytest
from scipy.special import softmax

from eulac.risk.chosen_answers import choose_answers
from eulac.risk.new_selection import NewCalibration, new_log_odds
from eulac.risk.zero_one import cost_risk

MEANS, PRIORS = np.array([0.0, 2.0, 5.0]), np.array([0.3, 0.3, 0.4])


def drawn(seed, n=600):
    rng = np.random.default_rng(seed)
    y, truth = rng.integers(0, 2, n), rng.choice(3, n, p=PRIORS)

    def probabilities(codes):
        X = rng.normal(MEANS[codes])
        return softmax(np.log(PRIORS) - 0.5 * (X[:, None] - MEANS) ** 2, axis=1)

    return y, probabilities(y), truth, probabilities(truth)


def test_equal_costs_give_the_likeliest_class():
    rows = drawn(0)[3]
    np.testing.assert_array_equal(choose_answers(rows, cost=1 - np.eye(3)), rows.argmax(axis=1))


def test_answers_by_cost_cost_least_and_their_cost_is_estimated_without_labels():
    cost = np.array([[0.0, 0.2, 1.0], [0.2, 0.0, 1.0], [0.1, 0.1, 0.0]])  # false alarms are dear
    apart, plain, chosen = [], [], []
    for seed in range(60):
        y, known, truth, rows = drawn(seed)
        answers = [choose_answers(part, cost=cost) for part in (known, rows)]
        estimate = cost_risk(answers[0], y, np.full(len(y), 0.6), answers[1], cost)
        chosen.append(cost[truth, answers[1]].mean())
        plain.append(cost[truth, rows.argmax(axis=1)].mean())
        apart.append(estimate.raw - chosen[-1])
    assert np.mean(chosen) < np.mean(plain)
    assert abs(np.mean(apart)) <= 4 * np.std(apart) / np.sqrt(60)


@pytest.mark.parametrize("wanted", [0.8, 0.95])
def test_the_wanted_precision_is_reached_on_average(wanted):
    found = []
    for seed in range(60):
        _, known, truth, rows = drawn(seed)
        calibration = NewCalibration(new_log_odds(known), np.ones(len(known)))
        options = {"calibration": calibration, "known_share": 0.6}
        answers = choose_answers(rows, precision=wanted, **options)
        found.append(np.mean(truth[answers == 2] == 2))
        others = answers < 2
        np.testing.assert_array_equal(answers[others], rows[others, :2].argmax(axis=1))
    assert np.mean(found) >= wanted - 2 * np.std(found) / np.sqrt(60)
    assert np.mean(found) <= wanted + 0.04


@pytest.mark.parametrize(
    ("options", "quoted"),
    [
        ({}, "got none of them"),
        ({"cost": np.eye(3), "precision": 0.5}, "got both of them"),
        ({"precision": 0.5}, "got None"),
        ({"precision": 1.5}, "got 1.5"),
        ({"cost": np.eye(2)}, r"got shape \(2, 2\)"),
    ],
)
def test_what_cannot_be_chosen_is_refused(options, quoted):
    with pytest.raises(ValueError, match=quoted):
        choose_answers(np.full((2, 3), 1 / 3), **options)


def test_where_no_precision_is_wanted_all_rows_are_called_new():
    _, known, _, rows = drawn(0)
    calibration = NewCalibration(new_log_odds(known), np.ones(len(known)))
    for known_share, precision, n_new in (
        (1.0, 0.0, len(rows)),
        (0.0, 0.9, len(rows)),
        (1.0, 1.0, 0),
    ):
        options = {"calibration": calibration, "known_share": known_share}
        assert np.sum(choose_answers(rows, precision=precision, **options) == 2) == n_new


def test_costs_must_be_numbers():
    cost = np.array([[0.0, 1.0], [np.nan, 0.0]])
    with pytest.raises(ValueError, match="`cost` must be finite numbers"):
        choose_answers(np.full((2, 2), 0.5), cost=cost)
