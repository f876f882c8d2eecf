"""Spark, by the real engine on two local workers: the answers of one process, row for row."""

import pandas as pd
import pyarrow as pa
import pytest

from eulac.distributed.answer_batches import predict_batches
from eulac.distributed.spark_answers import predict_spark
from local_spark import NEEDS_SPARK, open_spark

pytest.importorskip("pyspark", reason="needs Spark: pip install 'eulac[spark]'")
pytestmark = NEEDS_SPARK


@pytest.fixture(scope="module")
def spark():
    session = open_spark()
    yield session
    session.stop()


def by_id(answers):
    return answers.sort_values("id", ignore_index=True)


def assert_agree(one, two):
    """Labels are the same; numbers up to rounding, which goes by the rows of a partition."""
    pd.testing.assert_frame_equal(one, two, check_dtype=False, rtol=1e-5, atol=1e-7)


def test_partitions_are_answered_as_one_process_answers_them(spark, machine, table):
    frame = spark.createDataFrame(table.to_pandas()).repartition(3)
    answers = predict_spark(machine[0], frame, keep=["id"])
    expected = predict_batches(machine[0], table, keep=["id"]).read_all().to_pandas()
    assert_agree(by_id(answers.toPandas()), by_id(expected))
    assert answers.filter("label = -2").count() == (expected["label"] == -2).sum()


def test_workers_read_the_file_of_a_model_of_mixed_columns(spark, flowers):
    path, _, rows = flowers
    rows = rows[["size", "color", "wild"]][:900].assign(id=range(900)).astype({"size": float})
    rows["color"] = rows["color"].astype(object).where(rows["color"].notna(), None)
    rows["wild"] = rows["wild"].astype(object).where(rows["wild"].notna(), None)
    schema = "size double, color string, wild boolean, id long"
    frame = spark.createDataFrame(pa.Table.from_pandas(rows), schema).repartition(4)
    answers = predict_spark(str(path), frame, keep=["id"]).toPandas()
    expected = predict_batches(path, pa.Table.from_pandas(rows), keep=["id"]).read_all()
    assert_agree(by_id(answers), expected.to_pandas())
