import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.utils import validation

from eulac import OsnnClassifier
from eulac.data import any_rows
from eulac.data.any_rows import with_readable_names

COLUMNS = {"east": [1.0, 2.0, 3.0, 9.0], "kind": ["a", "b", "c", "d"]}


def knows_pandas_only(X):
    """Read names as scikit-learn 1.6 does of polars 2: not at all."""
    return validation._get_feature_names(X) if isinstance(X, pd.DataFrame) else None


@pytest.fixture
def _old(monkeypatch):
    monkeypatch.setattr(any_rows, "_get_feature_names", knows_pandas_only)


@pytest.mark.usefixtures("_old")
def test_frames_that_are_not_known_become_those_of_pandas_with_the_same_cells():
    frame = with_readable_names(pl.DataFrame(COLUMNS))
    pd.testing.assert_frame_equal(frame, pd.DataFrame(COLUMNS), check_dtype=False)


@pytest.mark.usefixtures("_old")
@pytest.mark.parametrize("rows", [np.eye(2), [[1.0]], pd.DataFrame(COLUMNS)], ids=["array", "", ""])
def test_other_rows_are_left_as_they_are(rows):
    assert with_readable_names(rows) is rows


@pytest.mark.usefixtures("_old")
def test_columns_of_such_frames_are_known_by_name():
    frame = pl.DataFrame({"b": [0.0, 0.1, 5.0, 5.1], "a": [1.0, 1.0, 1.0, 1.1]})
    fitted = OsnnClassifier(ratio=0.8).fit(frame, [0, 0, 1, 1])
    assert list(fitted.feature_names_in_) == ["b", "a"]
    with pytest.raises(ValueError, match="same order as they were in fit"):
        fitted.predict(frame[["a", "b"]])
