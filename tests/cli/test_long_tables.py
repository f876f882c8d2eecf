"""Tables of any length: the method `landmark` reads them in pieces and goes on when interrupted."""

import json

import numpy as np
import pandas as pd
import pytest

import eulac
from cli.birds import rows, write_birds
from eulac.landmark.landmark_classifier import LandmarkEulacClassifier

FIT = ("fit", "train.csv", "--unlabeled", "pool.csv", "--method", "landmark", "--json")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("eulac.data.row_chunks.CHUNK_ROWS", 40)
    write_birds(tmp_path, 240, 360)
    return tmp_path


def fresh():
    return rows(np.arange(200) % 4, np.random.default_rng(7))


def test_every_row_counts_and_pieces_make_no_difference(folder, run, monkeypatch):
    code, out, err = run(*FIT, "--model", "pieces.eulac", "--max-unlabeled", "50")
    assert (code, err) == (0, "")
    said = json.loads(out)
    assert (said["n_labeled"], said["n_unlabeled"]) == (240, 360)
    assert said["columns"]["color"] == "category"
    assert abs(said["known_proportion"] - 0.75) < 0.1
    monkeypatch.setattr("eulac.data.row_chunks.CHUNK_ROWS", 10_000)
    run(*FIT, "--model", "whole.eulac")
    pieces, whole = (eulac.load(f"{name}.eulac") for name in ("pieces", "whole"))
    np.testing.assert_allclose(
        pieces.predict_proba(fresh()), whole.predict_proba(fresh()), atol=1e-6
    )
    assert np.mean(pieces.predict(fresh()) == fresh()["species"].replace("swan", "augmented")) > 0.9


@pytest.mark.slow
def test_blank_labels_in_one_table_and_parquet(folder, run):
    pd.read_csv("one.csv").to_parquet("one.parquet")
    fit = ("fit", "one.parquet", "--method", "landmark", "--json", "--model", "one.eulac")
    said = json.loads(run(*fit)[1])
    assert (said["n_labeled"], said["n_unlabeled"]) == (240, 360)
    run(*FIT, "--model", "two.eulac")
    one, two = (eulac.load(f"{name}.eulac") for name in ("one", "two"))
    np.testing.assert_allclose(one.predict_proba(fresh()), two.predict_proba(fresh()), atol=1e-6)


@pytest.mark.slow
def test_an_interrupted_fit_goes_on(folder, run, monkeypatch):
    run(*FIT, "--model", "straight.eulac")
    add, calls = LandmarkEulacClassifier._add, []

    def stops_in_the_middle(self, X, codes, importance):
        calls.append(len(X))
        if len(calls) == 9:
            raise KeyboardInterrupt
        add(self, X, codes, importance)

    monkeypatch.setattr(LandmarkEulacClassifier, "_add", stops_in_the_middle)
    monkeypatch.setattr(LandmarkEulacClassifier.fit_chunks, "__kwdefaults__", KWDEFAULTS)
    code, _, err = run(*FIT, "--model", "broken.eulac")
    assert code != 0
    assert "Traceback" not in err
    assert not (folder / "broken.eulac").exists()
    [begun] = folder.glob("broken.eulac.*.begun")
    said = json.loads(run(*FIT, "--model", "broken.eulac")[1])
    assert any("Going on from" in note for note in said["notes"])
    assert not begun.exists()
    assert len(calls) == 9 + 15 - 8
    straight, broken = (eulac.load(f"{name}.eulac") for name in ("straight", "broken"))
    np.testing.assert_array_equal(straight.predict_proba(fresh()), broken.predict_proba(fresh()))


KWDEFAULTS = LandmarkEulacClassifier.fit_chunks.__kwdefaults__ | {"checkpoint_every": 4}


@pytest.mark.slow
def test_work_begun_on_other_rows_is_not_taken_up(folder, run, monkeypatch):
    add = LandmarkEulacClassifier._add

    def stops(self, X, codes, importance):
        raise KeyboardInterrupt

    monkeypatch.setattr(LandmarkEulacClassifier, "_add", stops)
    run(*FIT, "--model", "m.eulac")
    monkeypatch.setattr(LandmarkEulacClassifier, "_add", add)
    pd.read_csv("pool.csv").iloc[:320].to_csv("pool.csv", index=False)
    said = json.loads(run(*FIT, "--model", "m.eulac")[1])
    assert said["n_unlabeled"] == 320
    assert not said["notes"][1:]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda frame: frame.assign(species=None), "labels are needed"),
        (lambda frame: frame.assign(species=-1), "-1 may mean 'unlabeled'"),
        (lambda frame: frame.drop(columns="species"), "which column of"),
    ],
)
def test_doubtful_labels_are_refused(change, message, folder, run):
    change(pd.read_csv("train.csv")).to_csv("train.csv", index=False)
    code, out, err = run(*FIT, "--model", "m.eulac")
    assert code != 0
    assert message in " ".join(err.split())
    assert out == ""
    assert not list(folder.glob("m.eulac*"))


def test_unlabeled_rows_are_needed(folder, run):
    code, _, err = run("fit", "train.csv", "--method", "landmark", "--model", "m.eulac")
    assert code == 2
    assert "--unlabeled" in err


def test_columns_of_the_pool_must_be_there(folder, run):
    pd.read_csv("pool.csv").drop(columns="weight").to_csv("pool.csv", index=False)
    code, _, err = run(*FIT, "--model", "m.eulac")
    assert code == 1
    assert "it lacks 'weight'" in " ".join(err.split())


@pytest.mark.slow
def test_the_loop_goes_on_from_the_kept_rows(folder, run):
    run(*FIT, "--model", "m.eulac")
    model = eulac.load("m.eulac")
    assert set(model.y_labeled) == {"hen", "owl", "tit"}
    assert np.mean(model.classifier.predict(model.X_labeled) == model.y_labeled) > 0.95


def test_what_other_methods_say_of_the_tables_is_said_here_too(folder, run):
    both = pd.read_csv("one.csv")
    both.assign(rowid=range(len(both))).to_csv("one.csv", index=False)
    fit = ("fit", "one.csv", "--method", "landmark", "--json", "--model", "m.eulac")
    said = json.loads(run(*fit, "--max-unlabeled", "50", "--known-proportion", "0.75")[1])
    assert any("360 rows of one.csv have a blank label" in note for note in said["notes"])
    assert any("--max-unlabeled" in note for note in said["notes"])
    assert any("'rowid' has a different whole number" in warning for warning in said["warnings"])


@pytest.mark.slow
def test_another_seed_does_not_go_on(folder, run, monkeypatch):
    def stops(self, X, codes, importance):
        raise KeyboardInterrupt

    monkeypatch.setattr(LandmarkEulacClassifier, "_add", stops)
    _, _, err = run(*FIT, "--model", "m.eulac", "--seed", "0")
    assert "the same command goes on" in err
    [begun] = folder.glob("m.eulac.*.begun")
    run(*FIT, "--model", "m.eulac", "--seed", "7")
    assert len(list(folder.glob("m.eulac.*.begun"))) == 2
    assert begun.exists()
