import base64

import numpy as np
import pandas as pd
import polars as pl
import pytest

from eulac.report.row_display import Gallery, column_effects, display_table

FRAME = pd.DataFrame(
    {
        "size": [1.0, 1.2, 5.0, np.nan, 5.2, 0.9],
        "kind": ["a", "a", "b", "b", None, "a"],
        "flat": [3] * 6,
        "name": [f"row {i}" for i in range(6)],
        "wild": [True, False, True, False, True, False],
    }
)
INSIDE = np.array([False, False, True, True, True, False])


def test_columns_that_tell_come_first_and_names_tell_nothing():
    effects = column_effects(FRAME, INSIDE)
    assert effects[0] > 1.5
    assert effects[1] > 1.5
    assert effects[2] == effects[3] == 0.0
    assert Gallery(FRAME).columns(INSIDE)[:2] in ([0, 1], [1, 0])


def test_all_or_no_rows_differ_from_nothing():
    for inside in (np.ones(6, dtype=bool), np.zeros(6, dtype=bool)):
        np.testing.assert_array_equal(column_effects(FRAME, inside), np.zeros(5))


def test_columns_without_numbers_are_no_trouble():
    empty = pd.DataFrame({"x": [np.nan] * 6, "y": [np.nan] * 3 + [1.0] * 3})
    np.testing.assert_array_equal(column_effects(empty, np.arange(6) < 3), [0.0, 0.0])


def test_what_sets_rows_apart_is_said_in_words():
    traits = Gallery(FRAME).traits(INSIDE)
    assert "size higher (median 5.1 against 1)" in traits
    assert any(trait.startswith("kind mostly 'b'") for trait in traits)


def test_a_column_that_is_missing_in_a_whole_group_tells_just_that():
    for gap in (None, np.nan, pd.NA):
        frame = pd.DataFrame({"color": pd.Series(["red"] * 3 + [gap] * 3)})
        assert Gallery(frame).traits(np.arange(6) >= 3) == [
            "color mostly 'missing' (100% against 0%)"
        ]
        text = frame.astype({"color": "string"})
        assert Gallery(text).traits(np.arange(6) >= 3) == [
            "color mostly 'missing' (100% against 0%)"
        ]


def test_cells_are_short_texts():
    gallery = Gallery(FRAME.assign(name="x" * 90))
    assert gallery.cells(3, [0, 1, 2, 4]) == ["–", "b", "3", "False"]
    assert len(gallery.cells(0, [3])[0]) == 28
    assert gallery.image(0) is None


def test_frames_and_arrays_of_all_kinds_are_shown():
    array = FRAME[["size", "flat"]].to_numpy()
    assert display_table(array, 6).columns.tolist() == ["column 0", "column 1"]
    assert display_table(array, 6, ["a", "b"]).columns.tolist() == ["a", "b"]
    assert display_table(pl.DataFrame({"z": [1, 2]}), 2)["z"].tolist() == [1, 2]
    assert display_table(FRAME.iloc[::-1], 6).index.tolist() == list(range(6))


def test_a_table_of_other_rows_is_refused():
    with pytest.raises(ValueError, match=r"each row of the pool \(7\); it has 6"):
        display_table(FRAME, 7)


@pytest.mark.parametrize("shape", [(2, 2), (1, 4), (2, 2, 3)])
def test_images_are_png_data(shape):
    X = np.random.default_rng(0).random((3, int(np.prod(shape))))
    gallery = Gallery.of(X, pd.DataFrame(X), shape)
    head, _, data = gallery.image(1).partition(",")
    assert head == "data:image/png;base64"
    assert base64.b64decode(data).startswith(b"\x89PNG")


def test_equal_pixels_are_no_trouble():
    X = np.ones((2, 4))
    assert Gallery.of(X, pd.DataFrame(X), (2, 2)).image(0).startswith("data:image/png")


@pytest.mark.parametrize("shape", [(3, 3), (4,), (2, 1, 2), (2, 2, 2)])
def test_shapes_that_do_not_fit_are_refused(shape):
    X = np.ones((2, 4))
    with pytest.raises(ValueError, match=r"hold the 4 values of a row; got \("):
        Gallery.of(X, pd.DataFrame(X), shape)


def test_a_named_index_identifies_rows_and_is_shown_first():
    frame = pd.DataFrame({"ring": ["a1", "a2", "b1", "b2"], "size": [1.0, 1.1, 9.0, 9.1]})
    shown = display_table(frame.set_index("ring"), 4)
    gallery = Gallery.of(np.zeros((4, 1)), shown, None, named=True)
    inside = np.array([False, False, True, True])
    assert gallery.cells(2, gallery.columns(inside)) == ["b1", "9"]
    assert len(gallery.traits(inside)) == 1
    assert "size" in gallery.traits(inside)[0]


def test_what_is_not_most_of_a_group_is_not_said_to_be():
    frame = pd.DataFrame({"kind": [None, None, None, *"abcde", *("x" * 8)]})
    [trait] = Gallery(frame).traits(np.arange(16) < 8)
    assert trait == "kind more often 'missing' (38% against 0%)"


def test_dates_that_hardly_repeat_do_not_set_rows_apart():
    rng = np.random.default_rng(0)
    days = pd.Series(pd.date_range("2024-01-01", periods=300).strftime("%Y-%m-%d"))
    frame = pd.DataFrame({"seen_on": days.iloc[rng.integers(300, size=700)].to_numpy()})
    frame.loc[::20, "seen_on"] = None
    assert column_effects(frame, np.arange(700) < 200)[0] < 0.5
