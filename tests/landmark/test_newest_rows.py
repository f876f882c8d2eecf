"""Error and share of the newest rows of a stream, by the answers they got as they came."""

import numpy as np
import pytest

from eulac import LandmarkEulacClassifier, StreamEulacClassifier

CENTERS = 3.0 * np.eye(4)
INNER = LandmarkEulacClassifier(n_landmarks=60, bandwidth=0.5, penalty=[1e-3, 1e-2], random_state=0)


def rows_of(rng, n, new_share):
    kinds = np.where(rng.random(n) < new_share, 3, rng.integers(0, 3, n))
    return rng.normal(CENTERS[kinds]), np.where(kinds == 3, -2, kinds)


def started(rng, **options):
    y = np.resize([0, 1, 2], 240)
    stream = StreamEulacClassifier(INNER, window=600, **options)
    return stream.fit(rng.normal(CENTERS[y]), y, rows_of(rng, 600, 0.0)[0])


def followed(seed, shares, n=150):
    """Return true and claimed errors of a stream whose new class has the shares in turn."""
    rng = np.random.default_rng(seed)
    stream, found = started(rng), []
    for share in shares:
        X, truth = rows_of(rng, n, share)
        wrong = np.mean(stream.predict(X) != truth)
        report = stream.update(X)
        known = np.mean(truth != -2)
        newest = report.newest
        inside = newest.risk.interval[0] <= wrong <= newest.risk.interval[1]
        found.append(
            (wrong, newest.risk.raw, report.risk.raw, known, newest.proportion.total, inside)
        )
    return np.array(found)


def test_the_error_follows_a_class_that_grows():
    shares = (0.0, 0.1, 0.25, 0.4, 0.5)
    found = np.mean([followed(seed, shares) for seed in range(4)], axis=0)
    true, newest, window, known, share, _ = found.T
    assert true.max() > 0.15  # what grows is taken for known first
    assert np.mean(window - true) < -0.03  # the window, learned from, does not tell
    assert -0.03 < np.mean(newest - true) < 0.06
    assert np.abs(newest - true).mean() < 0.7 * np.abs(window - true).mean()
    assert np.abs(share - known).mean() < 0.06


@pytest.mark.slow
def test_intervals_of_the_newest_error_hold_it_most_of_the_time():
    shares = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.5)
    inside = [followed(seed, shares)[:, -1].mean() for seed in range(12)]
    assert np.mean(inside) >= 0.88


def test_few_rows_and_sums_alone_say_nothing_of_the_newest():
    rng = np.random.default_rng(0)
    stream = started(rng)
    assert stream.update(rows_of(rng, 19, 0.0)[0]).newest is None
    assert stream.update(rows_of(rng, 40, 0.0)[0], solve=False).newest is None
    assert stream.update(rows_of(rng, 20, 0.0)[0]).newest.n_rows == 20


def test_of_an_update_larger_than_the_window_the_rows_that_stay_are_judged():
    rng = np.random.default_rng(0)
    stream = started(rng, half_life=100.0)
    report = stream.update(rows_of(rng, 400, 0.3)[0])
    assert report.newest.n_rows == int(1.44 * 100) + 1
    assert 0.4 < report.newest.proportion.total < 0.95
