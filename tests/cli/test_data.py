"""`eulac data`: lists what is here in 80 columns, and fetches the rest."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

from eulac.cli.data import data
from eulac.data.datasets import DATASETS, DatasetSpec

TINY = DatasetSpec("tiny", 4, 2, 2, (2, 2), "made up", ("tiny-data", 1), remark="Made up [test].")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("EULAC_DATA", str(tmp_path))
    monkeypatch.setenv("EULAC_CACHE", str(tmp_path / "cache"))
    monkeypatch.setitem(DATASETS, "tiny", TINY)
    return tmp_path


def run(*arguments):
    result = CliRunner().invoke(data, arguments, env={"COLUMNS": "80"})
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def save(path):
    path.parent.mkdir(exist_ok=True)
    np.savez(path, X=np.zeros((4, 2)), y=[0, 0, 1, 1])


def row_of(name, output):
    return next(line for line in output.splitlines() if line.split()[:1] == [name])


def test_list_fits_80_columns_and_names_every_dataset(folder):
    output = run("list").output
    assert max(map(len, output.splitlines())) <= 80
    for name, spec in DATASETS.items():
        assert row_of(name, output).split()[1:4] == [
            str(number) for number in (spec.n_rows, spec.n_features, spec.n_classes)
        ]


def test_list_says_where_a_dataset_is(folder):
    assert "not here; can be fetched" in row_of("tiny", run("list").output)
    assert row_of("cifar10", run("list").output).rstrip().endswith("not here")
    save(folder / "cache" / "tiny.npz")
    assert "cache: tiny.npz" in row_of("tiny", run("list").output)
    save(folder / "tiny.npz")
    assert "EULAC_DATA: tiny.npz" in row_of("tiny", run("list").output)


def test_list_prints_remarks_literally(folder):
    assert "tiny: Made up [test]." in run("list").output


def test_list_json_holds_the_path_and_the_whole_entry(folder):
    save(folder / "tiny.npz")
    entries = {entry["name"]: entry for entry in json.loads(run("list", "--json").output)}
    assert entries["tiny"]["path"] == str(folder / "tiny.npz")
    assert entries["tiny"]["openml"] == ["tiny-data", 1]
    assert entries["usps"]["path"] is None
    assert entries["mnist"]["n_rows"] == 70000


def test_fetch_downloads_once_unless_forced(folder, monkeypatch):
    calls = []

    def fetch_openml(name, **options):
        calls.append(name)
        return np.zeros((4, 2)), np.array(["0", "0", "1", "1"])

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch_openml)
    output = run("fetch", "tiny").output
    assert "tiny: 4 rows x 2 features, 2 classes" in output
    assert str(folder / "cache" / "tiny.npz") in output
    assert "note: Made up [test]." in output
    run("fetch", "tiny")
    assert calls == ["tiny-data"]
    run("fetch", "tiny", "--force")
    assert calls == ["tiny-data", "tiny-data"]
    said = json.loads(run("fetch", "tiny", "--json").output)
    assert (said["n_rows"], said["path"]) == (4, str(folder / "cache" / "tiny.npz"))


def test_errors_of_the_library_rise_for_the_main_command(folder):
    with pytest.raises(ValueError, match=r"unknown dataset 'tinny'.*Did you mean 'tiny'\?"):
        run("fetch", "tinny")
    with pytest.raises(ValueError, match="'svhn' cannot be fetched"):
        run("fetch", "svhn")


@pytest.mark.parametrize("arguments", [["fetch"], ["fetch", "a", "b"], ["lsit"], ["list", "--jso"]])
def test_wrong_usage_exits_with_2(arguments):
    assert run(*arguments).exit_code == 2
