"""What is said of a known share by itself; beside other checks: test_pool_checks.py."""

import numpy as np
import pytest

from eulac.proportion.estimate import ProportionEstimate
from eulac.report.proportion_checks import proportion_checks


@pytest.mark.parametrize(
    ("share", "title", "text"),
    [
        (0.0, "No known row was found in the pool", "estimated as 0. Check that both tables"),
        (1.0, "The known proportion is at its cap", "estimated as 1.000: nothing new"),
        (
            0.9,
            "The search for the known proportion stopped at its limit",
            "estimated as 0.900, as far as method 'kernel_mean_km1' goes",
        ),
    ],
)
def test_only_a_share_of_one_is_called_nothing_new(share, title, text):
    at_bound = ProportionEstimate(
        np.array([share]), (share, share), "kernel_mean_km1", 90, 90, diagnostics={"at_bound": True}
    )
    [check] = proportion_checks(at_bound)
    assert (check.level, check.title) == ("trouble", title)
    assert text in check.text


def test_without_an_estimate_it_is_said_how_to_get_one():
    [check] = proportion_checks(None)
    assert "pass `known_proportion`" in check.text
