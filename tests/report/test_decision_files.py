import json
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from eulac.report.decision_files import (
    decisions_text,
    label_studio_config,
    label_studio_tasks,
    read_decisions,
)
from eulac.report.decisions import Decisions, pool_fingerprint

POOL = np.arange(20.0).reshape(10, 2)
COLUMNS = pd.DataFrame({"size": POOL[:, 0], "kind": list("abcdefghij")})


@pytest.fixture
def decided():
    groups = [
        {"decision": "name", "name": 'an "owl", grey', "rows": [1, 2, 7]},
        {"decision": "reject", "rows": [3]},
        {"decision": "known", "rows": [8]},
        {"decision": "unsure", "rows": [9]},
        {"decision": "undecided", "rows": [4, 5]},
    ]
    content = {"format": "eulac-decisions", "version": 1, "n_rows": 10, "groups": groups}
    return Decisions.from_json(json.dumps({**content, "fingerprint": pool_fingerprint(POOL)}))


def same(one, other):
    """Whether two say the same of every row."""
    told = [
        {(g.decision, g.name, row) for g in each.groups for row in g.rows.tolist()}
        for each in (one, other)
    ]
    return told[0] == told[1] and one.fingerprint == other.fingerprint


@pytest.mark.parametrize("name", ["d.json", "d.csv", "D.CSV"])
@pytest.mark.parametrize("columns", [None, COLUMNS], ids=["alone", "with columns"])
def test_what_is_written_is_read_back(name, columns, decided, tmp_path):
    path = tmp_path / name
    path.write_text(decisions_text(decided, path, columns), encoding="utf-8")
    again = read_decisions(path)
    again.require_pool(POOL)
    assert same(again, decided)


def test_a_sheet_may_be_sorted_and_filled_in_elsewhere(decided, tmp_path):
    path = tmp_path / "d.csv"
    path.write_text(decisions_text(decided, path, COLUMNS))
    sheet = pd.read_csv(path).sort_values("kind", ascending=False)
    assert sheet.set_index("row").loc[4, "kind"] == "e"
    sheet["name"] = sheet["name"].astype(object)
    sheet.loc[sheet["row"] == 4, "name"] = "yak"
    sheet.to_csv(path, index=False)
    assert read_decisions(path).named()["yak"].tolist() == [4]


def annotated(tasks, small=False):
    """What Label Studio exports when its predictions were accepted."""
    out = []
    for number, task in enumerate(tasks):
        results = [r for one in task["predictions"] for r in one["result"]]
        if small:
            chosen = {"class": results[0]["value"]["choices"][0]} if results else {}
            out.append({**task["data"], **chosen, "id": number})
        else:
            cancelled = {"was_cancelled": True, "result": [{"value": {"choices": ["x"]}}]}
            out.append({**task, "annotations": [{"result": results}, cancelled]})
    return out


def test_a_sheet_is_read_as_spreadsheets_of_other_countries_save_it(decided, tmp_path):
    path = tmp_path / "d.csv"
    path.write_text(decisions_text(decided, path, COLUMNS), encoding="utf-8")
    sheet = pd.read_csv(path, dtype=object)
    sheet.loc[sheet["row"] == "4", "name"] = "Käuzchen"
    sheet.to_csv(path, index=False, sep=";", decimal=",", encoding="cp1252")
    named = read_decisions(path).named()
    assert {name: rows.tolist() for name, rows in named.items()} == {
        'an "owl", grey': [1, 2, 7],
        "Käuzchen": [4],
    }


@pytest.mark.parametrize("small", [False, True])
def test_label_studio_gives_back_what_it_was_given(small, decided, tmp_path):
    tasks = json.loads(label_studio_tasks(decided, COLUMNS))
    assert tasks[0]["data"]["text"] == "size: 2.0; kind: b"
    path = tmp_path / "export.json"
    path.write_text(json.dumps(annotated(tasks, small)))
    assert same(read_decisions(path), decided)


def test_the_interface_of_label_studio_offers_every_answer():
    view = ElementTree.fromstring(label_studio_config(['a "b" <c>', "owl"]))
    choices = [choice.get("value") for choice in view.iter("Choice")]
    assert choices == ['a "b" <c>', "owl", "no class", "known after all", "not sure"]


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("d.csv", "", "decision, name, pool; it has no line"),
        ("d.csv", "row,b\n1,2\n", "decision, name, pool; it lacks name, pool"),
        ("d.csv", "row,name,pool\n1,owl,p;9\n2,owl,q;9\n", "it names 2: p;9, q;9"),
        ("d.csv", "row,name,pool\n1,owl,p\n", "must be about one pool"),
        ("d.csv", "row,name,pool\nx,owl,p;9\n", "must be whole numbers; got 'x'"),
        ("d.csv", "row,name,pool\n9,owl,p;9\n", "whole numbers from 0 to 8"),
        ("d.csv", "row,name,pool\n1,owl,p;9\n1,yak,p;9\n", "row 1 is in several groups"),
        ("d.json", "[1", "must be JSON"),
        ("d.json", "[1]", "task 1 of"),
        ("d.json", '[{"data": {"row": 1}}]', "must hold 'row' and 'pool'"),
        ("d.json", "[]", "must be about one pool; it names 0"),
    ],
)
def test_files_that_are_not_right_are_refused(name, text, words, tmp_path):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(ValueError, match=r".") as error:
        read_decisions(path)
    assert words in str(error.value)
