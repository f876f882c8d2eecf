"""Columns of any kind become numbers, the same ones for the same cells, and trouble is named."""

import datetime

import numpy as np
import pandas as pd
import pytest

from eulac.data.preprocessing import MISSING, fit_columns


def table(n_rows=40, **columns):
    frame = pd.DataFrame({"size": np.arange(n_rows, dtype=float)})
    return frame.assign(**{name: np.resize(values, n_rows) for name, values in columns.items()})


def fit(frame, *others, drop=()):
    sources = {"train.csv": frame} | {f"pool{i}.csv": other for i, other in enumerate(others)}
    return fit_columns(sources, drop)


def test_numbers_stay_as_they_are_and_gaps_become_the_median():
    frame = table()
    frame.loc[0, "size"] = np.nan
    X = fit(frame).transform(frame)
    np.testing.assert_array_equal(X[1:, 0], frame["size"][1:])
    assert X[0, 0] == frame["size"].median()


def test_complete_numbers_take_the_short_way_to_the_same_matrix():
    frame = table(other=np.linspace(-1, 1, 40), count=range(40))
    columns = fit(frame)
    expected = columns.transformer.transform(frame)
    np.testing.assert_array_equal(columns.transform(frame[["count", "other", "size"]]), expected)
    gaps = frame.mask(frame > 20)
    np.testing.assert_array_equal(columns.transform(gaps), columns.transformer.transform(gaps))


def test_flags_become_zero_and_one_however_they_are_written():
    columns = fit(table(wild=[True, False]))
    for cells in ([True, False], ["True", "False"], ["true", " FALSE"], [1, 0]):
        X = columns.transform(pd.DataFrame({"size": 0.0, "wild": cells}))
        assert X[:, 1].tolist() == [1.0, 0.0]


def test_flags_with_gaps_become_the_commoner_one():
    frame = table(wild=[True, True, False, None])
    X = fit(frame).transform(pd.DataFrame({"size": [0.0], "wild": [None]}))
    assert X[0, 1] == 1.0


def test_categories_get_a_column_each_and_missing_is_one_of_them():
    columns = fit(table(color=["red", "blue", None]))
    assert columns.feature_names == ["size", f"color_{MISSING}", "color_blue", "color_red"]
    X = columns.transform(pd.DataFrame({"size": 0.0, "color": ["red", None]}))
    assert X[:, 1:].tolist() == [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]


def test_rare_and_unseen_categories_share_a_column():
    columns = fit(table(color=["red"] * 30 + ["blue"] * 8 + ["pink", "gold"]))
    cells = {"size": 0.0, "color": ["pink", "gold", "never seen"]}
    X = columns.transform(pd.DataFrame(cells))
    assert np.ptp(X, axis=0).max() == 0.0
    assert X[0, 1:].sum() == 1.0


def test_unseen_categories_are_all_zero_where_none_is_rare():
    columns = fit(table(color=["red", "blue"]))
    X = columns.transform(pd.DataFrame({"size": [0.0], "color": ["never seen"]}))
    assert X[0, 1:].tolist() == [0.0, 0.0]


def test_categories_that_are_whole_numbers_match_beside_gaps():
    columns = fit(table(code=["1", "2"]))
    X = columns.transform(pd.DataFrame({"size": 0.0, "code": [1.0, np.nan]}))
    assert X[0, 1:].tolist() == [1.0, 0.0]


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([None], "no values"),
        (["2026-05-01T12:30:00"], "the same date in all rows"),
        ([datetime.date(2026, 5, 1)], "the same date in all rows"),
        (pd.to_datetime(["2026-05-01"]), "the same date in all rows"),
        ([datetime.time(12, 30), datetime.time(9, 15)], "times without a date"),
        ([f"note {i}" for i in range(40)], "40 different texts in 40 rows"),
    ],
)
def test_columns_that_say_nothing_about_classes_are_left_out(values, reason):
    columns = fit(table(other=values))
    assert columns.names == ["size"]
    assert reason in columns.ignored["other"]


@pytest.mark.parametrize(
    "values",
    [
        ["2026-01-05", "2026-02-07"],
        ["05.01.2026", "07.02.2026"],
        [datetime.date(2026, 1, 5), datetime.date(2026, 2, 7)],
        pd.to_datetime(["2026-01-05", "2026-02-07"]),
        pd.to_datetime(["2026-01-05", "2026-02-07"], utc=True),
    ],
    ids=["year first", "day first", "objects", "moments", "with zone"],
)
def test_dates_become_elapsed_days_and_the_parts_that_vary(values):
    columns = fit(table(seen=values))
    assert columns.kinds == {"size": "number", "seen": "date"}
    assert columns.feature_names == ["size", "seen (days)", "seen (month)", "seen (weekday)"]
    assert columns.feature_columns == ["size", "seen", "seen", "seen"]
    X = columns.transform(pd.DataFrame({"size": [0.0, 0.0], "seen": ["2026-01-06", None]}))
    assert X[:, 1].tolist() == [20459.0, np.median(columns.transform(table(seen=values))[:, 1])]
    assert X[0, 2:].tolist() == [1.0, 2.0]


def test_elapsed_time_that_tells_the_samples_apart_is_left_out():
    labeled = table(seen=["2026-01-05", "2026-01-06", "2026-01-07"])
    pool = table(seen=["2026-03-02", "2026-01-06", "2026-03-04", "2026-03-05"])
    columns = fit(labeled, pool.assign(seen=np.resize(["2026-03-02", "2026-03-04"], 40)))
    assert columns.feature_names == ["size", "seen (weekday)"]
    assert "tells the samples apart" in columns.ignored["seen (days)"]
    assert "seen (days)" in fit(labeled, labeled).feature_names


def test_a_cell_that_is_no_date_is_named():
    columns = fit(table(seen=["2026-01-05", "2026-02-07"]))
    with pytest.raises(ValueError, match=r"'seen' must hold dates, .* new.csv has 'soon'"):
        columns.transform(pd.DataFrame({"size": [1.0], "seen": ["soon"]}), "new.csv")


def test_the_column_that_identifies_rows_is_no_feature():
    columns = fit_columns({"train.csv": table(ring=range(40))}, id_column="ring")
    assert (columns.names, columns.id_column) == (["size"], "ring")
    assert "identifies rows" in columns.ignored["ring"]


def test_every_feature_knows_its_column():
    frame = table(color=["red", "blue", "grey"], wild=[True, False], seen=["2026-01-05"])
    columns = fit(frame)
    assert columns.feature_columns == ["size", "wild", "color", "color", "color"]
    assert len(columns.feature_columns) == len(columns.feature_names)
    assert columns.ranges == {"size": (0.0, 39.0)}
    assert columns.categories() == {"color": {"red", "blue", "grey"}}


def test_columns_are_matched_by_name_in_any_order():
    frame = table(color=["red", "blue"], wild=[True, False])
    columns = fit(frame)
    X = columns.transform(frame)
    np.testing.assert_array_equal(X, columns.transform(frame[frame.columns[::-1]].assign(more=1)))


def test_missing_columns_are_named_with_a_guess():
    columns = fit(table(color=["red", "blue"]))
    with pytest.raises(ValueError, match=r"it lacks 'color'.*Did you mean 'colour'\?"):
        columns.transform(pd.DataFrame({"size": [0.0], "colour": ["red"]}), "pool.csv")
    with pytest.raises(ValueError, match=r"pool0.csv must have every column it needs"):
        fit(table(color=["red"]), table())


def test_values_of_another_kind_are_named_with_their_row():
    columns = fit(table(wild=[True, False]))
    with pytest.raises(ValueError, match=r"row 1 \(counted from 0\) of pool.csv has 'big'"):
        columns.transform(pd.DataFrame({"size": [1.0, "big"], "wild": True}), "pool.csv")
    with pytest.raises(ValueError, match=r"row 0 \(counted from 0\) of the table has inf"):
        columns.transform(pd.DataFrame({"size": [np.inf], "wild": True}))
    with pytest.raises(
        ValueError, match=r"true or false; row 0 \(counted from 0\) of the table has 'maybe'"
    ):
        columns.transform(pd.DataFrame({"size": [0.0], "wild": "maybe"}))


def test_rows_are_counted_over_pieces():
    columns = fit(table())
    piece = pd.DataFrame({"size": ["x"]}, index=[41])
    with pytest.raises(ValueError, match=r"row 41 \(counted from 0\) of"):
        columns.transform(piece)


def test_one_column_of_two_kinds_is_refused():
    message = r"'size' must be of one kind; in train.csv it holds numbers, in pool0.csv categories"
    with pytest.raises(ValueError, match=message):
        fit(table(), table().assign(size="big"))


def test_flags_beside_numbers_are_numbers():
    assert fit(table(wild=[True, False]), table(wild=[0, 1])).kinds["wild"] == "number"


def test_a_column_empty_in_one_table_takes_its_kind_from_the_other():
    assert fit(table(color=[None]), table(color=["red", "blue"])).kinds["color"] == "category"


def test_dropped_columns_are_not_needed_later():
    columns = fit(table(color=["red", "blue"]), drop=["color"])
    assert columns.transform(table()).shape == (40, 1)
    with pytest.raises(ValueError, match="lacks 'wing'"):
        fit(table(), drop=["wing"])


def test_a_table_without_a_usable_column_is_refused():
    with pytest.raises(ValueError, match=r"none is: 'seen' \(the same date"):
        fit(pd.DataFrame({"seen": ["2026-05-01"] * 3}))


def test_repr_counts_the_kinds():
    columns = fit(table(color=["red", "blue"], wild=[True, False]))
    assert repr(columns) == "TableColumns(1 number, 1 flag, 1 category: 4 features)"
