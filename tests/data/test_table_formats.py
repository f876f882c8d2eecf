"""Table files: every format gives back what was written, and every bad file says what to do."""

import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from eulac.data.table_formats import did_you_mean, listed
from eulac.data.tables import Table, as_table, read_table, write_table

TEXT = [".csv", ".csv.gz", ".tsv", ".tsv.gz"]
SVMLIGHT = [".svm", ".svmlight", ".libsvm"]
FORMATS = [*TEXT, ".xlsx", ".jsonl", ".ndjson.gz", ".parquet", ".npz", *SVMLIGHT]
LABEL_COLUMN = {".npz": "y", **dict.fromkeys(SVMLIGHT)}

values = st.floats(allow_nan=False, allow_infinity=False)
matrices = arrays(float, array_shapes(min_dims=2, max_dims=2, max_side=6), elements=values)


def labeled(X, y):
    return Table(as_table(X).features, np.asarray(y))


@pytest.mark.parametrize("suffix", [suffix for suffix in FORMATS if suffix != ".xlsx"])
@settings(max_examples=15, deadline=None)
@given(X=matrices, seed=st.integers(0, 99))
def test_what_was_written_is_read_again(suffix, X, seed):
    y = np.random.default_rng(seed).integers(-3, 3, size=len(X))
    with tempfile.TemporaryDirectory() as folder:
        path = write_table(labeled(X, y), Path(folder, f"table{suffix}"))
        table = read_table(path, label_column=LABEL_COLUMN.get(suffix, "label"))
    # Older pandas reads decimals to the last but one bit.
    np.testing.assert_allclose(table.features.to_numpy(), X, rtol=1e-15, atol=0)
    np.testing.assert_array_equal(table.labels, y)
    assert table.labels.dtype.kind == "i"
    assert list(table.features.columns) == [str(column) for column in range(X.shape[1])]


@settings(max_examples=15, deadline=None)
@given(words=st.lists(st.text("abcäß ,;\"'\n", min_size=1).map("w{}".format), min_size=1))
@pytest.mark.parametrize("suffix", [".csv", ".tsv.gz", ".parquet", ".jsonl"])
def test_text_labels_survive_separators_and_quotes(suffix, words):
    with tempfile.TemporaryDirectory() as folder:
        table = labeled(np.ones((len(words), 1)), np.array(words, dtype=object))
        path = write_table(table, Path(folder, f"words{suffix}"))
        assert list(read_table(path, label_column="label").labels) == words


def test_a_sheet_is_read_as_it_was_written(tmp_path):
    pytest.importorskip("openpyxl")
    frame = pd.DataFrame({"size": [0.1, None, 3.0], "kind": ["a", "b;c", None]})
    frame["seen"] = pd.to_datetime(["2026-05-01", "2026-05-02", None])
    path = write_table(frame, tmp_path / "birds.xlsx")
    again = read_table(path, label_column="kind")
    assert again.features["size"].tolist()[::2] == [0.1, 3.0]
    assert again.features["seen"].dtype.kind == "M"
    assert again.unlabeled.tolist() == [False, False, True]


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".npz", ".jsonl"])
def test_missing_labels_survive_a_file(suffix, tmp_path):
    table = labeled(np.ones((3, 2)), np.array([1, None, 2], dtype=object))
    path = write_table(table, tmp_path / f"gaps{suffix}")
    again = read_table(path, label_column=LABEL_COLUMN.get(suffix, "label"))
    assert list(again.labels) == [1, None, 2]


def test_images_are_flattened_and_written_back_in_shape(tmp_path):
    X = np.arange(48, dtype=np.uint8).reshape(4, 2, 2, 3)
    np.savez(tmp_path / "images.npz", X=X, y=[0, 1, 0, 1])
    table = read_table(tmp_path / "images.npz")
    assert table.features.shape == (4, 12)
    assert table.row_shape == (2, 2, 3)
    with np.load(write_table(table, tmp_path / "again.npz")) as archive:
        np.testing.assert_array_equal(archive["X"], X)


def test_npz_label_array_can_be_chosen(tmp_path):
    np.savez(tmp_path / "two.npz", X=np.eye(2), y=[0, 0], z=["a", "b"])
    assert list(read_table(tmp_path / "two.npz", label_column="z").labels) == ["a", "b"]


def test_mixed_and_nullable_numbers_become_one_matrix(tmp_path):
    frame = pd.DataFrame({"a": pd.array([1, None], dtype="Int64"), "b": [True, False]})
    with np.load(write_table(frame, tmp_path / "mixed.npz")) as archive:
        np.testing.assert_array_equal(archive["X"], [[1, 1], [np.nan, 0]])


def test_a_missing_file_suggests_its_neighbor(tmp_path):
    (tmp_path / "pets.csv").touch()
    with pytest.raises(FileNotFoundError, match=r"pest\.csv' does not exist. Did you mean 'pets"):
        read_table(tmp_path / "pest.csv")
    with pytest.raises(FileNotFoundError, match=r"Check the name and the folder"):
        read_table(tmp_path / "nowhere" / "pets.csv")


def test_a_folder_an_unknown_suffix_and_an_empty_file_are_refused(tmp_path):
    (tmp_path / "table.xls").write_text("x", encoding="utf-8")
    (tmp_path / "empty.csv").touch()
    with pytest.raises(ValueError, match=r"is a folder. Name a file in it"):
        read_table(tmp_path)
    with pytest.raises(ValueError, match=r"one of \.csv, .*\.libsvm; got 'table\.xls'"):
        read_table(tmp_path / "table.xls")
    with pytest.raises(ValueError, match=r"empty\.csv has 0 bytes"):
        read_table(tmp_path / "empty.csv")


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize("seed", range(5))
def test_garbage_is_refused_in_one_kind_of_sentence(suffix, seed, tmp_path):
    if suffix == ".xlsx":
        pytest.importorskip("openpyxl", reason="needs the extra `excel`")
    path = tmp_path / f"garbage{suffix}"
    path.write_bytes(b"\xff\x00" + np.random.default_rng(seed).bytes(200))
    with pytest.raises(ValueError, match=r"garbage.* must be a readable .* reading it failed: "):
        read_table(path)


@pytest.mark.parametrize("suffix", [".csv.gz", ".parquet", ".npz"])
def test_a_cut_off_or_damaged_file_is_refused_or_read_but_nothing_else_rises(suffix, tmp_path):
    rng = np.random.default_rng(0)
    whole = write_table(rng.normal(size=(40, 3)), tmp_path / f"whole{suffix}").read_bytes()
    path = tmp_path / f"damaged{suffix}"
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match=r"reading it failed"):
        read_table(path)
    for place in rng.integers(len(whole), size=30):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 255]) + whole[place + 1 :])
        with suppress(ValueError):  # anything else would fail the test
            read_table(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,a\n1,2\n", r"repeats \['a'\]"),
        (",a\n0,1\n", "column 1 of .* has none"),
        ("a,b\n1,2,3\n4,5,6\n", "Expected 2 fields in line 2, saw 3"),
        ("a,b\n1,2\n1,2,3\n", "Expected 2 fields in line 3, saw 3"),
        ("a,b\n", "at least one row; .* has 0"),
        ("\n\n", "No columns"),
    ],
    ids=["repeated", "unnamed", "surplus cells", "ragged", "header only", "blank"],
)
def test_misshapen_text_is_refused(text, message, tmp_path):
    path = tmp_path / "odd.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        read_table(path)


@pytest.mark.parametrize(
    ("held", "message"),
    [
        ({"features": np.eye(2)}, "must hold an array 'X'; it holds 'features'"),
        ({"X": np.ones(3)}, r"2-D or more; .* has shape \(3,\)"),
        ({"X": np.eye(3), "y": [1, 2]}, r"has 3 rows and labels of shape \(2,\)"),
        ({"X": np.eye(2), "y": [[1], [2]]}, r"has 2 rows and labels of shape \(2, 1\)"),
        ({"X": np.array([[None]])}, "Object arrays cannot be loaded"),
    ],
)
def test_npz_without_a_fitting_x_and_y_is_refused(held, message, tmp_path):
    np.savez(tmp_path / "odd.npz", **held)
    with pytest.raises(ValueError, match=message):
        read_table(tmp_path / "odd.npz")


def test_npz_without_the_named_label_array_is_refused(tmp_path):
    np.savez(tmp_path / "plain.npz", X=np.eye(2))
    with pytest.raises(ValueError, match=r"must hold an array 'kind'; it holds 'X'"):
        read_table(tmp_path / "plain.npz", label_column="kind")


def test_svmlight_takes_no_label_column_and_no_endless_rows(tmp_path):
    path = tmp_path / "wide.svm"
    path.write_text("1 1:1 2000000000:1\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"start with the label; got 'kind'"):
        read_table(path, label_column="kind")
    with pytest.raises(ValueError, match=r"1 x 2000000000 cells are too many"):
        read_table(path)


def test_an_existing_file_is_replaced_only_when_told(tmp_path):
    path = write_table(np.eye(2), tmp_path / "table.csv")
    before = path.read_bytes()
    with pytest.raises(FileExistsError, match=r"table\.csv' exists"):
        write_table(np.eye(3), path)
    assert path.read_bytes() == before
    assert len(read_table(write_table(np.eye(3), path, overwrite=True)).features) == 3


def test_a_target_that_cannot_be_written_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"nowhere' does not. Create it first"):
        write_table(np.eye(2), tmp_path / "nowhere" / "table.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(ValueError, match=r"folder\.csv' is a folder"):
        write_table(np.eye(2), tmp_path / "folder.csv", overwrite=True)
    with pytest.raises(ValueError, match=r"got 'table\.doc'"):
        write_table(np.eye(2), tmp_path / "table.doc")


def test_what_a_format_cannot_hold_is_refused_without_a_file(tmp_path):
    pets = pd.DataFrame({"weight": [4.1, 9.0, 5.2], "kind": ["cat", "dog", None]})
    table = as_table(pets, "kind")
    with pytest.raises(ValueError, match=r"column 'kind' is of type"):
        write_table(pets, tmp_path / "pets.npz")
    with pytest.raises(ValueError, match=r"missing text labels; 1 rows of pandas\.DataFrame"):
        write_table(table, tmp_path / "pets.npz")
    with pytest.raises(ValueError, match=r"2 classes in 'kind', 1 rows unlabeled.* has not"):
        write_table(table, tmp_path / "pets.svm")
    with pytest.raises(ValueError, match=r"no labels, from numpy.ndarray.* has not"):
        write_table(np.eye(2), tmp_path / "eye.svm")
    with pytest.raises(ValueError, match=r"'label' is both"):
        write_table(Table(pd.DataFrame({"label": [1]}), np.array([1])), tmp_path / "both.csv")
    assert list(tmp_path.iterdir()) == []


def test_without_pyarrow_the_sentence_names_the_extra(tmp_path, monkeypatch):
    path = write_table(np.eye(2), tmp_path / "table.parquet")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"Install the extra: eulac\[parquet\]"):
        read_table(path)
    with pytest.raises(ImportError, match=r"Install the extra: eulac\[parquet\]"):
        write_table(np.eye(2), tmp_path / "other.parquet")


def test_a_suggestion_ignores_case_and_stays_silent_when_nothing_is_close():
    assert did_you_mean("MNIST", ["mnist"]) == " Did you mean 'mnist'?"
    assert did_you_mean("zebra", ["mnist"]) == ""


def test_very_many_names_are_not_all_listed():
    assert listed(["a", 1]) == "'a', 1"
    assert listed(list(range(20))).endswith("7, and 12 more")
