"""Counts: what was asked for is met to the row, the rest follows chance, and dealing loses none."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eulac.data.class_counts import checked_sizes, dealt_rows, one_each, plan_counts, shared_out

available = st.lists(st.integers(5, 60), min_size=4, max_size=4).map(np.array)
sizes = st.tuples(st.integers(6, 80), st.integers(1, 90), st.integers(0, 90)).map(np.array)
seeds = st.integers(0, 999)
priors = st.none() | st.lists(st.integers(1, 5), min_size=3, max_size=3)
proportions = st.none() | st.floats(0.1, 0.9)


def follows(counts, priors):
    """Return whether no count is a row away from its share."""
    shares = np.divide(priors, np.sum(priors))
    return np.all(np.abs(counts - np.sum(counts) * shares) < 1)


@given(n_rows=st.integers(0, 500), weights=st.lists(st.floats(0.01, 5), min_size=1, max_size=8))
def test_rows_shared_out_are_whole_all_used_and_next_to_their_shares(n_rows, weights):
    priors = np.array(weights) / np.sum(weights)
    counts = shared_out(n_rows, priors)
    assert counts.sum() == n_rows
    assert np.all(np.abs(counts - n_rows * priors) < 1 + 1e-9)


@given(counts=st.lists(st.integers(0, 9), min_size=1, max_size=8).map(np.array))
def test_every_class_gets_a_row_when_there_are_enough(counts):
    before = counts.copy()
    if counts.sum() < len(counts):
        return
    filled = one_each(counts)
    assert filled.sum() == counts.sum()
    assert filled.min() >= 1
    assert np.all(filled[counts == 0] == 1)
    np.testing.assert_array_equal(counts, before)


@settings(deadline=None)
@given(
    available=available, sizes=sizes, share=proportions, labeled=priors, known=priors, seed=seeds
)
def test_counts_add_up_and_take_no_row_twice(available, sizes, share, labeled, known, seed):
    plan = plan_counts(available, share, labeled, known)
    fitting = plan.fitting_sizes(sizes)
    counts = plan.draw_counts(fitting, np.random.default_rng(seed))
    np.testing.assert_array_equal(counts.sum(axis=1), fitting)
    assert np.all(counts >= 0)
    assert np.all(counts.sum(axis=0) <= available)
    assert np.all(counts[0, :-1] >= 1)
    assert counts[0, -1] == 0
    for part, n_rows in enumerate(fitting[1:], start=1):
        assert abs(counts[part, :-1].sum() - plan.known_share * n_rows) <= 0.5 + 1e-9


@settings(deadline=None)
@given(sizes=sizes, labeled=priors, known=priors, seed=seeds)
def test_given_class_shares_are_met_up_to_a_row(sizes, labeled, known, seed):
    plan = plan_counts(np.array([60, 60, 60, 120]), None, labeled, known)
    counts = plan.draw_counts(plan.fitting_sizes(sizes), np.random.default_rng(seed))
    if labeled is not None and counts[0].sum() >= sum(labeled):
        assert follows(counts[0, :-1], labeled)
    if known is not None:
        assert follows(counts[1, :-1], known)
        assert follows(counts[2, :-1], known)


@settings(deadline=None)
@given(available=available, sizes=sizes, labeled=priors, known=priors)
def test_sizes_shrink_by_the_largest_factor_that_fits(available, sizes, labeled, known):
    plan = plan_counts(available, None, labeled, known)
    fitting = plan.fitting_sizes(sizes)
    least = np.minimum(sizes, [3, 1, 1])
    steps = range(sizes.max(), -1, -1)
    shrunk = (np.maximum(step * sizes // sizes.max(), least) for step in steps)
    first = next(trial for trial in shrunk if np.all(plan.needs(trial) <= plan.pools))
    np.testing.assert_array_equal(fitting, first)
    sentence = plan.shortage(sizes, fitting, ["a", "b", "c"])
    if np.array_equal(fitting, sizes):
        assert sentence is None
        return
    assert "{} labeled, {} unlabeled and {} test rows".format(*sizes) in sentence
    assert "to {}, {} and {}, because".format(*fitting) in sentence


@pytest.mark.parametrize(
    ("available", "options", "needed", "there"),
    [
        ([900, 10], {"known_proportion": 0.5}, "1000 rows of the augmented classes", 10),
        ([30, 900], {}, "564 rows of the known classes", 30),
        ([40, 900, 900], {"known_priors": [1, 1]}, "513 rows of class 'ant'", 40),
    ],
)
def test_the_sentence_names_the_scarcest_rows(available, options, needed, there):
    plan = plan_counts(np.array(available), **options)
    asked = np.array([500, 1000, 1000])
    sentence = plan.shortage(asked, plan.fitting_sizes(asked), ["ant", "bee"][: len(available) - 1])
    assert sentence.startswith("sizes scaled down from 500 labeled, 1000 unlabeled and 1000 test")
    assert sentence.endswith(f"because {needed} were needed and there are {there}.")


@pytest.mark.parametrize("labeled_priors", [None, [1, 0, 0]])
def test_a_rare_class_is_forced_into_the_labeled_rows(labeled_priors):
    plan = plan_counts(np.array([3000, 1, 1, 500]), None, labeled_priors)
    for seed in range(5):
        counts = plan.draw_counts(np.array([10, 50, 50]), np.random.default_rng(seed))
        np.testing.assert_array_equal(counts[0], [8, 1, 1, 0])


def test_counts_left_to_chance_follow_the_table_on_average():
    plan = plan_counts(np.array([100, 300, 400, 200]))
    rng = np.random.default_rng(0)
    draws = np.array([plan.draw_counts(np.array([60, 80, 80]), rng)[:, :-1] for _ in range(400)])
    shares = draws / draws.sum(axis=2, keepdims=True)
    error = shares.std(axis=0, ddof=1) / np.sqrt(len(draws))
    assert np.all(error > 0)  # by chance, not by rounding
    assert np.all(np.abs(shares.mean(axis=0) - np.array([1, 3, 4]) / 8) < 4 * error)


def test_dealt_rows_are_disjoint_shuffled_and_have_the_class_counts_asked_for():
    codes = np.repeat([0, 1, 2], [30, 40, 50])
    counts = np.array([[10, 10, 0], [5, 20, 30], [15, 0, 20]])
    parts = dealt_rows(codes, counts, np.random.default_rng(0))
    together = np.concatenate(parts)
    assert len(set(together.tolist())) == len(together) == counts.sum()
    for rows, expected in zip(parts, counts, strict=True):
        np.testing.assert_array_equal(np.bincount(codes[rows], minlength=3), expected)
        assert np.sum(codes[rows][1:] != codes[rows][:-1]) > 3


def test_within_a_class_every_row_is_dealt_as_often_as_any_other():
    codes, counts = np.repeat([0, 1], [20, 30]), np.array([[5, 0], [4, 6], [4, 6]])
    rng = np.random.default_rng(1)
    draws = [dealt_rows(codes, counts, rng) for _ in range(400)]
    for share, rows in zip([5 / 20, 4 / 20, 4 / 20], zip(*draws, strict=True), strict=True):
        often = np.bincount(np.concatenate(rows), minlength=50)[:20]
        assert np.all(np.abs(often - 400 * share) < 4.5 * np.sqrt(400 * share * (1 - share)))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"known_proportion": 1.2}, r"must lie in \[0, 1\]; got 1.2"),
        ({"known_proportion": float("nan")}, r"must lie in \[0, 1\]; got nan"),
        ({"known_priors": [1, 2, 3]}, r"`known_priors` must be 2 numbers.* got \[1.0, 2.0, 3.0\]"),
        ({"known_priors": [1, -1]}, r"got \[1.0, -1.0\]"),
        ({"labeled_priors": [0, 0]}, r"`labeled_priors` must be .* got \[0.0, 0.0\]"),
        ({"labeled_priors": [1, float("nan")]}, r"got \[1.0, nan\]"),
    ],
)
def test_shares_that_cannot_be_are_refused_with_the_value(options, message):
    with pytest.raises(ValueError, match=message):
        plan_counts(np.array([20, 20, 40]), **options)


def test_a_share_of_new_rows_needs_new_rows():
    with pytest.raises(ValueError, match=r"known classes only; got 0.5"):
        plan_counts(np.array([20, 20, 0]), 0.5)
    assert plan_counts(np.array([20, 20, 0])).known_share == 1


def test_a_class_of_one_row_cannot_give_a_labeled_row_and_another():
    with pytest.raises(ValueError, match=r"they have \[1\] rows. Drop classes as small as this"):
        plan_counts(np.array([1, 9]), 1.0).fitting_sizes(np.array([5, 5, 5]))


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ((1, 10, 10), "`n_labeled` must be at least 2, a row for every known class; got 1"),
        ((5, 0, 1000), "`n_unlabeled` must be at least 1 .* got 0 and 1000"),
        ((5, 1000, -1), "`n_test` at least 0; got 1000 and -1"),
    ],
)
def test_sizes_that_cannot_be_are_refused_with_the_value(sizes, message):
    with pytest.raises(ValueError, match=message):
        checked_sizes(*sizes, n_known_classes=2)


def test_sizes_are_whole_numbers():
    with pytest.raises(TypeError):
        checked_sizes(5.5, 10, 10, n_known_classes=2)
