"""Rows drawn by random keys: the same in pieces, with some of every group, each row as likely."""

import numpy as np
import pandas as pd
import pytest

from eulac.tables.row_draw import RowDraw, draw_together


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    groups = np.where(rng.random(400) < 0.02, "rare", "usual")
    return pd.DataFrame({"a": range(400)}), rng.random(400), groups


def test_a_draw_from_pieces_is_the_draw_from_all_rows(rows):
    frame, keys, groups = rows
    whole = RowDraw.of(frame, keys, groups, limit=30, floor=5)
    pieces = None
    for start in range(0, 400, 70):
        part = slice(start, start + 70)
        one = RowDraw.of(frame[part], keys[part], groups[part], limit=30, floor=5)
        pieces = one if pieces is None else pieces.merge(one)
    pd.testing.assert_frame_equal(pieces.rows, whole.rows)
    assert pieces.n_seen == whole.n_seen == 400


def test_small_groups_keep_their_floor_and_others_the_smallest_keys(rows):
    frame, keys, groups = rows
    draw = RowDraw.of(frame, keys, groups, limit=30, floor=5)
    assert np.sum(draw.groups == "rare") >= 5
    assert set(np.argsort(keys)[:30]) <= set(draw.rows["a"])
    assert len(draw.rows) <= 35


def test_without_a_limit_every_row_stays(rows):
    assert len(RowDraw.of(*rows).rows) == 400


def test_an_empty_piece_does_not_change_the_kind_of_cells(rows):
    frame, keys, groups = rows
    empty = RowDraw.of(pd.DataFrame({"a": []}), np.empty(0), np.empty(0))
    merged = RowDraw.of(frame, keys, groups).merge(empty)
    assert merged.rows["a"].dtype == frame["a"].dtype


def test_tables_are_thinned_together_as_if_they_were_one(rows):
    frame, keys, groups = rows
    whole = RowDraw.of(frame, keys, groups, limit=50)
    parts = {
        "one": RowDraw.of(frame[:300], keys[:300], groups[:300], limit=50),
        "two": RowDraw.of(frame[300:], keys[300:], groups[300:], limit=50),
    }
    kept = draw_together(parts, 50)
    assert [*kept["one"].rows["a"], *kept["two"].rows["a"]] == whole.rows["a"].tolist()
    assert draw_together(parts, None) is parts
