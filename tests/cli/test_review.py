"""The loop on the command line: report and review write pages, promote goes on from decisions."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import eulac

FAST = ("--map", "pca", "--folds", "2", "--groups", "1")


def review_data(path):
    text = Path(path).read_text()
    return json.loads(re.search(r'id="review-data">(.*?)</script>', text, re.DOTALL)[1])


@pytest.fixture
def decided(birds, run):
    """Decisions that name the only group of new rows, as the page would write them."""
    code, _, err = run("review", "birds.eulac", "--data", "pool.csv", "--groups", "1")
    assert (code, err) == (0, "")
    data = review_data("review.html")
    groups = [{"decision": "name", "name": "swan", "rows": rows} for rows in data["groups"]]
    content = {key: data[key] for key in ("format", "version", "fingerprint", "n_rows")}
    Path("decisions.json").write_text(json.dumps({**content, "groups": groups}))
    return birds


def test_report_writes_one_page_that_names_its_files(birds, run):
    code, out, err = run("report", "birds.eulac", "--data", "pool.csv", *FAST)
    assert (code, err) == (0, "")
    assert "A page about 160 rows: report.html." in out
    text = Path("report.html").read_text()
    assert "eulac promote birds.eulac decisions.json --unlabeled pool.csv" in text
    assert "color" in text  # a category, shown as it is in the table


def test_review_is_the_page_with_the_groups_only(birds, run):
    code, out, _ = run(
        "review", "birds.eulac", "--data", "pool.csv", "--output", "r.html", "--json"
    )
    assert code == 0
    assert json.loads(out)["n_rows"] == 160
    assert 'id="summary"' not in Path("r.html").read_text()


def test_a_named_group_is_a_known_class_after_promote(decided, run):
    before = Path("birds.eulac").read_bytes()
    code, out, err = run("promote", "birds.eulac", "decisions.json", "--unlabeled", "pool.csv")
    assert (code, err) == (0, "")
    assert "Now known too: 'swan'." in out
    assert Path("birds.eulac").read_bytes() == before
    promoted = eulac.load("birds-promoted.eulac")
    truth = pd.read_csv("test.csv")
    assert np.mean(promoted.predict(truth) == truth["species"]) > 0.9
    swans = np.mean(promoted.predict(truth[truth["species"] == "swan"]) == "swan")
    assert swans > 0.9
    assert set(promoted.y_labeled) == {"hen", "owl", "tit", "swan"}
    assert len(promoted.y_labeled) > 120


def test_promote_speaks_json(decided, run):
    _, out, _ = run(
        "promote", "birds.eulac", "decisions.json", "--unlabeled", "pool.csv", "--json",
        "--output", "other.eulac",
    )  # fmt: skip
    said = json.loads(out)
    assert said["new_classes"] == ["swan"]
    assert said["output"] == "other.eulac"
    assert set(said["named"]) == {"swan"}


def test_the_wrong_pool_is_refused_and_nothing_written(decided, run):
    pd.read_csv("pool.csv").iloc[::-1].to_csv("turned.csv", index=False)
    pd.read_csv("pool.csv").iloc[:50].to_csv("part.csv", index=False)
    for pool, words in (("turned.csv", "another pool"), ("part.csv", "this one has 50")):
        code, out, err = run("promote", "birds.eulac", "decisions.json", "--unlabeled", pool)
        assert (code, out) == (1, "")
        assert words in err
    assert not Path("birds-promoted.eulac").exists()


BAD = {
    "no such model": (("report", "no.eulac", "--data", "pool.csv"), 1, "does not"),
    "no such table": (("report", "birds.eulac", "--data", "no.csv"), 1, "no.csv"),
    "no table": (("report", "birds.eulac"), 2, "--data"),
    "a table of other columns": (("review", "birds.eulac", "--data", "other.csv"), 1, "it lacks"),
    "a page that exists": (
        ("review", "birds.eulac", "--data", "pool.csv", "--output", "pool.csv"),
        2,
        "not replaced unasked",
    ),
    "no folder": (
        ("review", "birds.eulac", "--data", "pool.csv", "--output", "no/page.html"),
        2,
        "does not. Create it first",
    ),
    "wrong image shape": (
        ("review", "birds.eulac", "--data", "pool.csv", "--image-shape", "eight"),
        2,
        "HEIGHTxWIDTH",
    ),
    "image shape that does not fit": (
        ("review", "birds.eulac", "--data", "pool.csv", "--image-shape", "50x50"),
        1,
        "`--image-shape` must be",
    ),
    "no groups": (("review", "birds.eulac", "--data", "pool.csv", "--groups", "0"), 2, "0 is not"),
    "decisions that are a table": (
        ("promote", "birds.eulac", "pool.csv", "--unlabeled", "pool.csv"),
        1,
        "it is not JSON",
    ),
    "decisions that are a model": (
        ("promote", "birds.eulac", "birds.eulac", "--unlabeled", "pool.csv"),
        1,
        "it is not JSON",
    ),
    "no decisions": (
        ("promote", "birds.eulac", "no.json", "--unlabeled", "pool.csv"),
        1,
        "no.json",
    ),
    "no pool": (("promote", "birds.eulac", "decisions.json"), 2, "--unlabeled"),
    "a folder for decisions": (
        ("promote", "birds.eulac", ".", "--unlabeled", "pool.csv"),
        1,
        "irectory",
    ),
}


@pytest.mark.parametrize(("arguments", "code", "words"), BAD.values(), ids=BAD)
def test_wrong_invocations_say_so_and_write_nothing(arguments, code, words, birds, run):
    Path("other.csv").write_text("a,b\n1,2\n3,4\n")
    before = sorted(path.name for path in birds.iterdir())
    got, out, err = run(*arguments)
    assert (got, out) == (code, "")
    assert words in " ".join(err.split())
    assert "Traceback" not in err
    assert sorted(path.name for path in birds.iterdir()) == before
