"""What is learned from: blank labels and pools are unlabeled rows, and large pools are thinned."""

import numpy as np
import pandas as pd
import pytest

from eulac.exceptions import TableRequestError
from eulac.tables.training_tables import (
    proportion_sample,
    read_training_tables,
    require_unlabeled,
    row_number_warnings,
)


@pytest.fixture
def files(tmp_path):
    rng = np.random.default_rng(0)
    labeled = pd.DataFrame(rng.normal(size=(30, 2)), columns=["a", "b"])
    labeled["label"] = np.where(np.arange(30) < 20, "x", None)
    pool = pd.DataFrame(rng.normal(size=(50, 3)), columns=["b", "a", "c"])
    labeled.to_csv(tmp_path / "labeled.csv", index=False)
    pool.to_csv(tmp_path / "pool.csv", index=False)
    return tmp_path / "labeled.csv", tmp_path / "pool.csv"


def test_unlabeled_rows_are_those_of_the_pool_and_of_blank_labels(files):
    tables = read_training_tables(*files)
    assert (tables.n_labeled, tables.n_unlabeled) == (20, 60)
    assert [list(frame) for frame in tables.frames.values()] == [["a", "b"]] * 3
    assert any("Not used of" in note and "'c'" in note for note in tables.notes)
    assert any("10 rows of" in note for note in tables.notes)


def test_thinning_names_its_parameter(files):
    tables = read_training_tables(*files, max_unlabeled=30, random_state=1)
    assert tables.n_unlabeled == 30
    assert "Of 60 unlabeled rows 30 were drawn to learn from (`max_unlabeled`)" in tables.notes[-1]
    again = read_training_tables(*files, max_unlabeled=30, random_state=1)
    for one, two in zip(tables.frames.values(), again.frames.values(), strict=True):
        pd.testing.assert_frame_equal(one, two)


def test_a_pool_without_a_column_is_refused(files):
    pd.read_csv(files[1]).drop(columns="a").to_csv(files[1], index=False)
    with pytest.raises(ValueError, match="it lacks 'a'"):
        read_training_tables(*files)


def test_one_table_is_not_labeled_and_unlabeled_at_once(files):
    labeled = files[0]
    with pytest.raises(TableRequestError, match=r"`pool` must be another table .*labeled\.csv"):
        read_training_tables(labeled, labeled.parent / "." / labeled.name)


def test_labels_are_no_ids(files):
    with pytest.raises(TableRequestError, match=r"`id_column` must be another .* both are 'label'"):
        read_training_tables(*files, id_column="label")


def test_unlabeled_rows_are_asked_for():
    require_unlabeled(1, "t.csv", "label")
    with pytest.raises(TableRequestError, match=r"every row of t\.csv has a label in 'label'"):
        require_unlabeled(0, "t.csv", "label")


def test_columns_that_count_rows_are_warned_of_unless_dropped():
    frames = {"one": pd.DataFrame({"id": range(30), "n": [1] * 30})}
    assert "`drop id`" in row_number_warnings(frames)[0]
    assert row_number_warnings(frames, ["id"]) == []


def test_the_sample_of_a_proportion_is_scaled_and_says_what_is_left_out(files):
    frame = pd.read_csv(files[0]).assign(seen="2026-05-01")
    frame.to_csv(files[0], index=False)
    sample, notes = proportion_sample(read_training_tables(files[0]))
    assert (sample.n_labeled, sample.n_unlabeled) == (20, 10)
    assert np.vstack([sample.X_labeled, sample.X_unlabeled]).max() == 1.0
    assert "'seen'" in notes[0]


def test_labeled_rows_are_thinned_as_unlabeled_ones_are(files):
    tables = read_training_tables(*files, max_labeled=5)
    assert tables.n_labeled == 20  # a class of fewer than fifty rows is kept whole
    table = pd.concat([pd.read_csv(files[0])] * 9, ignore_index=True)
    table.to_csv(files[0], index=False)
    tables = read_training_tables(*files, max_labeled=100)
    assert (tables.n_labeled, len(tables.y), len(tables.rows)) == (100, 100, 100)
    assert "Of 180 labeled rows 100 were drawn to learn from (`max_labeled`)" in tables.notes[-1]
    assert table["label"].iloc[tables.rows].notna().all()


def test_ids_follow_the_rows_that_were_drawn(files, monkeypatch):
    table = pd.concat([pd.read_csv(files[0])] * 9, ignore_index=True)
    table.assign(id=range(len(table))).to_csv(files[0], index=False)
    for n_bytes in (10**9, 1):
        monkeypatch.setattr("eulac.tables.drawn_tables.LONG_BYTES", n_bytes)
        tables = read_training_tables(*files, max_labeled=100, id_column="id")
        assert tables.ids.tolist() == tables.rows.tolist()
        assert all("id" not in frame for frame in tables.frames.values())
