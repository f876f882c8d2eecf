"""The test of "nothing new": false alarms, power, moved priors, and the doubled variance."""

import numpy as np
import pytest

from eulac.data.folds import in_canonical_order
from eulac.data.synthetic import GaussianMixtureTask
from eulac.proportion.consensus import ConsensusProportion, nothing_new_p_value

FOLDS = np.arange(100) % 5


def triple(seed, n_new=0, n=100):
    """Return three noisy copies of one score, as three models of the same rows give."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=2 * n)
    truth[2 * n - n_new :] -= 5
    noisy = truth + rng.normal(0, 0.7, (3, 2 * n))
    return [(row[:n], row[n:]) for row in noisy]


def mean_difference_p_value(seed, n_features, n=100, n_folds=5):
    """Cross-fit the plainest score there is, along the difference of the means, on equal laws."""
    rng = np.random.default_rng(seed)
    X, U = rng.normal(size=(2, n, n_features))
    fold = np.arange(n) % n_folds
    scores = np.empty((2, n))
    for index in range(n_folds):
        rest, held_out = fold != index, fold == index
        direction = X[rest].mean(axis=0) - U[rest].mean(axis=0)
        scores[:, held_out] = X[held_out] @ direction, U[held_out] @ direction
    return nothing_new_p_value([(scores[0], scores[1])], fold, fold)


@pytest.mark.parametrize("n_features", [1, 2, 10])
def test_false_alarms_on_cross_fitted_scores_are_as_rare_as_promised(n_features):
    p_values = np.array([mean_difference_p_value(seed, n_features) for seed in range(400)])
    for level in (0.01, 0.05):
        four_errors = 4 * np.sqrt(level * (1 - level) / 400)
        assert np.mean(p_values <= level) < level + four_errors


def test_the_variance_of_the_sum_over_folds_is_doubled(monkeypatch):
    monkeypatch.setattr("eulac.proportion.consensus._skewed_tail", lambda z: z)
    z = np.array([mean_difference_p_value(seed, 10) for seed in range(400)])
    assert z.std() == pytest.approx(1.0, abs=0.15)
    assert abs(z.mean()) < 0.3


@pytest.mark.parametrize(("n_new", "level"), [(30, 0.05), (50, 0.01), (100, 0.01)])
def test_clear_novelty_has_a_small_p_value(n_new, level):
    for seed in range(5):
        assert nothing_new_p_value(triple(seed, n_new), FOLDS, FOLDS) < level


def test_strata_that_hold_one_sample_only_say_nothing():
    pairs = triple(0, n_new=50)
    assert nothing_new_p_value(pairs, np.zeros(100, int), np.ones(100, int)) == 1.0
    assert nothing_new_p_value([(np.zeros(100), np.zeros(100))], FOLDS, FOLDS) == 1.0


def test_more_novelty_never_has_a_larger_p_value():
    p_values = [nothing_new_p_value(triple(3, n_new), FOLDS, FOLDS) for n_new in (0, 10, 30, 60)]
    assert p_values == sorted(p_values, reverse=True)


@pytest.mark.slow
def test_moved_priors_alone_are_not_taken_for_something_new():
    task = GaussianMixtureTask(
        means=[[0.0, 0.0], [5.0, 0.0], [0.0, 5.0], [5.0, 5.0]],
        scale=1.0,
        per_class=[0.7, 0.2, 0.1],
        labeled_priors=[1 / 3, 1 / 3, 1 / 3],
    )
    p_values = []
    for seed in range(5):
        sample = in_canonical_order(task.draw(150, 300, random_state=seed).sample, seed)
        quick = ConsensusProportion(n_folds=3, n_resamples=5, random_state=seed)
        p_values.append(quick.estimate(sample).diagnostics["nothing_new_p_value"])
    assert min(p_values) > 0.01
    assert np.median(p_values) > 0.05
