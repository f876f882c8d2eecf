"""Data frames of Dask: partitions are answered as one table is, empty ones too."""

import pandas as pd
import pyarrow as pa
import pytest

pytest.importorskip("dask", reason="needs the extra `dask`")

import dask.dataframe as dd

from eulac.distributed.answer_batches import predict_batches
from eulac.distributed.dask_answers import predict_dask


def test_partitions_are_answered_as_one_table_and_keep_their_index(machine, table):
    clf, _ = machine
    frame = table.to_pandas().set_axis(range(100, 5100), axis=0)
    answers = predict_dask(clf, dd.from_pandas(frame, npartitions=4), keep=["id"])
    expected = predict_batches(clf, table, keep=["id"]).read_all().to_pandas()
    found = answers.compute()
    assert found.index.tolist() == frame.index.tolist()
    assert answers.columns.tolist() == expected.columns.tolist()
    expected = expected.set_axis(frame.index, axis=0)
    pd.testing.assert_frame_equal(found, expected, rtol=1e-5, atol=1e-7)


def test_models_of_tables_answer_from_their_file_and_empty_partitions_are_fine(flowers):
    path, _, rows = flowers
    rows = rows[["size", "color", "wild"]][:600].astype({"size": float}).assign(id=range(600))
    frame = dd.from_pandas(rows, npartitions=3)
    few = frame[frame["id"] < 150]  # two partitions are left without rows
    answers = predict_dask(str(path), few, keep=["id"]).compute()
    expected = predict_batches(path, pa.Table.from_pandas(rows[:150]), keep=["id"]).read_all()
    assert answers["label"].tolist() == expected["label"].to_pylist()
    assert answers["id"].tolist() == list(range(150))
