"""Sentences: each quotes what was given, and none is said without need."""

import warnings

import numpy as np
import pytest

from eulac.data.lac_sample import LacSample
from eulac.estimators import checks
from eulac.exceptions import (
    NoUnlabeledRowsWarning,
    ProportionAtBoundWarning,
    ProportionDisagreementWarning,
    SmallClassWarning,
    TrivialPredictorWarning,
)
from eulac.proportion.estimate import ProportionEstimate


def sample_of(counts, n_unlabeled=10):
    y = np.append(np.repeat(list(counts), list(counts.values())), np.full(n_unlabeled, "-1"))
    return LacSample.from_masked(np.arange(2.0 * len(y)).reshape(-1, 2), y)


def estimate_of(total, method="best_bin", n_unlabeled=100):
    return ProportionEstimate(np.array([total]), (total, total), method, 50, n_unlabeled)


def test_a_choice_must_be_one_of_them():
    checks.require_choice("scale", None, ("minmax", None))
    checks.require_choice("scale", "minmax", ("minmax", None))
    with pytest.raises(ValueError, match=r"^`scale` must be one of 'minmax', None; got 'x'\.$"):
        checks.require_choice("scale", "x", ("minmax", None))


@pytest.mark.parametrize("value", [0, 1, 0.5, np.float32(0.5), np.int64(1)])
def test_numbers_in_range_pass(value):
    checks.require_range("offset", value, 0.0, 1.0)


@pytest.mark.parametrize("value", [-1e-9, 1.1, float("nan"), "0.5", None, [0.5]])
def test_numbers_out_of_range_and_other_things_do_not(value):
    with pytest.raises(ValueError, match=r"^`offset` must lie in \[0, 1\]; got "):
        checks.require_range("offset", value, 0.0, 1.0)


def test_counts_are_whole_and_large_enough():
    checks.require_at_least("cv", np.int64(2), 2)
    for value in (1, 2.0, "2", None):
        with pytest.raises(ValueError, match=rf"at least 2; got {value!r}\."):
            checks.require_at_least("cv", value, 2)


def test_candidates_are_the_default_one_number_or_several():
    assert checks.as_candidates("penalty", None, (1.0, 2.0)) == [1.0, 2.0]
    assert checks.as_candidates("penalty", 3, ()) == [3.0]
    assert checks.as_candidates("penalty", np.array([1, 2]), ()) == [1.0, 2.0]


@pytest.mark.parametrize("value", [0, -1, [], [1, 0], np.nan, np.inf, "x", {}, 1e71, 1e-71])
def test_candidates_that_are_no_positive_numbers_are_refused(value):
    with pytest.raises(ValueError, match=r"^`penalty` must be one or more positive numbers"):
        checks.as_candidates("penalty", value, ())


def test_steps_are_reported_from_one():
    calls = []
    step = checks.step_counter(lambda done, total: calls.append((done, total)), 2)
    step(0)
    step(1)
    assert calls == [(1, 2), (2, 2)]
    assert checks.step_counter(None, 2)(0) is None


def test_features_are_bounded_where_they_are_learned_from_and_moved_in_where_not():
    checks.require_bounded(np.array([[1e70, -1e70]]))
    with pytest.raises(ValueError, match=r"got one of size 2e\+70"):
        checks.require_bounded(np.array([[1.0, -2e70]]))
    np.testing.assert_array_equal(
        checks.moderate(np.array([[3.0, 1e300, -1e300]])), [[3.0, 1e70, -1e70]]
    )


def test_features_differ_visibly_or_not_at_all():
    checks.require_spread(np.ones((3, 2)))
    checks.require_spread(np.array([[0.0, 0.0], [1e-200, 1.0]]))
    with pytest.raises(ValueError, match=r"1e-70 or more; got 1e-200 at most"):
        checks.require_spread(np.array([[0.0, 0.0], [1e-200, 0.0]]))


@pytest.mark.parametrize("y", [[0, 1], [0.5, 1.0], ["a", "b"], np.array([1, None]), None])
def test_finite_labels_and_those_that_are_no_numbers_pass(y):
    checks.require_finite_labels(y)


def test_infinite_labels_are_counted():
    with pytest.raises(ValueError, match="got 2 times inf"):
        checks.require_finite_labels([np.inf, 1.0, -np.inf])


def test_a_sample_with_unlabeled_rows_is_passed_on():
    sample = sample_of({"ant": 5, "bee": 5})
    assert checks.with_deployment_rows(sample) is sample


def test_without_unlabeled_rows_the_labeled_ones_stand_in():
    sample = sample_of({"ant": 5, "bee": 5}, n_unlabeled=0)
    with pytest.warns(NoUnlabeledRowsWarning, match="no unlabeled rows"):
        opened = checks.with_deployment_rows(sample)
    np.testing.assert_array_equal(opened.X_unlabeled, sample.X_labeled)


def test_one_row_of_either_sample_is_refused():
    with pytest.raises(ValueError, match=r"two unlabeled rows are needed .* n_samples = 1"):
        checks.with_deployment_rows(sample_of({"ant": 5}, n_unlabeled=1))
    with pytest.raises(ValueError, match=r"two labeled rows are needed.* got 1\."):
        checks.with_deployment_rows(sample_of({"ant": 1}))


def test_small_classes_are_named_with_their_counts():
    with pytest.warns(SmallClassWarning, match=r"the 5 folds: 'bee' \(2\), 'cow' \(4\)\. What"):
        checks.warn_of_small_classes(sample_of({"ant": 5, "bee": 2, "cow": 4}), 5)
    many = {f"class{k}": 1 for k in range(8)}
    with pytest.warns(SmallClassWarning, match=r"'class4' \(1\) and 3 others\. What"):
        checks.warn_of_small_classes(sample_of(many), 5)


def test_what_is_usual_gives_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        checks.warn_of_small_classes(sample_of({"ant": 5, "bee": 5}), 5)
        checks.warn_of_doubtful_proportion(estimate_of(0.98))
        checks.warn_of_doubtful_proportion(estimate_of(0.02))
        checks.warn_of_doubtful_proportion(estimate_of(1.0, method="given"))
        checks.warn_of_doubtful_proportion(estimate_of(0.0, method="given"))
        checks.warn_if_trivial(np.array([0.99, 0.01]), np.array(["ant", "augmented"]))
        checks.warn_if_trivial(np.array([1.0, 0.0]), np.array(["ant"]))


def test_an_estimate_at_its_bound_says_which():
    with pytest.warns(ProportionAtBoundWarning, match=r"1\.000, .*nothing in .* rows is new"):
        checks.warn_of_doubtful_proportion(estimate_of(0.9999))
    with pytest.warns(ProportionAtBoundWarning, match=r"0\.000, .* is of a known class"):
        checks.warn_of_doubtful_proportion(estimate_of(0.0001))


def test_a_trivial_answer_is_named_as_the_user_wrote_it():
    with pytest.warns(TrivialPredictorWarning, match=r"99\.8% of .* are called 'ant'\."):
        checks.warn_if_trivial(np.array([0.998, 0.002]), np.array(["ant", "augmented"]))
    with pytest.warns(TrivialPredictorWarning, match=r"100\.0% of .* are called -2\."):
        checks.warn_if_trivial(np.array([0.0, 1.0]), np.array([3, -2]))


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
        checks.warn_of_doubtful_proportion(estimate)


def test_a_search_that_stopped_at_its_limit_is_said_so():
    estimate = ProportionEstimate(
        np.array([0.9]), (0.8, 1.0), "kernel_mean_gradient", 10, 20, diagnostics={"at_bound": True}
    )
    with pytest.warns(ProportionAtBoundWarning, match=r"0\.900.*stopped at its limit"):
        checks.warn_of_doubtful_proportion(estimate)
