"""Known rows that changed places among the labeled ones, and new rows that lie there."""

import numpy as np
import pytest

from eulac.data.lac_sample import LacSample
from eulac.drift.two_readings import TwoReadingsProportion
from eulac.drift.within_labeled import (
    NO_TRIAL,
    more_within,
    new_within,
    part_within,
    share_within_labeled,
)


def test_known_rows_may_change_places_among_the_labeled_ones():
    rng = np.random.default_rng(0)
    labeled = rng.normal(size=1000)
    kind = np.sort(labeled)[600:900]  # known rows of one kind only
    assert share_within_labeled((labeled, np.append(kind, rng.normal(9, 1, 300)))) == (
        pytest.approx(0.5 / 0.97)
    )
    assert share_within_labeled((labeled, labeled)) == pytest.approx(1.0)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.8])
@pytest.mark.parametrize("part", [0.0, 0.3])
def test_the_part_within_is_what_new_rows_add_to_the_known_ones(share, part):
    within = share + (1.0 - share) * part
    found = part_within(within, share)
    assert found == pytest.approx(part * (1.0 - share) / (1.02 - share))  # nearly the part
    assert part_within(1.0, 1.0) == 0.0


def test_trials_that_agree_make_the_expectation_sharper_and_none_leave_it_open():
    assert new_within([]) == NO_TRIAL
    assert NO_TRIAL.least == 0.0
    agree, differ = new_within([0.3] * 4), new_within([0.0, 0.6, 0.1, 0.5])
    assert agree.part == pytest.approx(differ.part)
    assert agree.deviation < 0.6 * differ.deviation
    assert new_within([0.3] * 40).least > agree.least > differ.least


def test_the_sign_is_small_where_the_share_explains_what_lies_within():
    expected = new_within([0.1, 0.12, 0.08, 0.1])
    rows = 500, 1000
    signs = [more_within(0.55, share, 0.03, expected, rows) for share in (0.5, 0.4, 0.2)]
    assert abs(signs[0]) < 0.5
    assert signs[0] < signs[1] < signs[2]
    assert signs[2] > 2.5
    assert more_within(0.55, 0.2, 0.3, expected, rows) < 0.7 * signs[2]  # an unsure share
    assert more_within(0.55, 0.2, 0.03, NO_TRIAL, rows) < 0.7 * signs[2]  # no trial


def kinds_of_classes(seed, mix, n_labeled=300, n_unlabeled=500, n_new=125):
    """Four known classes of two kinds each, and a new one; the share of the second kind."""
    rng = np.random.default_rng(seed)
    centers = 8.0 * np.array([[0, 0], [0, 1], [1, 0], [1, 1], [2, 0.5]])
    apart = np.array([3.0, 0.0])

    def known(n_rows, second):
        y = rng.integers(4, size=n_rows)
        kind = rng.random(n_rows) < second
        return centers[y] + kind[:, None] * apart + rng.normal(size=(n_rows, 2)), y

    labeled, y = known(n_labeled, 0.15)
    pool, _ = known(n_unlabeled - n_new, mix)
    new = centers[4] + apart + rng.normal(size=(n_new, 2))
    return LacSample.from_masked(labeled, y, X_unlabeled=rng.permutation(np.vstack([pool, new])))


def test_another_mix_of_the_kinds_within_a_class_is_not_read_as_new_classes():
    shares, as_labeled = [], []
    for seed in range(3):
        sample = kinds_of_classes(seed, mix=0.8)
        estimate = TwoReadingsProportion(n_resamples=10, random_state=0).estimate(sample)
        readings = estimate.diagnostics["readings"]
        shares.append(estimate.total)
        as_labeled.append(readings["as_labeled"]["known_proportion"])
        assert estimate.interval[0] <= 0.75 <= estimate.interval[1]
        assert estimate.diagnostics["drift"]["suspected"]
    assert np.mean(as_labeled) < 0.5  # what the paper's condition alone would say
    assert np.mean(shares) == pytest.approx(0.75, abs=0.1)


def test_the_same_mix_is_not_read_as_drift():
    for seed in range(2):
        sample = kinds_of_classes(seed, mix=0.15)
        estimate = TwoReadingsProportion(n_resamples=10, random_state=0).estimate(sample)
        assert not estimate.diagnostics["drift"]["suspected"]
        assert estimate.total == pytest.approx(0.75, abs=0.06)
