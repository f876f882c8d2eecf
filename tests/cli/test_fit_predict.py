"""From tables to answers: fit, predict, evaluate, estimate-error, export, completion, config."""

import json
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import eulac
from cli.birds import NAMES, rows
from eulac.cli.fit import METHODS
from eulac.cli.main import COMMANDS
from eulac.data.labels import LabelCodec
from eulac.data.tables import read_table
from eulac.persistence.files import read_manifest
from eulac.tables.labeled_tables import labels_known_to


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
    assert "No time was left for 'kernel'" in out
    assert max(map(len, out.splitlines())) <= 80
    assert eulac.load("quick.eulac").classifier.selection_.names == ("extra_trees",)
    code, _, err = run("export", "all.eulac", "--output", "all.onnx")
    assert code == 1
    assert "got EulacClassifier. Fit with `--method kernel`" in " ".join(err.split())


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
    frame = pd.read_csv("pool.csv")
    one, two = eulac.load("one.eulac"), eulac.load("birds.eulac")
    np.testing.assert_array_equal(one.predict(frame), two.predict(frame))


def test_predict_writes_what_the_model_says(birds, run):
    code, out, err = run("predict", "birds.eulac", "pool.csv", "--output", "answers.csv")
    assert (code, err) == (0, "")
    assert "160 rows answered" in out
    answers, model = pd.read_csv("answers.csv"), eulac.load("birds.eulac")
    frame = pd.read_csv("pool.csv")
    assert answers["label"].tolist() == model.predict(frame).tolist()
    columns = [f"p_{label}" for label in model.classes_]
    np.testing.assert_allclose(answers[columns], model.predict_proba(frame), atol=1e-3)
    np.testing.assert_allclose(answers["augmented_score"], model.augmented_score(frame), atol=1e-3)
    truth = pd.read_csv("test.csv")["species"].replace("swan", "augmented")
    assert (answers["label"] == truth).mean() > 0.9


@pytest.mark.parametrize("suffix", ["csv", "tsv", "csv.gz", "parquet", "npz"])
def test_answers_in_every_format_are_the_same(suffix, birds, run):
    run("predict", "birds.eulac", "pool.csv", "--output", "answers.csv")
    code, _, err = run("predict", "birds.eulac", "pool.csv", "--output", f"other.{suffix}")
    assert (code, err) == (0, "")
    one = read_table("answers.csv", label_column="label")
    label = {} if suffix == "npz" else {"label_column": "label"}
    other = read_table(f"other.{suffix}", **label)
    assert one.labels.tolist() == other.labels.tolist()
    np.testing.assert_allclose(one.features.to_numpy(), other.features.to_numpy(), rtol=1e-6)


@pytest.mark.parametrize("suffix", ["tsv", "csv.gz", "parquet"])
def test_tables_in_every_format_get_the_same_answers(suffix, birds, run):
    frame = pd.read_csv("pool.csv")
    if suffix == "parquet":
        frame.to_parquet("pool.parquet")
    else:
        frame.to_csv(f"pool.{suffix}", index=False, sep="\t" if suffix == "tsv" else ",")
    run("predict", "birds.eulac", "pool.csv", "--output", "one.csv", "--force")
    assert run("predict", "birds.eulac", f"pool.{suffix}", "--output", "two.csv")[0] == 0
    assert (birds / "one.csv").read_text() == (birds / "two.csv").read_text()


@pytest.mark.parametrize("suffix", ["npz", "svm"])
def test_tables_of_numbers_go_through_npz_and_svmlight(suffix, tmp_path, monkeypatch, run):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    y, u = np.arange(60) % 2, np.arange(90) % 3
    labeled = pd.DataFrame(rng.normal(8 * np.eye(3)[y])).assign(label=y)
    pool = pd.DataFrame(rng.normal(8 * np.eye(3)[u])).assign(label=0)
    for name, frame in {"train": labeled, "pool": pool}.items():
        eulac_table = eulac_table_of(frame)
        write(eulac_table, f"{name}.{suffix}")
    arguments = ("fit", f"train.{suffix}", "--unlabeled", f"pool.{suffix}", "--model", "m.eulac")
    code, _, err = run(*arguments, "--method", "osnn")
    assert (code, err) == (0, "")
    code, _, err = run("predict", "m.eulac", f"pool.{suffix}", "--output", f"answers.{suffix}")
    assert (code, err) == (0, "")
    answers = read_table(f"answers.{suffix}")
    model = eulac.load("m.eulac")
    assert answers.labels.tolist() == model.predict(read_table(f"pool.{suffix}").features).tolist()


def eulac_table_of(frame):
    from eulac.data.tables import as_table

    return as_table(frame, label_column="label")


def write(table, path):
    from eulac.data.tables import write_table

    write_table(table, path)


def test_columns_are_matched_by_name_and_can_be_kept(birds, run):
    frame = pd.read_csv("pool.csv").assign(ring=range(160))
    frame[frame.columns[::-1]].to_csv("turned.csv", index=False)
    run("predict", "birds.eulac", "pool.csv", "--output", "one.csv", "--force")
    code, _, _ = run(
        "predict", "birds.eulac", "turned.csv", "--output", "two.csv", "--keep", "ring"
    )
    assert code == 0
    one, two = pd.read_csv("one.csv"), pd.read_csv("two.csv")
    assert two["ring"].tolist() == list(range(160))
    pd.testing.assert_frame_equal(one, two.drop(columns="ring"))


def test_categories_never_seen_are_tolerated(birds, run):
    pd.read_csv("pool.csv").assign(color="purple").to_csv("purple.csv", index=False)
    assert run("predict", "birds.eulac", "purple.csv", "--output", "answers.csv")[0] == 0


def test_long_tables_are_answered_in_pieces(birds, run, monkeypatch):
    monkeypatch.setattr("eulac.data.row_chunks.CHUNK_ROWS", 7)
    run("predict", "birds.eulac", "pool.csv", "--output", "whole.csv")
    for name, kind in {"pool": 7, "small": 50}.items():
        from eulac.data.row_chunks import read_chunks

        pieces = list(read_chunks(birds / "pool.csv", ["length"], chunk_rows=kind))
        assert max(map(len, pieces)) == kind, name
        assert pd.concat(pieces).index.tolist() == list(range(160))


def test_labels_are_quoted_as_they_are_written():
    model = SimpleNamespace(codec_=LabelCodec(np.array([0, 1]), augmented_label=-2))
    _, unseen = labels_known_to(model, np.array([0, 1, 7]), "column 'digit'")
    assert unseen == [7]


def test_evaluate_counts_unknown_labels_as_new(birds, run):
    code, out, err = run("evaluate", "birds.eulac", "test.csv", "--json")
    assert (code, err) == (0, "")
    said = json.loads(out)
    assert said["notes"] == ["Not known to the model, and counted as new: 'swan'."]
    assert said["accuracy"] > 0.9
    assert [row["label"] for row in said["classes"]] == [*NAMES[:3], "augmented"]
    assert [row["rows"] for row in said["classes"]] == [40, 40, 40, 40]
    code, out, _ = run("evaluate", "birds.eulac", "test.csv")
    assert "AUC of new rows" in out


def test_estimated_error_of_the_fit_and_of_another_pool(birds, run):
    said = json.loads(run("estimate-error", "birds.eulac", "--json")[1])
    model = eulac.load("birds.eulac")
    assert said["estimated_error"] == model.risk_.value
    rng = np.random.default_rng(1)
    rows(np.arange(90) % 3, rng).to_csv("fresh.csv", index=False)
    code, out, err = run(
        "estimate-error",
        "birds.eulac",
        "--labeled",
        "fresh.csv",
        "--unlabeled",
        "pool.csv",
        "--json",
    )
    assert (code, err) == (0, "")
    said = json.loads(out)
    truth = json.loads(run("evaluate", "birds.eulac", "test.csv", "--json")[1])
    low, high = said["estimated_error_interval"]
    assert low <= 1 - truth["accuracy"] <= high
    assert not any("learned from" in warning for warning in said["warnings"])


def test_rows_of_the_training_are_noticed_when_the_error_is_estimated(birds, run):
    arguments = ("--labeled", "train.csv", "--unlabeled", "pool.csv", "--json")
    said = json.loads(run("estimate-error", "birds.eulac", *arguments)[1])
    assert any("120 labeled rows are among those" in warning for warning in said["warnings"])


@pytest.mark.parametrize("method", ["kernel", "landmark"])
def test_export_agrees_with_the_model(method, birds, run):
    runtime = pytest.importorskip("onnxruntime")
    files = ("train.csv", "--unlabeled", "pool.csv", "--model", "m.eulac")
    run("fit", *files, "--label-column", "species", "--method", method)
    code, out, err = run("export", "m.eulac", "--output", "m.onnx", "--json")
    assert (code, err) == (0, "")
    fresh = rows(np.arange(2000) % 4, np.random.default_rng(5))
    inputs = json.loads(out)["inputs"]
    given = {
        "X": fresh[inputs["X"]].to_numpy(dtype=float),
        "categories": fresh[inputs["categories"]].fillna("").to_numpy(dtype=object),
    }
    labels = runtime.InferenceSession("m.onnx").run(["label"], given)[0]
    assert np.mean(labels == eulac.load("m.eulac").predict(fresh)) >= 0.999


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


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_name_the_command(shell, run):
    code, out, _ = run("completion", shell)
    assert code == 0
    assert "_EULAC_COMPLETE" in out


def test_completion_offers_commands():
    code = "from eulac.cli.main import main; main()"
    result = subprocess.run(
        [sys.executable, "-c", code],
        env={"_EULAC_COMPLETE": "bash_complete", "COMP_WORDS": "eulac pre", "COMP_CWORD": "1"},
        capture_output=True,
        text=True,
    )
    assert result.stdout.split() == ["plain,predict"]


def test_help_imports_neither_scikit_learn_nor_pandas():
    code = (
        "import sys\nfrom eulac.cli.main import main\ntry:\n    main(['--help'])\n"
        "except SystemExit:\n    pass\n"
        "print(sorted({'sklearn', 'pandas', 'numpy', 'skops', 'rich'} & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.stdout.splitlines()[-1] == "[]"
    for name in COMMANDS:
        assert name in result.stdout


def test_every_method_is_a_public_class():
    assert set(METHODS.values()) <= set(eulac.__all__)
