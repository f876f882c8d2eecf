import numpy as np
import pytest

from benchmark.made_up import comparison, of_experiment
from eulac.benchmark.curves import condition, curves_by_method, estimated_shares, mean_curve
from eulac.benchmark.experiments import EXPERIMENTS, find_experiment
from eulac.benchmark.figure_style import LOOKS
from eulac.benchmark.records import Record
from eulac.benchmark.trial import Draw, Trial


def test_points_are_means_with_their_standard_errors():
    values = [3.0, 5.0, 10.0]
    [point] = mean_curve((1.0, value) for value in values)
    assert point.mean == pytest.approx(6.0)
    assert point.error == pytest.approx(np.std(values, ddof=1) / np.sqrt(3))


def test_the_order_of_pairs_does_not_matter_to_the_last_bit():
    pairs = [(x % 3, value) for x, value in enumerate(np.random.default_rng(0).random(30))]
    assert mean_curve(pairs) == mean_curve(pairs[::-1])


def test_failed_trials_and_other_experiments_are_no_points():
    records = comparison({"kernel": 0.9})  # no condition was varied
    failed = Trial("environments", Draw("mnist", conditions={"shift_intensity": 0.1}), "kernel")
    records.append(Record(failed, "failed", "ValueError: no"))
    assert curves_by_method(records, condition("shift_intensity"), "accuracy") == {}


def test_estimates_are_compared_with_the_share_that_was_drawn():
    curves = estimated_shares(of_experiment("theta"), ("kme_base", "consensus"))
    assert set(curves) == {"kme_base", "consensus"}
    for curve in curves.values():
        assert [point.mean - point.x for point in curve] == pytest.approx([0.02] * len(curve))


def test_methods_of_one_figure_are_told_apart_by_color_or_marker():
    for experiment in map(find_experiment, EXPERIMENTS):
        if experiment.figure is not None:
            measurements = {"unbiasedness", "excess_risk", "named_groups", "next_rows"}
            assert set(experiment.methods) - measurements <= set(LOOKS)
    for group in (
        (
            "ovr_svm",
            "w_svm",
            "osnn",
            "evm",
            "lacu_svm",
            "pac_iforest",
            "kernel_paper",
            "kernel",
            "auto",
        ),
        (
            "kernel_base",
            "kernel_base_plus",
            "kernel_shift",
            "kernel_shift_auto",
            "ovr_shift",
            "lacu_svm",
        ),
    ):
        assert len({LOOKS[name][:2] for name in group}) == len(group)
        assert len({LOOKS[name][0] for name in group}) >= len(group) - 1
