import numpy as np
import pytest

from discovery.conftest import clouds
from eulac.discovery.new_classes import new_classes_of
from eulac.discovery.next_rows import next_row, spread_names

CENTERS, SIZES = [[0, 0], [6, 0], [0, 6]], [20, 50, 35]


@pytest.fixture(scope="module")
def found(known):
    X, truth = clouds(CENTERS, SIZES)
    return new_classes_of(known, X, np.arange(len(X)), n_classes=3), truth


def asked(classes, truth, n_answers):
    answers = {}
    while len(answers) < n_answers:
        row = next_row(classes, answers)
        answers[row] = truth[row]
    return answers


def test_every_group_is_asked_about_first_and_the_largest_before_others(found):
    classes, truth = found
    assert list(asked(classes, truth, 3).values()) == [1, 2, 0]


def test_one_name_for_each_group_names_every_row(found):
    classes, truth = found
    np.testing.assert_array_equal(spread_names(classes, asked(classes, truth, 3)), truth)
    alone = spread_names(classes, asked(classes, truth, 1))
    assert set(alone[truth != 1]) == {None}


def test_no_row_is_asked_about_twice_and_then_none_is_left(found):
    classes, truth = found
    answers = asked(classes, truth, len(truth))
    assert len(answers) == len(truth)
    assert next_row(classes, answers) is None
    np.testing.assert_array_equal(spread_names(classes, answers), truth)


def test_a_group_whose_answers_differ_is_asked_about_more(found):
    classes, _ = found
    mixed, clear = classes.typical_rows[1], classes.typical_rows[0]
    answers = {int(clear[0]): "a", int(clear[20]): "a", int(clear[40]): "a"}
    answers |= {int(row): name for row, name in zip(mixed[[0, 9, 17]], "bcb", strict=True)}
    answers |= {int(row): "d" for row in classes.typical_rows[2][[0, 9, 17]]}
    assert next_row(classes, answers) in mixed


def test_a_wrong_name_stays_with_the_row_it_was_given_to(found):
    classes, truth = found
    answers = asked(classes, truth, 9)
    row = int(classes.typical_rows[0][-1])
    names = spread_names(classes, answers | {row: "other"})
    assert names[row] == "other"
    assert np.mean(names == truth) > 0.9


def test_who_is_not_sure_is_not_asked_again_and_says_nothing_of_others(found):
    classes, truth = found
    first = next_row(classes, {})
    assert next_row(classes, {first: None}) != first
    assert set(spread_names(classes, {first: None})) == {None}
    names = spread_names(classes, {first: None} | asked(classes, truth, 4))
    assert np.mean(names == truth) > 0.9


def test_two_classes_in_one_group_are_parted_by_their_answers(known):
    X, truth = clouds([[0, 0], [6, 0]], [40, 30])
    merged = new_classes_of(known, X, np.arange(len(X)), n_classes=1)
    answers = {}
    for _ in range(4):
        row = next_row(merged, answers)
        answers[row] = truth[row]
    assert set(answers.values()) == {0, 1}
    np.testing.assert_array_equal(spread_names(merged, answers), truth)


def test_rows_in_no_group_are_asked_about_last_and_keep_their_own_answer(known):
    X, truth = clouds(CENTERS, SIZES)
    rows = np.arange(len(X) + 1)
    X = np.vstack([X, known.X[:1]])  # looks new, and lies among known rows
    classes = new_classes_of(known, X, rows, n_classes=3)
    assert classes.assignment[-1] == -1
    answers = asked(classes, [*truth, "old"], len(truth))
    assert len(X) - 1 not in list(answers)[:3]
    answers = asked(classes, [*truth, "old"], len(X))
    assert spread_names(classes, answers)[-1] == "old"


def test_names_may_be_any_value_that_can_be_a_key(found):
    classes, truth = found
    told = {row: ("name", str(name)) for row, name in asked(classes, truth, 3).items()}
    assert set(spread_names(classes, told)) == {("name", "0"), ("name", "1"), ("name", "2")}
