import json

import numpy as np
import pytest

from eulac.discovery.new_classes import new_classes_of
from eulac.discovery.spaces import KnownRows
from eulac.discovery.ways import WAYS
from eulac.report.decision_files import read_decisions
from eulac.report.decisions import Decisions, pool_fingerprint

POOL = np.arange(20.0).reshape(10, 2)


def content(**changes):
    """A good file as a dict, with changes."""
    good = {
        "format": "eulac-decisions",
        "version": 1,
        "fingerprint": pool_fingerprint(POOL),
        "n_rows": 10,
        "groups": [
            {"decision": "name", "name": "owl", "rows": [1, 2]},
            {"decision": "name", "name": " owl ", "rows": [7]},
            {"decision": "reject", "name": None, "rows": [3]},
            {"decision": "undecided", "rows": [4, 5]},
        ],
    }
    return {**good, **changes}


def test_groups_of_one_name_merge_and_others_name_nothing():
    decisions = Decisions.from_json(json.dumps(content()))
    assert {name: rows.tolist() for name, rows in decisions.named().items()} == {"owl": [1, 2, 7]}
    decisions.require_pool(POOL)


def test_what_is_written_is_read_back():
    decisions = Decisions.from_json(json.dumps(content()))
    again = Decisions.from_json(decisions.to_json())
    assert again.to_json() == decisions.to_json()
    assert [group.decision for group in again.groups] == ["name", "name", "reject", "undecided"]


def test_unknown_fields_are_left_to_later_versions():
    groups = [{"decision": "name", "name": "owl", "rows": [1], "excluded": [2], "note": "x"}]
    assert Decisions.from_json(json.dumps(content(groups=groups, by="me"))).named()["owl"] == [1]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "it is not JSON"),
        ("{", "it is not JSON"),
        ("[" * 100_000, "it is not JSON"),
        ("[]", "must have the format 'eulac-decisions'"),
        ('{"format": "other"}', "must have the format 'eulac-decisions'"),
        (json.dumps(content(version=2)), "is of version 2; this eulac reads up to 1"),
        (json.dumps(content(version="1")), "must have a version of 1 or more; got '1'"),
        (json.dumps(content(version=True)), "must have a version of 1 or more; got True"),
        (json.dumps(content(fingerprint=None)), "must hold 'fingerprint', 'n_rows' and 'groups'"),
        (json.dumps(content(n_rows=-1)), "must hold 'fingerprint', 'n_rows' and 'groups'"),
        (json.dumps(content(groups={})), "must hold 'fingerprint', 'n_rows' and 'groups'"),
        (json.dumps(content(groups=[3])), "group 1 of the decisions must be decided as one of"),
        (json.dumps(content(groups=[{"decision": "maybe"}])), "unsure, undecided; got 'maybe'"),
        (
            json.dumps(content(groups=[{"decision": "reject", "rows": [10]}])),
            "whole numbers from 0 to 9",
        ),
        (
            json.dumps(content(groups=[{"decision": "reject", "rows": [1.5]}])),
            "whole numbers from 0 to 9",
        ),
        (
            json.dumps(content(groups=[{"decision": "reject", "rows": [True]}])),
            "whole numbers from 0 to 9",
        ),
        (
            json.dumps(content(groups=[{"decision": "name", "name": "  ", "rows": [1]}])),
            "got the name '  '",
        ),
        (
            json.dumps(
                content(
                    groups=[
                        {"decision": "reject", "rows": [1]},
                        {"decision": "name", "name": "a", "rows": [1]},
                    ]
                )
            ),
            "row 1 is in several groups",
        ),
    ],
)
def test_what_is_not_quite_right_is_refused_with_a_sentence(text, words):
    with pytest.raises(ValueError, match=words):
        Decisions.from_json(text)


def test_another_pool_is_refused():
    decisions = Decisions.from_json(json.dumps(content()))
    with pytest.raises(ValueError, match="pool of 10 rows; this one has 9"):
        decisions.require_pool(POOL[:-1])
    with pytest.raises(ValueError, match="made on another pool"):
        decisions.require_pool(POOL[::-1])
    spoiled = POOL.copy()
    spoiled[3, 1] += 1e-12
    with pytest.raises(ValueError, match="made on another pool"):
        decisions.require_pool(spoiled)


def test_fingerprints_see_values_shape_and_order_but_not_the_type():
    assert pool_fingerprint(POOL) == pool_fingerprint(POOL.astype(int))
    assert pool_fingerprint(POOL) == pool_fingerprint(np.asfortranarray(POOL))
    assert pool_fingerprint([[0.0]]) == pool_fingerprint([[-0.0]])
    different = {pool_fingerprint(P) for P in (POOL, POOL.T, POOL.reshape(5, 4), POOL[::-1])}
    assert len(different) == 4


def test_files_are_read_and_their_name_is_in_the_message(tmp_path):
    path = tmp_path / "decisions.json"
    path.write_text(json.dumps(content()))
    assert read_decisions(path).n_rows == 10
    path.write_bytes(b"\x00\xff" * 50)
    with pytest.raises(ValueError, match=r"decisions\.json must be the JSON file"):
        read_decisions(path)


def test_names_for_groups_reject_where_there_is_none():
    X = np.random.default_rng(0).normal(np.repeat([[0, 0], [6, 6]], [30, 20], axis=0), 0.3)
    pool = np.vstack([np.zeros((5, 2)), X])
    known = KnownRows(pool[:5], np.zeros(5, dtype=np.intp))
    classes = new_classes_of(known, pool, np.arange(50) + 5, n_classes=2, ways=WAYS[:1])
    decisions = Decisions.from_classes(pool, classes, ["owl", None])
    np.testing.assert_array_equal(np.sort(decisions.named()["owl"]), np.arange(5, 35))
    assert decisions.groups[1].decision == "reject"
    for typed, kind in (("?", "unsure"), ("", "undecided"), ("+", "known")):
        decided = Decisions.from_classes(pool, classes, [typed, "owl"])
        assert [group.decision for group in decided.groups] == [kind, "name"]
        np.testing.assert_array_equal(decided.rows_of(kind), np.sort(classes.typical_rows[0]))


def test_half_a_character_is_no_name():
    with pytest.raises(ValueError, match=r"must have a name of whole characters; got '\\ud800'"):
        Decisions.from_names(np.eye(2), {"\ud800": [0]})


def test_rows_told_the_same_are_one_group():
    pool = [[1.0], [2.0], [3.0]]
    told = {2: ("name", "owl"), 0: ("unsure", None), 1: ("name", "owl")}
    decided = Decisions.from_rows(pool, told)
    assert decided.named()["owl"].tolist() == [1, 2]
    assert decided.rows_of("unsure").tolist() == [0]
    decided.require_pool(pool)


def test_rows_are_numbered_by_python_or_numpy():
    by_list = Decisions.from_names(POOL, {"owl": [1, 3]})
    assert Decisions.from_names(POOL, {"owl": np.array([1, 3])}).to_json() == by_list.to_json()
    for wrong in ([1.0], np.array([True, False]), np.array([-1]), [10]):
        with pytest.raises(ValueError, match="whole numbers from 0 to 9"):
            Decisions.from_names(POOL, {"owl": wrong})
