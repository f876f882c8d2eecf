"""Rows of any kind as plain numbers."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from eulac.data.encoded_rows import MOST_VALUES, N_DIRECTIONS, encoded_names, encoded_rows


def test_numbers_are_scaled_and_nothing_else():
    X = np.array([[0.0, 10.0], [5.0, 20.0], [10.0, 30.0]])
    np.testing.assert_allclose(encoded_rows(X), [[0, 0], [0.5, 0.5], [1, 1]])


def test_gaps_get_the_median_and_a_mark():
    encoded = encoded_rows(np.array([[1.0], [np.nan], [2.0], [5.0]]))
    np.testing.assert_allclose(encoded, [[0, 0], [0.25, 1], [0.25, 0], [1, 0]])


def test_a_column_without_any_value_is_no_trouble():
    assert np.isfinite(encoded_rows(pd.DataFrame({"a": [np.nan, np.nan], "b": [1, 2]}))).all()
    assert np.isfinite(encoded_rows(pd.DataFrame({"a": [None, None], "b": [1, 2]}))).all()


def test_rare_values_have_no_column_of_their_own():
    words = pd.DataFrame({"word": [f"w{i}" for i in range(100)]})
    assert encoded_rows(words).shape == (100, MOST_VALUES)


@pytest.mark.parametrize("n_columns", [5, 200])
def test_sparse_rows_become_a_few_columns(n_columns):
    rng = np.random.default_rng(0)
    X = sparse.csr_array(rng.random((120, n_columns)) * (rng.random((120, n_columns)) < 0.2))
    encoded = encoded_rows(X, 0)
    assert encoded.shape == (120, min(n_columns, N_DIRECTIONS))
    assert encoded.min() >= 0.0
    assert encoded.max() <= 1.0 + 1e-12


def test_texts_become_numbers_too():
    assert encoded_rows(np.array(["a cat meows", "a dog barks", "a cat"])).shape[0] == 3


@pytest.mark.parametrize("gap", [None, np.nan, pd.NA])
def test_a_missing_text_has_no_words(gap):
    texts = np.array(["a cat meows", gap, "a dog barks", "a cat"], dtype=object)
    blank = np.array(["a cat meows", "", "a dog barks", "a cat"], dtype=object)
    np.testing.assert_array_equal(encoded_rows(texts), encoded_rows(blank))


def test_every_encoded_column_has_a_name():
    frame = pd.DataFrame(
        {"size": [1.0, np.nan, 3.0], "color": ["red", None, "red"], "none": [None, None, None]}
    )
    names = encoded_names(frame)
    assert len(names) == encoded_rows(frame).shape[1]
    assert names[:3] == ["size", "size missing", "color = red"]
    assert encoded_names(np.zeros((2, 2))) == ["0", "1"]
    assert encoded_names(np.array(["a text", "b"])) == []
