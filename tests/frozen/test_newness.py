"""The log ratio of new to known rows: slopes of normal densities, weights, held-out rows."""

import numpy as np
import pytest

from eulac.frozen.newness import cross_fitted_newness, fit_newness, known_probability


def drawn(n=2000, distance=2.0, known_share=0.5, seed=0):
    rng = np.random.default_rng(seed)
    n_known = round(known_share * n)
    pool = np.append(rng.normal(size=n_known), rng.normal(distance, 1, n - n_known))
    return np.append(rng.normal(size=n), pool)[:, None]


@pytest.mark.parametrize("known_share", [0.3, 0.8])
def test_slope_and_offset_are_those_of_two_normal_densities(known_share):
    found = fit_newness(drawn(known_share=known_share), 2000, known_share)
    assert found.slopes[0] == pytest.approx(2.0, abs=0.3)
    assert found.offset == pytest.approx(-2.0, abs=0.6)


def test_rows_without_weight_do_not_count():
    numbers = drawn()
    spoiled = np.vstack([np.full((500, 1), 8.0), numbers])
    # Weights are one on average, as those of moved priors are.
    weights = np.append(np.zeros(500), np.full(2000, 1.25))
    plain = fit_newness(numbers, 2000, 0.5)
    weighted = fit_newness(spoiled, 2500, 0.5, weights)
    assert weighted.slopes[0] == pytest.approx(plain.slopes[0], abs=0.1)


def test_no_row_scores_itself():
    numbers = drawn(n=50)
    folds = np.arange(50) % 5, np.arange(50) % 5
    before = np.concatenate(cross_fitted_newness(numbers, folds, 0.5))
    changed = numbers.copy()
    changed[0] = 30.0
    after = np.concatenate(cross_fitted_newness(changed, folds, 0.5))
    own_fold = np.concatenate(folds) == 0
    np.testing.assert_allclose(after[own_fold][1:], before[own_fold][1:])
    assert not np.allclose(after[~own_fold], before[~own_fold])


def test_known_probabilities_average_to_the_known_share():
    numbers = drawn(known_share=0.7)
    ratio = fit_newness(numbers, 2000, 0.7).log_ratio(numbers[2000:])
    assert known_probability(ratio, 0.7).mean() == pytest.approx(0.7, abs=0.02)
