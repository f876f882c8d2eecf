import numpy as np
import pytest

from eulac.data.folds import in_canonical_order
from eulac.data.synthetic import make_gaussian_task
from eulac.proportion.best_bin import best_bin
from eulac.proportion.consensus import (
    ConsensusProportion,
    consensus_best_bin,
    nothing_new_p_value,
)


def score_pair(known_proportion, seed, n_known=300, n_unlabeled=600):
    rng = np.random.default_rng(seed)
    n_old = round(known_proportion * n_unlabeled)
    unlabeled = np.append(rng.normal(2, 1, n_old), rng.normal(-2, 1, n_unlabeled - n_old))
    return rng.normal(2, 1, n_known), unlabeled


def sample_of(known_proportion, seed=0, shift_intensity=0.0):
    task = make_gaussian_task(
        n_known_classes=2,
        n_features=3,
        separation=6.0,
        known_proportion=known_proportion,
        shift_intensity=shift_intensity,
        random_state=seed,
    )
    split = task.draw(200, 400, random_state=seed)
    return in_canonical_order(split.sample, seed), split


@pytest.fixture(scope="module")
def estimate():
    return ConsensusProportion(random_state=0).estimate(sample_of(0.6)[0])


def test_total_is_the_median_of_the_scores_estimates(estimate):
    assert estimate.total == pytest.approx(
        np.median(list(estimate.diagnostics["by_score"].values()))
    )
    assert estimate.diagnostics["spread"] == pytest.approx(
        np.ptp(list(estimate.diagnostics["by_score"].values()))
    )


def test_estimate_is_close_and_its_interval_covers(estimate):
    _, split = sample_of(0.6)
    assert estimate.total == pytest.approx(split.known_proportion, abs=0.06)
    assert estimate.interval[0] <= split.known_proportion <= estimate.interval[1]
    assert estimate.diagnostics["scores_agree"]


def test_clear_novelty_has_a_small_p_value(estimate):
    assert estimate.diagnostics["nothing_new_p_value"] < 0.01


def test_same_seed_gives_the_same_estimate(estimate):
    again = ConsensusProportion(random_state=0).estimate(sample_of(0.6)[0])
    assert again.total == estimate.total
    assert again.interval == estimate.interval


def test_moved_priors_are_used_only_when_they_may_be():
    sample, split = sample_of(0.7, seed=2, shift_intensity=0.9)
    moved = ConsensusProportion(random_state=0).estimate(sample)
    kept = ConsensusProportion(shift=False, random_state=0).estimate(sample)
    assert moved.diagnostics["priors_moved"]
    np.testing.assert_allclose(moved.per_class, split.per_class, atol=0.07)
    np.testing.assert_allclose(kept.per_class / kept.total, sample.labeled_frequency)


def test_correction_lifts_the_smallest_ratio():
    pairs = [score_pair(1.0, seed) for seed in range(3)]
    values, error = consensus_best_bin(pairs, random_state=0)
    raw = np.array([best_bin(*pair)[0] for pair in pairs])
    assert np.all(values >= raw)
    assert np.all(values <= 1.0)
    assert error > 0


def test_equal_weights_change_nothing():
    pairs = [score_pair(0.5, 0)]
    plain, _ = consensus_best_bin(pairs, random_state=0)
    weighted, _ = consensus_best_bin(pairs, np.full(300, 2.0), random_state=0)
    np.testing.assert_allclose(weighted, plain, atol=1e-9)


def test_weights_bring_known_rows_to_other_priors():
    # Two known classes with different scores; the mixture holds only the second.
    rng = np.random.default_rng(0)
    known = np.append(rng.normal(6, 1, 200), rng.normal(2, 1, 200))
    unlabeled = np.append(rng.normal(2, 1, 400), rng.normal(-3, 1, 400))
    weights = np.repeat([1e-3, 1.0], 200)
    assert consensus_best_bin([(known, unlabeled)], random_state=0)[0][0] < 0.2
    weighted = consensus_best_bin([(known, unlabeled)], weights, random_state=0)[0][0]
    assert weighted == pytest.approx(0.5, abs=0.08)


def test_false_alarms_are_as_rare_as_promised():
    alarms = [
        nothing_new_p_value([score_pair(1.0, seed, 100, 150)], n_permutations=60, random_state=seed)
        <= 0.05
        for seed in range(80)
    ]
    # Four standard errors above five percent.
    assert np.mean(alarms) <= 0.05 + 4 * np.sqrt(0.05 * 0.95 / 80)


def test_unknown_shift_is_refused_with_its_value():
    with pytest.raises(ValueError, match=r"`shift` must be 'auto', True or False; got 'maybe'"):
        ConsensusProportion(shift="maybe", random_state=0).estimate(sample_of(0.6)[0])
