"""Ray, by the real engine: the fit of one process."""

import os

import pytest
from sklearn.base import clone

from eulac.distributed.ray_fit import fit_ray
from local_ray import NEEDS_RAY, running_ray
from table_in_parts import CLASSIFIER, assert_agree, labeled_table

ray = pytest.importorskip("ray", reason="needs Ray: pip install 'eulac[ray]'")
pytestmark = NEEDS_RAY


@pytest.fixture(scope="module")
def cluster():
    with running_ray():
        yield


@pytest.fixture(scope="module")
def in_memory():
    _, X, y = labeled_table()
    return clone(CLASSIFIER).fit(X, y)


def dataset_of(table, n_rows):
    import ray.data

    starts = range(0, len(table), n_rows)
    return ray.data.from_arrow([table.slice(start, n_rows) for start in starts])


@pytest.mark.parametrize("n_rows", [60, 500])
def test_blocks_give_the_fit_in_memory(cluster, in_memory, n_rows):
    table, _, _ = labeled_table()
    assert_agree(fit_ray(clone(CLASSIFIER), dataset_of(table, n_rows), "kind"), in_memory)


def test_a_pool_apart(cluster, in_memory):
    table, _, y = labeled_table()
    labeled, pool = table.filter(y >= 0), table.filter(y < 0).drop_columns("kind")
    assert_agree(
        fit_ray(clone(CLASSIFIER), dataset_of(labeled, 100), "kind", dataset_of(pool, 90)),
        in_memory,
    )


def test_a_worker_that_dies_changes_nothing(cluster, in_memory, tmp_path):
    table, _, _ = labeled_table()
    folder = str(tmp_path)

    def dying_once(rows):
        """Hand rows on; the second time anybody reads the first block, its process dies."""
        if rows["north"][0].as_py() == table["north"][0].as_py():
            reads = len(os.listdir(folder))
            open(os.path.join(folder, f"read-{reads}"), "w").close()
            if reads == 1:
                os._exit(1)
        return rows

    read = dataset_of(table, 200).map_batches(dying_once, batch_format="pyarrow", batch_size=None)
    died = fit_ray(clone(CLASSIFIER), read, "kind", columns=["north", "east", "south", "west"])
    assert len(os.listdir(folder)) >= 3
    assert_agree(died, in_memory)
