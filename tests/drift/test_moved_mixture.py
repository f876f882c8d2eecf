"""A mixture whose known part may have moved."""

import numpy as np
import pytest

from eulac.drift.moved_mixture import SEPARATION, fit_moved_mixture


def rows(shift, known_proportion, seed, m=800, distance=5.0):
    rng = np.random.default_rng(seed)
    n_known = round(m * known_proportion)
    known, new = rng.normal(shift, 1.0, n_known), rng.normal(distance, 1.0, m - n_known)
    return rng.normal(size=400), np.append(known, new)


@pytest.mark.parametrize("shift", [0.0, 1.0])
@pytest.mark.parametrize("known_proportion", [0.3, 0.7])
def test_share_and_shift_are_found(shift, known_proportion):
    found = fit_moved_mixture(*rows(shift, known_proportion, 0))
    assert found.known_proportion == pytest.approx(known_proportion, abs=0.03)
    assert found.shift == pytest.approx(shift, abs=0.2)
    assert found.gap > SEPARATION


@pytest.mark.parametrize("shift", [0.0, 0.5, 1.0])
def test_drift_alone_is_nothing_new(shift):
    assert fit_moved_mixture(*rows(shift, 1.0, 1)).known_proportion > 0.97


def test_units_of_the_scores_do_not_matter():
    labeled, unlabeled = rows(0.5, 0.6, 2)
    one = fit_moved_mixture(labeled, unlabeled)
    two = fit_moved_mixture(3.0 * labeled + 7.0, 3.0 * unlabeled + 7.0)
    assert two.known_proportion == pytest.approx(one.known_proportion, abs=0.01)


def test_scores_that_are_all_the_same_are_no_trouble():
    found = fit_moved_mixture(np.zeros(10), np.append(np.zeros(6), np.ones(4)))
    assert found.known_proportion == pytest.approx(0.6)
