"""The alarm: uniform p-values, a fair capital, and a rate of false alarms that holds."""

import numpy as np
import pytest

from eulac.landmark.monitor import NEW_SHARES, POWERS, StreamMonitor, online_p_values


def zeros(n):
    return np.zeros(n, dtype=int)


def test_p_values_are_uniform_and_independent_while_nothing_changes():
    rng = np.random.default_rng(0)
    seen = {group: sorted(rng.normal(size=5).tolist()) for group in range(3)}
    scores, groups = rng.normal(size=4000), rng.integers(0, 3, 4000)
    p = online_p_values(seen, scores, groups, rng)
    assert np.all((p > 0) & (p <= 1))
    counts = np.bincount((p * 10).astype(int).clip(0, 9), minlength=10)
    assert np.abs(counts - 400).max() < 4 * np.sqrt(400 * 0.9)
    assert abs(np.corrcoef(p[:-1], p[1:])[0, 1]) < 4 / np.sqrt(len(p))


def test_ties_are_broken_at_random():
    rng = np.random.default_rng(0)
    p = online_p_values({0: [1.0] * 50}, np.ones(2000), zeros(2000), rng)
    assert abs(p.mean() - 0.5) < 4 / np.sqrt(12 * 2000)


def test_groups_are_compared_within_themselves():
    rng = np.random.default_rng(0)
    groups = rng.integers(0, 2, 400)
    monitor = StreamMonitor(rng.normal(10.0 * groups), groups, random_state=0)
    # The group with the large scores becomes far more frequent: nothing new.
    for _ in range(10):
        more = (rng.random(100) < 0.95).astype(int)
        assert not monitor.update(rng.normal(10.0 * more), more).alarm


def test_every_bet_is_fair():
    for share in NEW_SHARES:
        for power in POWERS:
            # The integral over (0, 1], by p = q^(1 / power), which makes it smooth.
            q = (np.arange(10**4) + 0.5) / 10**4
            gain = np.mean(power * q ** (1 - 1 / power) * q ** (1 / power - 1) / power)
            assert 1 + share * (gain - 1) == pytest.approx(1.0)
            assert 1 + share * (power - 1) >= 0  # the worst that can happen, at p = 1


def alarm_at(seed, n_updates, shift, share, rate=0.05):
    """Return the update of the first alarm; rows are new from the sixth update on."""
    rng = np.random.default_rng(seed)
    monitor = StreamMonitor(
        rng.normal(size=200), zeros(200), false_alarm_rate=rate, random_state=seed
    )
    for update in range(n_updates):
        new = (rng.random(50) < share) & (update >= 5)
        if monitor.update(rng.normal(shift * new), zeros(50)).alarm:
            return update
    return None


def test_alarms_on_unchanged_streams_are_as_rare_as_stated():
    alarms = sum(alarm_at(seed, 25, 0.0, 0.0) is not None for seed in range(100))
    # At most 5 % in expectation; four standard errors above.
    assert alarms <= 100 * 0.05 + 4 * np.sqrt(100 * 0.05 * 0.95)


def test_a_change_is_found_soon_and_not_before_it_happens():
    found = [alarm_at(seed, 40, 3.0, 0.3) for seed in range(30)]
    assert all(update is not None and 5 <= update < 15 for update in found)


def test_evidence_starts_at_nothing_and_stays_once_raised():
    rng = np.random.default_rng(0)
    monitor = StreamMonitor(rng.normal(size=100), zeros(100), random_state=0)
    first = monitor.update(np.empty(0), zeros(0))
    assert (first.log_capital, first.p_value, first.alarm) == (0.0, 1.0, False)
    assert monitor.update(rng.normal(5.0, 1.0, 100), zeros(100)).alarm
    later = monitor.update(rng.normal(-5.0, 1.0, 400), zeros(400))
    assert later.alarm
    assert later.p_value <= 0.01


def test_a_rate_that_is_none_is_refused():
    with pytest.raises(ValueError, match="`false_alarm_rate` must lie"):
        StreamMonitor(np.zeros(3), zeros(3), false_alarm_rate=0.0)
