"""A session of Spark on this machine, bound to it alone."""

import shutil

import pytest

NEEDS_SPARK = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java"),
    pytest.mark.filterwarnings("ignore"),  # of Spark's own
]


def open_spark(master="local[2]"):
    """Return a session of local workers."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master(master).appName("eulac")
    settings = {
        "spark.ui.enabled": "false",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "700",
        "spark.sql.shuffle.partitions": "4",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()
