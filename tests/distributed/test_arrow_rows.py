"""What engines hand over, as batches; batches, as blocks."""

import pandas as pd
import pyarrow as pa
import pytest

from eulac.distributed.arrow_rows import arrow_batches, fixed_blocks, with_columns

TABLE = pa.table({"a": range(10), "b": [str(i) for i in range(10)]})


@pytest.mark.parametrize(
    "rows",
    [
        TABLE,
        TABLE.to_batches(max_chunksize=3),
        iter([TABLE.slice(0, 4), TABLE.slice(4)]),
        TABLE.to_reader(max_chunksize=3),
        TABLE.combine_chunks().to_batches()[0],
        TABLE.to_pandas(),
        [TABLE.slice(0, 4).to_pandas(), TABLE.slice(4).to_pandas().reset_index(drop=True)],
    ],
    ids=["table", "batches", "tables", "reader", "batch", "frame", "frames"],
)
def test_rows_in_any_form_become_batches(rows):
    found = pa.Table.from_batches([*arrow_batches(rows)]).select(["a"])
    assert found["a"].to_pylist() == list(range(10))


@pytest.mark.parametrize("rows", [5, "folder", {"a": [1]}, [[1, 2]]])
def test_what_is_no_rows_is_refused(rows):
    with pytest.raises(TypeError, match=r"got (int|str|dict|list)\. Use pyarrow"):
        list(arrow_batches(rows))


@pytest.mark.parametrize("size", [1, 3, 10, 11])
def test_blocks_hold_all_rows_in_order(size):
    blocks = [*fixed_blocks([TABLE.slice(0, 7), TABLE.slice(7, 0), TABLE.slice(7)], size)]
    assert pa.concat_tables(blocks).to_pylist() == TABLE.to_pylist()
    assert [block.num_rows for block in blocks[:-1]] == [size] * (len(blocks) - 1)


def test_no_rows_are_no_blocks():
    assert [*fixed_blocks([TABLE.slice(0, 0)], 5)] == []


def test_batches_get_the_types_of_the_first():
    other = pa.table({"b": ["x"], "a": pa.array([3], pa.int32())})
    first, second = with_columns([TABLE.to_batches()[0], other.to_batches()[0]], TABLE.schema)
    assert second.schema == first.schema
    assert second["a"].to_pylist() == [3]


def test_batches_that_do_not_fit_are_named():
    batches = [TABLE.to_batches()[0], pa.RecordBatch.from_pandas(pd.DataFrame({"a": [1]}))]
    with pytest.raises(ValueError, match=r"batch 1 lacks 'b'"):
        list(with_columns(batches, TABLE.schema))
    words = pa.RecordBatch.from_pandas(pd.DataFrame({"a": ["one"], "b": ["x"]}))
    with pytest.raises(ValueError, match=r"those of batch 1 do not fit: .*'one'"):
        list(with_columns([batches[0], words], TABLE.schema))
