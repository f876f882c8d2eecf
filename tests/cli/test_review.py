"""Pages of a pool, and what report, review and promote refuse."""

import json
from pathlib import Path

import pytest


def test_review_is_the_page_with_the_groups_only(birds, run):
    code, out, _ = run(
        "review", "birds.eulac", "--data", "pool.csv", "--output", "r.html", "--json"
    )
    assert code == 0
    assert json.loads(out)["n_rows"] == 160
    assert 'id="summary"' not in Path("r.html").read_text()


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
        "must be a sheet with the columns row, group, decision, name, pool",
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
