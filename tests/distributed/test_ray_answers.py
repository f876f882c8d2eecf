"""Ray, by the real engine: blocks of a dataset are answered as one table is."""

import pandas as pd
import pytest

from eulac.distributed.answer_batches import predict_batches
from eulac.distributed.ray_answers import predict_ray
from local_ray import NEEDS_RAY, running_ray

ray = pytest.importorskip("ray", reason="needs Ray: pip install 'eulac[ray]'")
pytestmark = NEEDS_RAY


@pytest.fixture(scope="module")
def cluster():
    with running_ray():
        yield


def test_blocks_are_answered_as_one_table(cluster, machine, table):
    import ray.data

    dataset = ray.data.from_arrow([table.slice(0, 1700), table.slice(1700)])
    answers = predict_ray(machine[0], dataset, keep=["id"]).to_pandas()
    expected = predict_batches(machine[0], table, keep=["id"]).read_all().to_pandas()
    pd.testing.assert_frame_equal(
        answers.sort_values("id", ignore_index=True),
        expected.sort_values("id", ignore_index=True),
        check_dtype=False,
        rtol=1e-5,
        atol=1e-7,
    )


def test_a_worker_reads_the_file_of_a_model(cluster, flowers):
    import ray.data

    path, model, rows = flowers
    rows = rows[["size", "color", "wild"]][:300].dropna().assign(id=lambda f: range(len(f)))
    answers = predict_ray(str(path), ray.data.from_pandas(rows), keep=["id"]).to_pandas()
    found = answers.sort_values("id")["label"].tolist()
    assert found == model.predict(rows).tolist()
