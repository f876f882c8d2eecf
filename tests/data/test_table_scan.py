"""A pass over a long table: names, labels and a fair sample of its rows."""

import numpy as np
import pandas as pd
import pytest

from eulac.data.row_chunks import read_chunks
from eulac.data.table_scan import column_names, scan_table


@pytest.fixture
def path(tmp_path, request):
    frame = pd.DataFrame({"kind": [3, 1, None, 2] * 250, "size": range(1000)})
    path = tmp_path / f"table.{request.param}"
    if request.param == "parquet":
        frame.to_parquet(path)
    else:
        frame["kind"] = frame["kind"].astype("Int64")
        frame.to_csv(path, index=False, sep="\t" if "tsv" in request.param else ",")
    return path


formats = pytest.mark.parametrize("path", ["csv", "tsv", "csv.gz", "parquet"], indirect=True)


@formats
def test_names_labels_and_rows(path, monkeypatch):
    monkeypatch.setattr("eulac.data.row_chunks.CHUNK_ROWS", 70)
    assert column_names(path) == ["kind", "size"]
    table = scan_table(path, "kind", n_kept=100)
    assert table.names == ["size"]
    assert sorted(set(table.labels.values())) == [1, 2, 3]
    assert len(table.rows) == 100
    assert table.rows["size"].is_unique


@formats
def test_chunks_are_all_rows_with_their_labels(path):
    table = scan_table(path, "kind")
    pieces = list(table.chunks(lambda frame: frame["size"].to_numpy(), ["size"], []))
    known = [pair for X, y in pieces if y is not None for pair in zip(X, y, strict=True)]
    labeled = {int(x): int(k) for x, k in known}
    hidden = sorted(int(x) for X, y in pieces if y is None for x in X)
    assert hidden == list(range(2, 1000, 4))
    assert labeled == {x: [3, 1, None, 2][x % 4] for x in range(1000) if x % 4 != 2}


def test_every_row_is_as_likely_to_be_kept(tmp_path):
    path = tmp_path / "table.csv"
    pd.DataFrame({"size": range(300)}).to_csv(path, index=False)
    counts = np.zeros(300)
    for seed in range(200):
        rows = scan_table(path, n_kept=60, random_state=seed).rows["size"]
        counts[rows.to_numpy()] += 1
    thirds = counts.reshape(3, 100).sum(axis=1) / 200
    # 20 rows of each third are expected; the standard error of a mean of 200 draws is 0.23.
    np.testing.assert_allclose(thirds, 20.0, atol=1.2)


def test_labels_that_are_texts_in_one_piece_are_texts_in_all(tmp_path, monkeypatch):
    monkeypatch.setattr("eulac.data.row_chunks.CHUNK_ROWS", 2)
    path = tmp_path / "table.csv"
    path.write_text("size,label\n1,1\n2,2\n3,x\n4, \n")
    assert scan_table(path, "label").labels == {"1": "1", "2": "2", "x": "x"}


@pytest.mark.parametrize(
    ("content", "label", "message"),
    [
        ("size,kind\n1,a\n", "kin", "Did you mean 'kind'"),
        ("size,\n1,a\n", None, "column 2 of .* has none"),
        ("size,kind\n", "kind", "at least one row"),
        ("kind\na\n", "kind", "only labels"),
    ],
)
def test_what_is_no_table_is_refused(content, label, message, tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(content)
    with pytest.raises(ValueError, match=message):
        scan_table(path, label)


def test_formats_without_label_columns_are_refused(tmp_path):
    np.savez(tmp_path / "table.npz", X=np.eye(2))
    with pytest.raises(ValueError, match=r"must be \.csv, \.tsv or \.parquet"):
        column_names(tmp_path / "table.npz")


def test_codes_are_texts_in_every_piece_if_they_are_in_one(tmp_path, monkeypatch):
    monkeypatch.setattr("eulac.data.row_chunks.CHUNK_ROWS", 4)
    path = tmp_path / "table.csv"
    path.write_text("code,size,wild\n01,1,True\n02,2,\n01,3,False\n02,4,True\nA,5,False\n")
    table = scan_table(path)
    assert table.rows["code"].tolist() == ["01", "02", "01", "02", "A"]
    assert table.rows["size"].tolist() == [1, 2, 3, 4, 5]
    assert set(table.rows["wild"].dropna()) == {True, False}


@pytest.mark.parametrize("cells", ["True,False", "true,false", "TRUE,FALSE"])
def test_labels_true_and_false_are_booleans(cells, tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("size,label\n1,{}\n2,{}\n".format(*cells.split(",")))
    assert list(scan_table(path, "label").labels.values()) == [False, True]


def test_the_index_of_a_frame_in_parquet_is_no_feature_but_can_be_read(tmp_path):
    pytest.importorskip("pyarrow", reason="needs the extra `parquet`")
    frame = pd.DataFrame({"kind": [1, 2, None], "size": [5, 6, 7]})
    for name, index in (("plain", [7, 8, 9]), ("named", pd.Index(["a", "b", "c"], name="id"))):
        path = tmp_path / f"{name}.parquet"
        frame.set_index(pd.Index(index)).to_parquet(path)
        assert column_names(path) == ["kind", "size"]
        assert scan_table(path, "kind").rows["size"].tolist() == [5, 6, 7]
    piece = next(read_chunks(path, ["id", "size"]))
    assert piece["id"].tolist() == ["a", "b", "c"]
