import json
from pathlib import Path

import numpy as np
import pytest

import eulac
from cli.birds import rows

FIT = ("fit", "train.csv", "--unlabeled", "pool.csv", "--method", "stream", "--model", "s.eulac")


def write_batch(name, codes, seed):
    rows(np.asarray(codes), np.random.default_rng(seed)).drop(columns="species").to_csv(
        name, index=False
    )


@pytest.fixture
def stream(birds, run):
    write_batch("calm.csv", np.arange(80) % 4, 7)
    write_batch("odd.csv", [2] * 60, 8)
    code, _, err = run(*FIT)
    assert (code, err) == (0, "")


def test_a_stream_goes_on_from_its_file_and_leaves_metrics(stream, run):
    files = ("--metrics", "m.prom", "--output", "next.eulac")
    code, out, err = run("monitor", "s.eulac", "calm.csv", *files, "--name", "yard", "--json")
    assert (code, err) == (0, "")
    first = json.loads(out)["batches"][0]
    assert first["n_seen"] == 80
    text = Path("m.prom").read_text()
    assert text.startswith("# HELP eulac_")
    assert 'eulac_rows_seen_total{stream="yard"} 80\n' in text
    code, out, err = run("monitor", "next.eulac", "odd.csv", "--metrics", "m.prom", "--json")
    assert (code, err) == (0, "")
    then = json.loads(out)
    assert "eulac_rows_seen_total 140\n" in Path("m.prom").read_text()
    code, out, err = run("monitor", "s.eulac", "calm.csv", "odd.csv", "--json")
    assert json.loads(out)["batches"] == [first, then["batches"][0]]
    assert eulac.load("s.eulac").classifier.n_seen_ == 0


def test_an_alarm_is_told_in_words(stream, run):
    far = rows(np.zeros(80, int), np.random.default_rng(0)).drop(columns="species")
    far.assign(length=900.0, weight=80.0).to_csv("far.csv", index=False)
    code, out, _ = run("monitor", "s.eulac", "calm.csv", "far.csv")
    assert code == 0
    assert "Alarm, since far.csv" in " ".join(out.split())
    assert max(map(len, out.splitlines())) <= 80


def test_other_models_and_other_files_are_refused(stream, run):
    code, _, err = run("monitor", "birds.eulac", "calm.csv")
    assert code == 2
    assert "KernelEulacClassifier does not" in " ".join(err.split())
    code, _, err = run("monitor", "s.eulac", "calm.csv", "--metrics", "train.csv")
    assert code == 2
    assert "'train.csv' exists" in " ".join(err.split())
    code, _, err = run(*FIT[:-1], "t.eulac", "--known-proportion", "0.5")
    assert code == 2
    assert "does not belong to `--method stream`" in " ".join(err.split())
