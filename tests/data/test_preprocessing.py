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
        (["2026-05-01", "2026-05-02"], "dates"),
        (["2026-05-01T12:30:00"], "dates"),
        ([datetime.date(2026, 5, 1)], "dates"),
        (pd.to_datetime(["2026-05-01"]), "dates"),
        ([f"note {i}" for i in range(40)], "40 different texts in 40 rows"),
    ],
)
def test_columns_that_say_nothing_about_classes_are_left_out(values, reason):
    columns = fit(table(other=values))
    assert columns.names == ["size"]
    assert reason in columns.ignored["other"]


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
    with pytest.raises(ValueError, match=r"row 2 of pool.csv has 'big'"):
        columns.transform(pd.DataFrame({"size": [1.0, "big"], "wild": True}), "pool.csv")
    with pytest.raises(ValueError, match="row 1 of the table has inf"):
        columns.transform(pd.DataFrame({"size": [np.inf], "wild": True}))
    with pytest.raises(ValueError, match="must hold true or false; row 1 of the table has 'maybe'"):
        columns.transform(pd.DataFrame({"size": [0.0], "wild": "maybe"}))


def test_rows_are_counted_over_pieces():
    columns = fit(table())
    piece = pd.DataFrame({"size": ["x"]}, index=[41])
    with pytest.raises(ValueError, match="row 42 of"):
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
    with pytest.raises(ValueError, match=r"none is: 'seen' \(dates"):
        fit(pd.DataFrame({"seen": ["2026-05-01"] * 3}))


def test_repr_counts_the_kinds():
    columns = fit(table(color=["red", "blue"], wild=[True, False]))
    assert repr(columns) == "TableColumns(1 number, 1 flag, 1 category: 4 features)"
