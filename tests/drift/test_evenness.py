"""Whether unlabeled rows lie evenly among those that look labeled."""

import numpy as np
import pytest

from eulac.drift.evenness import ALL_GONE, unevenness


def scores(n_known, n_new, moved=0.0, seed=0, n_labeled=400):
    rng = np.random.default_rng(seed)
    pool = np.append(rng.normal(moved, 1, n_known), rng.normal(6, 1, n_new))
    return rng.normal(size=n_labeled), pool


@pytest.mark.parametrize("n_known", [100, 400, 800])
def test_without_drift_it_is_a_standard_normal_number_however_much_is_new(n_known):
    found = [unevenness(*scores(n_known, 800 - n_known, seed=seed)) for seed in range(200)]
    assert abs(np.mean(found)) < 4 / np.sqrt(200)
    assert 0.8 < np.std(found) < 1.2


def test_known_rows_that_moved_by_half_a_deviation_are_found_in_four_draws_of_five():
    found = [unevenness(*scores(400, 400, moved=0.5, seed=seed)) for seed in range(50)]
    assert np.quantile(found, 0.2) > 1.96


def test_weights_account_for_priors_that_moved():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 200)
    labeled = rng.normal(y, 0.5)  # one class looks more labeled than the other
    pool = rng.normal(np.repeat([0, 1], [100, 500]), 0.5)
    weights = np.array([2 / 6, 10 / 6])[y]
    assert unevenness(labeled, pool) > 4
    assert abs(unevenness(labeled, pool, weights)) < 3


def test_where_known_rows_are_expected_and_none_looks_labeled_all_have_moved():
    assert unevenness(*scores(0, 500), known_proportion=0.4) == ALL_GONE
    assert unevenness(*scores(0, 500), known_proportion=0.0) == 0.0


@pytest.mark.parametrize(("n_known", "n_new"), [(5, 0), (12, 0), (10, 90)])
def test_too_few_rows_that_look_labeled_are_no_sign_of_drift(n_known, n_new):
    share = n_known / (n_known + n_new)
    found = [
        unevenness(*scores(n_known, n_new, seed=seed), known_proportion=share) for seed in range(20)
    ]
    assert max(found) < ALL_GONE
    assert np.mean(np.array(found) > 1.64) <= 0.1


@pytest.mark.parametrize("n_levels", [2, 5, 20])
def test_scores_that_tie_are_no_sign_of_anything(n_levels):
    found = []
    for seed in range(100):
        labeled, pool = scores(400, 0, seed=seed)
        edges = np.quantile(labeled, np.linspace(0, 1, n_levels + 1)[1:-1])
        found.append(unevenness(np.digitize(labeled, edges) * 1.0, np.digitize(pool, edges) * 1.0))
    assert abs(np.mean(found)) < 0.5
    assert unevenness(np.zeros(50), np.zeros(80)) == 0.0


def test_only_the_order_of_scores_counts():
    labeled, pool = scores(300, 300, moved=0.3)
    assert unevenness(labeled, pool) == unevenness(np.exp(labeled), np.exp(pool))
