import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from eulac.data.any_rows import (
    as_numbers,
    as_pandas,
    joined_rows,
    n_rows,
    opened_rows,
    picked_rows,
    scaled_numbers,
)

NUMBERS = np.array([[1.0, 5.0], [2.0, 6.0], [3.0, 9.0]])
MIXED = pd.DataFrame({"size": [1.0, 2.0, 3.0], "color": ["red", "blue", "red"]})
KINDS = {
    "array": NUMBERS,
    "frame": pd.DataFrame(NUMBERS, columns=["a", "b"]),
    "polars": pl.DataFrame({"a": [1.0, 2.0, 3.0], "b": [5.0, 6.0, 9.0]}),
    "sparse": sparse.csr_array(NUMBERS),
    "texts": np.array(["one", "two", "three"]),
    "mixed": MIXED,
}
every_kind = pytest.mark.parametrize("X", KINDS.values(), ids=KINDS.keys())


def listed(X):
    if sparse.issparse(X):
        return X.toarray().tolist()
    return (X.to_numpy() if hasattr(X, "to_numpy") else X).tolist()


@every_kind
def test_joined_rows_are_those_of_both_tables_in_their_order(X):
    joined = joined_rows(X, X)
    assert n_rows(joined) == 6
    assert listed(joined) == listed(X) * 2


@every_kind
def test_picked_rows_come_in_the_order_asked_for(X):
    picked = picked_rows(X, np.array([2, 0]))
    assert type(picked) is type(X)
    assert listed(picked) == [listed(X)[2], listed(X)[0]]


def test_frames_of_another_column_order_are_joined_by_name():
    swapped = KINDS["frame"][["b", "a"]]
    assert joined_rows(KINDS["frame"], swapped)["a"].tolist() == [1, 2, 3, 1, 2, 3]


def test_an_array_joins_a_frame_under_its_names():
    joined = joined_rows(KINDS["frame"], NUMBERS)
    assert list(joined) == ["a", "b"]
    assert len(joined) == 6


def test_categories_stay_categories_when_tables_are_joined():
    first = pd.DataFrame({"c": pd.Categorical(["x", "y"])})
    second = pd.DataFrame({"c": pd.Categorical(["y", "z"])})
    joined = joined_rows(first, second)["c"]
    assert list(joined.cat.categories) == ["x", "y"]
    assert joined.isna().tolist() == [False, False, False, True]  # a category never seen is a gap


@pytest.mark.parametrize("name", ["sparse", "texts", "mixed"])
def test_what_is_not_all_numbers_has_none(name):
    assert as_numbers(KINDS[name]) is None
    assert scaled_numbers(KINDS[name]) is None


def test_gaps_in_numbers_are_nan_and_cannot_be_scaled():
    frame = pd.DataFrame({"a": pd.array([1, None], dtype="Int64"), "b": [True, False]})
    np.testing.assert_array_equal(as_numbers(frame), [[1, 1], [np.nan, 0]])
    assert scaled_numbers(frame) is None


def test_scaled_numbers_lie_between_zero_and_one():
    np.testing.assert_allclose(scaled_numbers(NUMBERS), [[0, 0], [0.5, 0.25], [1, 1]])
    assert scaled_numbers(NUMBERS * 1e200) is None


def test_objects_become_numbers_column_by_column():
    frame = as_pandas(np.array([[1, "red"], [2.5, None]], dtype=object))
    assert frame[0].dtype == float
    assert frame[1][0] == "red"
    assert frame[1].isna().tolist() == [False, True]
    assert as_pandas(NUMBERS) is NUMBERS


def test_whether_gaps_may_be_there_is_for_the_inner_classifier_to_say():
    gaps = np.where(NUMBERS == 2, np.nan, NUMBERS)
    boosting = HistGradientBoostingClassifier()
    opened = opened_rows(ExtraTreesClassifier(), gaps, inner=boosting, reset=True)
    np.testing.assert_array_equal(opened, gaps)
    for inner in (KNeighborsClassifier(), make_pipeline(KNeighborsClassifier())):
        with pytest.raises(ValueError, match="contains NaN"):
            opened_rows(ExtraTreesClassifier(), gaps, inner=inner, reset=True)


def test_columns_with_text_are_handed_on_untouched():
    estimator = ExtraTreesClassifier()
    opened = opened_rows(estimator, MIXED, inner=HistGradientBoostingClassifier(), reset=True)
    assert opened is MIXED
    assert estimator.feature_names_in_.tolist() == ["size", "color"]


def test_another_number_of_features_is_refused():
    estimator = ExtraTreesClassifier()
    opened_rows(estimator, NUMBERS, inner=KNeighborsClassifier(), reset=True)
    with pytest.raises(ValueError, match="X has 1 features"):
        opened_rows(estimator, NUMBERS[:, :1], inner=KNeighborsClassifier())


def test_dates_beside_numbers_are_refused():
    with pytest.raises(ValueError, match=r"of one kind; got datetime64\[D\] and float64"):
        joined_rows(np.zeros((2, 1), dtype="datetime64[D]"), np.zeros((2, 1)))
