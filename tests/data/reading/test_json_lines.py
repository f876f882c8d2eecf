"""JSON lines: numbers in full, gaps, keys that some lines lack, and lines that are no objects."""

import numpy as np
import pandas as pd
import pytest

from eulac.data.reading.json_lines import json_lines, json_pieces
from eulac.data.row_chunks import read_chunks
from eulac.data.tables import read_table


def test_pieces_count_on_and_gaps_stay_gaps(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"a": 1, "b": "x"}\n\n{"a": 2.5}\n{"b": null, "a": 3}\n')
    pieces = list(json_pieces(path, 2))
    assert [piece.index.tolist() for piece in pieces] == [[0, 1], [2]]
    assert read_table(path).features["a"].tolist() == [1, 2.5, 3]
    assert read_table(path, label_column="b").unlabeled.tolist() == [False, True, True]
    chunks = list(read_chunks(path, ["b", "a"], chunk_rows=2))
    assert [list(chunk.columns) for chunk in chunks] == [["b", "a"]] * 2


def test_single_precision_is_not_written_with_made_up_digits():
    assert json_lines(pd.DataFrame({"p": np.array([0.1], dtype=np.float32)})) == '{"p": 0.1}\n'


def test_lines_that_are_no_objects_are_refused(tmp_path):
    (tmp_path / "rows.jsonl").write_text("[1, 2]\n")
    with pytest.raises(ValueError, match=r"readable JSON lines file; .* not a JSON object"):
        read_table(tmp_path / "rows.jsonl")
