"""Odd input of every public estimator: sound answers, or a sentence."""

import numpy as np
import pytest

from hostile.odd_inputs import ASKED, CHANGES, ESTIMATORS, draw_case, run_case


def ugly_ends(n_cases, seed, slow_share=1.0):
    rng = np.random.default_rng(seed)
    cases = [draw_case(rng, slow_share) for _ in range(n_cases)]
    ends = [(case, run_case(*case, seed=number)) for number, case in enumerate(cases)]
    return [(case, end) for case, end in ends if end is not None]


def test_three_hundred_odd_inputs_end_in_answers_or_a_sentence():
    assert ugly_ends(300, seed=0, slow_share=0.03) == []


def test_the_judge_sees_what_is_ugly():
    assert run_case("osnn", "nothing", None, "nothing", 0) is None
    CHANGES["broken"] = lambda X, y, U, rng: 1 / 0
    try:
        assert "ZeroDivisionError" in run_case("osnn", "broken", None, "nothing", 0)
    finally:
        del CHANGES["broken"]


@pytest.mark.slow
def test_ten_thousand_odd_inputs_end_in_answers_or_a_sentence():
    assert ugly_ends(10_000, seed=1) == []


@pytest.mark.slow
def test_every_change_on_every_estimator():
    cases = [(name, change, None, "nothing") for name in ESTIMATORS for change in CHANGES]
    cases += [(name, "nothing", None, asked) for name in ESTIMATORS for asked in ASKED]
    ends = {case: run_case(*case, seed=0) for case in cases}
    assert {case: end for case, end in ends.items() if end is not None} == {}
