"""The landmark classifier on Dask: real worker processes, and the answer of one array."""

import os

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

pytest.importorskip("dask", reason="needs the extra `dask`")

import dask.array as da
import dask.dataframe as dd
from dask.delayed import delayed

from eulac import EulacClassifier, LandmarkEulacClassifier
from eulac.distributed.dask_fit import fit_dask, lazily

CLASSIFIER = LandmarkEulacClassifier(
    0.6, n_landmarks=30, pilot_rows=240, bandwidth=0.5, random_state=0
)


@pytest.fixture(scope="module")
def in_memory(rows):
    _, X, y = rows
    return clone(CLASSIFIER).fit(X, y)


def blocks(X, y, n_rows=70):
    return da.from_array(X, chunks=(n_rows, -1)), da.from_array(y, chunks=n_rows)


def assert_agree(one, two):
    np.testing.assert_allclose(one.model_.coefficients, two.model_.coefficients, atol=1e-10)
    assert one.model_.penalty == two.model_.penalty
    np.testing.assert_allclose(one.risk_.raw, two.risk_.raw, atol=1e-10)


def test_partitions_of_any_size_give_the_fit_in_memory(rows, in_memory):
    split, X, y = rows
    for n_rows in (33, 70, 1000):
        fitted = fit_dask(clone(CLASSIFIER), *blocks(X, y, n_rows))
        assert_agree(fitted, in_memory)
        np.testing.assert_array_equal(fitted.predict(split.X_test), in_memory.predict(split.X_test))


def test_columns_in_chunks_separate_pools_and_plain_labels_are_taken(rows, in_memory):
    _, X, y = rows
    known = y >= 0
    labeled, pool = (da.from_array(X[mask], chunks=(60, 2)) for mask in (known, ~known))
    assert_agree(fit_dask(clone(CLASSIFIER), labeled, y[known], pool), in_memory)


def test_weighted_partitions_give_the_weighted_fit_in_memory(rows):
    _, X, y = rows
    times = np.where(y < 0, 1.0, np.random.default_rng(0).integers(0, 4, len(y)))
    whole = clone(CLASSIFIER).fit(X, y, sample_weight=times)
    lazy_rows, labels = blocks(X, y)
    for weights in (times, da.from_array(times, chunks=90)):
        assert_agree(fit_dask(clone(CLASSIFIER), lazy_rows, labels, sample_weight=weights), whole)
    with pytest.raises(ValueError, match="all rows of 1 weigh zero"):
        fit_dask(clone(CLASSIFIER), lazy_rows, labels, sample_weight=np.where(y == 1, 0.0, 1.0))
    with pytest.raises(ValueError, match=r"`sample_weight` must have a number.*got 5"):
        fit_dask(clone(CLASSIFIER), lazy_rows, labels, sample_weight=times[:5])


def test_data_frames_give_the_fit_in_memory_and_keep_their_index(rows):
    split, X, y = rows
    names = ["north", "east", "south", "west"]
    frame = dd.from_pandas(
        pd.DataFrame({**dict(zip(names, X.T, strict=True)), "y": y}), npartitions=5
    )
    fitted = fit_dask(clone(CLASSIFIER), frame[names], frame["y"])
    assert_agree(fitted, clone(CLASSIFIER).fit(pd.DataFrame(X, columns=names), y))
    assert fitted.feature_names_in_.tolist() == names
    turned = fit_dask(clone(CLASSIFIER), frame[sorted(names)], frame["y"])
    np.testing.assert_array_equal(turned.model_.coefficients, fitted.model_.coefficients)
    test = pd.DataFrame(split.X_test, columns=names, index=np.arange(150)[::-1])
    answers = lazily(fitted, dd.from_pandas(test, npartitions=3, sort=False)).compute()
    assert answers.index.tolist() == test.index.tolist()
    np.testing.assert_array_equal(answers, fitted.predict(test))
    few = dd.from_pandas(test, npartitions=3, sort=False)
    few = few[few["north"] > few["north"].max().compute() - 1e-9]  # empty partitions
    probabilities = lazily(fitted, few, "predict_proba").compute()
    assert probabilities.shape == (1, 4)
    assert probabilities.columns.tolist() == ["0", "1", "2", "-2"]


@pytest.mark.parametrize(
    "method", ["predict", "predict_proba", "decision_function", "augmented_score"]
)
def test_answers_are_lazy_and_those_of_the_classifier(in_memory, rows, method):
    split, _, _ = rows

    def refuse(block, block_info=None):
        raise AssertionError("computed")

    unread = da.from_array(split.X_test, chunks=(40, -1)).map_blocks(
        refuse, dtype=float, meta=np.empty((0, 4))
    )
    lazily(in_memory, unread, method)
    lazy = lazily(in_memory, da.from_array(split.X_test, chunks=(40, 2)), method)
    expected = getattr(in_memory, method)(split.X_test)
    assert lazy.shape == expected.shape
    np.testing.assert_allclose(lazy.compute(), expected, atol=1e-12)


def test_what_does_not_fit_is_refused(rows, in_memory):
    _, X, y = rows
    with pytest.raises(TypeError, match=r"got ndarray\. Use `fit`"):
        fit_dask(clone(CLASSIFIER), X, y)
    frame = dd.from_pandas(pd.DataFrame(X), npartitions=4)
    with pytest.raises(TypeError, match="with the partitions of `X`; got ndarray"):
        fit_dask(clone(CLASSIFIER), frame, y)
    with pytest.raises(ValueError, match="same partitions; got 4 and 2"):
        fit_dask(clone(CLASSIFIER), frame, dd.from_pandas(pd.Series(y), npartitions=2))
    spoiled = X.copy()
    spoiled[3, 1] = np.nan
    with pytest.raises(ValueError, match="contains NaN"):
        fit_dask(clone(CLASSIFIER), *blocks(spoiled, y))
    with pytest.raises(ValueError, match="`method` must be one of"):
        lazily(in_memory, da.from_array(X), "score")


@pytest.fixture
def cluster():
    """Return a function that opens a client of so many worker processes on this machine."""
    distributed = pytest.importorskip("distributed")
    opened = []

    def open_client(n_workers):
        local = distributed.LocalCluster(
            n_workers=n_workers,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address=None,
        )
        client = distributed.Client(local)
        opened.extend([local, client])
        return client

    yield open_client
    for piece in reversed(opened):
        piece.close()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "n_workers", [1, *(pytest.param(n, marks=pytest.mark.slow) for n in (2, 4))]
)
def test_the_number_of_worker_processes_changes_no_bit(rows, in_memory, cluster, n_workers):
    split, X, y = rows
    here = fit_dask(clone(CLASSIFIER), *blocks(X, y))
    client = cluster(n_workers)
    there = fit_dask(clone(CLASSIFIER), *blocks(X, y), client=client)
    np.testing.assert_array_equal(there.model_.coefficients, here.model_.coefficients)
    assert_agree(there, in_memory)
    lazy = lazily(there, da.from_array(split.X_test, chunks=(40, -1)))
    np.testing.assert_array_equal(client.compute(lazy).result(), in_memory.predict(split.X_test))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_worker_killed_in_the_middle_of_a_fit_changes_nothing(rows, cluster, tmp_path):
    _, X, y = rows
    here = fit_dask(clone(CLASSIFIER), *blocks(X, y))
    client, here_pid = cluster(2), os.getpid()

    def read(index, limit, folder, pid):
        """Return some rows; the third time anybody reads the second part, its process dies."""
        if index == 1 and os.getpid() != pid:
            reads = len(list(folder.glob("read-*")))
            (folder / f"read-{reads}").touch()
            if reads == 1:  # the first pass is over: in the middle of the sums
                os._exit(1)
        return X[index * limit : (index + 1) * limit]

    parts = [
        da.from_delayed(
            delayed(read)(i, 70, tmp_path, here_pid),
            shape=(min(70, len(X) - 70 * i), 4),
            dtype=float,
        )
        for i in range(-(-len(X) // 70))
    ]
    killed = fit_dask(clone(CLASSIFIER), da.concatenate(parts), blocks(X, y)[1], client=client)
    assert len(list(tmp_path.glob("read-*"))) == 3  # survey, death, and once more
    np.testing.assert_array_equal(killed.model_.coefficients, here.model_.coefficients)


def test_columns_of_another_order_and_labels_of_another_length_are_refused(rows):
    _, X, y = rows
    frame = pd.DataFrame(X, columns=list("abcd"))
    labeled, pool = (dd.from_pandas(frame[mask], npartitions=2) for mask in (y >= 0, y < 0))
    labels = dd.from_pandas(pd.Series(y[y >= 0], index=frame.index[y >= 0]), npartitions=2)
    with pytest.raises(ValueError, match="in the same order; it has them in another order"):
        fit_dask(clone(CLASSIFIER), labeled, labels, pool[["c", "a", "b", "d"]])
    whole, n_rows = da.from_array(X, chunks=(70, -1)), len(y)
    for short in (y[:-3], da.from_array(y[:-3], chunks=70)):
        with pytest.raises(ValueError, match=f"{n_rows} of them; got {n_rows - 3}"):
            fit_dask(clone(CLASSIFIER), whole, short)


def test_classifiers_that_do_not_learn_from_sums_are_refused(rows):
    _, X, y = rows
    with pytest.raises(TypeError, match=r"must be a LandmarkEulacClassifier.* got EulacClassifier"):
        fit_dask(EulacClassifier(), *blocks(X, y))
