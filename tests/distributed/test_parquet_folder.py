"""A folder of Parquet files: answers file by file, a second run goes on, others are refused."""

import shutil

import pandas as pd
import pytest
from pyarrow import parquet

from eulac.distributed.parquet_folder import predict_folder


@pytest.fixture
def folder(flowers, tmp_path):
    """Return a folder with three files of rows, one of them in a folder of its own."""
    rows = flowers[2]
    for name, part in {"a": rows[:40], "b": rows[40:90], "2026/c": rows[90:95]}.items():
        path = tmp_path / "rows" / f"{name}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        part.to_parquet(path, index=False)
    return tmp_path / "rows"


def test_every_file_is_answered_under_its_own_name(flowers, folder, tmp_path):
    path, model, rows = flowers
    found = predict_folder(path, folder, tmp_path / "out", keep=["size"])
    assert (found.n_files, found.n_skipped, found.counts.total()) == (3, 0, 95)
    answers = pd.read_parquet(tmp_path / "out/2026/c.parquet")
    assert answers["label"].tolist() == model.predict(rows[90:95]).tolist()
    assert answers.columns[:3].tolist() == ["code", "size", "label"]
    written = sorted(str(p.relative_to(tmp_path / "out")) for p in (tmp_path / "out").rglob("*.*"))
    assert written == ["2026/c.parquet", "a.parquet", "b.parquet"]


def test_an_interrupted_run_goes_on_and_ends_with_the_same_bytes(flowers, folder, tmp_path):
    done = []

    def stop_after_one(n, total):
        done.append((n, total))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        predict_folder(flowers[0], folder, tmp_path / "out", progress=stop_after_one)
    assert done == [(1, 3)]
    found = predict_folder(flowers[0], folder, tmp_path / "out")
    at_once = predict_folder(flowers[0], folder, tmp_path / "whole")
    assert (found.n_skipped, at_once.n_skipped) == (1, 0)
    assert found.counts == at_once.counts
    for path in (tmp_path / "whole").rglob("*.parquet"):
        other = tmp_path / "out" / path.relative_to(tmp_path / "whole")
        assert other.read_bytes() == path.read_bytes()


def test_answers_of_other_rows_columns_or_models_are_not_taken_for_ours(flowers, folder, tmp_path):
    predict_folder(flowers[0], folder, tmp_path / "out")
    with pytest.raises(ValueError, match=r"c\.parquet' is of other columns to keep"):
        predict_folder(flowers[0], folder, tmp_path / "out", keep=["size"])
    flowers[2][:7].to_parquet(folder / "2026/c.parquet", index=False)
    with pytest.raises(ValueError, match=r"c\.parquet' is of other rows.*overwrite=True"):
        predict_folder(flowers[0], folder, tmp_path / "out")
    assert predict_folder(flowers[0], folder, tmp_path / "out", overwrite=True).n_skipped == 0
    shutil.copy(folder / "a.parquet", tmp_path / "out/a.parquet")
    with pytest.raises(ValueError, match=r"a\.parquet' is of another model"):
        predict_folder(flowers[0], folder, tmp_path / "out")


def test_a_file_that_fails_leaves_no_half_and_is_named(flowers, folder, tmp_path):
    pd.DataFrame({"size": [1.0]}).to_parquet(folder / "b.parquet")
    with pytest.raises(ValueError, match=r"b\.parquet must have every column.*lacks 'color'"):
        predict_folder(flowers[0], folder, tmp_path / "out")
    assert not (tmp_path / "out/b.parquet").exists()
    assert parquet.ParquetFile(tmp_path / "out/a.parquet").metadata.num_rows == 40


def test_folders_that_cannot_be_meant_are_refused(flowers, folder, tmp_path):
    with pytest.raises(ValueError, match=r"among the rows; .*answers' lies in"):
        predict_folder(flowers[0], folder, folder / "answers")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match=r"must hold \.parquet files; .*empty' has none"):
        predict_folder(flowers[0], tmp_path / "empty", tmp_path / "out")
