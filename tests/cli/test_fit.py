"""`eulac fit`: what it says of tables and models, and where its defaults come from."""

import json

import numpy as np
import pandas as pd
import pytest

import eulac
from eulac.cli.fit import METHODS, saying_what_is_kept
from eulac.persistence.files import read_manifest


def test_fit_says_what_became_of_the_columns_and_what_is_new(fitted_birds):
    _, printed = fitted_birds
    assert "120 labeled rows of 3 classes in column 'species', 160 unlabeled rows." in printed
    assert "seen (left out)" in printed
    assert "category (1)" in printed
    assert "% are new" in " ".join(printed.split())
    assert "Estimated error there" in printed
    assert max(map(len, printed.splitlines())) <= 80


@pytest.mark.slow
def test_auto_says_what_every_family_was_worth_and_keeps_to_its_time(birds, run):
    arguments = ("fit", "train.csv", "--unlabeled", "pool.csv")
    code, out, err = run(*arguments, "--model", "all.eulac", "--json")
    assert (code, err) == (0, "")
    said = json.loads(out)
    assert (said["method"], said["estimator"]) == ("auto", "EulacClassifier")
    assert len(said["families"]) > 2
    assert sum(family["weight"] for family in said["families"]) == pytest.approx(1)
    assert not said["families_skipped"]
    code, out, err = run(*arguments, "--model", "quick.eulac", "--time-budget", "0.001")
    assert (code, err) == (0, "")
    assert "extra_trees" in out
    assert "No time was left for 'kernel_logistic'" in out
    assert max(map(len, out.splitlines())) <= 80
    assert eulac.load("quick.eulac").classifier.selection_.names == ("extra_trees",)
    code, _, err = run("export", "all.eulac", "--output", "all.onnx")
    assert (code, err) == (0, "")


def test_model_file_says_what_it_was_made_of(birds):
    manifest = read_manifest("birds.eulac")
    assert manifest.classes == ["hen", "owl", "tit", "augmented"]
    assert manifest.feature_names == ["length", "weight", "color", "wild"]
    assert len(manifest.data_fingerprint) == 64


def test_one_table_with_blank_labels_gives_the_same_answers(birds, run):
    code, out, err = run("fit", "one.csv", "--method", "kernel", "--model", "one.eulac", "--json")
    assert (code, err) == (0, "")
    said = json.loads(out)
    assert said["n_unlabeled"] == 160
    assert any("blank label" in note for note in said["notes"])
    frame = pd.read_csv("pool.csv").assign(length=lambda rows: rows["length"] + 0.01)
    one, two = eulac.load("one.eulac"), eulac.load("birds.eulac")
    np.testing.assert_array_equal(one.predict(frame), two.predict(frame))


def test_large_pools_are_thinned_and_said_so(birds, run):
    arguments = ("fit", "train.csv", "--unlabeled", "pool.csv", "--model", "thin.eulac", "--json")
    said = json.loads(run(*arguments, "--max-unlabeled", "60", "--method", "osnn")[1])
    assert said["n_unlabeled"] == 60
    assert any("Of 160 unlabeled rows 60 were drawn" in note for note in said["notes"])
    assert any("`--method landmark`" in note for note in said["notes"])


def test_row_numbers_are_doubted_and_can_be_dropped(birds, run):
    pd.read_csv("train.csv").assign(id=range(120)).to_csv("ids.csv", index=False)
    pd.read_csv("pool.csv").assign(id=range(500, 660)).to_csv("pool_ids.csv", index=False)
    arguments = ("fit", "ids.csv", "--unlabeled", "pool_ids.csv", "--method", "osnn", "--json")
    said = json.loads(run(*arguments, "--model", "a.eulac")[1])
    assert any("--drop id" in warning for warning in said["warnings"])
    said = json.loads(run(*arguments, "--model", "b.eulac", "--drop", "id")[1])
    assert said["warnings"] == []
    assert said["ignored"]["id"] == "asked for"


def test_seed_makes_fits_the_same(birds, run):
    arguments = ("fit", "train.csv", "--unlabeled", "pool.csv", "--method", "evm", "--seed", "3")
    for name in ("a.eulac", "b.eulac"):
        assert run(*arguments, "--model", name)[0] == 0
    frame = pd.read_csv("pool.csv")
    one, two = eulac.load("a.eulac"), eulac.load("b.eulac")
    np.testing.assert_array_equal(one.augmented_score(frame), two.augmented_score(frame))


def test_a_time_budget_in_the_config_is_for_auto_alone(birds, run):
    (birds / "eulac.toml").write_text('[fit]\nmethod = "auto"\ntime-budget = 60\n')
    arguments = ("fit", "train.csv", "--unlabeled", "pool.csv", "--model", "other.eulac")
    code, _, err = run(*arguments, "--config", "eulac.toml", "--method", "osnn")
    assert (code, err) == (0, "")
    assert type(eulac.load("other.eulac").classifier).__name__ == "OsnnClassifier"


def test_config_gives_defaults_and_the_line_wins(birds, run):
    (birds / "eulac.toml").write_text(
        '[fit]\nlabeled = "train.csv"\nunlabeled = "pool.csv"\nmodel = "c.eulac"\n'
        'method = "osnn"\nlabel-column = "species"\ndrop = ["wild"]\nseed = 5\njson = true\n'
    )
    code, out, err = run("fit", "--config", "eulac.toml", "--seed", "6")
    assert (code, err) == (0, "")
    said = json.loads(out)
    assert (said["method"], said["seed"], said["model"]) == ("osnn", 6, "c.eulac")
    assert said["ignored"]["wild"] == "asked for"


def test_every_method_is_a_public_class():
    pytest.importorskip("torch", reason="needs the extra `deep`")
    assert set(METHODS.values()) <= set(eulac.__all__)


@pytest.mark.parametrize(
    ("begun", "said"), [(True, "goes on from there"), (False, "the same command begins anew")]
)
def test_an_interrupted_fit_says_what_is_kept(tmp_path, capsys, begun, said):
    sums = tmp_path / "m.eulac.begun"
    if begun:
        sums.touch()
    with pytest.raises(KeyboardInterrupt), saying_what_is_kept(sums):
        raise KeyboardInterrupt
    assert said in capsys.readouterr().err
