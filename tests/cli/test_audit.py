"""Scores of a deployed classifier in two files: shares, error and answers from the command line."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

KINDS = np.array(["hen", "robin", "sparrow", "swan"])


def scores_of(kinds, rng, odd=5.0):
    """A column per known kind, in an order of its own, and one of oddness; swans are new."""
    means = np.vstack([4.0 * np.eye(3), np.zeros(3)])
    codes = np.searchsorted(KINDS, kinds)
    powers = np.exp(rng.normal(means[codes]))
    frame = pd.DataFrame(powers / powers.sum(axis=1, keepdims=True), columns=KINDS[:3])
    return frame[["sparrow", "hen", "robin"]].assign(distance=rng.normal(odd * (codes == 3)))


@pytest.fixture
def tables(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    labeled, pool = rng.choice(KINDS[:3], 300), np.resize(KINDS[[0, 1, 2, 3, 3]], 500)
    scores_of(labeled, rng).assign(species=labeled).to_csv("labeled.csv", index=False)
    ids = [f"row{i}" for i in range(500)]
    scores_of(pool, rng).assign(id=ids).to_csv("pool.csv", index=False)
    return pool


def test_ids_that_look_like_formulas_are_quoted_on_request(tables, run):
    for name in ("labeled.csv", "pool.csv"):
        frame = pd.read_csv(name)
        ids = [f"@SUM(A{i})" for i in range(len(frame))]
        frame.assign(id=ids).to_csv(name, index=False)
    command = ("audit", "labeled.csv", "pool.csv", "--oddness-column", "distance")
    options = ("--id-column", "id", "--known-proportion", "0.6", "--output", "answers.csv")
    assert run(*command, *options, "--quote-formulas")[0] == 0
    assert set(pd.read_csv("answers.csv")["id"].str[:2]) == {"'@"}


def test_shares_error_and_answers_of_a_pool(tables, run):
    options = ("--oddness-column", "distance", "--id-column", "id", "--output", "answers.csv")
    labeled = pd.read_csv("labeled.csv")
    labeled.assign(id=np.arange(len(labeled))).to_csv("labeled.csv", index=False)
    code, out, err = run("audit", "labeled.csv", "pool.csv", *options, "--json")
    assert (code, err) == (0, "")
    said = json.loads(out)
    assert abs(said["known_proportion"] - 0.6) < 0.05
    assert said["known_proportion_interval"][0] <= 0.6 <= said["known_proportion_interval"][1]
    assert [one["label"] for one in said["classes"]] == ["hen", "robin", "sparrow", "augmented"]
    assert [one["score_column"] for one in said["classes"][:3]] == ["hen", "robin", "sparrow"]
    assert sum(one["unlabeled_share"] for one in said["classes"]) == pytest.approx(1.0)
    answers = pd.read_csv("answers.csv")
    assert list(answers["id"]) == [f"row{i}" for i in range(500)]
    error = np.mean(answers["label"] != np.where(tables == "swan", "augmented", tables))
    assert said["estimated_error_interval"][0] <= error <= said["estimated_error_interval"][1]
    assert error < 0.1


def test_what_is_printed_names_every_quantity(tables, run):
    pool = ("pool.csv", "--oddness-column", "distance")
    code, out, err = run("audit", "labeled.csv", *pool, "--label-column", "species")
    assert (code, err) == (0, "")
    for words in ("Known share of the pool:", "Estimated error", "share of pool", "augmented"):
        assert words in out
    assert not Path("answers.csv").exists()


def test_a_useless_score_is_said_to_be_one(tables, run):
    frame = pd.read_csv("labeled.csv")
    frame.drop(columns="species").to_csv("pool.csv", index=False)
    said = json.loads(run("audit", "labeled.csv", "pool.csv", "--drop", "distance", "--json")[1])
    assert said["weak_score"]
    assert said["known_proportion_interval"] == [0.0, 1.0]
    assert any("`--known-proportion`" in warning for warning in said["warnings"])


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (("--oddness-column", "distanz"), 2, "Did you mean 'distance'"),
        ((), 1, "3 in all; got 4"),
        (("--oddness-column", "distance", "--scores", "logit"), 2, "Did you mean 'logits'"),
        (("--oddness-column", "hen"), 1, "sum to 1; row 0"),
    ],
)
def test_tables_that_leave_something_open_are_refused(tables, run, options, code, words):
    found, out, err = run("audit", "labeled.csv", "pool.csv", *options)
    assert (found, out) == (code, "")
    assert words in " ".join(err.split())


def test_an_existing_output_is_kept(tables, run):
    Path("answers.csv").write_text("mine")
    found, _, err = run("audit", "labeled.csv", "pool.csv", "--output", "answers.csv")
    assert found == 2
    assert "--force" in err
    assert Path("answers.csv").read_text() == "mine"
