import json

import numpy as np
import pytest

from eulac.report.asked_rows import AskedRows, corrections, decided_rows, shown_as_told
from eulac.report.findings import Settings, answer_pool
from eulac.report.page import gallery_of

COW, DOG, UNSURE, UNDECIDED = (
    ("name", "cow"),
    ("name", "dog"),
    ("unsure", None),
    ("undecided", None),
)


@pytest.fixture(scope="module")
def one_group(fitted, mixture):
    """Cows and dogs in one group, as if they had not been told apart."""
    return answer_pool(fitted, mixture[2], Settings(n_groups=1))


@pytest.fixture(scope="module")
def asked(one_group, fitted, mixture):
    return AskedRows(one_group, gallery_of(fitted, one_group, mixture[2]))


def told_by(asked, truth, n_rows, told=None):
    """Ask about so many rows, and answer truly."""
    told = dict(told or {})
    for _ in range(n_rows):
        row, _ = asked.next(told)
        told[row] = ("name", str(truth[row]))
    return told


def test_a_group_of_two_classes_is_parted_by_a_few_answers(asked, one_group, mixture):
    truth, rows = mixture[3], one_group.groups.typical_rows[0]
    names, counts = np.unique(truth[rows[:5]], return_counts=True)
    name = str(names[counts.argmax()])  # as somebody says who looks at typical rows
    of_groups = [("name", name)]
    told = told_by(asked, truth, 4, shown_as_told(one_group.groups, of_groups))
    told = {row: said for row, said in told.items() if row not in rows[:5]}
    suggested = corrections(one_group.groups, of_groups, told)
    decided = decided_rows(one_group.groups, of_groups, told | suggested)
    wrong_before = np.mean(truth[rows] != name)
    wrong = np.mean([decided[row][1] != truth[row] for row in rows.tolist()])
    assert wrong_before > 0.2
    assert wrong < 0.1
    assert not set(suggested) & set(told)


def test_rows_asked_about_keep_their_answer_whatever_others_suggest(asked, one_group):
    rows = one_group.groups.typical_rows[0]
    told = {int(rows[7]): DOG, int(rows[8]): UNSURE}
    decided = decided_rows(one_group.groups, [COW], told)
    assert decided[int(rows[7])] == DOG
    assert decided[int(rows[8])] == UNSURE
    assert decided[int(rows[0])] == COW
    assert not set(told) & set(corrections(one_group.groups, [COW], told))


def test_nothing_is_suggested_for_a_group_nobody_is_sure_of(one_group):
    row = int(one_group.groups.typical_rows[0][7])
    assert corrections(one_group.groups, [UNSURE], {row: DOG}) == {}
    assert set(corrections(one_group.groups, [UNDECIDED], {row: DOG}).values()) == {DOG}


def test_unsure_rows_say_nothing_of_others_and_are_not_asked_about_again(asked):
    row, suggested = asked.next({})
    assert suggested is None
    other, suggested = asked.next({row: UNSURE})
    assert (other != row, suggested) == (True, None)
    assert asked.next({row: COW})[1] == COW


def test_a_page_gets_the_next_row_and_the_names_of_others(asked, one_group):
    reply = json.loads(asked.reply(b'{"answers": []}'))
    row = reply["next"]["row"]
    assert (reply["names"], reply["next"]["group"], reply["next"]["suggested"]) == ([], 1, None)
    assert reply["next"]["cells"][0][0] in ("column 0", "column 1", "column 2")
    answers = [{"row": row, "decision": "name", "name": "cow"}]
    reply = json.loads(asked.reply(json.dumps({"answers": answers}).encode()))
    assert reply["next"]["suggested"] == "cow"
    (named,) = reply["names"]
    assert (named["decision"], named["name"]) == ("name", "cow")
    assert len(named["rows"]) == len(one_group.groups.typical_rows[0])


@pytest.mark.parametrize(
    "answers",
    [
        b"{",
        b"[]",
        b'{"answers": [{"row": 1}]}',
        b'{"answers": [{"row": -1, "decision": "name", "name": "cow"}]}',
        b'{"answers": [{"row": "1", "decision": "name", "name": "cow"}]}',
        b'{"answers": [{"row": 1, "decision": "eat", "name": null}]}',
        b'{"answers": [{"row": 1, "decision": "name", "name": 3}]}',
    ],
)
def test_what_is_no_answer_is_refused(answers, asked):
    with pytest.raises(ValueError, match="Reload"):
        asked.reply(answers)
