"""`eulac predict`: the same answers from and to every format, columns matched by name."""

import json

import numpy as np
import pandas as pd
import pytest

import eulac
from eulac.data.tables import as_table, read_table, write_table
from eulac.report.findings import answer_pool
from eulac.tables.pool_table import read_pool_table


def test_predict_writes_what_the_model_says(birds, run):
    frame = pd.read_csv("pool.csv")
    frame["length"] += 0.01  # other rows than those of the fit
    frame.to_csv("fresh.csv", index=False)
    code, out, err = run("predict", "birds.eulac", "fresh.csv", "--output", "answers.csv")
    assert (code, err) == (0, "")
    assert "160 rows answered" in out
    assert "rows of the fit" not in out
    answers, model = pd.read_csv("answers.csv"), eulac.load("birds.eulac")
    assert answers["label"].tolist() == model.predict(frame).tolist()
    columns = [f"p_{label}" for label in model.classes_]
    np.testing.assert_allclose(answers[columns], model.predict_proba(frame), atol=1e-3)
    scores = model.augmented_score(frame)
    np.testing.assert_array_equal(answers["augmented_score"] > 0, scores > 0)
    np.testing.assert_allclose(
        answers["augmented_score"], model.classifier.model_.rule.sharpness * scores, atol=2e-2
    )
    truth = pd.read_csv("test.csv")["species"].replace("swan", "augmented")
    assert (answers["label"] == truth).mean() > 0.9


def predicted(run, table):
    """Return the answers to a table, and what was printed."""
    arguments = "--output", "answers.csv", "--force", "--json"
    code, out, err = run("predict", "birds.eulac", table, *arguments)
    assert (code, err) == (0, "")
    return pd.read_csv("answers.csv"), json.loads(out)


def test_rows_of_the_fit_are_answered_by_models_that_have_not_seen_them(birds, run):
    classifier = eulac.load("birds.eulac").classifier
    pool = pd.read_csv("pool.csv")
    held_out = classifier.held_out_labels_[classifier.held_out_codes_ == -1]
    answers, said = predicted(run, "pool.csv")
    assert (said["n_rows"], said["n_held_out"]) == (160, 160)
    assert answers["label"].tolist() == held_out.tolist()
    np.testing.assert_array_equal(answers["augmented_score"] > 0, held_out == "augmented")
    _, out, _ = run("predict", "birds.eulac", "pool.csv", "--output", "again.csv")
    out = " ".join(out.split())
    assert "160 of 160 rows are unlabeled rows of the fit, or equal to some: answered" in out
    # A part of them in another order, some twice, beside rows that are not of the fit.
    order = np.random.default_rng(0).permutation(160)[:90]
    order = np.append(order, order[:10])
    fresh = pool[:30].assign(length=pool["length"][:30] + 0.01)
    pd.concat([pool.iloc[order], fresh]).to_csv("mixed.csv", index=False)
    answers, said = predicted(run, "mixed.csv")
    assert (said["n_rows"], said["n_held_out"]) == (130, 100)
    assert answers["label"][:100].tolist() == held_out[order].tolist()


def test_fit_predict_and_the_page_tell_the_same_share_of_new_rows(birds, run):
    classifier = eulac.load("birds.eulac").classifier
    low, high = classifier.proportion_.augmented_interval
    _, said = predicted(run, "pool.csv")
    assert low <= said["counts"]["augmented"] / 160 <= high
    assert said["counts"]["augmented"] / 160 == classifier.model_.answer_shares[-1]
    arguments = "report", "birds.eulac", "--data", "pool.csv", "--folds", "0", "--json"
    arguments += "--map", "pca", "--groups", "1"
    code, out, _ = run(*arguments)
    assert (code, json.loads(out)["n_held_out"]) == (0, 160)
    page = answer_pool(classifier, read_pool_table(eulac.load("birds.eulac"), "pool.csv").X)
    assert len(page.new) == said["counts"]["augmented"]


@pytest.mark.parametrize("suffix", ["csv", "xlsx"])
def test_text_that_looks_like_a_formula_is_quoted_on_request(suffix, birds, run):
    if suffix == "xlsx":
        pytest.importorskip("openpyxl", reason="needs the extra `excel`")
    pool = pd.read_csv("pool.csv").head(20).assign(note="=1+1", change="-5", **{"+more": "owl"})
    pool.to_csv("noted.csv", index=False)
    keep = [word for name in ("note", "change", "+more") for word in ("--keep", name)]
    command = ("predict", "birds.eulac", "noted.csv", "--output", f"answers.{suffix}", *keep)
    assert run(*command, "--quote-formulas")[0] == 0
    read = pd.read_csv if suffix == "csv" else pd.read_excel
    answers = read(f"answers.{suffix}", dtype=str)
    assert list(answers.columns[:4]) == ["note", "change", "'+more", "label"]
    assert set(answers["note"]) == {"'=1+1"}
    assert set(answers["change"]) == {"-5"}
    assert run(*command, "--force")[0] == 0
    if suffix == "csv":
        assert set(pd.read_csv("answers.csv", dtype=str)["note"]) == {"=1+1"}


def test_a_model_that_forgot_its_pool_answers_as_for_any_row(birds, run):
    model = eulac.load("birds.eulac")
    eulac.save(model, "birds.eulac", overwrite=True, keep_pool=False)
    answers, said = predicted(run, "pool.csv")
    assert said["n_held_out"] == 0
    assert (
        answers["label"].tolist()
        == eulac.load("birds.eulac").predict(pd.read_csv("pool.csv")).tolist()
    )


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
        write_table(as_table(frame, label_column="label"), f"{name}.{suffix}")
    arguments = ("fit", f"train.{suffix}", "--unlabeled", f"pool.{suffix}", "--model", "m.eulac")
    code, _, err = run(*arguments, "--method", "osnn")
    assert (code, err) == (0, "")
    code, _, err = run("predict", "m.eulac", f"pool.{suffix}", "--output", f"answers.{suffix}")
    assert (code, err) == (0, "")
    answers = read_table(f"answers.{suffix}")
    model = eulac.load("m.eulac")
    assert answers.labels.tolist() == model.predict(read_table(f"pool.{suffix}").features).tolist()


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
    assert run("predict", "birds.eulac", "pool.csv", "--output", "whole.csv")[0] == 0
    monkeypatch.setattr("eulac.data.row_chunks.CHUNK_ROWS", 7)
    assert run("predict", "birds.eulac", "pool.csv", "--output", "pieces.csv")[0] == 0
    assert (birds / "pieces.csv").read_text() == (birds / "whole.csv").read_text()


def test_alpha_adds_selected_rows_and_their_p_values(birds, run):
    given = ("predict", "birds.eulac", "pool.csv", "--output", "selected.csv", "--json")
    code, out, err = run(*given, "--alpha", "0.2")
    assert (code, err) == (0, "")
    answers, told = pd.read_csv("selected.csv"), json.loads(out)
    assert told["alpha"] == 0.2
    assert told["n_selected_new"] == answers["selected_new"].sum() > 0
    chosen = answers["new_p_value"][answers["selected_new"]]
    assert chosen.max() < answers["new_p_value"][~answers["selected_new"]].min()
    truth = pd.read_csv("test.csv")["species"] == "swan"
    assert (~truth[answers["selected_new"]]).mean() < 0.4


def test_alpha_is_a_share(birds, run):
    code, _, err = run(
        "predict", "birds.eulac", "pool.csv", "--output", "other.csv", "--alpha", "2"
    )
    assert code == 2
    assert "must be a share from 0 to 1; got '2'" in " ".join(err.split())


def test_a_folder_of_parquet_files_is_answered_file_by_file(birds, run):
    frame = pd.read_csv("test.csv")
    (birds / "rows").mkdir()
    for name, part in {"monday": frame[:90], "tuesday": frame[90:]}.items():
        part.to_parquet(f"rows/{name}.parquet")
    command = "predict", "birds.eulac", "rows", "--output", "answers", "--keep", "species"
    code, out, err = run(*command)
    assert (code, err) == (0, "")
    assert "160 rows of 2 files answered: answers" in out
    answers = pd.concat(pd.read_parquet(f"answers/{n}.parquet") for n in ("monday", "tuesday"))
    assert answers["species"].tolist() == frame["species"].tolist()
    run("predict", "birds.eulac", "test.csv", "--output", "table.csv")
    assert answers["label"].tolist() == pd.read_csv("table.csv")["label"].tolist()
    code, out, _ = run(*command, "--json")
    assert (code, json.loads(out)["n_skipped"]) == (0, 2)
    code, out, _ = run(*command[:-2])
    assert code == 2
    code, out, _ = run(*command, "--force", "--json")
    assert (code, json.loads(out)["n_skipped"]) == (0, 0)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--output", "out", "--alpha", "0.1"), "`--alpha` takes one table, not a folder"),
        (("--output", "out", "--reasons"), "`--reasons` takes one table, not a folder"),
        (("--output", "-"), "`--output` is '-'"),
        (("--output", "pool.csv"), "`--output` is 'pool.csv'"),
    ],
)
def test_what_takes_one_table_is_refused_for_a_folder(birds, run, options, said):
    (birds / "rows").mkdir()
    code, _, err = run("predict", "birds.eulac", "rows", *options)
    assert code == 2
    assert said in " ".join(err.split())
