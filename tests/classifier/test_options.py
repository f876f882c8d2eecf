"""Grids: positive, increasing, and the paper's as printed."""

import numpy as np
import pytest

from eulac.classifier.options import GRIDS


@pytest.mark.parametrize("name", GRIDS)
def test_grids_increase_and_are_positive(name):
    for candidates in (GRIDS[name].bandwidth_factors, GRIDS[name].penalties):
        assert candidates[0] > 0
        assert np.all(np.diff(candidates) > 0)


def test_the_grid_of_the_paper_is_that_of_its_appendix():
    assert GRIDS["paper"].bandwidth_factors == (0.01, 0.1, 1.0, 10.0)
    np.testing.assert_allclose(GRIDS["paper"].penalties, [1e-3, 1e-2, 1e-1, 1, 10])


def test_the_default_grid_has_the_bandwidths_decades_step_over():
    factors = np.array(GRIDS["half_decades"].bandwidth_factors)
    np.testing.assert_allclose(np.diff(np.log10(factors)), 0.5)
    assert np.any((factors > 0.2) & (factors < 0.5))
    assert set(np.round(GRIDS["paper"].bandwidth_factors, 6)) <= set(np.round(factors, 6))
