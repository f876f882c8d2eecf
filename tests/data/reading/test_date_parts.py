"""Dates become numbers, however they are written; texts that are none are not taken for them."""

import datetime

import numpy as np
import pandas as pd
import pytest

from eulac.data.reading.date_parts import date_parts, look_like_dates, tells_samples_apart


@pytest.mark.parametrize(
    "values",
    [
        ["2026-05-31 18:30", "2026-06-01 00:00"],
        ["2026-05-31T18:30:00Z", "2026-06-01T00:00:00Z"],
        ["31.05.2026 18:30", "01.06.2026"],
        [datetime.datetime(2026, 5, 31, 18, 30), datetime.datetime(2026, 6, 1)],
        pd.to_datetime(["2026-05-31 20:30+02:00", "2026-06-01 02:00+02:00"]),
    ],
)
def test_parts_do_not_depend_on_how_dates_are_written(values):
    column = pd.Series(values, name="at")
    assert look_like_dates(column)
    parts = {name: found.tolist() for name, found in date_parts(column).items()}
    assert parts["at (days)"] == pytest.approx([20604 + 18.5 / 24, 20605])
    assert parts["at (month)"] == [5, 6]
    assert parts["at (weekday)"] == [7, 1]
    assert parts["at (hour)"] == [18, 0]


@pytest.mark.parametrize("values", [["red", "blue"], ["1.2.3", "4.5.6"], ["2026", "2027"]])
def test_other_texts_are_no_dates(values):
    assert not look_like_dates(pd.Series(values))


def test_gaps_stay_gaps():
    for found in date_parts(pd.Series([None, "2026-05-31"], name="at")).values():
        assert np.isnan(found).tolist() == [True, False]


def test_a_cell_that_is_no_date_is_quoted():
    with pytest.raises(ValueError, match=r"'at' must hold dates, .* pool.csv has 'never'"):
        date_parts(pd.Series(["2026-05-31", "never"], name="at"), "pool.csv")


def test_samples_without_values_are_not_told_apart():
    assert not tells_samples_apart(np.array([np.nan]), np.array([1.0]))
    assert tells_samples_apart(np.array([5.0, 6.0]), np.array([1.0, 2.0, np.nan]))
