"""Text that begins like a formula, and what only looks so."""

import pandas as pd
import pytest

from eulac.data.reading.formula_cells import STARTS, quoted_formulas


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("dtype", [object, "string", "category"])
def test_text_that_begins_like_a_formula_is_quoted(start, dtype):
    frame = pd.DataFrame({"a": pd.Series([f"{start}A1", "owl", None], dtype=dtype)})
    quoted = quoted_formulas(frame)["a"]
    assert quoted.tolist()[:2] == [f"'{start}A1", "owl"]
    assert pd.isna(quoted[2])
    assert frame["a"][0] == f"{start}A1"  # what was given stays


def test_numbers_stay_numbers():
    frame = pd.DataFrame({"a": [-1, 2], "b": ["-7.5", "+3"], "c": [-0.5, None]})
    pd.testing.assert_frame_equal(quoted_formulas(frame), frame)


def test_names_of_columns_are_cells_too():
    assert list(quoted_formulas(pd.DataFrame({"=x": [1], 3: ["@a"]}))) == ["'=x", 3]
