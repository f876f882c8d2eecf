"""The exponential tilt: exact where its model holds, calm where nothing is new."""

import numpy as np
import pytest

from eulac.drift.tilt import SCORE_SCALE, Tilt, exponential_tilt, tilt_error


def scores(known_proportion, seed, n=500, m=1000, distance=4.0):
    """Two Gaussians of variance equal to their distance: the log odds have slope one."""
    rng = np.random.default_rng(seed)
    deviation = np.sqrt(distance)
    n_known = round(known_proportion * m)
    labeled, known = np.split(rng.normal(0.0, deviation, n + n_known), [n])
    new = rng.normal(distance, deviation, m - n_known)
    return labeled / SCORE_SCALE, np.append(known, new) / SCORE_SCALE


@pytest.mark.parametrize("known_proportion", [0.2, 0.5, 0.8])
def test_proportion_is_found_although_both_parts_overlap_everywhere(known_proportion):
    found = [
        exponential_tilt(*scores(known_proportion, seed)).known_proportion for seed in range(5)
    ]
    assert np.mean(found) == pytest.approx(known_proportion, abs=0.03)


def test_nothing_new_is_nearly_nothing_new():
    found = [exponential_tilt(*scores(1.0, seed)).known_proportion for seed in range(5)]
    assert np.mean(found) > 0.9


def test_weights_stand_for_rows():
    labeled, unlabeled = scores(0.5, 0, n=200, m=300)
    weights = np.repeat([2.0, 1.0], [50, 150])
    once = exponential_tilt(labeled, unlabeled, weights * 200 / weights.sum())
    twice = exponential_tilt(np.append(labeled, labeled[:50]), unlabeled)
    assert once.known_proportion == pytest.approx(twice.known_proportion, abs=0.02)


def test_known_probabilities_average_to_the_proportion():
    labeled, unlabeled = scores(0.6, 1)
    tilt = exponential_tilt(labeled, unlabeled)
    mean = tilt.known_probability(unlabeled).mean()
    assert mean == pytest.approx(tilt.known_proportion, abs=0.02)
    assert np.all(np.diff(tilt.known_probability(np.linspace(-5, 5, 9))) <= 0)


def test_error_is_about_that_of_repeated_draws():
    found = [exponential_tilt(*scores(0.5, seed)).known_proportion for seed in range(30)]
    labeled, unlabeled = scores(0.5, 99)
    tilt = exponential_tilt(labeled, unlabeled)
    error = tilt_error(tilt, labeled, unlabeled, random_state=0)
    assert 0.7 * np.std(found) < error < 4.0 * np.std(found)


def test_a_start_is_kept_to():
    labeled, unlabeled = scores(0.5, 0)
    tilt = exponential_tilt(labeled, unlabeled)
    again = exponential_tilt(labeled, unlabeled, start=tilt)
    assert again.known_proportion == pytest.approx(tilt.known_proportion, abs=1e-3)
    assert isinstance(again, Tilt)
