"""Refusals: each quotes what was given, and none is said without need."""

import re

import numpy as np
import pytest

from eulac.data import requirements


def test_a_choice_must_be_one_of_them():
    requirements.require_choice("scale", None, ("minmax", None))
    requirements.require_choice("scale", "minmax", ("minmax", None))
    with pytest.raises(ValueError, match=r"^`scale` must be one of 'minmax', None; got 'x'\.$"):
        requirements.require_choice("scale", "x", ("minmax", None))


@pytest.mark.parametrize("value", [0, 1, 0.5, np.float32(0.5), np.int64(1)])
def test_numbers_in_range_pass(value):
    requirements.require_range("offset", value, 0.0, 1.0)


@pytest.mark.parametrize("value", [-1e-9, 1.1, float("nan"), "0.5", None, [0.5]])
def test_numbers_out_of_range_and_other_things_do_not(value):
    with pytest.raises(ValueError, match=r"^`offset` must lie in \[0, 1\]; got "):
        requirements.require_range("offset", value, 0.0, 1.0)


def test_counts_are_whole_and_large_enough():
    requirements.require_at_least("n_folds", np.int64(2), 2)
    for value in (1, 2.0, "2", None):
        with pytest.raises(ValueError, match=rf"at least 2; got {value!r}\."):
            requirements.require_at_least("n_folds", value, 2)


def test_candidates_are_the_default_one_number_or_several():
    assert requirements.as_candidates("penalty", None, (1.0, 2.0)) == [1.0, 2.0]
    assert requirements.as_candidates("penalty", 3, ()) == [3.0]
    assert requirements.as_candidates("penalty", np.array([1, 2]), ()) == [1.0, 2.0]


@pytest.mark.parametrize("value", [0, -1, [], [1, 0], np.nan, np.inf, "x", {}, 1e71, 1e-71])
def test_candidates_that_are_no_positive_numbers_are_refused(value):
    with pytest.raises(ValueError, match=r"^`penalty` must be one or more positive numbers"):
        requirements.as_candidates("penalty", value, ())


def test_features_are_bounded_where_they_are_learned_from_and_moved_in_where_not():
    requirements.require_bounded(np.array([[1e70, -1e70]]))
    with pytest.raises(ValueError, match=r"got one of size 2e\+70"):
        requirements.require_bounded(np.array([[1.0, -2e70]]))
    np.testing.assert_array_equal(
        requirements.moderate(np.array([[3.0, 1e300, -1e300]])), [[3.0, 1e70, -1e70]]
    )


def test_features_differ_visibly_or_not_at_all():
    requirements.require_spread(np.ones((3, 2)))
    requirements.require_spread(np.array([[0.0, 0.0], [1e-200, 1.0]]))
    with pytest.raises(ValueError, match=r"1e-70 or more; got 1e-200 at most"):
        requirements.require_spread(np.array([[0.0, 0.0], [1e-200, 0.0]]))


@pytest.mark.parametrize("y", [[0, 1], [0.5, 1.0], ["a", "b"], np.array([1, None]), None])
def test_finite_labels_and_those_that_are_no_numbers_pass(y):
    requirements.require_finite_labels(y)


def test_infinite_labels_are_counted():
    with pytest.raises(ValueError, match="got 2 times inf"):
        requirements.require_finite_labels([np.inf, 1.0, -np.inf])


@pytest.mark.parametrize("seed", [None, 0, np.int64(7), 2**32 - 1, np.random.RandomState(0)])
def test_seeds_pass(seed):
    requirements.require_seed(seed)
    requirements.require_seed(np.random.default_rng(0))


@pytest.mark.parametrize("seed", [-1, 2**32, 1.5, "seven", True, [1]])
def test_what_cannot_seed_is_quoted(seed):
    with pytest.raises(ValueError, match=rf"got {re.escape(repr(seed))}\."):
        requirements.require_seed(seed)


@pytest.mark.parametrize("n_jobs", [0, 1.5, "all", True])
def test_cores_are_counted(n_jobs):
    requirements.require_jobs(None)
    requirements.require_jobs(-1)
    with pytest.raises(ValueError, match=rf"got {re.escape(repr(n_jobs))}\."):
        requirements.require_jobs(n_jobs)


def test_text_and_uneven_rows_are_no_table():
    with pytest.raises(ValueError, match=r"an array or a data frame; got 'rows'\."):
        requirements.require_number_cells("rows")
    with pytest.raises(ValueError, match=r"same number of features; got rows of \[1, 2\]\."):
        requirements.require_number_cells([[1.0], [2.0, 3.0]])
