import math

import numpy as np
import pytest
from scipy.stats import ttest_rel

from eulac.evaluation.comparison import compare_paired, paired_t_test


@pytest.mark.parametrize("seed", range(5))
def test_the_p_value_is_that_of_scipy(seed):
    rng = np.random.default_rng(seed)
    ours, theirs = rng.normal(0.1, 1, 30), rng.normal(0, 1, 30)
    expected = ttest_rel(ours, theirs)
    got = paired_t_test(ours, theirs)
    assert got.p_value == pytest.approx(expected.pvalue)
    assert got.difference == pytest.approx(np.mean(ours - theirs))


def test_turning_the_sides_turns_the_outcome():
    ours, theirs = np.array([3.0, 4.1, 5.0, 6.2]), np.array([1.0, 2.0, 3.1, 4.0])
    assert paired_t_test(ours, theirs).outcome == "win"
    assert paired_t_test(theirs, ours).outcome == "loss"
    assert paired_t_test(ours, ours).outcome == "tie"


def test_luck_is_called_a_tie_nineteen_times_in_twenty():
    rng = np.random.default_rng(0)
    outcomes = [
        paired_t_test(rng.normal(size=20), rng.normal(size=20)).outcome for _ in range(2000)
    ]
    assert abs(1 - outcomes.count("tie") / 2000 - 0.05) < 4 * math.sqrt(0.05 * 0.95 / 2000)


def test_a_constant_difference_is_no_luck():
    assert paired_t_test([2.0, 3.0, 4.0], [1.0, 2.0, 3.0]).outcome == "win"


@pytest.mark.parametrize("n", [0, 1])
def test_too_few_pairs_decide_nothing(n):
    comparison = paired_t_test(np.ones(n), np.zeros(n))
    assert comparison.outcome == "untested"
    assert math.isnan(comparison.p_value)


def test_only_common_draws_are_compared_and_their_order_does_not_matter():
    ours = {1: 0.5, 2: 0.7, 3: 0.9}
    theirs = {4: 0.0, 3: 0.2, 2: 0.1}
    comparison = compare_paired(ours, theirs)
    assert comparison.n_pairs == 2
    assert comparison.difference == pytest.approx(0.65)


def test_values_that_do_not_pair_are_refused():
    with pytest.raises(ValueError, match=r"\(3,\) and \(2,\)"):
        paired_t_test([1, 2, 3], [1, 2])
