"""Pieces of a table put together are the table, in every format, and so are pieces written."""

import numpy as np
import pandas as pd
import pytest

from eulac.data.row_chunks import read_chunks, writing_table
from eulac.data.tables import as_table, read_table, write_table

SUFFIXES = ["csv", "csv.gz", "tsv", "parquet", "npz", "svm"]


def numbers(n_rows=25):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(n_rows, 3)).round(6)).rename(columns=str)
    frame.iloc[::4, 1] = 0.0
    return frame.assign(label=np.arange(n_rows) % 2)


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("chunk_rows", [1, 7, 100])
def test_pieces_put_together_are_the_table(suffix, chunk_rows, tmp_path):
    path = tmp_path / f"table.{suffix}"
    write_table(as_table(numbers(), "label"), path)
    pieces = list(read_chunks(path, ["2", "0"], chunk_rows=chunk_rows))
    assert max(map(len, pieces)) <= chunk_rows
    together = pd.concat(pieces)
    assert together.index.tolist() == list(range(25))
    pd.testing.assert_frame_equal(together, read_table(path).features[["2", "0"]])


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_pieces_written_are_the_table(suffix, tmp_path):
    path, frame = tmp_path / f"table.{suffix}", numbers()
    with writing_table(path, label_column="label") as writer:
        for start in range(0, 25, 7):
            writer.write(frame[start : start + 7])
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]
    label = None if suffix in ("npz", "svm") else "label"
    table = read_table(path, label_column=label)
    np.testing.assert_array_equal(table.features, frame.drop(columns="label"))
    assert table.labels.tolist() == frame["label"].tolist()


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_failed_writing_leaves_nothing(suffix, tmp_path):
    path = tmp_path / f"table.{suffix}"

    def fail():
        with writing_table(path, label_column="label") as writer:
            writer.write(numbers())
            raise KeyError("interrupted")

    with pytest.raises(KeyError, match="interrupted"):
        fail()
    assert list(tmp_path.iterdir()) == []


def test_without_pyarrow_text_is_written_by_pandas(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with writing_table(tmp_path / "table.csv", label_column="label") as writer:
        writer.write(numbers()[:20])
        writer.write(numbers()[20:])
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "table.csv"), numbers())


def test_texts_that_look_like_numbers_stay_texts(tmp_path):
    path = tmp_path / "codes.csv"
    path.write_text("code,size\n007,1\n,2\n")
    [piece] = read_chunks(path, ["code", "size"], as_text=["code"])
    assert piece["code"].tolist()[0] == "007"
    assert pd.isna(piece["code"][1])


@pytest.mark.parametrize("suffix", ["csv", "parquet", "npz"])
def test_columns_that_are_not_there_are_named(suffix, tmp_path):
    path = tmp_path / f"table.{suffix}"
    write_table(as_table(numbers(), "label"), path)
    with pytest.raises(ValueError, match="it lacks 'wing'"):
        list(read_chunks(path, ["0", "wing"]))


def test_columns_named_twice_cannot_be_read(tmp_path):
    path = tmp_path / "twice.csv"
    path.write_text("a,a,b\n1,2,3\n")
    with pytest.raises(ValueError, match=r"repeats \['a'\]"):
        list(read_chunks(path, ["a"]))
    [piece] = read_chunks(path, ["b"])
    assert piece["b"].tolist() == [3]


def test_npz_column_after_column_is_read_all_the_same(tmp_path):
    X = np.arange(12.0).reshape(4, 3)
    np.savez(tmp_path / "x.npz", X=np.asfortranarray(X))
    pieces = list(read_chunks(tmp_path / "x.npz", ["1"], chunk_rows=3))
    assert [piece["1"].tolist() for piece in pieces] == [[1.0, 4.0, 7.0], [10.0]]


def test_npz_of_other_things_than_numbers_is_refused(tmp_path):
    np.savez(tmp_path / "x.npz", X=np.array([["a"]]))
    with pytest.raises(ValueError, match="must be numbers, 2-D or more"):
        list(read_chunks(tmp_path / "x.npz", ["0"]))
