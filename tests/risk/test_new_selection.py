"""P-values from labeled rows, and the share of wrong rows among those selected."""

import numpy as np
import pytest

from eulac.risk.new_selection import (
    NewCalibration,
    new_log_odds,
    selected_rows,
    selection_cut,
)
from eulac.risk.weights import labeled_weights


def naive_p_value(score, scores, weights):
    own = weights.mean()
    return (weights[scores >= score].sum() + own) / (weights.sum() + own)


def test_p_values_are_weighted_counts_of_rows_that_look_as_new():
    rng = np.random.default_rng(0)
    scores = rng.integers(0, 12, 80).astype(float)  # ties
    weights = rng.uniform(0.2, 3.0, 80)
    given = np.append(scores[:20], [-3.0, 3.5, 40.0])
    found = NewCalibration(scores, weights).p_values(given)
    expected = [naive_p_value(score, scores, weights) for score in given]
    np.testing.assert_allclose(found, expected)


def test_where_nothing_known_is_expected_labeled_rows_count_alike():
    scores = np.arange(9.0)
    none, equal = (NewCalibration(scores, np.full(9, w)).p_values(scores) for w in (0.0, 1.0))
    np.testing.assert_array_equal(none, equal)


def test_p_values_of_known_rows_are_no_smaller_than_uniform_ones():
    rng = np.random.default_rng(1)
    below = []
    for _ in range(400):
        found = NewCalibration(rng.normal(size=60), np.ones(60)).p_values(rng.normal(size=40))
        below.append([np.mean(found <= level) for level in (0.02, 0.1, 0.3)])
    shares, errors = np.mean(below, axis=0), np.std(below, axis=0) / 20
    assert np.all(shares <= np.array([0.02, 0.1, 0.3]) + 4 * errors)
    assert shares[1] > 0.08


def naive_selection(p_values, level):
    """Step up: the most rows whose largest p-value is within their share of the level."""
    order, n = np.argsort(p_values), len(p_values)
    chosen = np.zeros(n, dtype=bool)
    for k in range(n, 0, -1):
        if p_values[order[k - 1]] <= level * k / n:
            chosen[order[:k]] = True
            break
    return chosen


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("known_share", [1.0, 0.5])
def test_selection_is_benjamini_and_hochbergs_at_the_divided_level(seed, known_share):
    rng = np.random.default_rng(seed)
    p_values = np.append(rng.random(60), rng.random(30) ** 4)
    found = selected_rows(p_values, 0.1, known_share)
    np.testing.assert_array_equal(found, naive_selection(p_values, 0.1 / known_share))


def test_nothing_is_selected_where_nothing_stands_out():
    assert selection_cut(np.linspace(0.2, 1.0, 50)) == -1.0
    assert not selected_rows(np.linspace(0.2, 1.0, 50)).any()


def test_all_rows_may_be_selected_where_hardly_any_is_known():
    assert selected_rows(np.linspace(0.2, 1.0, 50), 0.1, known_share=0.05).all()
    assert selected_rows(np.linspace(0.2, 1.0, 50), 0.1, known_share=0.0).all()


@pytest.mark.parametrize(
    ("alpha", "known_share", "quoted"),
    [
        (1.2, 1.0, "`alpha` must lie in .* got 1.2"),
        (0.1, -0.1, "`known_share` .* got -0.1"),
        (0.1, 1.2, "`known_share` .* got 1.2"),
    ],
)
def test_shares_outside_the_unit_interval_are_refused(alpha, known_share, quoted):
    with pytest.raises(ValueError, match=quoted):
        selection_cut(np.ones(3), alpha, known_share)


def test_certain_rows_are_still_in_order():
    rows = np.array([[1e-20, 1.0], [1e-30, 1.0], [0.0, 1.0], [1.0, 1e-20], [1.0, 0.0]])
    odds = new_log_odds(rows)
    assert odds[0] < odds[1] < odds[2]
    assert odds[4] < odds[3] < 0


def simulated(rng, new_share, moved, weighted):
    """False share and power; known classes differ in how new they look."""
    means, labeled_priors = np.array([0.0, 1.5]), np.array([0.8, 0.2])
    priors = np.array([0.3, 0.7]) if moved else labeled_priors
    y = rng.choice(2, 300, p=labeled_priors)
    truth = rng.choice(3, 400, p=[*(1 - new_share) * priors, new_share])
    cal, pool = rng.normal(means[y]), rng.normal(np.append(means, 5.0)[truth])
    per_class = (1 - new_share) * (priors if weighted else labeled_priors)
    calibration = NewCalibration(cal, labeled_weights(y, per_class))
    selected = selected_rows(calibration.p_values(pool), 0.1, 1 - new_share)
    wrong = np.mean(truth[selected] < 2) if selected.any() else 0.0
    return wrong, np.mean(selected[truth == 2])


@pytest.mark.parametrize("moved", [False, True], ids=["as_labeled", "moved"])
@pytest.mark.parametrize("new_share", [0.1, 0.3, 0.5])
def test_the_false_share_stays_below_alpha(new_share, moved):
    rng = np.random.default_rng(7)
    found = np.array([simulated(rng, new_share, moved, weighted=True) for _ in range(300)])
    error = found[:, 0].std() / np.sqrt(300)
    assert found[:, 0].mean() <= 0.1 + 2 * error
    assert found[:, 1].mean() > 0.3


def test_without_weights_moved_priors_break_the_level():
    rng = np.random.default_rng(7)
    found = np.array([simulated(rng, 0.3, moved=True, weighted=False) for _ in range(300)])
    assert found[:, 0].mean() > 0.15


def test_the_wrong_share_is_bounded_at_a_tenth_of_rows_that_may_all_be_known_unless_told():
    p_values = np.append(np.linspace(0.001, 0.02, 20), np.linspace(0.1, 1.0, 80))
    np.testing.assert_array_equal(selected_rows(p_values), selected_rows(p_values, 0.1, 1.0))
    assert selection_cut(p_values) == selection_cut(p_values, 0.1, 1.0) == 0.02


def test_no_row_to_select_from_selects_none():
    assert selection_cut(np.empty(0)) == -1.0
    assert selected_rows(np.empty(0)).tolist() == []


def test_only_ratios_of_weights_count():
    rng = np.random.default_rng(0)
    scores, weights = rng.normal(size=20), rng.uniform(0.2, 3.0, 20)
    small, large = (NewCalibration(scores, unit * weights).p_values(scores) for unit in (1e-3, 1e3))
    np.testing.assert_allclose(small, large)
