"""DuckDB, by the real engine: its readers go in, and answers are a table of its queries."""

import pyarrow as pa
import pytest

from eulac.distributed.answer_batches import predict_batches

duckdb = pytest.importorskip("duckdb", reason="needs DuckDB: pip install 'eulac[duckdb]'")


@pytest.fixture
def connection(table):
    with duckdb.connect() as connection:
        connection.execute("SET threads = 1")
        connection.register("incoming", table)
        yield connection


@pytest.mark.parametrize("n_rows", [1000, 5000])
def test_a_reader_of_a_query_is_answered_batch_by_batch(machine, table, connection, n_rows):
    reader = connection.sql("SELECT * FROM incoming").to_arrow_reader(n_rows)
    found = predict_batches(machine[0], reader, keep=["id"]).read_all()
    assert found.equals(predict_batches(machine[0], table, keep=["id"]).read_all())


def test_answers_are_a_table_of_a_query(machine, table, connection):
    relation = connection.sql("SELECT id, a, b, c, d FROM incoming WHERE a > 4 ORDER BY id")
    other = connection.cursor()  # the first one is busy with the rows
    other.register("answers", predict_batches(machine[0], relation, keep=["id"]))
    counts = other.sql("SELECT label, count(*) FROM answers GROUP BY label")
    kept = table.filter(pa.compute.greater(table["a"], 4))
    said = predict_batches(machine[0], kept, keep=["id"]).read_all()["label"]
    expected = {item["values"]: item["counts"] for item in said.value_counts().to_pylist()}
    assert dict(counts.fetchall()) == expected
