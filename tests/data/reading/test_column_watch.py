"""Values the fit has not seen are counted over all pieces of a table; familiar ones are not."""

import pandas as pd
import pytest

from eulac.data.preprocessing import fit_columns
from eulac.data.reading.column_watch import ColumnWatch


@pytest.fixture
def watch():
    seen = pd.DataFrame({"size": range(100), "color": ["red", "blue", "1", None] * 25})
    return ColumnWatch(fit_columns({"train.csv": seen}))


def test_familiar_rows_are_passed_over_in_silence(watch):
    watch.look(pd.DataFrame({"size": [0.0, 103.9, None, 5], "color": ["red", None, "1", 1]}))
    assert watch.sentences() == []


def test_unseen_values_are_counted_over_all_pieces(watch):
    for color in ("pink", "teal", "pink"):
        watch.look(pd.DataFrame({"size": [1.0, 2.0], "color": [color, "red"]}))
    assert watch.sentences() == [
        "Column 'color': 3 of 6 rows have a value the fit never saw: 'pink' (2), 'teal' (1)."
    ]


def test_numbers_out_of_range_are_told_with_the_range_and_how_far(watch):
    watch.look(pd.DataFrame({"size": [-50, 1, 200, 150], "color": "red"}))
    assert watch.sentences() == [
        "Column 'size': 3 of 4 rows lie outside what the fit saw (0 to 99), down to -50 and up "
        "to 200."
    ]


def test_a_few_rows_out_of_range_are_what_any_sample_has(watch):
    watch.look(pd.DataFrame({"size": [200] * 2 + [50] * 10, "color": "red"}))
    assert watch.sentences() == []
    watch.look(pd.DataFrame({"size": [200] + [50] * 400, "color": "red"}))
    assert watch.sentences() == []


def test_one_number_far_out_of_range_is_told(watch):
    watch.look(pd.DataFrame({"size": [5000] + [50] * 400, "color": "red"}))
    assert watch.sentences() == [
        "Column 'size': 1 of 401 rows lie outside what the fit saw (0 to 99), up to 5000."
    ]
