import numpy as np
import pytest

from eulac.classifier.known_proportion import warn_of_doubtful_proportion
from eulac.exceptions import ProportionAtBoundWarning, ProportionDisagreementWarning
from eulac.proportion.estimate import ProportionEstimate


def estimate_of(total, method="best_bin", n_unlabeled=100):
    return ProportionEstimate(np.array([total]), (total, total), method, 50, n_unlabeled)


def test_what_is_usual_gives_no_warning():
    for estimate in (
        estimate_of(0.98),
        estimate_of(0.02),
        estimate_of(1.0, method="given"),
        estimate_of(0.0, method="given"),
    ):
        warn_of_doubtful_proportion(estimate)  # warnings are errors here


def test_an_estimate_at_its_bound_says_which():
    with pytest.warns(ProportionAtBoundWarning, match=r"1\.000, .*nothing in .* rows is new"):
        warn_of_doubtful_proportion(estimate_of(0.9999))
    with pytest.warns(ProportionAtBoundWarning, match=r"0\.000, .* is of a known class"):
        warn_of_doubtful_proportion(estimate_of(0.0001))


def test_disagreeing_scores_are_named_with_their_values():
    estimate = ProportionEstimate(
        np.array([0.5]),
        (0.3, 0.7),
        "consensus",
        10,
        20,
        diagnostics={"by_score": {"one": 0.3, "two": 0.5, "three": 0.7}, "scores_agree": False},
    )
    with pytest.warns(ProportionDisagreementWarning, match=r"one 0\.30, two 0\.50, three 0\.70"):
        warn_of_doubtful_proportion(estimate)


def test_a_search_that_stopped_at_its_limit_is_said_so():
    estimate = ProportionEstimate(
        np.array([0.9]), (0.8, 1.0), "kernel_mean_gradient", 10, 20, diagnostics={"at_bound": True}
    )
    with pytest.warns(ProportionAtBoundWarning, match=r"0\.900.*stopped at its limit"):
        warn_of_doubtful_proportion(estimate)
