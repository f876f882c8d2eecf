"""Columns that alone make everything new."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from eulac.drift.separating_columns import (
    column_rooms,
    columns_beside,
    columns_that_moved,
    room_for_known,
    without_columns,
)

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_room_is_never_clearly_below_the_known_share(share):
    n_known = round(600 * share)
    for seed in range(20):
        rng = np.random.default_rng(seed)
        pool = np.append(rng.normal(size=n_known), rng.normal(3, 1, 600 - n_known))
        assert room_for_known(rng.normal(size=400), pool) > 0.8 * share


def test_few_values_are_compared_one_by_one():
    labeled = np.repeat([0.0, 1.0], 200)
    assert room_for_known(labeled, labeled) == 1.0
    assert room_for_known(labeled, np.repeat([0.0, 2.0], 200)) < 0.1


def test_strings_gaps_and_numbers_have_room_each():
    frame = pd.DataFrame(
        {
            "id": [f"row {i}" for i in range(1200)],
            "color": RNG.choice(["red", "blue"], 1200),
            "gap": np.where(np.arange(1200) < 600, np.nan, 1.0),
            "size": RNG.normal(size=1200),
        }
    )
    room = dict(zip(frame, column_rooms(frame, 600), strict=True))
    assert room["gap"] < 0.1
    assert min(room["color"], room["size"], room["id"]) > 0.5


def test_sparse_rows_and_texts_have_no_columns_to_look_at():
    assert column_rooms(sparse.csr_array(np.eye(4)), 2).size == 0
    assert column_rooms(np.array(["a text", "another"]), 1).size == 0


def test_the_fewest_columns_that_explain_it_are_named():
    rooms = np.array([0.9, 0.2, 0.8, 0.1, 0.9, 0.7, 0.9, 0.9])
    tried = []

    def share_without(places):
        tried.append(sorted(places.tolist()))
        return 0.6 if {1, 3} <= set(places.tolist()) else 0.0

    assert columns_that_moved(rooms, share_without, most=2).tolist() == [1, 3]
    assert tried[:2] == [[3], [1, 3]]
    assert columns_that_moved(rooms, lambda places: 0.0, most=2).size == 0


def test_sure_columns_are_tried_alone_then_with_more_and_more_others_up_to_the_most():
    tried = []

    def share_without(places):
        tried.append(places.tolist())
        return 0.0

    sure, others = np.array([7]), np.array([4, 9, 2, 8, 1, 0])
    assert columns_beside(sure, others, share_without, most=6).size == 0
    assert tried == [[7, *others[:n].tolist()] for n in (0, 1, 2, 4, 5)]
    found = columns_beside(sure, others, lambda places: 0.09 * len(places), most=6)
    assert found.tolist() == [2, 4, 7, 8, 9]


def test_columns_that_need_not_be_left_out_stay():
    def share_without(places):
        return 0.5 if {4, 9} <= set(places.tolist()) else 0.01 * len(places)

    none, order = np.empty(0, dtype=np.intp), np.array([7, 4, 2, 9, 5])
    assert columns_beside(none, order, share_without, most=4).tolist() == [4, 9]
    # Without column 7, which tells new rows, all would be known: more than there can be.
    shares = {(4,): 0.0, (7,): 0.0, (7, 4): 1.0, (4, 7): 1.0}
    known = columns_beside(
        none,
        np.array([7, 4]),
        lambda places: 0.6 if places.tolist() == [4] else shares[tuple(places.tolist())],
        most=2,
        enough=0.5,
    )
    assert known.tolist() == [4]
    many = np.arange(40)
    assert len(columns_beside(none, many, lambda places: len(places) / 40, most=40)) == 32 // 2


def test_no_columns_are_found_where_more_are_sure_than_may_be_left_out():
    assert columns_beside(np.arange(5), np.array([9]), lambda places: 1.0, most=4).size == 0
    none = np.empty(0, dtype=np.intp)
    assert columns_beside(none, none, lambda places: 1.0, most=4).size == 0


def test_one_two_four_columns_are_tried_and_then_as_many_as_may_be_left_out():
    tried = []
    for most, sizes in ((0, []), (1, [1]), (4, [1, 2, 4]), (6, [1, 2, 4, 6])):
        tried.clear()
        columns_that_moved(
            np.arange(12.0), lambda places: tried.append(len(places)) or 0.0, most=most
        )
        assert tried == sizes


def test_columns_are_left_out_of_arrays_and_frames():
    X = np.arange(6.0).reshape(2, 3)
    assert without_columns(X, np.array([1])).tolist() == [[0.0, 2.0], [3.0, 5.0]]
    assert list(without_columns(pd.DataFrame(X, columns=list("abc")), [0])) == ["b", "c"]
    assert without_columns(X, np.empty(0, int)) is X
