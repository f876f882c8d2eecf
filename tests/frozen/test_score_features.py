"""Scores taken apart: what is bigger for newer rows, places without scale, columns and classes."""

import numpy as np
import pytest
from scipy.special import softmax

from eulac.frozen.score_features import (
    ScorePlaces,
    matched_columns,
    require_probabilities,
    split_columns,
)


def test_every_number_is_bigger_for_the_row_the_classifier_is_less_sure_of():
    logits = np.array([[9.0, 0.0, 0.0], [2.0, 1.0, 0.0], [0.1, 0.0, 0.0]])
    table = split_columns(logits, logits=True, oddness_column=None)
    assert np.all(np.diff(table.newness, axis=0) > 0)
    assert table.newness.shape == (3, 3)  # largest, entropy, total


def test_probabilities_and_logits_agree_on_all_but_the_total():
    logits = np.random.default_rng(0).normal(0, 2, (50, 4))
    one = split_columns(logits, logits=True, oddness_column=None)
    two = split_columns(softmax(logits, axis=1), logits=False, oddness_column=None)
    np.testing.assert_allclose(one.log_probabilities, two.log_probabilities)
    np.testing.assert_allclose(one.newness[:, :2], two.newness, atol=1e-9)


@pytest.mark.parametrize("place", [0, 2, -1])
def test_oddness_may_stand_anywhere_and_comes_last(place):
    probabilities, odd = np.array([[0.9, 0.1], [0.4, 0.6]]), np.array([3.0, 7.0])
    place = place % 3
    X = np.insert(probabilities, place, odd, axis=1)
    table = split_columns(X, logits=False, oddness_column=place)
    np.testing.assert_allclose(np.exp(table.log_probabilities), probabilities)
    np.testing.assert_array_equal(table.newness[:, -1], odd)


def test_certain_rows_and_a_single_class_stay_finite():
    certain = split_columns(np.array([[1.0, 0.0], [0.0, 1.0]]), logits=False, oddness_column=None)
    single = split_columns(np.array([[2.0], [-1.0]]), logits=True, oddness_column=None)
    assert np.isfinite(certain.newness).all()
    assert np.isfinite(single.newness).all()
    assert single.newness[1, -1] > single.newness[0, -1]


def test_places_do_not_depend_on_a_monotone_scale():
    numbers = np.random.default_rng(0).normal(size=(1000, 1))
    plain, bent = (ScorePlaces.of(n).transform(n) for n in (numbers, np.exp(numbers)))
    np.testing.assert_allclose(plain, bent, atol=0.05)
    assert abs(plain.mean()) < 0.01


def test_equal_numbers_share_the_middle_of_their_places():
    numbers = np.repeat([0.0, 1.0], 500)[:, None]
    low, high = np.unique(ScorePlaces.of(numbers).transform(numbers))
    assert low == pytest.approx(-high, abs=0.05)
    constant = np.ones((10, 1))
    np.testing.assert_allclose(ScorePlaces.of(constant).transform(constant), 0.0, atol=1e-9)


def test_columns_are_matched_to_the_classes_whose_rows_they_fit():
    rng = np.random.default_rng(0)
    y, order = rng.integers(0, 4, 200), np.array([2, 0, 3, 1])
    scores = rng.normal(3.0 * np.eye(4)[y])[:, order]
    logs = split_columns(scores, logits=True, oddness_column=None).log_probabilities
    np.testing.assert_array_equal(order[matched_columns(logs, y)], np.arange(4))


@pytest.mark.parametrize(
    ("row", "words"),
    [([0.7, 0.7], "row 1 .* sums to 1.4"), ([1.5, -0.5], "a smallest one of -0.5")],
)
def test_rows_that_are_no_probabilities_are_refused(row, words):
    with pytest.raises(ValueError, match=words):
        require_probabilities(np.array([[0.5, 0.5], row]), None)
    require_probabilities(np.array([[0.333, 0.666, 99.0]]), -1)  # rounded, beside oddness
