"""Trials with known classes as new ones: what they say of shares, and where they say nothing."""

from dataclasses import replace

import numpy as np
import pytest

from eulac.data.lac_sample import LacSample
from eulac.drift.share_trials import (
    FIRST_DISPERSION,
    NO_TRIALS,
    ShareTrials,
    _halves,
    share_trials,
    without_lost,
)
from eulac.drift.two_readings import TwoReadingsProportion, columns_share
from eulac.proportion.known_priors import KnownPriors


def on_a_line(spacing, known, seed, n_classes=8, n_labeled=240, n_unlabeled=480):
    """Classes in a row, so many deviations apart, some of them known; the true share."""
    rng = np.random.default_rng(seed)
    codes, kinds = rng.choice(known, n_labeled), rng.integers(n_classes, size=n_unlabeled)
    labeled, pool = (
        np.column_stack([rng.normal(spacing * k, 1.0), rng.normal(size=len(k))])
        for k in (codes, kinds)
    )
    return LacSample.from_masked(labeled, codes, X_unlabeled=pool), np.isin(kinds, known).mean()


def halves(n_draws, n_classes=8):
    return [np.random.default_rng(seed).permutation(n_classes)[:4] for seed in range(n_draws)]


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9, 1.0])
@pytest.mark.parametrize("lost", [0.0, 0.2, 0.7])
def test_the_correction_undoes_what_was_taken_for_known_but_for_half_of_it(share, lost):
    trials = ShareTrials(lost, 0.0, 1.0, 4)
    seen = share + (1.0 - share) * trials.excess
    assert trials.corrected(seen) == pytest.approx(max(share, 0.5 * seen))
    assert without_lost(seen, trials.excess) == pytest.approx(share)


def test_what_is_within_noise_or_small_changes_nothing():
    for trials in (NO_TRIALS, ShareTrials(-0.2, 0.1, 1.0, 4), ShareTrials(0.04, 0.0, 1.0, 4)):
        assert trials.excess == 0.0
        assert trials.corrected(0.4) == 0.4


def test_the_more_classes_overlap_the_more_new_rows_are_taken_for_known():
    lost = []
    for spacing in (6.0, 1.5, 0.2):
        drawn = [share_trials(on_a_line(spacing, k, 0)[0], seed=0) for k in halves(3)]
        lost.append(np.mean([one.taken_for_known for one in drawn]))
    assert lost[0] < 0.1
    assert lost[0] < lost[1] < lost[2]
    assert lost[2] > 0.5


def test_overlapping_classes_the_corrected_share_is_nearer_on_average():
    off = []
    for seed, known in enumerate(halves(6)):
        sample, truth = on_a_line(0.5, known, seed)
        raw = columns_share(sample, random_state=0)
        off.append((raw - truth, share_trials(sample, seed=0).corrected(raw) - truth))
    raw, corrected = np.mean(off, axis=0)
    assert raw > 0.2  # what is to be mended
    assert abs(corrected) < 0.7 * raw


@pytest.mark.parametrize("spacing", [1.0, 8.0])
def test_with_one_known_class_the_interval_reaches_down_as_far_as_scores_are_undecided(spacing):
    held, widths = [], []
    for seed in range(6):
        sample, truth = on_a_line(spacing, [0], seed, n_classes=2)
        estimate = TwoReadingsProportion(n_resamples=5, random_state=0).estimate(sample)
        low, high = estimate.interval
        held.append(low <= truth <= high)
        widths.append(high - low)
    assert np.mean(held) >= 5 / 6
    assert (np.mean(widths) < 0.25) == (spacing > 1.0)


def test_the_interval_reaches_down_to_the_truth_where_classes_overlap():
    held, by_scores = [], []
    for seed, known in enumerate(halves(5)):
        sample, truth = on_a_line(1.0, known, seed)
        estimate = TwoReadingsProportion(n_resamples=5, random_state=0).estimate(sample)
        held.append(estimate.interval[0] <= truth <= estimate.interval[1])
        by_scores.append(min(estimate.diagnostics["by_score"].values()) - 0.05 <= truth)
    assert sum(held) >= 4
    assert sum(held) > sum(by_scores)


def test_trials_tell_whether_the_test_of_nothing_new_would_notice():
    apart, alike = (
        np.mean([share_trials(on_a_line(width, k, 0)[0], seed=0).power for k in halves(3)])
        for width in (8.0, 0.2)
    )
    assert apart > 0.7
    assert alike < 0.2


def test_new_rows_that_nobody_could_see_are_not_ruled_out():
    held, widths = [], []
    for seed, known in enumerate(halves(6)):
        sample, truth = on_a_line(0.3, known, seed, n_labeled=120, n_unlabeled=240)
        low, high = TwoReadingsProportion(n_resamples=5, random_state=0).estimate(sample).interval
        held.append(low <= truth <= high)
        widths.append(high - low)
    assert np.mean(held) >= 5 / 6
    assert np.mean(widths) > 0.4


@pytest.mark.parametrize(("n_classes", "n_ways"), [(2, 1), (3, 3), (4, 3), (9, 4)])
def test_each_way_to_divide_the_classes_is_tried_once(n_classes, n_ways):
    y = np.arange(40 * n_classes) % n_classes
    hidden = [tuple(one) for one in _halves(y, n_classes, np.random.default_rng(0))]
    assert len(hidden) == len(set(hidden)) == 2 * n_ways
    assert all(tuple(not one for one in way) in hidden for way in hidden)


def test_one_class_or_hardly_a_row_is_no_trial():
    rng = np.random.default_rng(0)
    X, pool = rng.normal(size=(40, 2)), rng.normal(size=(20, 2))
    one = LacSample.from_masked(X, np.zeros(40, int), X_unlabeled=pool)
    few = LacSample.from_masked(X[:6], np.arange(6) % 2, X_unlabeled=pool)
    assert share_trials(one, seed=0) == share_trials(few, seed=0) == NO_TRIALS


def test_a_seed_fixes_the_trials_and_the_pool_has_no_say():
    sample, _ = on_a_line(1.0, [0, 2, 4, 6], 0)
    other = sample.with_rows(X_unlabeled=sample.X_unlabeled + 3.0)
    assert share_trials(sample, seed=1) == share_trials(other, seed=1)
    assert share_trials(sample, seed=1) != share_trials(sample, seed=2)


def test_new_rows_like_one_class_make_trials_expect_priors_that_seem_to_move():
    apart, alike = (
        np.mean([share_trials(on_a_line(width, k, 0)[0], seed=0).dispersion for k in halves(3)])
        for width in (6.0, 0.7)
    )
    assert apart < FIRST_DISPERSION < alike


def test_dispersion_lets_chance_explain_more():
    found = KnownPriors(np.full(5, 0.2), np.full(5, 0.2), np.zeros(5), 1e-3, 18.47, 4)
    assert found.dispersed(1.0).p_value == pytest.approx(1e-3, rel=0.01)
    assert 0.01 < found.dispersed(2.0).p_value < found.dispersed(4.0).p_value


def overlapping(n_new, n_known_classes=4, far=9.0, seed=0):
    """Known classes that hardly differ, and new rows far away from all of them."""
    rng = np.random.default_rng(seed)
    y, kinds = (rng.integers(n_known_classes, size=n) for n in (240, 400 - n_new))
    labeled, known = (
        np.column_stack([rng.normal(0.5 * k), rng.normal(size=len(k))]) for k in (y, kinds)
    )
    pool = rng.permutation(np.vstack([known, rng.normal(far, 1.0, (n_new, 2))]))
    return LacSample.from_masked(labeled, y, X_unlabeled=pool)


@pytest.mark.parametrize("n_known_classes", [2, 4])
def test_new_rows_far_away_are_none_that_look_known(n_known_classes):
    sample = overlapping(80, n_known_classes)
    estimate = TwoReadingsProportion(n_resamples=5, random_state=0).estimate(sample)
    assert share_trials(sample, seed=0).taken_for_known > 0.3  # as trials of these classes say
    assert estimate.total == pytest.approx(0.8, abs=0.08)
    assert estimate.interval[0] > 0.5


def test_where_nothing_speaks_for_new_rows_only_the_interval_changes():
    sample = overlapping(0)
    estimate = TwoReadingsProportion(n_resamples=5, random_state=0).estimate(sample)
    assert estimate.diagnostics["nothing_new_p_value"] > 0.05
    assert estimate.total > 0.9
    assert estimate.interval[0] < 0.8


def test_rows_of_no_weight_are_not_tried():
    sample, _ = on_a_line(6.0, [0, 2, 4, 6], 0)
    junk = np.random.default_rng(0).normal(20, 9, (200, 2))
    y = np.append(sample.y_labeled, np.arange(200) % 4)
    more = LacSample.from_masked(
        np.vstack([sample.X_labeled, junk]), y, X_unlabeled=sample.X_unlabeled
    )
    weighted = replace(more, importance=np.repeat([1.0, 0.0], [sample.n_labeled, 200]))
    assert share_trials(weighted, seed=0) == share_trials(sample, seed=0)


def test_a_class_of_few_rows_is_no_trial():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [188, 12])
    X = rng.normal(size=(200, 2)) + 8.0 * y[:, None]
    sample = LacSample.from_masked(X, y, X_unlabeled=X[:50])
    assert share_trials(sample, seed=0) == NO_TRIALS
