import json
from pathlib import Path

import numpy as np
import pandas as pd

import eulac


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


def test_rows_in_no_group_are_counted(decided, run):
    decisions = json.loads(Path("decisions.json").read_text())
    first, *others = decisions["groups"][0]["rows"]
    left_out, decisions["groups"][0]["rows"] = others[:7], [first, *others[7:]]
    counts = []
    for content in (Path("decisions.json").read_text(), json.dumps(decisions)):
        Path("fewer.json").write_text(content)
        promote = ("promote", "birds.eulac", "fewer.json", "--unlabeled", "pool.csv", "--force")
        counts.append(json.loads(run(*promote, "--json")[1])["rows_in_no_group"])
    assert counts[1] == counts[0] + len(left_out)
    _, out, _ = run(*promote)
    assert f"Rows that look new and are in no group: {counts[1]}. Nobody" in " ".join(out.split())


def test_the_wrong_pool_is_refused_and_nothing_written(decided, run):
    pd.read_csv("pool.csv").iloc[::-1].to_csv("turned.csv", index=False)
    pd.read_csv("pool.csv").iloc[:50].to_csv("part.csv", index=False)
    for pool, words in (("turned.csv", "another pool"), ("part.csv", "this one has 50")):
        code, out, err = run("promote", "birds.eulac", "decisions.json", "--unlabeled", pool)
        assert (code, out) == (1, "")
        assert words in err
    assert not Path("birds-promoted.eulac").exists()
