"""Spark, by the real engine on two local workers: the fit of one process."""

import os

import numpy as np
import pytest
from sklearn.base import clone

from eulac.distributed.spark_fit import fit_spark
from local_spark import NEEDS_SPARK, open_spark
from table_in_parts import CLASSIFIER, NAMES, assert_agree, labeled_table

pytest.importorskip("pyspark", reason="needs Spark: pip install 'eulac[spark]'")
pytestmark = NEEDS_SPARK


@pytest.fixture(scope="module")
def spark():
    # A task that fails is run once more.
    session = open_spark("local[2, 3]")
    yield session
    session.stop()


@pytest.fixture(scope="module")
def in_memory():
    _, X, y = labeled_table()
    return clone(CLASSIFIER).fit(X, y)


def frame_of(spark, table, n_partitions):
    return spark.createDataFrame(table.to_pandas()).repartition(n_partitions)


@pytest.mark.parametrize("n_partitions", [3, 20])
def test_partitions_give_the_fit_in_memory(spark, in_memory, n_partitions):
    table, _, _ = labeled_table()
    assert_agree(
        fit_spark(clone(CLASSIFIER), frame_of(spark, table, n_partitions), "kind"), in_memory
    )


def test_a_pool_apart_and_empty_partitions(spark, in_memory):
    table, _, y = labeled_table()
    labeled = frame_of(spark, table.filter(y >= 0), 4)
    pool = frame_of(spark, table.filter(y < 0).drop_columns("kind"), 5).filter("north < 1e9")
    few = labeled.union(labeled.filter("north > 1e9"))
    fitted = fit_spark(clone(CLASSIFIER), few, "kind", pool.select("west", *NAMES[:3]))
    assert fitted.feature_names_in_.tolist() == list(NAMES)
    assert_agree(fitted, in_memory)


def test_a_task_that_dies_and_is_run_again_changes_no_bit(spark, tmp_path):
    table, _, _ = labeled_table()
    frame = frame_of(spark, table, 12).persist()
    here, folder = os.getpid(), str(tmp_path)

    def dying_once(batches):
        """Hand batches on; in the second pass over the rows the first process dies."""
        from pyspark import TaskContext

        rows = list(batches)
        if TaskContext.get().partitionId() == 5 and os.getpid() != here:
            reads = len(os.listdir(folder))
            open(os.path.join(folder, f"read-{reads}"), "w").close()
            if reads == 1:
                os._exit(1)
        yield from rows

    calm = fit_spark(clone(CLASSIFIER), frame, "kind")
    died = fit_spark(clone(CLASSIFIER), frame.mapInArrow(dying_once, frame.schema), "kind")
    assert len(os.listdir(folder)) == 3  # survey, death, and once more
    np.testing.assert_array_equal(died.model_.coefficients, calm.model_.coefficients)
