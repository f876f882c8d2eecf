"""Named datasets: found, checked and fetched; nothing here touches the network."""

import os
from dataclasses import replace
from urllib.error import URLError

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from eulac.data.dataset_specs import DATASETS, DatasetSpec
from eulac.data.datasets import fetch_dataset, list_datasets, load_dataset

TINY = DatasetSpec("tiny", 6, 4, 2, (2, 4), "made up", ("tiny-data", 3), (2, 2))


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """Give an empty data folder and a cache that does not exist yet; the table knows 'tiny'."""
    data = tmp_path / "data"
    data.mkdir()
    monkeypatch.setenv("EULAC_DATA", str(data))
    monkeypatch.setenv("EULAC_CACHE", str(tmp_path / "cache"))
    monkeypatch.setitem(DATASETS, "tiny", TINY)
    return data, tmp_path / "cache"


def tiny_arrays(n_rows=6, n_features=4, first_class=2):
    X = np.arange(n_rows * n_features, dtype=np.uint8).reshape(n_rows, n_features)
    return X, np.repeat([0, 1], [first_class, n_rows - first_class])


def save(folder, name, X, y):
    folder.mkdir(exist_ok=True)
    np.savez(folder / f"{name}.npz", X=X, y=y)


def openml_gives(monkeypatch, answer):
    calls = []

    def fetch_openml(name, **options):
        calls.append((name, options["version"]))
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch_openml)
    return calls


@pytest.mark.parametrize("name", sorted(set(DATASETS) - {"senseveh"}))
def test_the_real_files_are_what_the_entries_say(name):
    folder = os.environ.get("EULAC_DATA")
    spec = DATASETS[name]
    if not folder or not os.path.isfile(os.path.join(folder, spec.file_name)):
        pytest.skip(f"EULAC_DATA names no folder with {spec.file_name}")
    dataset = load_dataset(name)
    assert dataset.X.shape == (spec.n_rows, spec.n_features)
    assert dataset.X.dtype == np.float32
    assert dataset.y.shape == (spec.n_rows,)


def test_images_load_flat_as_exact_floats(folders):
    X, y = tiny_arrays()
    save(folders[0], "tiny", X.reshape(6, 2, 2), y)
    dataset = load_dataset("tiny")
    np.testing.assert_array_equal(dataset.X, X)
    np.testing.assert_array_equal(dataset.y, y)
    assert dataset.X.dtype == np.float32
    assert dataset.image_shape == (2, 2)
    assert repr(dataset).startswith("Dataset('tiny', 6 rows x 4 features, 2 classes, from ")


def test_doubles_stay_doubles(folders):
    X, y = tiny_arrays()
    save(folders[0], "tiny", X / 3, y)
    np.testing.assert_array_equal(load_dataset("tiny").X, X / 3)


def test_the_data_folder_comes_before_the_cache(folders):
    data, cache = folders
    save(cache, "tiny", *tiny_arrays())
    assert load_dataset("tiny").path == cache / "tiny.npz"
    save(data, "tiny", *tiny_arrays())
    assert load_dataset("tiny").path == data / "tiny.npz"


def test_the_cache_follows_the_platform_when_not_given(folders, monkeypatch, tmp_path):
    monkeypatch.delenv("EULAC_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    with pytest.raises(FileNotFoundError, match=r"xdg/eulac\. Run"):
        load_dataset("tiny")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    with pytest.raises(FileNotFoundError, match=r"home/\.cache/eulac\. Run"):
        load_dataset("tiny")


def test_a_stand_in_reads_the_other_file_under_its_own_name(folders, monkeypatch):
    monkeypatch.setitem(DATASETS, "twin", replace(TINY, name="twin", loads="tiny", remark="tiny"))
    save(folders[0], "tiny", *tiny_arrays())
    twin = load_dataset("twin")
    assert (twin.name, twin.path.name, twin.spec.remark) == ("twin", "tiny.npz", "tiny")
    assert DATASETS["landset"].file_name == "satimage.npz"


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        (tiny_arrays(n_rows=5), "must have 6 rows; .* has 5"),
        (tiny_arrays(n_features=3), "must have 4 features; .* has 3"),
        (tiny_arrays(first_class=0), "must have 2 classes; .* has 1"),
        (tiny_arrays(first_class=1), "must have 2 rows in its smallest class; .* has 1"),
        ((np.zeros((0, 4)), []), "must have 6 rows; .* has 0"),
    ],
)
def test_a_file_that_differs_from_its_entry_is_refused(arrays, message, folders):
    save(folders[0], "tiny", *arrays)
    with pytest.raises(ValueError, match=f"dataset 'tiny' {message}"):
        load_dataset("tiny")


def test_the_biggest_class_is_checked_too(folders, monkeypatch):
    monkeypatch.setitem(DATASETS, "tiny", replace(TINY, class_counts=(2, 3)))
    save(folders[0], "tiny", *tiny_arrays())
    with pytest.raises(ValueError, match=r"must have 3 rows in its biggest class; .* has 4"):
        load_dataset("tiny")


def test_unknown_class_counts_are_not_checked(folders, monkeypatch):
    monkeypatch.setitem(DATASETS, "tiny", replace(TINY, class_counts=None))
    save(folders[0], "tiny", *tiny_arrays(first_class=1))
    assert load_dataset("tiny").y.sum() == 5


def test_a_file_without_labels_or_with_garbage_is_refused(folders):
    np.savez(folders[0] / "tiny.npz", X=tiny_arrays()[0])
    with pytest.raises(ValueError, match=r"must hold an array 'y'; it holds 'X'"):
        load_dataset("tiny")
    (folders[0] / "tiny.npz").write_bytes(b"nonsense")
    with pytest.raises(ValueError, match=r"tiny\.npz must be a readable npz file"):
        load_dataset("tiny")


def test_an_unknown_name_lists_the_known_and_suggests_one():
    with pytest.raises(ValueError, match=r"unknown dataset 'mnits'. Known: cifar10, .* 'mnist'\?"):
        load_dataset("mnits")
    with pytest.raises(ValueError, match=r"unknown dataset 'SenseVeh'.* Did you mean 'senseveh'\?"):
        fetch_dataset("SenseVeh")


def test_an_absent_file_says_where_was_looked_and_what_to_run(folders, monkeypatch):
    message = r"tiny\.npz is not in .*data and in .*cache\. Run `eulac data fetch tiny`, or put"
    with pytest.raises(FileNotFoundError, match=message):
        load_dataset("tiny")
    monkeypatch.setitem(DATASETS, "tiny", replace(TINY, openml=None))
    with pytest.raises(FileNotFoundError, match=r"No public copy fits: put tiny\.npz in a folder"):
        load_dataset("tiny")


def test_loading_never_downloads_unasked(folders, monkeypatch):
    calls = openml_gives(monkeypatch, tiny_arrays())
    with pytest.raises(FileNotFoundError):
        load_dataset("tiny")
    assert calls == []


@pytest.mark.parametrize("convert", [np.asarray, csr_matrix], ids=["dense", "sparse"])
def test_a_download_is_checked_stored_and_found_again(convert, folders, monkeypatch):
    X, y = tiny_arrays()
    calls = openml_gives(monkeypatch, (convert(X), y.astype(str).astype(object)))
    dataset = load_dataset("tiny", download=True)
    assert dataset.path == folders[1] / "tiny.npz"
    np.testing.assert_array_equal(dataset.X, X)
    np.testing.assert_array_equal(dataset.y, y)
    assert dataset.y.dtype == np.int64
    load_dataset("tiny", download=True)
    fetch_dataset("tiny")
    assert calls == [("tiny-data", 3)]
    fetch_dataset("tiny", force=True)
    assert len(calls) == 2
    assert [path.name for path in folders[1].iterdir()] == ["tiny.npz"]


@pytest.mark.parametrize("labels", [["brick", "sky"], [0.25, 0.5]])
def test_downloaded_labels_that_are_no_whole_numbers_stay_text(labels, folders, monkeypatch):
    X, y = tiny_arrays()
    openml_gives(monkeypatch, (X, np.array(labels, dtype=object)[y]))
    assert sorted(set(load_dataset("tiny", download=True).y)) == [str(label) for label in labels]


def test_a_wrong_download_is_refused_and_not_stored(folders, monkeypatch):
    openml_gives(monkeypatch, tiny_arrays(n_rows=5))
    with pytest.raises(ValueError, match=r"must have 6 rows; OpenML's \('tiny-data', 3\) has 5"):
        fetch_dataset("tiny")
    assert not folders[1].exists()


@pytest.mark.parametrize(
    "error",
    [URLError("no route to host"), ConnectionResetError("no route to host"), TimeoutError("no r")],
    ids=lambda error: type(error).__name__,
)
def test_an_offline_fetch_says_what_was_tried_and_what_to_do(error, folders, monkeypatch):
    openml_gives(monkeypatch, error)
    message = r"OpenML \('tiny-data', version 3\), and that failed: .*no r.* put tiny\.npz in"
    with pytest.raises(ConnectionError, match=message):
        load_dataset("tiny", download=True)
    assert not folders[1].exists()


def test_what_has_no_public_copy_cannot_be_fetched(folders, monkeypatch):
    calls = openml_gives(monkeypatch, tiny_arrays())
    with pytest.raises(ValueError, match=r"dataset 'cifar10' cannot be fetched. No public copy"):
        fetch_dataset("cifar10")
    assert calls == []


def test_the_list_says_where_each_dataset_is(folders):
    save(folders[0], "tiny", *tiny_arrays())
    statuses = {status.name: status for status in list_datasets()}
    assert list(statuses) == sorted(DATASETS)
    assert statuses["tiny"].path == folders[0] / "tiny.npz"
    assert statuses["tiny"].spec is TINY
    assert statuses["usps"].path is None


def test_openml_arguments_are_accepted_by_scikit_learn(folders, monkeypatch):
    # The real function validates its arguments before it opens any address.
    def refuse(*args, **kwargs):
        raise URLError("network is off in tests")

    monkeypatch.setattr("sklearn.datasets._openml.urlopen", refuse)
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    with pytest.raises(ConnectionError, match=r"network is off in tests"):
        fetch_dataset("tiny")
