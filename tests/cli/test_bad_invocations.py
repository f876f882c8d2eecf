"""A hundred wrong ways to call `eulac`: each ends in a sentence and an exit code, nothing else."""

import gzip
import io
import json
import os
import pickle
import resource
import zipfile
from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest

import eulac
from eulac.cli.main import COMMANDS
from persistence.forging import MANIFEST, MODEL, forged, members, packed

FIT = ("fit", "train.csv", "--unlabeled", "pool.csv", "--model", "new.eulac", "--method", "osnn")
PREDICT = ("predict", "birds.eulac", "pool.csv", "--output", "new.csv")
EVALUATE = ("evaluate", "birds.eulac", "test.csv")
ESTIMATE = ("estimate-error", "birds.eulac", "--labeled", "test.csv", "--unlabeled", "pool.csv")


def fit_on(train="train.csv", pool="pool.csv", *more):
    return ("fit", train, "--unlabeled", pool, "--model", "new.eulac", "--method", "osnn", *more)


def predict_on(table):
    return ("predict", "birds.eulac", table, "--output", "new.csv")


def predict_by(model):
    return ("predict", model, "pool.csv", "--output", "new.csv")


def config(name):
    return (*FIT, "--config", name)


# Arguments, exit code, and a piece of what must be said.
WRONG = {
    "no such command": (("predct",), 2, "predct"),
    "no such option": (("--verbose",), 2, "--verbose"),
    "fit: nothing": (("fit",), 2, "LABELED"),
    "fit: no model": (("fit", "train.csv"), 2, "--model"),
    "fit: unknown option": ((*FIT, "--epochs", "3"), 2, "--epochs"),
    "fit: a budget for one": (
        (*FIT, "--time-budget", "9"),
        2,
        "does not belong to `--method osnn`",
    ),
    "fit: no number": ((*FIT, "--time-budget", "nan"), 2, "a number of seconds greater than 0"),
    "fit: no time": ((*FIT, "--time-budget", "0"), 2, "greater than 0; got '0'"),
    "fit: a word for a time": ((*FIT, "--time-budget", "soon"), 2, "greater than 0; got 'soon'"),
    "fit: no such file": (fit_on("trian.csv"), 1, "Did you mean 'train.csv'?"),
    "fit: no such pool": (fit_on(pool="pol.csv"), 1, "Did you mean 'pool.csv'?"),
    "fit: a folder": (fit_on("folder"), 1, "is a folder"),
    "fit: wrong column": ((*FIT, "--label-column", "specie"), 2, "Did you mean 'species'?"),
    "fit: empty file": (fit_on("empty.csv"), 1, "0 bytes"),
    "fit: empty pool": (fit_on(pool="empty.csv"), 1, "0 bytes"),
    "fit: header only": (fit_on("header.csv"), 1, "at least one row"),
    "fit: binary garbage": (fit_on("garbage.csv"), 1, "garbage.csv"),
    "fit: garbage in parquet": (fit_on("garbage.parquet"), 1, "readable parquet file"),
    "fit: garbage in npz": (fit_on("garbage.npz"), 1, "readable npz file"),
    "fit: garbage in svm": (fit_on("garbage.svm"), 1, "readable svmlight file"),
    "fit: truncated parquet": (fit_on("cut.parquet"), 1, "readable parquet file"),
    "fit: no gzip": (fit_on("plain.csv.gz"), 1, "plain.csv.gz"),
    "fit: npz without X": (fit_on("no_x.npz"), 1, "must hold an array 'X'"),
    "fit: npz with objects": (fit_on("objects.npz"), 1, "readable npz file"),
    "fit: npz of other labels": (fit_on("short.npz"), 1, "one entry per row"),
    "fit: no such array": (fit_on("good.npz", "good.npz", "--label-column", "z"), 2, "'z'"),
    "fit: column of svm": (fit_on("good.svm", "good.svm", "--label-column", "z"), 2, "'z'"),
    "fit: unknown suffix": (fit_on("train.xls"), 1, "must end in one of"),
    "fit: no suffix": (fit_on("train"), 1, "must end in one of"),
    "fit: ragged rows": (fit_on("ragged.csv"), 1, "ragged.csv"),
    "fit: repeated columns": (fit_on("repeated.csv"), 1, "column names must differ"),
    "fit: unnamed column": (fit_on("unnamed.csv"), 1, "every column must have a name"),
    "fit: labels only": (fit_on("labels_only.csv"), 1, "at least one feature column"),
    "fit: no usual label": (fit_on("unusual.csv", "unusual.csv"), 2, "--label-column"),
    "fit: two usual labels": (fit_on("two.csv"), 2, "2 columns may be it"),
    "fit: all labels blank": (fit_on("blank.csv"), 1, "cells of column 'species'"),
    "fit: labels of -1": (fit_on("minus.csv"), 1, "-1 may mean 'unlabeled'"),
    "fit: a class called augmented": (fit_on("augmented.csv"), 1, "'augmented'"),
    "fit: one row": (fit_on("one_row.csv"), 1, "minimum of 2 is required"),
    "fit: one class": (fit_on("one_class.csv", "pool.csv", "--method", "evm"), 1, "1 class"),
    "fit: nothing usable": (fit_on("dates.csv", "dates_pool.csv"), 1, "none is"),
    "fit: infinite values": (
        fit_on("infinite.csv"),
        1,
        r"finite numbers; row 2 (counted from 0) of",
    ),
    "fit: two kinds": (fit_on(pool="texts.csv"), 1, "must be of one kind"),
    "fit: pool lacks a column": (fit_on(pool="narrow.csv"), 1, "it lacks 'weight'"),
    "fit: no unlabeled rows": (("fit", "train.csv", "--model", "new.eulac"), 2, "--unlabeled"),
    "fit: negative seed": ((*FIT, "--seed", "-1"), 2, "-1"),
    "fit: seed of text": ((*FIT, "--seed", "lucky"), 2, "'lucky'"),
    "fit: seed too large": ((*FIT, "--seed", str(2**40)), 2, "--seed"),
    "fit: no such method": ((*FIT, "--method", "magic"), 2, "'magic'"),
    "fit: drops nothing there": ((*FIT, "--drop", "wingspan"), 2, "lacks 'wingspan'"),
    "fit: a share in percent": ((*FIT, "--known-proportion", "74"), 2, "For 74 % write 0.74"),
    "fit: a share of text": ((*FIT, "--known-proportion", "half"), 2, "got 'half'"),
    "fit: labels as ids": ((*FIT, "--id-column", "species"), 2, "`--id-column` must be another"),
    "fit: one table twice": (fit_on(pool="train.csv"), 2, "`--unlabeled` must be another table"),
    "fit: another separator": ((*FIT, "--sep", ";"), 1, "or what separates cells (`--sep`)"),
    "fit: no such id": ((*FIT, "--id-column", "rings"), 2, "lacks 'rings'"),
    "promote: no such file": (
        ("promote", "birds.eulac", "non.json", "--unlabeled", "pool.csv", "--output", "n.eulac"),
        1,
        "'non.json' does not",
    ),
    "fit: too few unlabeled": ((*FIT, "--max-unlabeled", "1"), 2, "--max-unlabeled"),
    "fit: model exists": ((*FIT[:5], "birds.eulac"), 2, "--force"),
    "fit: model in no folder": ((*FIT[:5], "none/new.eulac"), 2, "'none' does not"),
    "fit: model is a folder": ((*FIT[:5], "folder"), 2, "is a folder"),
    "config: no such file": (config("none.toml"), 2, "readable file"),
    "config: a folder": (config("folder"), 2, "readable file"),
    "config: no TOML": (config("bad.toml"), 2, "must be a TOML file"),
    "config: binary": (config("garbage.csv"), 2, "must be a TOML file"),
    "config: unknown key": (config("unknown.toml"), 2, "Did you mean 'label-column'?"),
    "config: no table": (config("no_table.toml"), 2, "must be a table"),
    "config: several values": (config("several.toml"), 2, "must be one value"),
    "config: a wrong value": (config("wrong.toml"), 2, "'lucky'"),
    "predict: nothing": (("predict",), 2, "MODEL"),
    "predict: no table": (("predict", "birds.eulac"), 2, "TABLE"),
    "predict: no output": (("predict", "birds.eulac", "pool.csv"), 2, "--output"),
    "predict: no such model": (predict_by("none.eulac"), 1, "'none.eulac' does not"),
    "predict: a table as model": (predict_by("train.csv"), 1, "whole zip archive"),
    "predict: a folder as model": (predict_by("folder"), 1, "is a folder"),
    "predict: an empty model": (predict_by("empty.csv"), 1, "whole zip archive"),
    "predict: a truncated model": (predict_by("cut.eulac"), 1, "cut off"),
    "predict: a model from the future": (predict_by("future.eulac"), 1, "Update eulac"),
    "predict: a zip bomb": (predict_by("bomb.eulac"), 1, "stored as they are"),
    "predict: another zip": (predict_by("good.npz"), 1, "stored as they are"),
    "predict: a pickle": (predict_by("model.pkl"), 1, "whole zip archive"),
    "predict: a model with a function": (predict_by("forged.eulac"), 1, "os.system"),
    "predict: a model without columns": (predict_by("bare.eulac"), 1, "OsnnClassifier"),
    "predict: a damaged model": (predict_by("damaged.eulac"), 1, "damaged"),
    "predict: no such table": (predict_on("none.csv"), 1, "'none.csv' does not exist"),
    "predict: a folder": (predict_on("folder"), 2, "must hold .parquet files"),
    "predict: an empty table": (predict_on("empty.csv"), 1, "0 bytes"),
    "predict: header only": (predict_on("header.csv"), 1, "at least one row"),
    "predict: garbage": (predict_on("garbage.csv"), 1, "garbage.csv"),
    "predict: garbage in parquet": (predict_on("garbage.parquet"), 1, "readable parquet file"),
    "predict: ragged rows": (predict_on("ragged.csv"), 1, "ragged.csv"),
    "predict: lacks a column": (predict_on("narrow.csv"), 1, "it lacks 'weight'"),
    "predict: npz of other columns": (predict_on("good.npz"), 1, "it lacks 'length'"),
    "predict: texts for numbers": (predict_on("texts.csv"), 1, "'length' must hold finite numb"),
    "predict: texts for flags": (
        predict_on("flags.csv"),
        1,
        "must hold true or false; row 0 (counted from 0)",
    ),
    "predict: infinite values": (
        predict_on("infinite.csv"),
        1,
        "row 2 (counted from 0) of infinite.csv",
    ),
    "predict: keeps nothing there": ((*PREDICT, "--keep", "ring"), 2, "lacks 'ring'"),
    "predict: keeps an answer": (
        (*predict_on("labels.csv"), "--keep", "label"),
        2,
        "must not be named as an answer",
    ),
    "predict: output exists": ((*PREDICT[:4], "train.csv"), 2, "--force"),
    "predict: output in no folder": ((*PREDICT[:4], "none/new.csv"), 2, "'none' does not"),
    "predict: output is a folder": ((*PREDICT[:4], "folder"), 2, "is a folder"),
    "predict: output of no format": ((*PREDICT[:4], "new.doc"), 1, "must end in one of"),
    "predict: text labels in svm": ((*PREDICT[:4], "new.svm"), 1, "need a number as label"),
    "evaluate: nothing": (("evaluate",), 2, "MODEL"),
    "evaluate: no such table": ((*EVALUATE[:2], "none.csv"), 1, "does not exist"),
    "evaluate: wrong column": ((*EVALUATE, "--label-column", "specie"), 2, "Did you mean"),
    "evaluate: labels never seen": (
        (*EVALUATE, "--label-column", "color"),
        1,
        "at least one label must be known",
    ),
    "evaluate: blank labels": ((*EVALUATE[:2], "blank.csv"), 1, "are blank"),
    "evaluate: lacks a column": ((*EVALUATE[:2], "narrow_test.csv"), 1, "it lacks 'weight'"),
    "estimate-error: labeled only": (ESTIMATE[:4], 2, "--unlabeled"),
    "estimate-error: batches of a model without held-out rows": (
        ("estimate-error", "osnn.eulac", "pool.csv"),
        1,
        "OsnnClassifier keeps none",
    ),
    "estimate-error: a class missing": (
        (*ESTIMATE[:3], "one_class.csv", *ESTIMATE[4:]),
        1,
        "there are none of ['owl', 'tit']",
    ),
    "estimate-error: none stored": (("estimate-error", "osnn.eulac"), 1, "does not estimate"),
    "fit: a misspelled method": ((*fit_on("train.csv"), "--method", "kernal"), 2, "mean 'kernel'"),
    "export: a folder": (("export", "birds.eulac", "--output", "."), 2, "is a folder"),
    "export: no kernel": (("export", "osnn.eulac", "--output", "n.onnx"), 1, "OsnnClassifier"),
    "export: no output": (("export", "birds.eulac"), 2, "--output"),
    "export: output exists": (("export", "birds.eulac", "--output", "train.csv"), 2, "--force"),
    "completion: no shell": (("completion",), 2, "bash"),
    "completion: another shell": (("completion", "cmd"), 2, "'cmd'"),
    "data: no such dataset": (("data", "fetch", "mnits"), 1, "Did you mean 'mnist'?"),
    "proportion: no such id": (
        ("proportion", "train.csv", "--unlabeled", "pool.csv", "--id-column", "rinq"),
        2,
        "lacks 'rinq'",
    ),
    "report: no such id": (
        (
            "report",
            "birds.eulac",
            "--data",
            "pool.csv",
            "--output",
            "n.html",
            "--id-column",
            "rinq",
        ),
        2,
        "lacks 'rinq'",
    ),
    "proportion: no such file": (("proportion", "none.csv"), 1, "does not exist"),
    "demo: seed of text": (("demo", "--seed", "lucky"), 2, "'lucky'"),
}


@pytest.fixture(scope="module")
def workshop(fitted_birds, tmp_path_factory):
    """Return a folder with everything that can be wrong."""
    folder = tmp_path_factory.mktemp("workshop")
    for path in fitted_birds[0].iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    (folder / "folder").mkdir()
    write_tables(folder)
    write_configs(folder)
    write_models(folder)
    return folder


def write_tables(folder):
    train, pool = pd.read_csv(folder / "train.csv"), pd.read_csv(folder / "pool.csv")
    tables = {
        "header": train[:0],
        "labels_only": train[["species"]],
        "unusual": train.rename(columns={"species": "bird"}),
        "two": train.assign(label=1),
        "blank": train.assign(species=None),
        "minus": train.assign(species=-1),
        "augmented": train.assign(species=train["species"].replace("hen", "augmented")),
        "one_row": train[:1],
        "one_class": train[train["species"] == "hen"],
        "dates": train[["seen", "species"]],
        "dates_pool": train[["seen"]],
        "infinite": train.assign(length=train["length"].where(train.index != 2, np.inf)),
        "texts": pool.assign(length="long"),
        "flags": pool.assign(wild="maybe"),
        "narrow": pool.drop(columns="weight"),
        "narrow_test": train.drop(columns="weight"),
        "labels": pool.assign(label="x"),
    }
    for name, frame in tables.items():
        frame.to_csv(folder / f"{name}.csv", index=False)
    garbage = np.random.default_rng(0).bytes(2000)
    for suffix in ("csv", "parquet", "npz", "svm"):
        (folder / f"garbage.{suffix}").write_bytes(garbage)
    (folder / "empty.csv").touch()
    (folder / "train").write_bytes(b"a,b\n1,2\n")
    (folder / "train.xls").write_bytes(garbage)
    (folder / "plain.csv.gz").write_bytes((folder / "train.csv").read_bytes())
    (folder / "ragged.csv").write_bytes((folder / "train.csv").read_bytes() + b"1,2,3,4,5,6,7,8\n")
    (folder / "repeated.csv").write_text("a,a,species\n1,2,hen\n3,4,owl\n")
    (folder / "unnamed.csv").write_text(",a,species\n1,2,hen\n3,4,owl\n")
    train.to_parquet(folder / "whole.parquet")
    content = (folder / "whole.parquet").read_bytes()
    (folder / "cut.parquet").write_bytes(content[: len(content) // 2])
    X, y = np.eye(6), np.arange(6) % 2
    np.savez_compressed(folder / "good.npz", X=X, y=y)
    np.savez(folder / "no_x.npz", Z=X)
    np.savez(folder / "short.npz", X=X, y=y[:3])
    np.savez(folder / "objects.npz", X=np.array([[print]], dtype=object))
    (folder / "good.svm").write_text("0 1:1.0 2:2.0\n1 1:3.0 2:1.0\n" * 5)


def write_configs(folder):
    texts = {
        "bad": "[fit\n",
        "unknown": '[fit]\nlabel-colum = "species"\n',
        "no_table": "fit = 3\n",
        "several": "[fit]\nseed = [1, 2]\n",
        "wrong": '[fit]\nseed = "lucky"\n',
    }
    for name, text in texts.items():
        (folder / f"{name}.toml").write_text(text)


def write_models(folder):
    content = (folder / "birds.eulac").read_bytes()
    (folder / "cut.eulac").write_bytes(content[: len(content) // 2])
    damaged = bytearray(content)
    damaged[len(content) // 2] ^= 1
    (folder / "damaged.eulac").write_bytes(damaged)
    parts = members(content)
    said = json.loads(parts[MANIFEST]) | {"format_version": 2**30}
    (folder / "future.eulac").write_bytes(packed({**parts, MANIFEST: json.dumps(said).encode()}))
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(MANIFEST, parts[MANIFEST])
        archive.writestr(MODEL, bytes(10**7))
    (folder / "bomb.eulac").write_bytes(stream.getvalue())
    (folder / "model.pkl").write_bytes(pickle.dumps({"model": print}))
    (folder / "forged.eulac").write_bytes(content)
    attack = {"__class__": "system", "__module__": "os", "__loader__": "FunctionNode"}
    forged(
        folder / "forged.eulac",
        lambda schema, parts: schema["content"]["content"].update(classifier=attack),
    )
    X, y = np.array([[0.0], [0.1], [5.0], [5.1]]), [0, 0, 1, 1]
    bare = eulac.OsnnClassifier(ratio=0.8).fit(X, y)
    eulac.save(bare, folder / "bare.eulac")
    model = eulac.load(folder / "birds.eulac")
    eulac.save(with_classifier(model), folder / "osnn.eulac")


def with_classifier(model):
    from dataclasses import replace

    clf = eulac.OsnnClassifier(ratio=0.8).fit(model.X_labeled, model.y_labeled)
    return replace(model, classifier=clf)


def contents(folder):
    return {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}


def assert_refused(outcome, code, piece):
    got, out, err = outcome
    assert piece in " ".join(err.split()), err
    assert got == code
    assert "Traceback" not in err
    assert out == ""
    message = err[err.index("Error:") :]
    assert message.strip().count(" ") >= 3
    assert len(message) < 1000


@pytest.mark.parametrize(("arguments", "code", "piece"), WRONG.values(), ids=WRONG)
def test_wrong_invocations_say_so(arguments, code, piece, workshop, monkeypatch, run):
    if arguments[0] == "export" and piece == "OsnnClassifier":
        pytest.importorskip("onnx", reason="needs the extra `onnx`, which is missed first")
    monkeypatch.chdir(workshop)
    before = contents(workshop)
    assert_refused(run(*arguments), code, piece)
    assert contents(workshop) == before


def test_there_are_a_hundred_of_them():
    assert len(WRONG) >= 100
    assert {arguments[0] for arguments, _, _ in WRONG.values()} >= {"fit", "predict", "evaluate"}
    assert {"fit", "predict", "evaluate", "estimate-error", "export"} <= set(COMMANDS)


@contextmanager
def quota(n_bytes):
    """Let no file grow beyond some bytes, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize(
    "arguments", [FIT, PREDICT, (*PREDICT[:4], "new.parquet"), (*PREDICT[:4], "new.npz")]
)
def test_a_full_disk_leaves_nothing_behind(arguments, workshop, monkeypatch, run):
    monkeypatch.chdir(workshop)
    before = contents(workshop)
    with quota(2000):
        outcome = run(*arguments)
    assert_refused(outcome, 1, "File too large")
    assert contents(workshop) == before


@contextmanager
def nobody():
    """Be somebody without rights, if root."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


# The target of a fit is looked at before anything is read: wrong usage.
@pytest.mark.parametrize(("arguments", "code"), [(FIT, 2), (PREDICT, 1), (EVALUATE, 1)])
def test_missing_permissions_are_said(arguments, code, workshop, monkeypatch, run, tmp_path):
    for name in ("train.csv", "pool.csv", "test.csv", "birds.eulac"):
        (tmp_path / name).write_bytes((workshop / name).read_bytes())
        (tmp_path / name).chmod(0)
    monkeypatch.chdir(tmp_path)
    with nobody():
        outcome = run(*arguments)
    assert_refused(outcome, code, "ermission denied")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        ["train.csv", "pool.csv", "test.csv", "birds.eulac"]
    )


def test_a_gzip_that_ends_early_is_refused(workshop, monkeypatch, run):
    monkeypatch.chdir(workshop)
    content = gzip.compress((workshop / "pool.csv").read_bytes())
    (workshop / "early.csv.gz").write_bytes(content[: len(content) // 2])
    assert_refused(run(*predict_on("early.csv.gz")), 1, "early.csv.gz")
    assert not (workshop / "new.csv").exists()
