"""Tables as people have them: semicolons, sheets, pipes, ids, dates, and doubtful labels."""

import io
import json
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import eulac

OSNN = ("--method", "osnn", "--json", "--force", "--model", "m.eulac")


def said_by(run, *arguments):
    code, out, err = run(*arguments)
    assert (code, err) == (0, "")
    return json.loads(out)


def answers(run, table, *options):
    run("predict", "birds.eulac", table, "--output", "out.csv", "--force", *options)
    return pd.read_csv("out.csv")


def test_a_semicolon_file_with_decimal_commas_is_read_as_it_is_meant(birds, run):
    for name in ("train", "pool"):
        frame = pd.read_csv(f"{name}.csv").replace("brown", "bräunlich")
        frame.to_csv(f"{name}2.csv", sep=";", decimal=",", index=False, encoding="latin-1")
    said = said_by(run, "fit", "train2.csv", "--unlabeled", "pool2.csv", *OSNN)
    assert (said["label_column"], said["columns"]["weight"]) == ("species", "number")
    assert any("train2.csv is read with ';' between cells" in note for note in said["notes"])
    plain = said_by(run, "fit", "train.csv", "--unlabeled", "pool.csv", *OSNN)
    assert plain["n_features"] == said["n_features"]
    assert not any("is read with" in note for note in plain["notes"])


def test_separators_can_be_told_and_wrong_ones_are_refused(birds, run):
    pd.read_csv("pool.csv").to_csv("pool2.csv", sep="^", index=False)
    told = answers(run, "pool2.csv", "--sep", "^", "--decimal", ".", "--encoding", "utf-8")
    assert told["label"].tolist() == answers(run, "pool.csv")["label"].tolist()
    code, _, err = run("predict", "birds.eulac", "pool2.csv", "--output", "x.csv", "--sep", "^^")
    assert code == 2
    assert "`--sep` must be one character" in " ".join(err.split())


@pytest.mark.parametrize("suffix", ["xlsx", "jsonl"])
def test_sheets_and_json_lines_get_the_same_answers(birds, run, suffix):
    frame = pd.read_csv("pool.csv")
    if suffix == "xlsx":
        pytest.importorskip("openpyxl", reason="needs the extra `excel`")
        frame.to_excel("pool.xlsx", index=False)
    else:
        frame.to_json("pool.jsonl", orient="records", lines=True, double_precision=15)
    other, plain = answers(run, f"pool.{suffix}"), answers(run, "pool.csv")
    assert other["label"].tolist() == plain["label"].tolist()
    code, _, err = run("predict", "birds.eulac", "pool.csv", "--output", f"answers.{suffix}")
    assert (code, err) == (0, "")


def test_wrong_usage_leaves_no_copy_of_what_came_through_a_pipe(
    birds, run, monkeypatch, tmp_path_factory
):
    folder = tmp_path_factory.mktemp("temporary")
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    for more in ((), ("--output", "a.csv", "--alpha", "7")):  # none, and one that is wrong
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a,b\n1,2\n")))
        code, _, _ = run("predict", "birds.eulac", "-", *more)
        assert code == 2
        assert list(folder.iterdir()) == []


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_rows_come_in_and_answers_go_out_through_pipes(birds, run, kind, monkeypatch):
    frame = pd.read_csv("pool.csv")
    text = frame.to_csv(index=False, sep=";")
    if kind == "jsonl":
        text = frame.to_json(orient="records", lines=True, double_precision=15)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    code, out, err = run("predict", "birds.eulac", "-", "--output", "-")
    assert code == 0
    assert "160 rows answered" in err
    assert not list(Path(tempfile.gettempdir()).glob("eulac-*/standard_input*"))
    printed = pd.read_csv(io.StringIO(out))
    assert printed["label"].tolist() == answers(run, "pool.csv")["label"].tolist()


def test_an_empty_pipe_is_wrong_usage(birds, run, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    code, _, err = run("evaluate", "birds.eulac", "-")
    assert code == 2
    assert "standard input, which is empty" in " ".join(err.split())


def test_ids_are_no_features_and_are_carried_to_answers_and_pages(birds, run):
    for name in ("train", "pool"):
        frame = pd.read_csv(f"{name}.csv")
        frame.insert(0, "ring", [f"{name[0]}{i}" for i in range(len(frame))])
        frame.to_csv(f"{name}.csv", index=False)
    fit = ("fit", "train.csv", "--unlabeled", "pool.csv", "--id-column", "ring")
    said = said_by(run, *fit, "--method", "kernel", "--json", "--force", "--model", "birds.eulac")
    assert "ring" not in said["columns"]
    assert "identifies rows" in said["ignored"]["ring"]
    assert not any("ring" in note for note in said["notes"])
    answered = answers(run, "pool.csv")
    assert answered["ring"].tolist() == [f"p{i}" for i in range(160)]
    assert "ring" not in answers(run, "test.csv")  # where a table has no ids, none are copied
    code, _, err = run("review", "birds.eulac", "--data", "pool.csv", "--output", "page.html")
    assert (code, err) == (0, "")
    page = (birds / "page.html").read_text()
    new = answered.loc[answered["label"] == "augmented", "ring"]
    assert sum(f">{ring}<" in page for ring in new) >= 3
    code, _, err = run(*fit[:-1], "rink", "--method", "osnn", "--model", "x.eulac")
    assert code == 2
    assert "must have the column of ids; it lacks 'rink'" in " ".join(err.split())


def test_a_share_that_is_known_is_taken(birds, run):
    fit = ("fit", "train.csv", "--unlabeled", "pool.csv", "--method", "kernel", "--json")
    said = said_by(run, *fit, "--known-proportion", "0.75", "--model", "k.eulac")
    assert said["known_proportion"] == 0.75
    code, _, err = run(*fit, "--known-proportion", "1.5", "--model", "l.eulac")
    assert code == 2
    assert "must be a share from 0 to 1; got '1.5'" in " ".join(err.split())
    code, out, _ = run(*fit[:-1], "--known-proportion", "0.75", "--model", "m.eulac")
    assert code == 0
    assert "75.0 % of the unlabeled rows are of known classes, as given" in out


def test_sentences_are_left_out_with_a_warning(birds, run):
    for name in ("train", "pool"):
        frame = pd.read_csv(f"{name}.csv")
        frame["seen"] = [f"it sat on tree {i} of {name}" for i in range(len(frame))]
        frame.to_csv(f"{name}.csv", index=False)
    said = said_by(run, "fit", "train.csv", "--unlabeled", "pool.csv", *OSNN)
    assert "of several words each" in said["ignored"]["seen"]
    assert any("Column 'seen' holds sentences" in text for text in said["warnings"])


def test_standard_input_is_called_by_its_name(birds, run, monkeypatch):
    text = pd.read_csv("train.csv").to_csv(index=False).encode()
    for arguments in (("--label-column", "specie"), ()):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
        code, out, err = run("fit", "-", *arguments, "--method", "linear", "--model", "n.eulac")
        assert code == 2  # a wrong column, and no unlabeled rows
        assert "standard input" in err
        assert "standard_input" not in out + err


def test_unfamiliar_values_are_told(birds, run):
    frame = pd.read_csv("pool.csv").assign(color="purple", length=lambda f: f["length"] + 900)
    frame.to_csv("odd.csv", index=False)
    said = said_by(run, "predict", "birds.eulac", "odd.csv", "--output", "o.csv", "--json")
    assert any("'color': 160 of 160 rows have a value" in text for text in said["warnings"])
    assert any("'length': 160 of 160 rows lie outside" in text for text in said["warnings"])
    calm = said_by(run, "predict", "birds.eulac", "pool.csv", "--output", "c.csv", "--json")
    assert calm["warnings"] == []


def test_dates_are_features(birds, run):
    rng = np.random.default_rng(0)
    for name in ("train", "pool"):
        frame = pd.read_csv(f"{name}.csv")
        days = pd.to_datetime("2026-01-01") + pd.to_timedelta(rng.integers(0, 365, len(frame)), "D")
        frame.assign(seen=days.strftime("%d.%m.%Y")).to_csv(f"{name}.csv", index=False)
    said = said_by(run, "fit", "train.csv", "--unlabeled", "pool.csv", *OSNN)
    assert said["columns"]["seen"] == "date"
    model = eulac.load("m.eulac")
    assert {"seen (days)", "seen (month)", "seen (weekday)"} <= set(model.columns.feature_names)


def test_reasons_stand_beside_new_rows_only(birds, run):
    answered = answers(run, "pool.csv", "--reasons")
    is_new = answered["label"] == "augmented"
    assert answered.loc[~is_new, "reasons"].isna().all()
    swans = pd.read_csv("test.csv")["species"] == "swan"
    assert answered.loc[swans, "reasons"].str.contains(r"length 1\d\d").mean() > 0.9
    said = said_by(
        run, "predict", "birds.eulac", "pool.csv", "--output", "r.csv", "--reasons", "--json"
    )
    assert said["new_by_column"]["length"] >= 40


def test_a_separator_that_does_not_fit_is_the_first_thing_to_check(birds, run):
    pd.read_csv("train.csv").to_csv("s.csv", sep=";", decimal=",", index=False)
    given = ("fit", "s.csv", "--unlabeled", "pool.csv", "--label-column", "species")
    code, _, err = run(*given, "--sep", ",", "--model", "s.eulac")
    assert code == 1
    assert "s.csv must be a readable text file" in err
    assert "Check what separates its cells, that the suffix fits" in " ".join(err.split())


def test_doubtful_labels_are_told_and_listed(birds, run):
    frame = pd.read_csv("train.csv")
    wrong = [4, 60, 110]
    frame.loc[wrong, "species"] = frame.loc[wrong, "species"].replace(
        {"owl": "tit", "hen": "owl", "tit": "hen"}
    )
    frame.to_csv("train.csv", index=False)
    fit = ("fit", "train.csv", "--unlabeled", "pool.csv", "--method", "kernel")
    code, out, err = run(*fit, "--model", "w.eulac", "--label-errors", "doubted.csv")
    assert (code, err) == (0, "")
    doubted = pd.read_csv("doubted.csv")
    assert f"Labels of {len(doubted)} of 120 rows may be wrong" in " ".join(out.split())
    assert len(doubted) >= 2
    assert set(doubted["row"]) <= set(wrong)  # from 0, as in Python and in reviews
    assert (doubted["label"] == frame["species"][doubted["row"]].to_numpy()).all()
    assert f"First of all row {doubted['row'][0]} (counted from 0), labeled" in " ".join(
        out.split()
    )


def test_methods_that_hold_nothing_out_say_so(birds, run):
    fit = ("fit", "train.csv", "--unlabeled", "pool.csv", "--method", "osnn", "--model", "o.eulac")
    code, _, err = run(*fit, "--label-errors", "doubted.csv")
    assert code == 1
    assert "`--label-errors` needs a method that holds out rows" in " ".join(err.split())


def test_evaluate_shows_which_classes_are_confused(birds, run):
    said = said_by(run, "evaluate", "birds.eulac", "test.csv", "--json")
    counts = np.array(said["confusion"])
    assert counts.shape == (4, 4)
    assert counts.sum(axis=1).tolist() == [40, 40, 40, 40]
    assert np.trace(counts) / counts.sum() == said["accuracy"]
    out = run("evaluate", "birds.eulac", "test.csv")[1]
    assert "→ augmented" in out
