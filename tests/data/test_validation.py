from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import BaseEstimator

from eulac.data.lac_sample import LacSample
from eulac.data.validation import (
    checked_rows,
    require_columns_of_fit,
    validated_rows,
    with_deployment_rows,
)
from eulac.exceptions import NoUnlabeledRowsWarning


def sample_of(counts, n_unlabeled=10):
    y = np.append(np.repeat(list(counts), list(counts.values())), np.full(n_unlabeled, "-1"))
    return LacSample.from_masked(np.arange(2.0 * len(y)).reshape(-1, 2), y)


def test_a_sample_with_unlabeled_rows_is_passed_on():
    sample = sample_of({"ant": 5, "bee": 5})
    assert with_deployment_rows(sample) is sample


def test_without_unlabeled_rows_the_labeled_ones_stand_in():
    sample = sample_of({"ant": 5, "bee": 5}, n_unlabeled=0)
    with pytest.warns(NoUnlabeledRowsWarning, match="no unlabeled rows"):
        opened = with_deployment_rows(sample)
    np.testing.assert_array_equal(opened.X_unlabeled, sample.X_labeled)


def test_one_row_of_either_sample_is_refused():
    with pytest.raises(ValueError, match=r"two unlabeled rows are needed .* n_samples = 1"):
        with_deployment_rows(sample_of({"ant": 5}, n_unlabeled=1))
    with pytest.raises(ValueError, match=r"two labeled rows are needed.* got 1\."):
        with_deployment_rows(sample_of({"ant": 1}))


def test_importance_stays_where_labeled_rows_stand_in():
    sample = sample_of({"a": 3, "b": 2}, n_unlabeled=0)
    sample = replace(sample, importance=np.array([2.0, 1.0, 1.0, 0.5, 0.5]))
    with pytest.warns(NoUnlabeledRowsWarning):
        closed = with_deployment_rows(sample)
    np.testing.assert_array_equal(closed.importance, sample.importance)


def estimator_of(frame):
    estimator = BaseEstimator()
    checked_rows(estimator, frame, reset=True)
    return estimator


FRAME = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]})


def test_rows_are_numbers_under_the_names_of_the_fit():
    estimator = estimator_of(FRAME)
    np.testing.assert_array_equal(estimator.feature_names_in_, ["a", "b"])
    np.testing.assert_array_equal(checked_rows(estimator, FRAME), FRAME)
    with pytest.raises(ValueError, match="same order as they were in fit"):
        checked_rows(estimator, FRAME[["b", "a"]])


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_text_is_refused_by_its_column_and_cell(frame):
    with pytest.raises(ValueError, match=r"must be numbers; column 'color' has 'red'\. Encode it"):
        estimator_of(frame({"size": [1.0, 2.0], "color": ["1", "red"]}))
    assert estimator_of(frame({"size": [1.0, 2.0], "digits": ["1", "2"]})).n_features_in_ == 2


def test_columns_of_one_name_are_refused():
    with pytest.raises(ValueError, match=r"names must differ; \['a'\] come more than once"):
        estimator_of(FRAME.set_axis(["a", "a"], axis=1))


def test_rows_beside_a_fit_must_have_its_columns():
    estimator = estimator_of(FRAME)
    require_columns_of_fit(estimator, FRAME)
    require_columns_of_fit(estimator, FRAME.to_numpy()[:, ::-1])  # no names, nothing to compare
    with pytest.raises(ValueError, match=r"`rows` must have the columns .*another order"):
        require_columns_of_fit(estimator, FRAME[["b", "a"]], "rows")


def test_there_must_be_a_label_for_each_row():
    with pytest.raises(ValueError, match="2 of them; got 3"):
        validated_rows(BaseEstimator(), FRAME, [0, 1, 0], None)
    with pytest.raises(ValueError, match="requires y to be passed"):
        validated_rows(BaseEstimator(), FRAME, None, None)
