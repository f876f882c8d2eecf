"""Frames of Polars, by the real engine: eager, and lazy ones that stream from and to files."""

import polars as pl
import pytest

from eulac.distributed.answer_batches import predict_batches
from eulac.distributed.polars_answers import predict_polars

OPTIONS = {"keep": ["id"]}


@pytest.fixture(scope="module")
def expected(machine, table):
    return pl.DataFrame(predict_batches(machine[0], table, **OPTIONS))


def test_an_eager_frame_is_answered_by_an_eager_one(machine, table, expected):
    frame = pl.DataFrame(table)
    assert predict_polars(machine[0], frame, **OPTIONS).equals(expected)
    slices = frame.iter_slices(700)
    assert pl.DataFrame(predict_batches(machine[0], slices, **OPTIONS)).equals(expected)


def test_a_lazy_frame_streams_from_a_file_to_a_file(machine, table, expected, tmp_path):
    source, target = tmp_path / "rows.parquet", tmp_path / "answers.parquet"
    pl.DataFrame(table).write_parquet(source, row_group_size=900)
    answers = predict_polars(machine[0], pl.scan_parquet(source), **OPTIONS)
    assert isinstance(answers, pl.LazyFrame)
    assert not target.exists()
    answers.sink_parquet(target)
    assert pl.read_parquet(target).equals(expected)


def test_queries_on_lazy_answers_get_what_they_ask_for(machine, table, expected):
    lazy = predict_polars(machine[0], pl.LazyFrame(pl.DataFrame(table)), **OPTIONS)
    assert lazy.collect_schema() == expected.schema
    is_new = pl.col("label") == -2
    assert lazy.filter(is_new).select("id").collect().equals(expected.filter(is_new).select("id"))
    assert lazy.head(2100).collect().equals(expected.head(2100))


def test_other_frames_are_named(machine, table):
    with pytest.raises(TypeError, match=r"LazyFrame of Polars; got Table\. Use"):
        predict_polars(machine[0], table)
