"""Large files give the same training rows as small ones, and memory does not hold them."""

import numpy as np
import pandas as pd
import pytest

from eulac.data import row_chunks
from eulac.tables import drawn_tables
from eulac.tables.drawn_tables import (
    RowLimits,
    are_long,
    draw_at_once,
    draw_in_pieces,
    expected_rows,
    rows_counter,
)


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.setattr(row_chunks, "CHUNK_ROWS", 64)
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(500, 2)), columns=["a", "b"])
    table["code"] = [f"{n:02d}" if n % 2 else "x" for n in range(500)]
    kind = rng.choice(["cat", "dog", "emu", ""], 500, p=[0.5, 0.28, 0.02, 0.2])
    table.insert(0, "kind", kind)
    pool = pd.DataFrame(rng.normal(size=(300, 3)), columns=["b", "a", "other"])
    pool["code"] = "x"
    table.to_csv(tmp_path / "train.csv", index=False)
    pool.to_csv(tmp_path / "pool.csv", index=False)
    return tmp_path / "train.csv", tmp_path / "pool.csv"


@pytest.mark.parametrize("limits", [RowLimits(), RowLimits(90, 60, 3)])
def test_pieces_and_the_whole_file_give_the_same_rows(files, limits):
    whole = draw_at_once(*files, "kind", limits)
    pieces = draw_in_pieces(*files, "kind", limits)
    pd.testing.assert_frame_equal(pieces.labeled.rows, whole.labeled.rows, check_index_type=False)
    assert pieces.labeled.groups.tolist() == whole.labeled.groups.tolist()
    assert list(pieces.unlabeled) == list(whole.unlabeled)
    for source, draw in whole.unlabeled.items():
        other = pieces.unlabeled[source]
        assert other.n_seen == draw.n_seen
        pd.testing.assert_frame_equal(
            other.rows.reset_index(drop=True), draw.rows.reset_index(drop=True)
        )
    assert pieces.notes == whole.notes


def test_labeled_rows_are_thinned_and_rare_classes_kept(files):
    found = draw_in_pieces(*files, "kind", RowLimits(labeled=60)).labeled
    rare = pd.read_csv(files[0])["kind"].eq("emu").sum()
    assert np.sum(found.groups == "emu") == rare > 0
    assert 60 <= len(found.rows) <= 60 + 2 * drawn_tables.FEWEST_OF_CLASS
    assert found.n_seen > 350


def test_only_large_files_of_a_format_that_can_be_read_so_are_long(files, monkeypatch):
    assert not are_long((files[0], None))
    monkeypatch.setattr(drawn_tables, "LONG_BYTES", 1000)
    assert are_long((files[0], None))
    packed = files[0].with_suffix(".csv.gz")
    pd.read_csv(files[0]).to_csv(packed, index=False)
    monkeypatch.setattr(drawn_tables, "LONG_BYTES", packed.stat().st_size + 1)
    assert are_long((packed, None))
    np.savez(files[0].with_suffix(".npz"), X=np.eye(3))
    assert not are_long((files[0], files[0].with_suffix(".npz")))


def test_a_pool_without_a_column_is_refused(files):
    pd.read_csv(files[1]).drop(columns="a").to_csv(files[1], index=False)
    with pytest.raises(ValueError, match="it lacks 'a'"):
        draw_in_pieces(*files, "kind", RowLimits())


def test_labels_that_may_mean_unlabeled_are_refused(files):
    pd.read_csv(files[0]).assign(kind="-1").to_csv(files[0], index=False)
    with pytest.raises(ValueError, match="-1 may mean 'unlabeled'"):
        draw_in_pieces(*files, "kind", RowLimits())


def test_progress_counts_rows_of_about_as_many_as_there_are(files):
    assert abs(expected_rows(files[0]) - 500) < 10
    calls = []
    draw_in_pieces(
        *files,
        "kind",
        RowLimits(),
        on_rows=rows_counter(lambda *call: calls.append(call), files),
    )
    done, total = calls[-1]
    # Codes are numbers in no piece and texts in all: one pass over each file.
    assert done == 800
    assert total == pytest.approx(800, rel=0.05)


def test_packed_files_do_not_tell_their_rows(tmp_path):
    pd.DataFrame({"a": [1, 2]}).to_csv(tmp_path / "t.csv.gz", index=False)
    assert expected_rows(tmp_path / "t.csv.gz") is None
