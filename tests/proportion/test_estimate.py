"""ProportionEstimate: numbers that add up, print nicely and say where they come from."""

import dataclasses
import pickle
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from eulac.proportion.best_bin import BestBinProportion
from eulac.proportion.consensus import ConsensusProportion
from eulac.proportion.estimate import (
    IDENTIFIABILITY,
    ProportionEstimate,
    error_reaching,
    estimate_with_error,
    interval_around,
    sorted_names,
    with_column_names,
    with_one_seed,
)
from eulac.proportion.given import GivenProportion
from eulac.proportion.shifted import ShiftedProportion
from proportion.contract import easy_mixture

shares = st.lists(st.floats(0, 1), min_size=1, max_size=6).map(
    lambda values: np.array(values) / max(sum(values), 1)
)


def estimate_of(per_class, interval=(0.4, 0.7)):
    return ProportionEstimate(np.asarray(per_class), interval, "given", 10, 20)


@given(per_class=shares)
def test_known_and_augmented_proportion_add_up_to_one(per_class):
    estimate = estimate_of(per_class)
    assert estimate.total == pytest.approx(per_class.sum())
    assert 0 <= estimate.total <= 1
    assert estimate.total + estimate.augmented_proportion == pytest.approx(1)
    assert float(estimate) == estimate.total


def test_the_interval_of_the_augmented_proportion_is_the_mirror_image():
    assert estimate_of([0.2, 0.3]).augmented_interval == pytest.approx((0.3, 0.6))


def test_it_prints_what_matters():
    assert repr(estimate_of([0.2, 0.3])) == (
        "ProportionEstimate(known 0.500 (0.400 to 0.700), augmented 0.500, method 'given')"
    )


def test_it_is_frozen_says_when_to_trust_it_and_survives_a_pickle():
    estimate = estimate_of([0.2, 0.3])
    assert estimate.remark == IDENTIFIABILITY
    assert "upper bound" in estimate.remark
    with pytest.raises(dataclasses.FrozenInstanceError):
        estimate.method = "other"
    assert repr(pickle.loads(pickle.dumps(estimate))) == repr(estimate)


@pytest.mark.parametrize(("per_class", "total"), [([0.7, 0.5], "1.2"), ([-0.4, 0.1], "-0.3")])
def test_shares_that_cannot_be_are_refused_with_their_sum(per_class, total):
    with pytest.raises(ValueError, match=rf"must sum to at most 1; got {total}\. Lower"):
        estimate_of(per_class)


def test_rounding_is_no_reason_to_refuse():
    assert estimate_of([0.5, 0.5 + 1e-12]).total == 1
    assert estimate_of([-1e-12, 0.0]).total == 0


@given(total=st.floats(0, 1), frequency=shares)
def test_a_total_is_divided_by_priors_and_has_the_interval_of_its_error(total, frequency):
    fields = {"method": "x", "n_labeled": 5, "n_unlabeled": 6, "confidence": 0.9}
    estimate = estimate_with_error(total, frequency, 0.07, **fields)
    np.testing.assert_allclose(estimate.per_class, total * frequency)
    assert (estimate.method, estimate.n_labeled, estimate.n_unlabeled) == ("x", 5, 6)
    assert (estimate.standard_error, estimate.confidence) == (0.07, 0.9)
    assert estimate.interval == interval_around(total, 0.07, 0.9)


@pytest.mark.parametrize(("confidence", "quantile"), [(0.9, 1.64), (0.95, 1.96), (0.99, 2.58)])
def test_intervals_follow_the_confidence_to_two_decimals(confidence, quantile):
    low, high = interval_around(0.5, 0.1, confidence)
    assert (low, high) == (0.5 - quantile * 0.1, 0.5 + quantile * 0.1)


@given(value=st.floats(0, 1), error=st.floats(0, 2))
def test_intervals_hold_the_value_and_stay_within_zero_and_one(value, error):
    low, high = interval_around(value, error)
    assert 0 <= low <= value <= high <= 1


def test_columns_that_moved_have_the_names_of_the_columns_the_fit_sorted():
    moved = [{"column": 0, "change": "larger"}, {"column": 2, "change": "smaller"}]
    drift = {"suspected": True, "moved": moved, "moved_within": {0: 1, 2: 4}}
    estimate = dataclasses.replace(estimate_of([0.2, 0.3]), diagnostics={"drift": drift})
    names = np.array(["width", "age", "size"])
    fitted = SimpleNamespace(column_order_=np.argsort(names), feature_names_in_=names)
    found = with_column_names(estimate, sorted_names(fitted))
    told = found.diagnostics["drift"]
    assert told == {
        "suspected": True,
        "moved": [
            {"column": "age", "change": "larger"},
            {"column": "width", "change": "smaller"},
        ],
        "moved_within": {"age": 1, "width": 4},
    }
    assert estimate.diagnostics["drift"]["moved"] == moved  # as it was
    assert with_column_names(estimate, sorted_names(SimpleNamespace())) is estimate
    assert with_column_names(found, sorted_names(fitted)) is found  # names stay


def test_a_column_that_has_a_name_already_keeps_it_beside_others_that_get_one():
    drift = {"moved": [{"column": 1}, {"column": "age missing"}]}
    estimate = dataclasses.replace(estimate_of([0.5]), diagnostics={"drift": drift})
    named = with_column_names(estimate, ["age", "size"]).diagnostics["drift"]["moved"]
    assert [one["column"] for one in named] == ["size", "age missing"]


def with_diagnostics(**diagnostics):
    return dataclasses.replace(estimate_of([0.2, 0.3]), diagnostics=diagnostics)


def test_the_condition_is_doubted_where_drift_is_suspected_or_a_tenth_more_may_be_known():
    assert not estimate_of([0.2, 0.3]).doubts_condition
    assert with_diagnostics(drift={"suspected": True}).doubts_condition
    assert not with_diagnostics(drift={"suspected": False, "used": True}).doubts_condition
    assert with_diagnostics(reach=0.1).doubts_condition
    assert not with_diagnostics(reach=0.099, drift={}).doubts_condition


def test_drift_is_assumed_only_where_it_was_used():
    assert not estimate_of([0.2, 0.3]).assumes_drift
    assert not with_diagnostics(drift={"suspected": True}).assumes_drift
    assert with_diagnostics(drift={"used": True}).assumes_drift


@given(share=st.floats(0.1, 0.9), below=st.floats(0, 0.1), above=st.floats(0, 0.1))
def test_an_error_reaches_both_ends_of_an_interval_and_no_further(share, below, above):
    ends = share - below, share + above
    error = error_reaching(ends, share, 0.0)
    low, high = interval_around(share, error)
    assert low <= ends[0] + 1e-12
    assert high >= ends[1] - 1e-12
    assert high - low == pytest.approx(2 * max(below, above))
    assert error_reaching(ends, share, 0.2) == 0.2


def test_a_seed_that_is_a_number_stays_and_any_other_becomes_one_in_a_copy():
    seeded = ConsensusProportion(random_state=np.int64(7))
    assert with_one_seed(seeded) is seeded
    for seed in (None, np.random.default_rng(0), np.random.RandomState(0)):
        plain = ConsensusProportion(random_state=seed)
        drawn = with_one_seed(plain)
        assert isinstance(drawn.random_state, int)
        assert plain.random_state is seed
    unseeded = GivenProportion(0.5)
    assert with_one_seed(unseeded) is unseeded


def test_where_no_column_moved_the_estimate_is_the_same_one():
    for drift in ({}, {"moved": []}):
        estimate = with_diagnostics(drift=drift)
        assert with_column_names(estimate, ["a", "b"]) is estimate


def test_columns_are_sorted_by_name_unless_a_classifier_of_the_users_is_inside():
    X, y = easy_mixture(0.5, 20, 30)
    frame = pd.DataFrame(X, columns=["width", "age", "size"])
    theirs = BestBinProportion(LogisticRegression(), n_folds=2, n_resamples=2, random_state=0)
    for estimator, names in (
        (GivenProportion(0.5), ["age", "size", "width"]),
        (ShiftedProportion(GivenProportion(0.5), shift=False), ["age", "size", "width"]),
        (theirs, []),
        (ShiftedProportion(theirs, shift=False), []),
    ):
        assert sorted_names(estimator.fit(frame, y)) == names
