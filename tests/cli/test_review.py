"""Pages of a pool, and what report, review and promote refuse."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from urllib.request import Request, urlopen

import pandas as pd
import pytest

from eulac.report.decision_files import read_decisions


def test_review_is_the_page_with_the_groups_only(birds, run):
    asked = ("review", "birds.eulac", "--data", "pool.csv", "--groups", "1")
    code, out, _ = run(*asked, "--output", "r.html", "--json")
    assert code == 0
    assert json.loads(out)["n_rows"] == 160
    assert 'id="summary"' not in Path("r.html").read_text()


@pytest.mark.parametrize("way", ["terminal", "serve"])
def test_an_output_that_nothing_would_write_is_refused(birds, run, way):
    asked = ("review", "birds.eulac", "--data", "pool.csv", f"--{way}", "--output", "d.csv")
    code, out, err = run(*asked)
    assert (code, out) == (2, "")
    assert f"`--{way}` writes neither; got 'd.csv'. Name the file of decisions by" in " ".join(
        err.split()
    )


def test_a_sheet_that_was_filled_in_is_promoted(birds, run):
    asked = ("review", "birds.eulac", "--data", "pool.csv", "--groups", "2")
    code, out, _ = run(*asked, "--output", "sheet.csv")
    assert code == 0
    said = " ".join(out.split())
    assert "Fill in the column `name` of each row" in said
    assert "eulac promote birds.eulac sheet.csv --unlabeled pool.csv" in said
    sheet = pd.read_csv("sheet.csv", dtype={"name": object, "decision": object})
    sheet.loc[sheet["group"] == 1, "name"] = "swan"
    sheet.loc[sheet["group"] > 1, "decision"] = "unsure"
    sheet.loc[sheet.index[:3], "name"] = None
    sheet.to_csv("sheet.csv", index=False)
    promote = ("promote", "birds.eulac", "sheet.csv", "--unlabeled", "pool.csv")
    code, out, _ = run(*promote, "--json")
    assert code == 0
    assert list(json.loads(out)["named"]) == ["swan"]
    _, out, _ = run(*promote, "--force")
    assert "Rows left undecided: 3. They stay unlabeled, as new ones." in " ".join(out.split())


def test_tasks_for_label_studio_come_with_their_interface(birds, run):
    asked = ("review", "birds.eulac", "--data", "pool.csv", "--groups", "1")
    code, out, _ = run(*asked, "--output", "tasks.json")
    assert code == 0
    assert '<Choice value="not sure"/>' in out
    decided = read_decisions("tasks.json")
    assert [group.decision for group in decided.groups] == ["undecided"]


@pytest.mark.slow  # the server itself: tests/report/test_review_server.py
def test_a_served_review_saves_and_ends_by_ctrl_c(birds):
    command = ("review", "birds.eulac", "--data", "pool.csv", "--serve", "--decisions", "d.json")
    with subprocess.Popen(
        [sys.executable, "-m", "eulac", *command], stdout=subprocess.PIPE, text=True
    ) as served:
        url = served.stdout.readline().strip()
        page = urlopen(url).read().decode()
        data = page.split('id="review-data">')[1].split("</script>")[0]
        review = json.loads(data)
        kept = {name: review[name] for name in ("format", "version", "fingerprint", "n_rows")}
        groups = [{"decision": "name", "name": "swan", "rows": review["groups"][0]}]
        text = json.dumps({**kept, "groups": groups}).encode()
        assert urlopen(Request(url + "decisions", text)).read() == b"saved"
        served.send_signal(signal.SIGINT)
    assert served.returncode == 0
    assert list(read_decisions("d.json").named()) == ["swan"]


BAD = {
    "a served sheet": (
        ("review", "birds.eulac", "--data", "pool.csv", "--serve", "--decisions", "d.csv"),
        2,
        "must end in .json where the page is served; got 'd.csv'",
    ),
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
