"""Rows of any kind: picked, joined, checked and ordered without changing what they are."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression

from eulac.data.any_rows import as_numbers, joined_rows, opened_rows, picked_rows, scaled_numbers
from eulac.data.lac_table import LacTable, in_value_order

FRAME = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0], "b": list("xyzx")})
NUMBERS = np.arange(12.0).reshape(6, 2)
KINDS = {
    "array": NUMBERS,
    "objects": NUMBERS.astype(object),
    "pandas": pd.DataFrame(NUMBERS, columns=["a", "b"]),
    "polars": pl.DataFrame(NUMBERS, ["a", "b"]),
    "sparse": sparse.csr_array(NUMBERS),
    "texts": np.array(["one", "two", "three", "four", "five", "six"], dtype=object),
    "series": pd.Series(["one", "two", "three", "four", "five", "six"]),
}


def cells(X):
    return X.toarray().tolist() if sparse.issparse(X) else np.asarray(X).tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_a_table_keeps_kind_rows_and_places(kind):
    X = KINDS[kind]
    y = np.array([-1, 4, -1, 7, 4, -1])
    table = LacTable.from_masked(X, y)
    assert type(table.X) is type(X)
    np.testing.assert_array_equal(table.places, [1, 3, 4, 0, 2, 5])
    assert cells(table.X) == cells(picked_rows(X, table.places))
    np.testing.assert_array_equal(table.masked_codes(), [0, 1, 0, -1, -1, -1])
    more = LacTable.from_masked(X, y, X_unlabeled=X)
    assert (more.n_labeled, more.n_unlabeled) == (3, 9)
    assert cells(more.X) == cells(table.X) + cells(X)


@pytest.mark.parametrize("kind", KINDS)
def test_value_order_does_not_depend_on_the_order_of_rows(kind):
    X, y = KINDS[kind], np.array([0, 1, 0, 1, -1, -1])
    order = np.array([5, 2, 0, 3, 4, 1])
    one = in_value_order(LacTable.from_masked(X, y), 0)
    two = in_value_order(LacTable.from_masked(picked_rows(X, order), y[order]), 0)
    assert cells(one.X) == cells(two.X)
    np.testing.assert_array_equal(one.y_labeled, two.y_labeled)
    np.testing.assert_array_equal(one.places, order[two.places])


def test_copies_of_a_row_stay_together_and_zeros_have_no_sign():
    X = np.array([[1.0], [0.0], [2.0], [-0.0], [3.0], [0.0]])
    ordered = in_value_order(LacTable.from_masked(X, [0, 0, 0, 0, 0, 0]), 0).X.ravel()
    zeros = np.flatnonzero(ordered == 0)
    np.testing.assert_array_equal(np.diff(zeros), 1)


def test_cells_without_a_hash_are_ordered_by_their_text():
    X = np.array([[{"a": 1}], [[2, 3]], ["x"]], dtype=object)
    assert len(in_value_order(LacTable.from_masked(X, [0, 1, -1]), 0).X) == 3


def test_numbers_are_found_in_arrays_and_frames_alone():
    np.testing.assert_array_equal(as_numbers(KINDS["polars"]), NUMBERS)
    np.testing.assert_array_equal(as_numbers(pd.DataFrame({"a": [True, False]})), [[1], [0]])
    nullable = as_numbers(pd.DataFrame({"a": pd.array([1, None], dtype="Int64")}))
    np.testing.assert_array_equal(nullable, [[1], [np.nan]])
    for kind in ("objects", "sparse", "texts"):
        assert as_numbers(KINDS[kind]) is None
    assert as_numbers(FRAME) is None


def test_numbers_are_scaled_only_if_all_are_finite_and_of_sane_size():
    np.testing.assert_allclose(scaled_numbers(NUMBERS).max(axis=0), 1)
    assert scaled_numbers(np.array([[1.0], [np.nan]])) is None
    assert scaled_numbers(np.array([[1.0], [1e200]])) is None


def test_joined_frames_keep_their_categories():
    first = FRAME.astype({"b": "category"})
    second = pd.DataFrame({"a": [5.0], "b": pd.Categorical(["y"])})
    together = joined_rows(first, second)
    assert together["b"].dtype == first["b"].dtype
    assert together["b"].tolist() == ["x", "y", "z", "x", "y"]


class Holder(LogisticRegression):
    """Something that remembers names and number of features."""


def test_rows_are_checked_as_the_inner_classifier_would():
    holder, gaps = Holder(), np.array([[1.0, np.nan], [2.0, 3.0]])
    opened_rows(holder, gaps, inner=ExtraTreesClassifier(), reset=True)
    assert holder.n_features_in_ == 2
    with pytest.raises(ValueError, match="Input X contains NaN"):
        opened_rows(holder, gaps, inner=LogisticRegression(), reset=True)
    frame = pd.DataFrame(gaps, columns=["a", "b"])
    with pytest.raises(ValueError, match="Input X contains NaN"):
        opened_rows(Holder(), frame, inner=LogisticRegression(), reset=True)
    with pytest.raises(ValueError, match=r"Expected 2D array|1D array"):
        opened_rows(holder, np.zeros(3), inner=LogisticRegression(), reset=True)
    with pytest.raises(ValueError, match="Found array with 0 sample"):
        opened_rows(Holder(), FRAME[:0], inner=LogisticRegression(), reset=True)


def test_frames_come_back_as_the_very_same_object():
    holder = Holder()
    assert opened_rows(holder, FRAME, inner=LogisticRegression(), reset=True) is FRAME
    np.testing.assert_array_equal(holder.feature_names_in_, ["a", "b"])
    with pytest.raises(ValueError, match="same order as they were in fit"):
        opened_rows(holder, FRAME[["b", "a"]], inner=LogisticRegression())
