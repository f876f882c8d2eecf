"""Methods by name: each can be made and run, and failures are told, not hidden."""

import subprocess
import sys

import numpy as np
import pytest
from sklearn.ensemble import ExtraTreesClassifier

from eulac.data.lac_sample import LacSample
from eulac.proportion import consensus as consensus_module
from eulac.proportion import methods, reduction
from eulac.proportion.estimate import ProportionEstimate, ProportionEstimator
from eulac.proportion.methods import (
    PROPORTIONS,
    QUICK_PROPORTIONS,
    REMARKS,
    compare_methods,
    disagreeing,
)
from proportion.contract import assert_same_estimate, easy_mixture


def easy_sample(n_labeled=80, n_unlabeled=120):
    return LacSample.from_masked(*easy_mixture(0.5, n_labeled, n_unlabeled))


def test_the_consensus_comes_first_and_every_name_is_there():
    assert list(PROPORTIONS) == [
        "consensus",
        "best_bin",
        "dedpul",
        "elkan_noto",
        "tice",
        "kernel_mean",
        "kernel_mean_km1",
        "kernel_mean_km2",
        "kernel_mean_per_class",
        "pulse",
    ]
    assert set(QUICK_PROPORTIONS) == set(PROPORTIONS) - {"kernel_mean_per_class"}
    assert set(REMARKS) < set(PROPORTIONS)


@pytest.mark.parametrize("name", PROPORTIONS)
def test_every_method_is_made_with_its_seed(name):
    estimator = PROPORTIONS[name](7, 2)
    assert isinstance(estimator, ProportionEstimator)
    parameters = estimator.get_params()
    assert {value for key, value in parameters.items() if key.endswith("random_state")} == {7}
    jobs = {value for key, value in parameters.items() if key.endswith("n_jobs")}
    assert jobs == ({2} if name in ("consensus", "pulse") else set())


@pytest.fixture
def few_trees(monkeypatch):
    """Let forests be small where the claim is not about them."""

    def ten_trees(random_state, n_jobs):
        return ExtraTreesClassifier(10, min_samples_leaf=2, random_state=random_state)

    monkeypatch.setattr(consensus_module, "extra_trees", ten_trees)
    monkeypatch.setattr(reduction, "extra_trees", ten_trees)


def test_names_and_estimates_belong_together(few_trees):
    """What an estimate calls itself starts with the name it was asked for by."""
    results = compare_methods(easy_sample(), random_state=0)
    assert tuple(results) == QUICK_PROPORTIONS
    for name, estimate in results.items():
        assert isinstance(estimate, ProportionEstimate), (name, estimate)
        assert estimate.method.startswith(name)
        assert abs(estimate.total - 0.5) < (0.35 if name in REMARKS else 0.15), (name, estimate)


def test_only_the_named_methods_run_in_the_order_they_are_named():
    results = compare_methods(easy_sample(), ["tice", "best_bin"], random_state=0)
    assert list(results) == ["tice", "best_bin"]
    assert compare_methods(easy_sample(), []) == {}


def test_rows_may_come_in_any_order():
    X, y = easy_mixture(0.5, 80, 120)
    order = np.random.default_rng(0).permutation(len(y))
    one, two = (
        compare_methods(LacSample.from_masked(*rows), ["best_bin"], random_state=0)["best_bin"]
        for rows in ((X, y), (X[order], y[order]))
    )
    assert_same_estimate(one, two)


def failing(error):
    class Failing(ProportionEstimator):
        def estimate(self, sample):
            raise error

    return lambda seed, n_jobs: Failing()


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ValueError("two rows are needed; got 1."), "two rows are needed; got 1."),
        (ZeroDivisionError("by zero"), "ZeroDivisionError: by zero"),
        (RuntimeError(), "RuntimeError: no reason given"),
    ],
)
def test_a_failure_becomes_its_reason_and_the_others_go_on(monkeypatch, error, reason):
    monkeypatch.setitem(methods.PROPORTIONS, "dedpul", failing(error))
    results = compare_methods(easy_sample(), ["dedpul", "tice"], random_state=0)
    assert results["dedpul"] == reason
    assert isinstance(results["tice"], ProportionEstimate)


def test_an_interrupt_is_no_failure_of_a_method(monkeypatch):
    monkeypatch.setitem(methods.PROPORTIONS, "dedpul", failing(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        compare_methods(easy_sample(), ["dedpul"])


def test_samples_too_small_fail_in_a_sentence():
    results = compare_methods(easy_sample(1, 5), ["best_bin"], random_state=0)
    assert "got 1 and 5" in results["best_bin"]


def test_an_unknown_method_is_named_before_any_work(monkeypatch):
    monkeypatch.setitem(methods.PROPORTIONS, "tice", failing(KeyboardInterrupt()))
    with pytest.raises(ValueError, match=r"unknown method 'dedpull'.*Did you mean 'dedpul'\?"):
        compare_methods(easy_sample(), ["tice", "dedpull"])


def made_up(value, at_bound=False):
    diagnostics = {"at_bound": at_bound}
    return ProportionEstimate(
        np.array([value]), (value, value), "made_up", 9, 9, diagnostics=diagnostics
    )


def test_methods_disagree_by_more_than_a_tenth():
    estimates = {
        "consensus": made_up(0.5),
        "best_bin": made_up(0.59),
        "dedpul": made_up(0.35),
        "kernel_mean": made_up(0.9, at_bound=True),  # a limit, not an estimate
        "tice": made_up(0.8),  # coarse
    }
    assert disagreeing(estimates, "consensus") == {"dedpul": pytest.approx(0.35)}
    assert disagreeing(estimates, "dedpul") == {"consensus": 0.5, "best_bin": 0.59}
    assert disagreeing(estimates, "consensus", by=0.2) == {}


def test_names_are_offered_without_loading_numerics():
    code = (
        "import sys, eulac.proportion.methods, eulac.cli.proportion;"
        "print(sorted({'numpy', 'sklearn', 'scipy', 'pandas'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_a_difference_of_just_as_much_is_no_disagreement():
    estimates = {"consensus": made_up(0.5), "best_bin": made_up(0.75), "dedpul": made_up(0.25)}
    assert disagreeing(estimates, "consensus", by=0.25) == {}
    assert list(disagreeing(estimates, "consensus", by=0.24)) == ["best_bin", "dedpul"]
