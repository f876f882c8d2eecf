"""Tables: files, frames and arrays become rows and labels, and what is no table is refused."""

import subprocess
import sys

import numpy as np
import pandas as pd
import polars
import pyarrow
import pytest

import eulac
from eulac.data.tables import Table, as_table, read_table


@pytest.fixture
def pets(tmp_path):
    path = tmp_path / "pets.csv"
    path.write_text("weight,age,kind\n4.1,3,cat\n9.0,7,dog\n5.2,1,\n", encoding="utf-8")
    return path


def test_missing_labels_are_masked_and_whole_numbers_stay_whole(tmp_path):
    path = tmp_path / "gaps.csv"
    path.write_text("a,kind\n1,3\n2,\n3,5\n", encoding="utf-8")
    table = read_table(path, label_column="kind")
    assert list(table.labels) == [3, None, 5]
    assert isinstance(table.labels[0], int)
    np.testing.assert_array_equal(table.unlabeled, [False, True, False])


def test_without_label_column_every_row_is_unlabeled(pets):
    table = read_table(pets)
    assert table.labels is None
    assert table.unlabeled.all()
    assert list(table.features.columns) == ["weight", "age", "kind"]


def test_text_labels_leave_room_for_longer_words(pets):
    labels = read_table(pets, label_column="kind").labels
    labels[labels == "cat"] = "augmented"
    assert list(labels[:2]) == ["augmented", "dog"]


def test_a_table_prints_its_size_classes_gaps_and_source(pets):
    shown = repr(read_table(pets, label_column="kind"))
    assert shown.startswith("Table(3 rows x 2 features, 2 classes in 'kind', 1 rows unlabeled")
    assert shown.endswith("pets.csv)")
    assert repr(as_table(np.eye(2))) == "Table(2 rows x 2 features, no labels, from numpy.ndarray)"


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"a": [1.0, 2.0], "kind": ["x", None]}),
        polars.DataFrame({"a": [1.0, 2.0], "kind": ["x", None]}),
        pyarrow.table({"a": [1.0, 2.0], "kind": ["x", None]}),
    ],
    ids=lambda frame: type(frame).__module__,
)
@pytest.mark.parametrize("narwhals_is_there", [True, False])
def test_data_frames_of_every_make_give_the_same_table(frame, narwhals_is_there, monkeypatch):
    if not narwhals_is_there:
        monkeypatch.setitem(sys.modules, "narwhals", None)
    table = as_table(frame, "kind")
    assert list(table.features["a"]) == [1.0, 2.0]
    assert list(table.labels) == ["x", None]


def test_the_given_frame_is_left_alone():
    frame = pd.DataFrame({0: [1, 2], 1: [3, 4]})
    table = as_table(frame, label_column=1)
    assert list(frame.columns) == [0, 1]
    assert list(table.features.columns) == ["0"]
    assert list(table.labels) == [3, 4]


def test_an_unknown_label_column_lists_the_columns_and_suggests_one(pets):
    with pytest.raises(ValueError, match=r"got 'kin'. Columns: weight, age, kind. Did you mean 'k"):
        read_table(pets, label_column="kin")
    with pytest.raises(ValueError, match=r"got 99. Columns: 0, 1, 2, 3, 4, 5, \.\.\., 17, 18, 19"):
        as_table(np.eye(20), label_column=99)


def test_a_label_column_alone_is_no_table(tmp_path):
    with pytest.raises(ValueError, match=r"pandas.DataFrame has only the label column 'kind'"):
        as_table(pd.DataFrame({"kind": [1, 2]}), "kind")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (np.zeros(3), r"2-D array; got numpy.ndarray of shape \(3,\)"),
        (np.zeros((2, 2, 2)), r"of shape \(2, 2, 2\)"),
        ({"a": 1}, r"got builtins.dict of shape \(\)"),
        ([[1, 2], [3]], "rows of this builtins.list differ"),
        (polars.DataFrame({"a": [1]}).lazy(), "held in memory; got polars.LazyFrame"),
        (pd.DataFrame(np.eye(2), columns=["a", "a"]), r"repeats \['a'\]"),
    ],
)
def test_what_is_no_table_is_refused(data, message):
    with pytest.raises(ValueError, match=message):
        as_table(data)


def test_labels_must_match_the_rows():
    with pytest.raises(ValueError, match=r"has 3 rows and labels of shape \(2,\)"):
        Table(as_table(np.eye(3)).features, np.array([1, 2]))


@pytest.mark.parametrize("module", ["eulac.data.tables", "eulac.data.datasets", "eulac.cli.data"])
def test_the_module_itself_imports_no_heavy_library(module):
    # An empty package stands in for `eulac`, which loads the estimators and thereby scikit-learn.
    code = (
        "import sys, types; package = sys.modules['eulac'] = types.ModuleType('eulac'); "
        f"package.__path__ = {eulac.__path__!r}; import {module}; "
        "print({'pandas', 'sklearn'} & set(sys.modules))"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "set()"
